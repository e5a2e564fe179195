/// Rows evaluated on the device from records (core/rows/step_records.h), a kernel per kind after the
/// one that moves bodies and particles, and per force law. The bodies are those that the host's row
/// sets call. Elements of force laws are copied once; what they keep of the start of a step (frames
/// of tetrahedra, lengths of springs) a kernel finds there.
///
/// A step with a row of a user's own kind has no records: RowsFromHost evaluates all of it. Rows are
/// evaluated in double and rounded where Real is single: a gap is a small difference of large
/// numbers.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "nsn/core/rows/step_records.h"
#include "nsn/core/step/paper/device_rows.h"
#include "nsn/core/step/paper/law_bodies.h"
#include "nsn/core/step/paper/row_stiffness.h"

namespace nsn {

/// What a force law has on the device.
template <class D>
struct LawMemory {
  std::uint64_t id = 0;  ///< of the elements that are there
  Uploaded<D, Spring> springs_up;
  Uploaded<D, TetElement> tets_up;
  Uploaded<D, double> pressure_up;
  DeviceArray<D, double> kept;
  Span<D, const Spring> springs;
  Span<D, const TetElement> tets;
  Span<D, const double> pressure;

  void take(Queue<D>& queue, const LawRecord& record) {
    if (kHostReads<D> || id != record.id) {
      springs = springs_up.take(queue, record.springs.data(), record.springs.size());
      tets = tets_up.take(queue, record.tets.data(), record.tets.size());
    }
    id = record.id;
    pressure = pressure_up.take(queue, record.pressure.data(), record.pressure.size());
  }
  Span<D, const Spring> elements(const SpringLaw&) const { return springs; }
  template <class Law>
  Span<D, const TetElement> elements(const Law&) const {
    return tets;
  }
};

/// The records of a step on the device.
template <class D>
struct UploadedRecords {
  Uploaded<D, BodyRecord> bodies;
  Uploaded<D, ParticleRecord> particles;
  Uploaded<D, ContactRecord> contacts;
  Uploaded<D, JointRecord> joints;
  Uploaded<D, CoordinateGradient> directions;
  Uploaded<D, AttachmentRecord> attachments;
  Uploaded<D, MimicRecord> mimics;
  Uploaded<D, ResistanceRecord> resistances;
  Uploaded<D, SoftContactRecord> soft_contacts;

  template <class Real>
  void take(Queue<D>& queue, const StepRecords& from, RecordBodies<D, Real>& to) {
    to.h = from.h;
    to.body_records = bodies.take(queue, from.bodies);
    to.particle_records = particles.take(queue, from.particles);
    to.contacts = contacts.take(queue, from.contacts);
    to.joints = joints.take(queue, from.joints);
    to.directions = directions.take(queue, from.directions);
    to.attachments = attachments.take(queue, from.attachments);
    to.mimics = mimics.take(queue, from.mimics);
    to.resistances = resistances.take(queue, from.resistances);
    to.soft_contacts = soft_contacts.take(queue, from.soft_contacts);
  }
};

template <class D, class Real>
class RowsOnDevice final : public DeviceEquations<D, Real> {
 public:
  std::string_view runs_on() const override { return "device"; }
  /// Of the present step, for kernels of others.
  const RecordBodies<D, Real>& bodies() const { return bodies_; }

  void start(Queue<D>& queue, StepEquations& equations) override {
    records_ = equations.records();
    const System& system = equations.system();
    RecordBodies<D, Real>& b = bodies_;
    up_.take(queue, *records_, b);
    if (states_.extent(0) < records_->bodies.size()) {
      states_ = allocate_on<D, BodyState>("states", size_of(b.body_records));
    }
    if (points_.extent(0) < records_->particles.size()) {
      points_ = allocate_on<D, PointState>("points", size_of(b.particle_records));
    }
    b.states = states_;
    b.points = points_;
    if (kHostReads<D> || pattern_id_ != system.pattern_id) {
      b.row_begin = row_begin_.take(queue, system.row_begin);
      pattern_id_ = system.pattern_id;
    }
    if (laws_.size() < records_->laws.size()) laws_.resize(records_->laws.size());
    for (std::size_t k = 0; k < records_->laws.size(); ++k) {
      laws_[k].take(queue, records_->laws[k]);
      for_law(k, {}, [&](const auto& law) { start_law(queue, law, laws_[k]); });
    }
  }

  void evaluate(Queue<D>& queue, Span<D, const Real> u, Span<D, Real> value, Span<D, Real> J,
                Span<D, Real> E) override {
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
    queue.for_each(
        "mimics", size_of(b.mimics), KOKKOS_LAMBDA(const Index k) { b.mimic(k); }, 128);
    queue.for_each(
        "resistances", size_of(b.resistances), KOKKOS_LAMBDA(const Index k) { b.resistance(k); },
        16);
    queue.for_each(
        "soft contacts", size_of(b.soft_contacts),
        KOKKOS_LAMBDA(const Index k) { b.soft_contact(k); }, 32);
    for (std::size_t k = 0; k < records_->laws.size(); ++k) {
      for_law(k, E, [&](const auto& law) { evaluate_law(queue, law); });
    }
  }

  void stiffness(Queue<D>& queue, const paper::StepBodies<D, Real>& s) override {
    const Index entries = size_of(s.J);
    if (size_of(K_) < entries) K_ = allocate_on<D, double>("K", entries);
    const bool twice = !records_->mimics.empty();
    if (twice && size_of(also_) < entries) also_ = allocate_on<D, double>("K", entries);
    RowStiffness<D, Real> rows;
    rows.at = bodies_;
    rows.r = s.r;
    rows.K = K_;
    if (twice) rows.also = also_;
    row_stiffness(queue, rows, entries);
    for (std::size_t k = 0; k < records_->laws.size(); ++k) {
      for_law(k, {}, [&](const auto& law) { law_stiffness(queue, law, rows); });
    }
    node_stiffness(queue, rows, s);
    for (std::size_t k = 0; k < records_->laws.size(); ++k) {
      for_law(k, {}, [&](const auto& law) { add_law_stiffness(queue, law, rows, s); });
    }
  }

  // ---- public because of their lambdas

  template <class Law>
  void start_law(Queue<D>& queue, LawBodies<D, Real, Law> b, LawMemory<D>& memory) {
    const Index n = size_of(b.elements);
    if (size_of(memory.kept) < Law::kStart * n) {
      memory.kept = allocate_on<D, double>("start of elements", Law::kStart * n);
    }
    b.kept = memory.kept;
    queue.for_each(
        "start of elements", n, KOKKOS_LAMBDA(const Index t) { b.start(t); }, 64);
  }
  template <class Law>
  void evaluate_law(Queue<D>& queue, const LawBodies<D, Real, Law>& b) {
    queue.for_each(
        "elements", size_of(b.elements), KOKKOS_LAMBDA(const Index t) { b.evaluate(t); }, 128);
  }
  void row_stiffness(Queue<D>& queue, const RowStiffness<D, Real>& rows, Index entries) {
    const RecordBodies<D, Real>& b = bodies_;
    queue.for_each(
        "clear K", entries, KOKKOS_LAMBDA(const Index k) { rows.clear(k); });
    queue.for_each(
        "K of contacts", size_of(b.contacts), KOKKOS_LAMBDA(const Index k) { rows.contact(k); },
        16);
    queue.for_each(
        "K of joints", size_of(b.joints), KOKKOS_LAMBDA(const Index k) { rows.joint(k); }, 64);
    queue.for_each(
        "K of attachments", size_of(b.attachments),
        KOKKOS_LAMBDA(const Index k) { rows.attachment(k); }, 16);
    queue.for_each(
        "K of mimics", size_of(b.mimics), KOKKOS_LAMBDA(const Index k) { rows.mimic(k); }, 64);
    queue.for_each(
        "K of soft contacts", size_of(b.soft_contacts),
        KOKKOS_LAMBDA(const Index k) { rows.soft_contact(k); }, 16);
  }
  template <class Law>
  void law_stiffness(Queue<D>& queue, const LawBodies<D, Real, Law>& b,
                     const RowStiffness<D, Real>& rows) {
    queue.for_each(
        "K of elements", size_of(b.elements),
        KOKKOS_LAMBDA(const Index t) { element_stiffness(b, t, rows); }, 128);
  }
  void node_stiffness(Queue<D>& queue, const RowStiffness<D, Real>& rows,
                      const paper::StepBodies<D, Real>& s) {
    queue.for_each(
        "H", s.at.nodes, KOKKOS_LAMBDA(const Index n) { rows.node(n, s); }, 32);
  }
  template <class Law>
  void add_law_stiffness(Queue<D>& queue, const LawBodies<D, Real, Law>& b,
                         const RowStiffness<D, Real>& rows, const paper::StepBodies<D, Real>& s) {
    const Index first = b.row;
    const Index last = b.row_of(size_of(b.elements));
    const Index rigid = s.at.rigid_nodes;
    queue.for_each(
        "H of elements", s.at.nodes - rigid,
        KOKKOS_LAMBDA(const Index n) { rows.particle_node(rigid + n, first, last, s); }, 32);
  }

 private:
  /// body(bodies of law k), typed.
  template <class Body>
  void for_law(std::size_t k, Span<D, Real> E, const Body& body) {
    const LawRecord& record = records_->laws[k];
    const LawMemory<D>& memory = laws_[k];
    std::visit(
        [&](const auto& law) {
          LawBodies<D, Real, std::decay_t<decltype(law)>> b;
          b.at = bodies_;
          b.law = law;
          b.row = record.row;
          b.particle = record.particle;
          b.elements = memory.elements(law);
          b.pressure = memory.pressure;
          b.kept = memory.kept;
          b.E = E;
          body(b);
        },
        record.law);
  }

  const StepRecords* records_ = nullptr;
  RecordBodies<D, Real> bodies_;
  std::uint64_t pattern_id_ = 0;
  UploadedRecords<D> up_;
  std::vector<LawMemory<D>> laws_;
  Uploaded<D, Index> row_begin_;
  DeviceArray<D, BodyState> states_;
  DeviceArray<D, PointState> points_;
  DeviceArray<D, double> K_, also_;  // RowStiffness
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
