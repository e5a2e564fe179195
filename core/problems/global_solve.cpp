#include "nsn/core/problems/global_solve.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/factor/block_symbolic.h"
#include "nsn/core/problems/condensation.h"
#include "nsn/core/problems/friction_error.h"

namespace nsn {
namespace {

// Newton steps that a solve is expected to take: what W, formed once, is weighed against.
constexpr double kExpectedSteps = 15.0;

}  // namespace

GlobalSolve::GlobalSolve(const FrictionSolverOptions& options, const SolverRegistry& registry,
                         const GlobalFrictionProblem& problem, MassMatrix& mass,
                         FrictionResult& result, Clock::time_point start)
    : options_(options),
      registry_(registry),
      problem_(problem),
      mass_(mass),
      result_(result),
      start_(start),
      Ht_(contact_jacobian(problem)) {}

void GlobalSolve::refuse() {
  result_.status = FrictionStatus::kLinearFailure;
  result_.stages.push_back({"mass", mass_.detail(), 0, 0, seconds_since(start_), 0.0, 0.0, false});
  result_.error.siconos = result_.error.unit_free = result_.error.dynamics =
      std::numeric_limits<double>::infinity();
}

FormChoice GlobalSolve::choose() {
  if (options_.form == FrictionForm::kDual) return {false, "asked for"};
  const bool able = registry_.make(options_.linear)->capabilities().handles_unsymmetric;
  const FrictionMethod method = options_.method;
  const bool fits = method == FrictionMethod::kAuto || method == FrictionMethod::kProximalNewton ||
                    method == FrictionMethod::kProximalNewtonFb || method == FrictionMethod::kAdmm;
  if (options_.form == FrictionForm::kPrimal) {
    NSN_THROW_UNLESS(able && fits, "the primal form is not for method '{}' with '{}'",
                     to_string(method), options_.linear);
    make_primal();
    return {true, "asked for"};
  }
  if (!able || !fits || problem_.contacts() == 0) return {false, "the method works on W"};
  make_primal();
  const double dual = dual_flops();
  const double primal = 2.0 * kExpectedSteps * primal_->factorization_flops();
  return {primal < dual,
          fmt::format("{:.2g} operations in primal form, {:.2g} over contacts", primal, dual)};
}

void GlobalSolve::run_primal(const Vector& start, const std::string& reason) {
  StagedProblem staged;
  const Index n = problem_.contacts();
  staged.laws = contact_laws({problem_.mu.data(), problem_.mu.extent(0)}, problem_.dimension == 2);
  staged.q = zero_vector(kBlock * n);
  if (!free_velocity(problem_, Ht_, mass_, staged.q)) return refuse();
  staged.symmetric = mass_.asymmetry() <= kSymmetricToRounding;
  staged.asymmetry = mass_.asymmetry();
  const Vector diagonal = zero_vector(kBlockSize * n);
  primal_->diagonal_blocks(diagonal);
  report_form("primal", reason);
  run(start, std::move(staged), *primal_, nullptr, diagonal);
}

void GlobalSolve::run_dual(const Vector& start, const std::string& reason) {
  FrictionBlocks blocks = condense(problem_, Ht_, mass_);
  if (!mass_.ok()) return refuse();
  DualSystem system(registry_.make(options_.linear));
  StagedProblem staged = take(blocks, system);
  const Vector diagonal = zero_vector(kBlockSize * blocks.W.rows);
  diagonal_blocks(blocks.W, diagonal);
  report_form("dual", reason);
  run(start, std::move(staged), system, &system, diagonal);
}

void GlobalSolve::make_primal() {
  primal_ = std::make_unique<PrimalSystem>(problem_, Ht_, mass_, registry_.make(options_.linear));
}

void GlobalSolve::report_form(const char* name, const std::string& reason) {
  result_.stages.push_back({name, reason, 0, 0, seconds_since(start_), 0.0, 0.0, false});
}

/// Operations of a whole solve over contacts: W if M is not block diagonal, then factorisations.
double GlobalSolve::dual_flops() {
  if (mass_.block_diagonal()) {
    return 2.0 * kExpectedSteps * analyze_blocks(condensed_pattern(problem_, Ht_, mass_)).flops;
  }
  const double rows = kBlock * static_cast<double>(problem_.contacts());
  return rows * mass_.solve_flops() + 2.0 * kExpectedSteps * rows * rows * rows / 3.0;
}

void GlobalSolve::run(const Vector& padded, StagedProblem staged, NewtonSystem& system,
                      DualSystem* dual, const Vector& diagonal) {
  const Index d = problem_.dimension;
  const Vector q = zero_vector(d * problem_.contacts());
  unpad_contacts(staged.q, d, q);
  const double q_norm = norm2(q);
  const Vector rho = zero_vector(problem_.contacts());
  contact_rho_of_diagonal(diagonal, rho);
  StagedSolve solve(options_, registry_, std::move(staged), system, dual, result_, start_);
  const Vector momentum = zero_vector(problem_.dofs());
  const Vector residual = zero_vector(problem_.dofs());
  const auto measure = [&] {
    solve.best(padded);
    unpad_contacts(padded, d, result_.r);
    // v = M^-1 (H r + f), u = H^T v + w
    multiply(problem_.H, result_.r, momentum);
    const double impulse = norm2(momentum);
    axpby(1.0, problem_.f, 1.0, momentum);
    if (!mass_.solve(momentum, result_.v)) result_.status = FrictionStatus::kLinearFailure;
    multiply(Ht_, result_.v, result_.u);
    axpby(1.0, problem_.w, 1.0, result_.u);
    result_.error = friction_error(d, problem_.mu, rho, q_norm, result_.r, result_.u);
    multiply(problem_.M, result_.v, residual);
    const double size = std::max({norm2(problem_.f), norm2(residual), impulse});
    axpby(-1.0, momentum, 1.0, residual);
    result_.error.dynamics = size > 0.0 ? norm2(residual) / size : 0.0;
  };
  solve_and_check(solve, options_, padded, measure, result_);
}

}  // namespace nsn
