/// Drag: efforts against the velocity of a point of a body and against its spin, linear and quadratic in them.
///
///   f_i = -(d_i + c_i |u_i|) u_i       u_i velocity of the point along axis i of the drag, m/s
///   t_i = -(D_i + C_i |w_i|) w_i       w_i angular velocity about it, rad/s
///
/// Both are those of the end of the step. They have a potential, so each is a row with J = y'(u) e_i:
///
///   y(u) = sign(u) sqrt(d u^2 + 2/3 c |u|^3),   y y' = (d + c |u|) |u|,   v = y / sqrt(m) + E r,  E = 1 / (h m)
///
/// m a mass (an inertia for the spin) that makes v a velocity and changes nothing else. Implicit: no
/// drag turns a velocity around, whatever the step. How y changes with the orientation is left out
/// of the Jacobian, for it is no torque.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/models/rows/row_set.h"

namespace nsn {

struct Drag {
  int body = 0;
  Vec3 point;                 ///< from the centre of mass, body axes, m
  Mat3 axes = identity<3>();  ///< columns in body axes, orthonormal
  Vec3 linear;                ///< d, N s/m, >= 0
  Vec3 quadratic;             ///< c, N s^2/m^2, >= 0
  Vec3 turn_linear;           ///< D, N m s/rad, >= 0
  Vec3 turn_quadratic;        ///< C, N m s^2/rad^2, >= 0
  double mass = 1.0;          ///< m, kg, > 0
  double inertia = 1.0;       ///< that of the spin, kg m^2, > 0
};

class DragRowSet final : public RowSet {
 public:
  void add(const Drag& drag) { drags_.push_back(drag); }

  std::unique_ptr<RowSet> clone() const override { return std::make_unique<DragRowSet>(*this); }
  /// Two blocks each: of the point, of the spin.
  int size() const override { return 2 * static_cast<int>(drags_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int, const Configuration&, const Vec3&, std::span<Mat3>) const override {}

 private:
  const Drag& drag(int k) const { return drags_[static_cast<std::size_t>(k / 2)]; }
  static bool turns(int k) { return k % 2 == 1; }

  std::vector<Drag> drags_;
};

}  // namespace nsn
