/// Rows evaluated on the device: contacts, joints and attachments as records
/// (core/rows/step_records.h), a kernel per kind after the one that moves bodies and particles. The
/// bodies are those that the host's row sets call.
///
/// A step with a row of another kind has no records: RowsFromHost evaluates all of it. Rows are
/// evaluated in double and rounded where Real is single: a gap is a small difference of large
/// numbers. Geometric stiffness (stiffness exact and full) comes from the host, counted.
#pragma once

#include <memory>
#include <string_view>

#include "nsn/core/rows/attachment_body.h"
#include "nsn/core/rows/contact_body.h"
#include "nsn/core/rows/coordinate_kernels.h"
#include "nsn/core/rows/step_records.h"
#include "nsn/core/step/device_rows.h"

namespace nsn {

/// One block before it is stored: three values and J of up to four nodes.
struct LocalBlock {
  double values[3];
  double entries[4][kBlockSize];

  struct Out {
    double* value;
    double* J[4];
  };
  NSN_FUNCTION Out out() { return {values, {entries[0], entries[1], entries[2], entries[3]}}; }
};

template <class D, class Real>
struct RecordBodies {
  double h = 0.0;
  Span<D, const BodyRecord> body_records;
  Span<D, const ParticleRecord> particle_records;
  Span<D, const ContactRecord> contacts;
  Span<D, const JointRecord> joints;
  Span<D, const AttachmentRecord> attachments;
  Span<D, BodyState> states;
  Span<D, PointState> points;
  Span<D, const Index> row_begin;
  Span<D, const Real> u;
  Span<D, Real> value, J;

  NSN_FUNCTION void move_body_of(Index k) const {
    const BodyRecord& record = body_records(k);
    if (record.node < 0) {
      states(k) = record.state;
      return;
    }
    const Vec3 v = converted<double>(load_vector(u, kBlock * record.node));
    const Vec3 w = converted<double>(load_vector(u, kBlock * (record.node + 1)));
    states(k).dynamic = record.state.dynamic;
    move_body(record.state.x, record.state.q, h, v, w, states(k));
  }
  NSN_FUNCTION void move_particle(Index k) const {
    const ParticleRecord& record = particle_records(k);
    points(k) = record.state;
    if (record.node < 0) return;
    points(k).v = converted<double>(load_vector(u, kBlock * record.node));
    points(k).x = record.state.x + h * points(k).v;
  }

  NSN_FUNCTION void store(Index row, const LocalBlock& block, const std::int8_t* slot,
                          int count) const {
    for (int i = 0; i < 3; ++i) value(kBlock * row + i) = static_cast<Real>(block.values[i]);
    for (int k = 0; k < count; ++k) {
      if (slot[k] < 0) continue;
      const Index at = kBlockSize * (row_begin(row) + slot[k]);
      for (int e = 0; e < kBlockSize; ++e) J(at + e) = static_cast<Real>(block.entries[k][e]);
    }
  }
  NSN_FUNCTION void contact(Index k) const {
    const ContactRecord& c = contacts(k);
    LocalBlock block;
    evaluate_contact(c, c.frame, states(c.a), states(c.b), h, block.out());
    store(c.row, block, c.slot, 4);
  }
  NSN_FUNCTION void joint(Index k) const {
    const JointRecord& j = joints(k);
    LocalBlock block;
    const LocalBlock::Out out = block.out();
    const FramePair pair = joint_kernels::place(states(j.a), j.frame_a, states(j.b), j.frame_b);
    if (j.points) {
      const Vec3 offset{j.rows[0].offset, j.rows[1].offset, j.rows[2].offset};
      joint_kernels::evaluate_points(offset, pair, h, out);
    } else {
      for (int i = 0; i < 3; ++i) {
        const JointRowRecord& row = j.rows[i];
        if (row.padding) {
          joint_kernels::evaluate_padding(i, out);
          continue;
        }
        CoordinateGradient g = joint_kernels::gradient(row.coordinate, pair);
        g.value = joint_kernels::unwrapped(row.coordinate, g.value, row.reference);
        joint_kernels::evaluate_row(i, g, row.sign, row.offset, h, out);
      }
    }
    store(j.row, block, j.slot, 4);
  }
  NSN_FUNCTION void attachment(Index k) const {
    const AttachmentRecord& a = attachments(k);
    LocalBlock block;
    evaluate_attachment(a, points(a.particle), states(a.body), h, block.out());
    store(a.row, block, a.slot, 3);
  }
};

template <class D, class Real>
class RowsOnDevice final : public DeviceEquations<D, Real> {
 public:
  std::string_view runs_on() const override { return "device"; }
  /// Of the present step, for kernels of others.
  const RecordBodies<D, Real>& bodies() const { return bodies_; }

  void start(Queue<D>& queue, StepEquations& equations) override {
    equations_ = &equations;
    const StepRecords& records = *equations.records();
    const System& system = equations.system();
    RecordBodies<D, Real>& b = bodies_;
    b.h = records.h;
    b.body_records = body_records_.take(queue, records.bodies);
    b.particle_records = particle_records_.take(queue, records.particles);
    b.contacts = contacts_.take(queue, records.contacts);
    b.joints = joints_.take(queue, records.joints);
    b.attachments = attachments_.take(queue, records.attachments);
    if (states_.extent(0) < records.bodies.size()) {
      states_ = allocate_on<D, BodyState>("states", static_cast<Index>(records.bodies.size()));
    }
    if (points_.extent(0) < records.particles.size()) {
      points_ = allocate_on<D, PointState>("points", static_cast<Index>(records.particles.size()));
    }
    b.states = states_;
    b.points = points_;
    if (kHostReads<D> || pattern_id_ != system.pattern_id) {
      b.row_begin = row_begin_.take(queue, system.row_begin);
      pattern_id_ = system.pattern_id;
    }
  }

  void evaluate(Queue<D>& queue, Span<D, const Real> u, Span<D, Real> value, Span<D, Real> J,
                Span<D, Real>) override {
    bodies_.u = u;
    bodies_.value = value;
    bodies_.J = J;
    const RecordBodies<D, Real> b = bodies_;
    queue.for_each(
        "bodies", size_of(b.body_records), KOKKOS_LAMBDA(const Index k) { b.move_body_of(k); }, 16);
    queue.for_each(
        "particles", size_of(b.particle_records),
        KOKKOS_LAMBDA(const Index k) { b.move_particle(k); }, 4);
    queue.for_each(
        "contacts", size_of(b.contacts), KOKKOS_LAMBDA(const Index k) { b.contact(k); }, 32);
    queue.for_each(
        "joints", size_of(b.joints), KOKKOS_LAMBDA(const Index k) { b.joint(k); }, 64);
    queue.for_each(
        "attachments", size_of(b.attachments), KOKKOS_LAMBDA(const Index k) { b.attachment(k); },
        16);
  }

  void stiffness(Queue<D>& queue, Span<D, const Real> u, Span<D, const Real> r,
                 Span<D, Real> H) override {
    host_.start(queue, *equations_);
    host_.stiffness(queue, u, r, H);
  }

 private:
  StepEquations* equations_ = nullptr;
  RowsFromHost<D, Real> host_;
  RecordBodies<D, Real> bodies_;
  std::uint64_t pattern_id_ = 0;
  Uploaded<D, BodyRecord> body_records_;
  Uploaded<D, ParticleRecord> particle_records_;
  Uploaded<D, ContactRecord> contacts_;
  Uploaded<D, JointRecord> joints_;
  Uploaded<D, AttachmentRecord> attachments_;
  Uploaded<D, Index> row_begin_;
  DeviceArray<D, BodyState> states_;
  DeviceArray<D, PointState> points_;
};

/// The rows of these equations for a device: by the device where it is not the host's memory and
/// every kind of row has a record, else by the host.
template <class D, class Real>
class DeviceRows {
 public:
  /// Throws nothing; valid until the next call.
  DeviceEquations<D, Real>& of(Queue<D>& queue, StepEquations& equations) {
    const bool by_device = !kIsHostArray<D, Real> && equations.records() != nullptr;
    DeviceEquations<D, Real>& chosen = by_device
                                           ? static_cast<DeviceEquations<D, Real>&>(on_device_)
                                           : static_cast<DeviceEquations<D, Real>&>(from_host_);
    chosen.start(queue, equations);
    return chosen;
  }

 private:
  RowsOnDevice<D, Real> on_device_;
  RowsFromHost<D, Real> from_host_;
};

}  // namespace nsn
