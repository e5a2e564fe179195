/// Contacts that touch particles: of a deformable body with a rigid one, another one, or itself.
///
///   C_n = n . (a - b) - d,     value = (C_n / h, t1 . v, t2 . v),     v = velocity of a against b
///
/// A side is a point of a rigid body, or the weighted sum of up to three particles (a vertex, a
/// point of an edge or of a triangle). Weights and normal are fixed during the step: the rows of a
/// particle are w (n, t1, t2), linear in the velocities, without geometric stiffness of their own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nsn/models/rows/framed_rows.h"

namespace nsn {

/// One side of a contact.
struct ContactSide {
  int body = -1;                   ///< rigid body; -1: particles
  Vec3 local{};                    ///< rigid: point that turns with the body, body axes, m
  std::array<int, 3> particle{};   ///< the first `count` are in use
  std::array<double, 3> weight{};  ///< >= 0, sum 1
  int count = 0;
  double radius = 0.0;  ///< the surface lies this far from the point towards the other side, m

  static ContactSide of_body(int b, const Vec3& local_point, double r) {
    ContactSide side;
    side.body = b;
    side.local = local_point;
    side.radius = r;
    return side;
  }
  static ContactSide of_particle(int p, double r) {
    ContactSide side;
    side.particle[0] = p;
    side.weight[0] = 1.0;
    side.count = 1;
    side.radius = r;
    return side;
  }
};

struct SoftContact {
  ContactSide a;
  ContactSide b;
  Vec3 normal{0, 0, 1};     ///< unit, from b to a, world axes
  double thickness = 0.0;   ///< d beyond the radii, m
  double mu = 0.0;          ///< friction coefficient, >= 0
  double compliance = 0.0;  ///< E of the normal row, m/N, >= 0
  int deformable_a = -1;    ///< -1: rigid
  int deformable_b = -1;
  int shape_b = -1;  ///< of the rigid side, which is b
  std::uint64_t id = 0;
};

class SoftContactRowSet final : public FramedRowSet<SoftContact> {
 public:
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;
  bool record(int k, const RecordTarget& to) const override;

  /// Gap C_n at a configuration, m, and the point on b's side.
  double gap(int k, const Configuration& at) const;
  Vec3 point(int k, const Configuration& at) const;
};

}  // namespace nsn
