/// The elements of a force law (core/rows/law_record.h) as bodies: what each keeps of the start of
/// the step, and its rows in those of the island.
#pragma once

#include "nsn/core/rows/law_record.h"
#include "nsn/core/step/paper/record_bodies.h"

namespace nsn {

NSN_FUNCTION Index node_of(const TetElement& e, int a) {
  return e.node[a];
}
NSN_FUNCTION Index node_of(const Spring& e, int a) {
  return a == 0 ? e.a : e.b;
}

/// Takes what the body of an element yields (core/elastic/tetrahedron.h) as rows of the island.
template <class D, class Real>
struct ElementRowsTarget {
  Span<D, const Index> row_begin;
  Span<D, Real> value, J, E;
  Index row = 0;
  RowScale scale;
  std::int8_t slot[4];

  NSN_FUNCTION void direction(int b, int a, const Mat3& J_a) const {
    if (slot[a] < 0) return;
    store_block(J, kBlockSize * (row_begin(row + b) + slot[a]), converted<Real>(scale.J * J_a));
  }
  NSN_FUNCTION void force(int b, const Vec3&, const Vec3& Ec, const Mat3& E_b) const {
    store_vector(value, kBlock * (row + b), converted<Real>(scale.value * Ec));
    store_block(E, kBlockSize * (row + b), converted<Real>(scale.E * E_b));
  }
  NSN_FUNCTION void stiffness(int, const Mat3&) const {}
  NSN_FUNCTION void modes(const Mat3&, const Mat3&, const Vec3&, const Vec3&, const Mat3&) const {}
  NSN_FUNCTION void across(const Mat3&) const {}
  NSN_FUNCTION void stress(const Mat3&) const {}
};

template <class D, class Real, class Law>
struct LawBodies {
  RecordBodies<D, Real> at;
  Law law;
  Index row = 0;
  Index particle = 0;
  Span<D, const typename Law::Element> elements;
  Span<D, const double> pressure;
  Span<D, double> kept;  ///< of the start of the step, Law::kStart an element
  Span<D, Real> E;

  struct StartPositions {
    Span<D, const ParticleRecord> records;
    Index first;
    NSN_FUNCTION Vec3 operator()(Index n) const { return records(first + n).x; }
  };
  struct Positions {
    Span<D, PointState> points;
    Index first;
    NSN_FUNCTION Vec3 operator()(Index n) const { return points(first + n).x; }
  };

  NSN_FUNCTION double* kept_of(Index t) const { return kept.data() + Law::kStart * t; }
  NSN_FUNCTION Index row_of(Index t) const { return row + law.blocks() * t; }
  NSN_FUNCTION double pressure_of(Index t) const {
    return pressure.extent(0) > 0 ? pressure(t) : 0.0;
  }
  /// Nodes ascend, so those that move follow each other in a row of J.
  NSN_FUNCTION void find_slots(Index t, std::int8_t* slot) const {
    std::int8_t next = 0;
    for (int a = 0; a < Law::kNodes; ++a) {
      const Index node = at.particle_records(particle + node_of(elements(t), a)).node;
      slot[a] = node >= 0 ? next++ : std::int8_t{-1};
    }
  }

  NSN_FUNCTION void start(Index t) const {
    law.start(elements(t), StartPositions{at.particle_records, particle}, kept_of(t));
  }
  template <class Out>
  NSN_FUNCTION void evaluate_into(Index t, const Out& out) const {
    law.evaluate(elements(t), pressure_of(t), Positions{at.points, particle}, kept_of(t), at.h,
                 out);
  }
  NSN_FUNCTION void evaluate(Index t) const {
    ElementRowsTarget<D, Real> out;
    out.row_begin = at.row_begin;
    out.value = at.value;
    out.J = at.J;
    out.E = E;
    out.row = row_of(t);
    out.scale = row_scale(Law::length(elements(t)), at.h);
    find_slots(t, out.slot);
    evaluate_into(t, out);
  }
};

}  // namespace nsn
