/// Geometric stiffness of rows on the blocks of the diagonal of H (StepEquations::stiffness), on any
/// device: each row leaves what it gives a node in that node's block of J; a node adds its blocks in
/// the order of its rows, as the host does.
#pragma once

#include "nsn/core/step/paper/law_bodies.h"
#include "nsn/core/step/paper/paper_bodies.h"

namespace nsn {

template <class D, class Real>
struct RowStiffness {
  RecordBodies<D, Real> at;
  Span<D, const Real> r;
  Span<D, double> K;     ///< 9 a block of J
  Span<D, double> also;  ///< the same of what is added after it: second joints of mimics

  NSN_FUNCTION void clear(Index k) const {
    K(k) = 0.0;
    if (also.extent(0) > 0) also(k) = 0.0;
  }
  NSN_FUNCTION void put(const Span<D, double>& to, Index row, int slot, const Mat3& K_node) const {
    if (slot >= 0) store_block(to, kBlockSize * (at.row_begin(row) + slot), K_node);
  }
  NSN_FUNCTION Vec3 impulse(Index row) const {
    return converted<double>(load_vector(r, kBlock * row));
  }

  NSN_FUNCTION void contact(Index k) const {
    const ContactRecord& c = at.contacts(k);
    const Vec3 F = contact_impulse(c, c.frame, impulse(c.row));
    contact_stiffness(c, at.states(c.a), at.states(c.b), F,
                      [&](int node, const Mat3& K_node) { put(K, c.row, c.slot[node], K_node); });
  }
  /// The blocks of a joint together, in the first of them.
  NSN_FUNCTION void joint(Index k) const {
    const JointRecord& j = at.joints(k);
    if (j.blocks == 0 || j.kept >= 0) return;
    const FramePair pair =
        joint_kernels::place(at.states(j.a), j.frame_a, at.states(j.b), j.frame_b);
    joint_kernels::JointCurvature curvature;
    for (int b = 0; b < j.blocks; ++b) {
      const JointRecord& block = at.joints(k + b);
      const Vec3 push = impulse(block.row);
      if (block.points) {
        curvature.add_points(pair, push);
      } else {
        for (int i = 0; i < 3; ++i) curvature.add_row(block.rows[i], pair, push[i]);
      }
    }
    const CoordinateCurvature& sum = curvature.sum(pair);
    put(K, j.row, j.slot[0], sum.linear);
    put(K, j.row, j.slot[1], sum.angular_a);
    put(K, j.row, j.slot[2], sum.linear);
    put(K, j.row, j.slot[3], sum.angular_b);
  }
  NSN_FUNCTION void attachment(Index k) const {
    const AttachmentRecord& a = at.attachments(k);
    attachment_stiffness(a, at.states(a.body), impulse(a.row), [&](int node, const Mat3& K_node) {
      put(K, a.row, a.slot[node], K_node);
    });
  }
  NSN_FUNCTION void mimic(Index k) const {
    const MimicRecord& m = at.mimics(k);
    const double push = impulse(m.row)[0];
    for (int i = 0; i < 2; ++i) {
      const Span<D, double>& to = i == 0 ? K : also;
      mimic_stiffness(m.data.side[i], at, push,
                      [&](int node, const Mat3& K_node) { put(to, m.row, m.slot[node], K_node); });
    }
  }
  NSN_FUNCTION void soft_contact(Index k) const {
    const SoftContactRecord& c = at.soft_contacts(k);
    const Vec3 F = contact_impulse(c, c.frame, impulse(c.row));
    soft_contact_stiffness(
        c, at, F, [&](int node, const Mat3& K_node) { put(K, c.row, c.slot[node], K_node); });
  }

  /// H = M, and of bodies + the positive part of -h K.
  NSN_FUNCTION void node(Index n, const paper::StepBodies<D, Real>& s) const {
    Mat3 H = converted<double>(load_block(s.at.M, kBlockSize * n));
    if (n < s.at.rigid_nodes) {
      Mat3 sum;
      for (Index e = s.at.node_begin(n); e < s.at.node_begin(n + 1); ++e) {
        const Index block = kBlockSize * s.at.node_block(e);
        sum += load_block(K, block);
        if (also.extent(0) > 0) sum += load_block(also, block);
      }
      H += symmetric_kernels::positive_part(-at.h * sum);
    }
    store_block(s.mass.H, kBlockSize * n, converted<Real>(H));
  }
  /// H += h^2 times the blocks of rows first ... last - 1, of one force law.
  NSN_FUNCTION void particle_node(Index n, Index first, Index last,
                                  const paper::StepBodies<D, Real>& s) const {
    Mat3 sum;
    for (Index e = s.at.node_begin(n); e < s.at.node_begin(n + 1); ++e) {
      const Index row = s.at.node_row(e);
      if (row >= first && row < last) sum += load_block(K, kBlockSize * s.at.node_block(e));
    }
    const Mat3 H = converted<double>(load_block(s.mass.H, kBlockSize * n));
    store_block(s.mass.H, kBlockSize * n, converted<Real>(H + (at.h * at.h) * sum));
  }
};

/// Blocks (a, a) of -K of one element, of which the positive part.
template <class D, class Real>
struct ElementStiffness {
  RowStiffness<D, Real> to;
  const TetElement* tet = nullptr;
  Index row = 0;
  bool clamped = true;
  std::int8_t slot[4];

  NSN_FUNCTION void put(int a, const Mat3& K) const { to.put(to.K, row, slot[a], K); }

  NSN_FUNCTION void direction(int, int, const Mat3&) const {}
  NSN_FUNCTION void force(int, const Vec3&, const Vec3&, const Mat3&) const {}
  NSN_FUNCTION void stiffness(int, const Mat3&) const {}
  NSN_FUNCTION void modes(const Mat3& U, const Mat3& V, const Vec3& flip, const Vec3& twist,
                          const Mat3&) const {
    const TetModes m = tet_modes(flip, twist, clamped);
    for (int a = 0; a < 4; ++a) {
      const Vec3 g = transpose(V) * tet->gradient[a];
      put(a, U * (mode_block(m, g, g) * transpose(U)));
    }
  }
  NSN_FUNCTION void across(const Mat3& K) const {
    for (int a = 0; a < 2; ++a) put(a, hardening_across(K));
  }
  NSN_FUNCTION void stress(const Mat3& S) const {
    const Mat3 P = symmetric_kernels::positive_part(S);
    for (int a = 0; a < 4; ++a) {
      put(a, dot(tet->gradient[a], P * tet->gradient[a]) * identity<3>());
    }
  }
};

NSN_FUNCTION const TetElement* tet_of(const TetElement& e) {
  return &e;
}
NSN_FUNCTION const TetElement* tet_of(const Spring&) {
  return nullptr;
}

template <class D, class Real, class Law>
NSN_FUNCTION void element_stiffness(const LawBodies<D, Real, Law>& b, Index t,
                                    const RowStiffness<D, Real>& to) {
  ElementStiffness<D, Real> out;
  out.to = to;
  out.tet = tet_of(b.elements(t));
  out.row = b.row_of(t);
  out.clamped = b.law.clamps();
  b.find_slots(t, out.slot);
  b.evaluate_into(t, out);
}

}  // namespace nsn
