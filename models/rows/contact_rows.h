/// Contacts between two bodies: one non-penetration row and two friction rows.
///
///   C_n = n . (a - b) - d,     value = (C_n / h, t1 . v, t2 . v),     v = velocity of a against b
///
/// or, in a step in which the contact rebounds, n . v + e u_N in place of C_n / h.
///
/// a, b are points of the two bodies at xi(u); n points from b to a and is fixed during the step.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/models/rows/framed_rows.h"

namespace nsn {

/// One contact, world axes at the start of the step.
struct Contact {
  int body_a = 0;
  int body_b = 0;
  int shape_a = -1;  ///< of the world; -1: given by hand
  int shape_b = -1;
  Vec3 local_a{};           ///< point of a that turns with it, body axes, m
  Vec3 local_b{};           ///< the same of b
  double radius_a = 0.0;    ///< the surface lies this far from local_a towards b, whatever turns, m
  double radius_b = 0.0;    ///< the same of b: a ball has its centre and its radius here
  Vec3 normal{0, 0, 1};     ///< unit, from b to a
  double thickness = 0.0;   ///< d, m: the gap at which the contact closes
  double mu = 0.0;          ///< friction coefficient, >= 0
  double compliance = 0.0;  ///< E of the normal row, m/N, >= 0
  std::uint64_t id = 0;
  double restitution = 0.0;  ///< e, in [0, 1] (models/step/restitution.h)
  double rolling = 0.0;      ///< m, >= 0 (models/rows/resistance_rows.h)
  double spinning = 0.0;     ///< m, >= 0
  bool rebounds = false;     ///< in this step the normal row is n . v + rebound
  double rebound = 0.0;      ///< e u_N of the start of the step, m/s, <= 0
};

/// Throws std::invalid_argument naming contact `index` unless its bodies exist, its normal is a
/// unit vector and mu, thickness, compliance are in range.
void validate(const Contact& contact, int index, int num_bodies);

class ContactRowSet final : public FramedRowSet<Contact> {
 public:
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void evaluate_run(int first, std::size_t count, const Configuration& at,
                    const RowTarget& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;
  bool record(int k, const RecordTarget& to) const override;

  /// Gap C_n at a configuration, m.
  double gap(int k, const Configuration& at) const;
  /// World point of contact k on body b's side.
  Vec3 point(int k, const Configuration& at) const;

 private:
  void evaluate(int k, const Configuration& at, const BodyPairEntries& out) const;
};

}  // namespace nsn
