#include "scaled_descent.h"

#include <algorithm>
#include <cmath>

#include "nsn/views.h"

namespace {

class ScaledDescent final : public nsn::LinearSolver {
 public:
  explicit ScaledDescent(double patience) : patience_(patience) {}
  std::string_view name() const override { return "scaled-descent"; }
  const nsn::Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const nsn::LinearOperator& op) override {
    const auto n = static_cast<std::size_t>(op.rows());
    inverse_diagonal_ = nsn::Vector("inverse_diagonal", n);
    z_ = nsn::Vector("z", n);
    w_ = nsn::Vector("w", n);
  }

  Preparation do_factorize(const nsn::LinearOperator& op) override {
    op.diagonal(inverse_diagonal_);
    for (nsn::Index i = 0; i < op.rows(); ++i) {
      const double d = inverse_diagonal_(i);
      inverse_diagonal_(i) = d != 0.0 ? 1.0 / d : 1.0;
    }
    return {};
  }

  // v = D^-1 v
  void scale(const nsn::Vector& v) const {
    for (nsn::Index i = 0; i < nsn::size_of(v); ++i) v(i) *= inverse_diagonal_(i);
  }

  void do_solve(const nsn::LinearOperator& op, nsn::ConstVector b, nsn::Vector x,
                const nsn::LinearControl& control, const nsn::Monitor& monitor,
                nsn::LinearReport& report) override {
    const bool budget = control.iteration_budget > 0;
    const int most = budget ? std::min(control.iteration_budget, control.max_iterations)
                            : control.max_iterations;
    double best = report.initial_residual;
    int since_best = 0;
    for (;; ++report.iterations) {
      op.apply(x, z_);
      const double residual = nsn::residual_norm(b, z_, z_);
      report.recurrence_residual = residual;
      if (monitor) monitor({report.iterations, residual, 0.0, 0.0});
      if (residual <= std::max(control.rtol * report.rhs_norm, control.atol)) {
        report.status = residual <= control.rtol * report.rhs_norm
                            ? nsn::LinearStatus::kConvergedRelative
                            : nsn::LinearStatus::kConvergedAbsolute;
        return;
      }
      since_best = residual < 0.999 * best ? 0 : since_best + 1;
      best = std::min(best, residual);
      if (report.iterations >= most) {
        report.status =
            budget ? nsn::LinearStatus::kBudgetReached : nsn::LinearStatus::kMaxIterations;
        report.detail = "iterations spent";
        return;
      }
      scale(z_);
      op.apply(z_, w_);
      scale(w_);
      const double alpha = nsn::dot(z_, w_) / nsn::dot(w_, w_);
      if (since_best > patience_ || !std::isfinite(alpha)) {
        report.status = nsn::LinearStatus::kStagnation;
        report.detail = "no further progress";
        return;
      }
      nsn::axpby(alpha, z_, 1.0, x);
      report.bytes_moved += 2.0 * op.bytes_per_apply() + 96.0 * op.rows();
    }
  }

  double bytes_held() const override { return 24.0 * static_cast<double>(z_.size()); }

  nsn::Capabilities capabilities_;  // symmetric positive definite, matrix-free is fine
  double patience_;
  nsn::Vector inverse_diagonal_;
  nsn::Vector z_;
  nsn::Vector w_;
};

}  // namespace

nsn::SolverInfo scaled_descent_backend() {
  nsn::SolverInfo info;
  info.name = "scaled-descent";
  info.summary = "steepest descent of the scaled residual";
  info.licence = "the user's own";
  info.options = {nsn::OptionSpec::integer("patience", 200, 1, 1e6,
                                           "iterations without progress before it gives up")};
  info.make = [](const nsn::Options& options, const nsn::SolverRegistry&) {
    return std::make_unique<ScaledDescent>(options.real("patience"));
  };
  return info;
}
