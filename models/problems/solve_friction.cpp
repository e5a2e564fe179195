#include "nsn/models/problems/solve_friction.h"

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/matrix/csr_view.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn {
namespace {

/// The library's arrays are views; nothing writes through these.
template <class View, class T>
View view_of(std::span<const T> from) {
  return View(const_cast<T*>(from.data()), from.size());
}

std::vector<double> values(const Vector& v) {
  return {v.data(), v.data() + v.extent(0)};
}

}  // namespace

FrictionAnswer solve_friction(const CsrSpans& W, std::span<const double> q,
                              std::span<const double> mu, const FrictionRequest& request) {
  NSN_THROW_UNLESS(request.dimension == 2 || request.dimension == 3, "dimension {} is not 2 or 3",
                   request.dimension);
  const std::size_t rows = to_size(request.dimension) * mu.size();
  NSN_THROW_UNLESS(q.size() == rows, "q: {} numbers for {} contacts in {}D", q.size(), mu.size(),
                   request.dimension);
  NSN_THROW_UNLESS(request.start.empty() || request.start.size() == rows,
                   "start: {} numbers for {} rows", request.start.size(), rows);
  ensure_runtime();
  FrictionProblem problem;
  problem.dimension = request.dimension;
  const auto n = static_cast<Index>(rows);
  problem.W = csr_view("W", n, n, {W.row_begin, W.column, W.value});
  problem.q = view_of<Vector>(q);
  problem.mu = view_of<Vector>(mu);
  FrictionSolverOptions options;
  options.method = friction_method_from_name(request.method);
  options.linear = request.linear;
  options.tolerance = request.tolerance;
  options.time_limit = request.time_limit;
  const FrictionSolver solver(options, standard_backends());
  const FrictionResult result = solver.solve(
      problem, request.start.empty() ? ConstVector{} : view_of<ConstVector>(request.start));
  FrictionAnswer answer;
  answer.solved = result.solved();
  answer.status = to_string(result.status);
  answer.r = values(result.r);
  answer.u = values(result.u);
  answer.error = result.error.siconos;
  answer.unit_free_error = result.error.unit_free;
  answer.factorizations = result.factorizations;
  answer.seconds = result.seconds;
  return answer;
}

}  // namespace nsn
