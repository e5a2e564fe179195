/// Springs between particles: the smallest instance of generalised compliance.
///
/// A spring of rest length L > 0 pulls along d = (x_a - x_b)/l, l = |x_a - x_b|, with
///
///     c = k (l - L) + b (l - l0)/h,   J = (d^T, -d^T),   N = k + b/h,   -K = c/l (I - d d^T) (+-)
///
/// l0 the length at the start of the step. -K is a hardening under tension; under compression it is
/// negative and clamped to zero. With L = 0 the law is linear in the three coordinates,
/// c = k (x_a - x_b), three rows and no K: an attachment that may be stiff.
#pragma once

#include <vector>

#include "nsn/core/base/small_matrix.h"
#include "nsn/models/deformable/generalised_compliance.h"

namespace nsn {

struct Spring {
  Index a = 0;
  Index b = 0;               ///< another node than a
  double rest_length = 0.0;  ///< L, m, >= 0; 0: a linear attachment of three rows
  double stiffness = 1.0;    ///< k, N/m, > 0
  double damping = 0.0;      ///< b, N s/m, >= 0
};

class Springs final : public GeneralisedCompliance {
 public:
  /// Throws std::invalid_argument that names the spring for a value out of range.
  Springs(Index num_nodes, std::vector<Spring> springs);

 private:
  void do_start_step(ConstVector x) override;
  Index do_evaluate(ConstVector x, double h) override;
  double do_energy(ConstVector x) const override;
  Block do_stiffness(Index element, int a, int b, StiffnessPart part) const override;
  Vec3 difference(ConstVector x, const Spring& spring) const;

  std::vector<Spring> springs_;
  std::vector<Vec3> start_;      // x_a - x_b at the start of the step
  std::vector<Mat3> across_;     // -K of the pair, clamped
  std::vector<Mat3> stiffness_;  // J^T N J of the pair
};

}  // namespace nsn
