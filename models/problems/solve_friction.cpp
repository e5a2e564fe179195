#include "nsn/models/problems/solve_friction.h"

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn {
namespace {

void check(const CsrSpans& W, std::size_t rows) {
  NSN_THROW_UNLESS(W.row_begin.size() == rows + 1, "W: {} entries of row_begin for {} rows",
                   W.row_begin.size(), rows);
  NSN_THROW_UNLESS(W.row_begin.front() == 0, "W: row_begin starts with {}, not 0",
                   W.row_begin.front());
  NSN_THROW_UNLESS(W.column.size() == W.value.size(), "W: {} columns for {} values",
                   W.column.size(), W.value.size());
  NSN_THROW_UNLESS(static_cast<std::size_t>(W.row_begin.back()) == W.column.size(),
                   "W: row_begin ends with {}, and there are {} entries", W.row_begin.back(),
                   W.column.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const int begin = W.row_begin[i];
    const int end = W.row_begin[i + 1];
    NSN_THROW_UNLESS(begin <= end, "W: row_begin falls at row {}", i);
    for (int k = begin; k < end; ++k) {
      const int column = W.column[to_size(k)];
      NSN_THROW_UNLESS(column >= 0 && static_cast<std::size_t>(column) < rows,
                       "W: column {} in row {} of a matrix of {} rows", column, i, rows);
      NSN_THROW_UNLESS(k == begin || W.column[to_size(k - 1)] < column,
                       "W: the columns of row {} do not ascend", i);
    }
  }
}

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
  check(W, rows);
  ensure_runtime();
  FrictionProblem problem;
  problem.dimension = request.dimension;
  problem.W = {static_cast<Index>(rows), static_cast<Index>(rows),
               view_of<IndexVector>(W.row_begin), view_of<IndexVector>(W.column),
               view_of<Vector>(W.value)};
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
