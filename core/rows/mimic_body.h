/// Two joints whose coordinates follow each other (models/rows/mimic_rows.h) on any device.
/// At: body(i), where body i is.
#pragma once

#include "nsn/core/rows/curvature_kernels.h"

namespace nsn {

template <class At>
NSN_FUNCTION FramePair mimic_frames(const MimicSide& side, const At& at) {
  return joint_kernels::place(at.body(side.a), side.frame_a, at.body(side.b), side.frame_b);
}

/// An angle is taken within (-pi, pi].
template <class At>
NSN_FUNCTION CoordinateGradient mimic_gradient(const MimicSide& side, const At& at) {
  CoordinateGradient g = joint_kernels::gradient(side.coordinate, mimic_frames(side, at));
  constexpr double kTurn = 2.0 * std::numbers::pi;
  if (side.coordinate.periodic()) g.value -= kTurn * std::round(g.value / kTurn);
  return g;
}

NSN_FUNCTION void add_to_row(double* first_row, double factor, const Vec3& v) {
  for (int j = 0; j < 3; ++j) first_row[j] += factor * v[j];
}

/// Three values, the last two of padding, and J of two nodes per body: what Out points to.
template <class At, class Out>
NSN_FUNCTION void evaluate_mimic(const MimicData& c, const At& at, double h, const Out& out) {
  for (int k = 0; k < 2 * c.bodies; ++k) store9(out.J[k], Mat3{});
  double sum = -c.offset;
  for (const MimicSide& side : c.side) {
    const CoordinateGradient g = mimic_gradient(side, at);
    sum += side.factor * g.value;
    add_to_row(out.J[2 * side.place_a], side.factor, g.linear);
    add_to_row(out.J[2 * side.place_a + 1], side.factor, g.angular_a);
    add_to_row(out.J[2 * side.place_b], side.factor, -g.linear);
    add_to_row(out.J[2 * side.place_b + 1], side.factor, g.angular_b);
  }
  store3(out.value, vec3(sum / h, 0.0, 0.0));
}

/// add(k, K): geometric stiffness of node k of the block from one side, under impulse r.
template <class At, class Add>
NSN_FUNCTION void mimic_stiffness(const MimicSide& side, const At& at, double r, const Add& add) {
  CoordinateCurvature c;
  joint_kernels::add_curvature(side.coordinate, mimic_frames(side, at), side.factor * r, c);
  if (at.body(side.a).dynamic) {
    add(2 * side.place_a, c.linear);
    add(2 * side.place_a + 1, c.angular_a);
  }
  if (at.body(side.b).dynamic) {
    add(2 * side.place_b, c.linear);
    add(2 * side.place_b + 1, c.angular_b);
  }
}

}  // namespace nsn
