#include "nsn/core/problems/shift_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/vector_kernels.h"

namespace nsn {
ShiftMap::ShiftMap(ProximalNewton& newton, const BlockCsr& W, std::unique_ptr<LinearSolver> solver,
                   double relaxation)
    : newton_(newton),
      convex_(W, newton.problem().laws(), std::move(solver)),
      relaxation_(relaxation),
      shift_(newton.problem().laws().size(), 0.0),
      x_(zero_vector(newton.problem().rows())) {}

ShiftMap::Step ShiftMap::step(const std::function<bool()>& stop, int max_factorizations) {
  Step out;
  out.largest = std::numeric_limits<double>::infinity();
  const ProximalOptions& options = newton_.options();
  const auto look = [&](ConstVector x, ConstVector v) {
    const ProximalError error = newton_.offer(x, v);
    const double largest =
        std::max(error.siconos, error.unit_free / options.unit_free_factor) / options.tolerance;
    if (largest < out.largest) {
      out.largest = largest;
      out.error = error;
      copy(x, x_);
    }
    out.solved = newton_.meets_goal(error);
    return out.solved;
  };
  out.factorizations =
      convex_.solve(newton_.scaled_q(), shift_, look, stop, max_factorizations).factorizations;
  const ConstVector v = convex_.velocity();
  const auto laws = newton_.problem().laws();
  const double part = steps_++ == 0 ? 1.0 : relaxation_;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const double slip = laws[i].mu * std::hypot(v(3 * i + 1), v(3 * i + 2));
    shift_[i] += part * (slip - shift_[i]);
  }
  return out;
}

}  // namespace nsn
