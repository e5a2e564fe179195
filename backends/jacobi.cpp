#include "nsn/backends/jacobi.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/backends/iteration_limit.h"
#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/iteration_goal.h"
#include "nsn/precond/jacobi.h"

namespace nsn {
namespace {

constexpr double kMargin = 1.05;     // lambda_max over its estimate
constexpr double kRelaxation = 1.9;  // omega lambda_max
constexpr double kRounding = 1e-12;  // relative rise of the norm that rounding explains
constexpr int kMaxHalvings = 8;
constexpr double kLeastSquares = 1e-8;  // loosest tolerance of the least-squares stop

Capabilities capabilities_of_jacobi() {
  Capabilities can;
  can.handles_singular = true;
  return can;
}

class JacobiBackend final : public LinearSolver {
 public:
  explicit JacobiBackend(const Options& options)
      : max_iterations_(static_cast<int>(options.integer("max_iterations"))),
        power_iterations_(static_cast<int>(options.integer("power_iterations"))),
        given_omega_(options.real("omega")) {}

  std::string_view name() const override { return "jacobi"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    D_.analyze(op);
    const auto n = static_cast<std::size_t>(op.rows());
    for (Vector* v : {&z_, &w_, &best_x_}) *v = allocate_vector("jacobi", n);
  }

  Preparation do_factorize(const LinearOperator& op) override {
    D_.factorize(op);
    lambda_ = largest_eigenvalue(op);
    return {};
  }

  double largest_eigenvalue(const LinearOperator& op);
  void residual(const LinearOperator& op, ConstVector b, ConstVector x);
  void update(double omega, Vector x);
  static void conclude(const IterationGoal& goal, LinearReport& report);
  void tell(const LinearOperator& op, const Monitor& monitor, int iteration,
            const ProductSums& sums);
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;

  double bytes_held() const override { return 24.0 * size_of(z_) + D_.bytes_held(); }

  Capabilities capabilities_ = capabilities_of_jacobi();
  int max_iterations_;
  int power_iterations_;
  double given_omega_;
  Jacobi D_;
  Vector z_, w_, best_x_;  // D^-1 r, S z
  double lambda_ = 0.0;    // of D^-1 S
};

// Power iteration on D^-1 S from a fixed start; the Rayleigh quotient (z,Sz)/(z,Dz) is a lower
// bound.
double JacobiBackend::largest_eigenvalue(const LinearOperator& op) {
  const Index n = op.rows();
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (Index i = 0; i < n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    z_(i) = 0.5 + static_cast<double>(state >> 40) * 0x1p-24;
    if ((state >> 39 & 1U) != 0U) z_(i) = -z_(i);
  }
  double largest = 0.0;
  for (int k = 0; k < power_iterations_; ++k) {
    const ProductSums sums = op.apply_with_sums(z_, D_.diagonal(), {}, w_);
    if (!(sums.r_x > 0.0) || !std::isfinite(sums.y_Py)) break;
    largest = std::max({largest, std::abs(sums.x_y) / sums.r_x, std::sqrt(sums.y_Py / sums.r_x)});
    if (!(sums.y_Py > 0.0)) break;
    D_.apply(w_, z_);
    axpby(0.0, w_, 1.0 / std::sqrt(sums.y_Py), z_);
  }
  return largest;
}

// z = D^-1 (b - S x)
void JacobiBackend::residual(const LinearOperator& op, ConstVector b, ConstVector x) {
  op.apply(x, w_);
  static_cast<void>(residual_norm(b, w_, w_));
  D_.apply(w_, z_);
}

// x += omega z, z -= omega D^-1 w
void JacobiBackend::update(double omega, Vector x) {
  const double* const d = D_.diagonal().data();
  const double* const w = w_.data();
  double* const z = z_.data();
  double* const to = x.data();
  for_range(size_of(x), [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      to[i] += omega * z[i];
      z[i] -= omega * (d[i] * w[i]);
    }
  });
}

void JacobiBackend::tell(const LinearOperator& op, const Monitor& monitor, int iteration,
                         const ProductSums& sums) {
  if (!monitor) return;
  const Vector r("r", z_.extent(0));
  const Vector Sr("Sr", z_.extent(0));
  for (Index i = 0; i < size_of(r); ++i) r(i) = z_(i) / D_.diagonal()(i);
  op.apply(r, Sr);
  monitor({iteration, std::sqrt(sums.r_r), std::sqrt(sums.r_x), norm2(Sr)});
}

// The residual was computed from x and is at most the target, or S z vanishes.
void JacobiBackend::conclude(const IterationGoal& goal, LinearReport& report) {
  if (report.recurrence_residual <= goal.target) {
    report.status = goal.converged(report.recurrence_residual);
  } else {
    report.status = LinearStatus::kStagnation;
    report.detail =
        "the right-hand side is not in the range of the matrix: least squares in the "
        "norm of D^-1";
  }
}

void JacobiBackend::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                             const LinearControl& call, const Monitor& monitor,
                             LinearReport& report) {
  const LinearControl control = with_limit(call, max_iterations_);
  const IterationGoal goal(control, report.rhs_norm);
  const double least_squares = std::min(control.rtol, kLeastSquares);
  double omega = given_omega_ > 0.0 ? given_omega_ : kRelaxation / (kMargin * lambda_);
  if (!std::isfinite(omega)) omega = 1.0;
  double best = HUGE_VAL;
  int halvings = 0;
  const double n = op.rows();
  report.bytes_moved = 0.0;
  bool fresh = true;
  residual(op, b, x);
  copy(x, best_x_);
  for (int k = 0;; ++k) {
    const ProductSums sums = op.apply_with_sums(z_, D_.diagonal(), {}, w_);
    report.bytes_moved += op.bytes_per_apply() + 48.0 * n;
    report.iterations = k;
    report.recurrence_residual = std::sqrt(sums.r_r);
    if (!fresh || k == 0) tell(op, monitor, k, sums);
    if (!(sums.r_x <= best * (1.0 + kRounding))) {  // a rise, or not a number
      copy(best_x_, x);
      if (++halvings > kMaxHalvings) {
        report.status = LinearStatus::kIndefinite;
        report.detail = "the residual rises for every relaxation: not positive semidefinite";
        return;
      }
      residual(op, b, x);
      omega *= 0.5;
      fresh = true;
      best = HUGE_VAL;
      continue;
    }
    const bool least = sums.y_Py <= least_squares * least_squares * lambda_ * lambda_ * sums.r_x;
    if (report.recurrence_residual <= goal.target || least) {
      if (fresh) return conclude(goal, report);
      residual(op, b, x);  // believe only what x itself says
      fresh = true;
      best = HUGE_VAL;
      --k;
      continue;
    }
    if (k >= goal.limit) {
      report.status = goal.out_of_iterations();
      explain_limit(control, report);
      return;
    }
    if (k % 64 == 0) copy(x, best_x_);  // where to go back to after a rise
    best = std::min(best, sums.r_x);
    update(omega, x);
    fresh = false;
  }
}

}  // namespace

SolverInfo jacobi_backend() {
  SolverInfo info;
  info.name = "jacobi";
  info.summary = "Jacobi iteration with a relaxation that converges on every definite system";
  info.capabilities = capabilities_of_jacobi();
  info.options = {
      OptionSpec::integer("max_iterations", 0, 0, 1e9,
                          "largest number of iterations; 0: as many as the call allows"),
      OptionSpec::integer("power_iterations", 30, 1, 1e6,
                          "products spent on the largest eigenvalue"),
      OptionSpec::real("omega", 0.0, 0.0, 2.0, "relaxation; 0: from the largest eigenvalue")};
  info.make = make_solver<JacobiBackend>;
  return info;
}

}  // namespace nsn
