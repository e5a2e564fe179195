/// Rows of a step as bodies over records (core/rows/step_records.h): one record at a time, on any
/// device. What a kind of row yields is written in core/rows and called by the host's row sets too.
#pragma once

#include "nsn/core/device/space.h"
#include "nsn/core/rows/attachment_body.h"
#include "nsn/core/rows/contact_body.h"
#include "nsn/core/rows/mimic_body.h"
#include "nsn/core/rows/soft_contact_body.h"

namespace nsn {

/// One block before it is stored: three values and J of up to N nodes.
template <int N>
struct LocalBlock {
  double values[3];
  double entries[N][kBlockSize];

  struct Out {
    double* value;
    double* J[N];
  };
  NSN_FUNCTION Out out() {
    Out to;
    to.value = values;
    for (int k = 0; k < N; ++k) to.J[k] = entries[k];
    return to;
  }
};

template <class D, class Real>
struct RecordBodies {
  double h = 0.0;
  Span<D, const BodyRecord> body_records;
  Span<D, const ParticleRecord> particle_records;
  Span<D, const ContactRecord> contacts;
  Span<D, const JointRecord> joints;
  Span<D, const CoordinateGradient> directions;
  Span<D, const AttachmentRecord> attachments;
  Span<D, const MimicRecord> mimics;
  Span<D, const ResistanceRecord> resistances;
  Span<D, const SoftContactRecord> soft_contacts;
  Span<D, BodyState> states;
  Span<D, PointState> points;
  Span<D, const Index> row_begin;
  Span<D, const Real> u;
  Span<D, Real> value, J;

  NSN_FUNCTION const BodyState& body(Index k) const { return states(k); }
  NSN_FUNCTION const PointState& particle(Index k) const { return points(k); }

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
    const bool moves = record.node >= 0;
    const Vec3 v = moves ? converted<double>(load_vector(u, kBlock * record.node)) : record.v;
    points(k).dynamic = moves;
    points(k).v = v;
    points(k).x = record.x + h * v;
  }

  template <int N>
  NSN_FUNCTION void store(Index row, const LocalBlock<N>& block, const std::int8_t* slot) const {
    for (int i = 0; i < 3; ++i) value(kBlock * row + i) = static_cast<Real>(block.values[i]);
    for (int k = 0; k < N; ++k) {
      if (slot[k] < 0) continue;
      const Index at = kBlockSize * (row_begin(row) + slot[k]);
      for (int e = 0; e < kBlockSize; ++e) J(at + e) = static_cast<Real>(block.entries[k][e]);
    }
  }
  NSN_FUNCTION void contact(Index k) const {
    const ContactRecord& c = contacts(k);
    LocalBlock<4> block;
    evaluate_contact(c, c.frame, states(c.a), states(c.b), h, block.out());
    store(c.row, block, c.slot);
  }
  NSN_FUNCTION void joint(Index k) const {
    const JointRecord& j = joints(k);
    LocalBlock<4> block;
    const auto out = block.out();
    const FramePair pair = joint_kernels::place(states(j.a), j.frame_a, states(j.b), j.frame_b);
    if (j.points) {
      const Vec3 offset{j.rows[0].offset, j.rows[1].offset, j.rows[2].offset};
      joint_kernels::evaluate_points(offset, pair, h, out);
    } else {
      for (int i = 0; i < 3; ++i) joint_row(j, i, pair, out);
    }
    store(j.row, block, j.slot);
  }
  template <class Out>
  NSN_FUNCTION void joint_row(const JointRecord& j, int i, const FramePair& pair,
                              const Out& out) const {
    const JointRowRecord& row = j.rows[i];
    if (row.padding) return joint_kernels::evaluate_padding(i, out);
    CoordinateGradient g = joint_kernels::gradient(row.coordinate, pair);
    const double C = joint_kernels::unwrapped(row.coordinate, g.value, row.reference);
    if (j.kept >= 0) g = directions(j.kept + i);
    g.value = C;
    joint_kernels::evaluate_row(i, g, row.sign, row.offset, h, out);
  }
  NSN_FUNCTION void attachment(Index k) const {
    const AttachmentRecord& a = attachments(k);
    LocalBlock<3> block;
    evaluate_attachment(a, points(a.particle), states(a.body), h, block.out());
    store(a.row, block, a.slot);
  }
  NSN_FUNCTION void mimic(Index k) const {
    const MimicRecord& m = mimics(k);
    LocalBlock<8> block;
    evaluate_mimic(m.data, *this, h, block.out());
    store(m.row, block, m.slot);
  }
  NSN_FUNCTION void resistance(Index k) const {
    const ResistanceRecord& c = resistances(k);
    LocalBlock<2> block;
    evaluate_resistance(c.data, states(c.a), states(c.b), block.out());
    store(c.row, block, c.slot);
  }
  NSN_FUNCTION void soft_contact(Index k) const {
    const SoftContactRecord& c = soft_contacts(k);
    LocalBlock<8> block;
    evaluate_soft_contact(c, c.frame, *this, h, block.out());
    store(c.row, block, c.slot);
  }
};

}  // namespace nsn
