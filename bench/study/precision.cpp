// Matrices held in single precision under a driver in double, and the whole iteration in single
// precision, beside the limits that arithmetic in one precision alone has.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

constexpr double kSingle = 0x1p-24;  // unit roundoffs
constexpr double kDouble = 0x1p-53;
constexpr int kLinearBudget = 1000;
constexpr const char* kThroughout = "single throughout";  // --precision single

/// Norms of the last Newton system, all of the largest row.
struct Norms {
  double S = 0.0;          // 1/kg
  double S_inverse = 0.0;  // kg
  double to_speed = 0.0;   // of H^-1 J^T, 1/kg
};

double norm_of(const BlockCsr& A) {
  double most = 0.0;
  for (Index i = 0; i < A.rows; ++i) {
    double row[3] = {};
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      for (Index e = 0; e < kBlockSize; ++e) row[e / 3] += std::abs(A.value(9 * k + e));
    }
    most = std::max({most, row[0], row[1], row[2]});
  }
  return most;
}

/// max_i sum_j |(S^-1)_ij|, column by column; 0 where S cannot be factorised.
double norm_of_inverse(const BlockCsr& S) {
  const BlockOperator op(S);
  const auto solver = standard_backends().make("contact-lu");
  solver->prepare(op);
  const auto n = static_cast<std::size_t>(op.rows());
  const Vector unit("unit", n);
  const Vector x("x", n);
  std::vector<double> row(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    Kokkos::deep_copy(unit, 0.0);
    Kokkos::deep_copy(x, 0.0);
    unit(j) = 1.0;
    if (!std::isfinite(solver->solve(unit, x, {.rtol = 1e-6}).true_residual)) return 0.0;
    for (std::size_t i = 0; i < n; ++i) row[i] += std::abs(x(i));
  }
  return *std::max_element(row.begin(), row.end());
}

/// Largest row of |H^-1 J^T|.
double norm_to_speed(const BlockCsr& J, ConstVector H) {
  const Vector inverse("H^-1", H.extent(0));
  if (invert_blocks(H, inverse) >= 0) return 0.0;
  std::vector<double> row(H.extent(0) / 3, 0.0);
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      for (Index a = 0; a < 3; ++a) {
        for (Index b = 0; b < 3; ++b) {
          double entry = 0.0;  // (H^-1 J^T)_ab
          for (Index c = 0; c < 3; ++c) {
            entry += inverse(9 * n + 3 * a + c) * J.value(9 * k + 3 * b + c);
          }
          row[static_cast<std::size_t>(3 * n + a)] += std::abs(entry);
        }
      }
    }
  }
  return *std::max_element(row.begin(), row.end());
}

/// The limits of [Tisseur01] for Newton in arithmetic of unit roundoff d: the residual stays near
/// |S| |x| d, the step near |S^-1| d |residual| + |x| d.
struct Limits {
  double residual = 0.0;  // m/s
  double step = 0.0;      // m/s
};
Limits limits(const Norms& norms, double impulse, double d) {
  const double residual = norms.S * impulse * d;
  return {residual, norms.to_speed * (norms.S_inverse * d * residual + impulse * d)};
}

double least_error(const std::vector<NewtonIteration>& history) {
  double least = HUGE_VAL;
  for (const NewtonIteration& it : history) least = std::min(least, it.error.total);
  return least;
}

}  // namespace

StudyOutcome precision_study(const StudyOptions& options) {
  StudyOutcome out{
      .name = "precision",
      .title = "Single and double precision",
      .question = "What does Newton lose in single precision, the matrix alone or all of it?",
      .findings = {},
      .charts = {},
      .rows = {}};
  const int iterations = options.quick ? 30 : 60;
  for (const FrozenScene& scene : std::vector<FrozenScene>{{"heavy-stack"}, {"arch"}}) {
    report::Chart errors = log_chart(scene.name + ": error", "Newton iteration", "error, m/s");
    report::Chart steps = log_chart(scene.name + ": step size", "Newton iteration",
                                    "largest change of velocity, m/s");
    freeze(scene, [&](StepEquations& equations) {
      Norms norms;
      double impulse = 0.0;
      std::map<std::string, double> left;  // per storage
      for (const std::string solver : {"pcr", "pcg"}) {
        for (const std::string storage : {"double", "float", kThroughout}) {
          const std::string name = solver + ", " + storage;
          options.progress(scene.name + " · " + name);
          NewtonOptions newton = paper_iteration(iterations);
          if (storage == kThroughout) {
            newton.linear = {solver};
            newton.paper().precision = Precision::kSingle;
          } else {
            newton.linear = {solver + ":storage=" + storage};
          }
          newton.paper().linear_iterations = kLinearBudget;
          newton.paper().linear_tolerance = 1e-12;
          bool measured = norms.S > 0.0;
          const auto measure = [&](const NewtonSystemView& view) {
            if (measured || view.iteration < iterations - 1) return;
            measured = true;
            norms = {norm_of(*view.S), norm_of_inverse(*view.S), norm_to_speed(*view.J, view.H)};
          };
          const Trial trial = try_method(equations, newton, {}, measure);
          impulse = std::max(impulse, norm_max(trial.state.r));
          errors.series.push_back(over_iterations(
              name, trial.history, [](const NewtonIteration& it) { return it.error.total; }));
          steps.series.push_back(over_iterations(
              name, trial.history, [](const NewtonIteration& it) { return it.step; }));
          const double least = least_error(trial.history);
          double& of_storage = left.try_emplace(storage, HUGE_VAL).first->second;
          of_storage = std::min(of_storage, least);
          out.rows.push_back({{"scene", scene.name},
                              {"linear", solver},
                              {"storage", storage},
                              {"least_error_mps", least},
                              {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)},
                              {"linear_iterations", trial.result.linear_iterations},
                              {"status", std::string(to_string(trial.result.status))}});
        }
      }
      const Limits single = limits(norms, impulse, kSingle);
      const Limits all_double = limits(norms, impulse, kDouble);
      errors.references = {{single.residual, "limit of single precision throughout"},
                           {all_double.residual, "limit of double precision"}};
      steps.references = {{single.step, "limit of single precision throughout"},
                          {all_double.step, "limit of double precision"}};
      out.findings.push_back(fmt::format(
          "{}: least error {:.1e} m/s with the matrix in double, {:.1e} m/s in single precision, "
          "{:.1e} m/s with the iteration in single precision throughout, which should stop near "
          "{:.1e} m/s.",
          scene.name, left["double"], left["float"], left[kThroughout], single.residual));
    });
    out.charts.insert(out.charts.end(), {errors, steps});
  }
  return out;
}

}  // namespace nsn::study
