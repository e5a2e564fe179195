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

#include <memory>
#include <vector>

#include "nsn/core/elastic/spring.h"
#include "nsn/models/deformable/generalised_compliance.h"

namespace nsn {

class Springs final : public GeneralisedCompliance {
 public:
  /// Throws std::invalid_argument that names the spring for a value out of range.
  Springs(Index num_nodes, std::vector<Spring> springs);
  bool record(LawRecord& out) const override;
  std::unique_ptr<GeneralisedCompliance> clone() const override;

 private:
  void do_start_step(ConstVector x) override;
  Index do_evaluate(ConstVector x, double h) override;
  double do_energy(ConstVector x) const override;
  Block do_stiffness(Index element, int a, int b, StiffnessPart part) const override;

  std::vector<Spring> springs_;
  std::vector<Vec3> start_;      // x_a - x_b at the start of the step
  std::vector<Mat3> across_;     // -K of the pair
  std::vector<Mat3> stiffness_;  // J^T N J of the pair
};

}  // namespace nsn
