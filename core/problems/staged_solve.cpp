#include "nsn/core/problems/staged_solve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/anderson_admm.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/problems/friction_error.h"

namespace nsn {
namespace {

// An error measurement costs about as much as a sweep: one for each of these.
constexpr int kCheckSweeps = 20;

// Of the first proximal step from a random start: as stiff as scaled W itself.
constexpr double kAlphaFromAfar = 1.0;

/// 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: the k-th number, k >= 1. Attempts of these lengths take at
/// most a logarithmic factor longer than attempts of the best length, which nobody knows (Luby,
/// Sinclair, Zuckerman 1993).
int luby(int k) {
  int power = 1;
  while (2 * power - 1 < k) power *= 2;
  return k == 2 * power - 1 ? power : luby(k - power + 1);
}

bool within(const FrictionError& error, const FrictionSolverOptions& options) {
  return std::max(error.siconos, error.dynamics) <= options.tolerance &&
         error.unit_free <= options.unit_free_factor * options.tolerance;
}

}  // namespace

StagedProblem take(FrictionBlocks& blocks, DualSystem& system) {
  system.analyze(blocks.W);
  system.set_values(blocks.W, blocks.symmetric);
  return {std::move(blocks.laws), blocks.q, blocks.symmetric, blocks.asymmetry, blocks.W.blocks()};
}

StagedSolve::StagedSolve(const FrictionSolverOptions& options, StagedProblem problem,
                         NewtonSystem& system, DualSystem* dual, FrictionResult& result,
                         Clock::time_point start)
    : options_(options),
      blocks_(std::move(problem)),
      result_(result),
      clock_(options.clock, options.cancel),
      system_(system),
      dual_(dual) {
  ProximalOptions proximal = options.newton;
  proximal.tolerance = options.tolerance;
  proximal.unit_free_factor = options.unit_free_factor;
  proximal.max_factorizations = options.max_factorizations;
  if (options.method == FrictionMethod::kProximalNewtonFb) {
    proximal.normal_map = ncp::NormalMap::kFischerBurmeister;
  }
  newton_ = std::make_unique<ProximalNewton>(system_, blocks_.laws, proximal);
  newton_->update(blocks_.q);
  if (options.time_limit > 0.0) limit_time(options.time_limit - seconds_since(start));
}

/// No unit of work starts that would not end in time; a product shows how fast this machine is.
void StagedSolve::limit_time(double seconds) {
  clock_.set_deadline(clock_.now() + seconds);
  newton_->obey(&clock_);
  if (dual_ == nullptr) return;
  dual_->obey(&clock_);
  const Vector product = zero_vector(newton_->problem().rows());
  const WorkClock::Unit unit(clock_, Work::kSweep, sweep_operations(blocks_.blocks, 0));
  system_.apply(newton_->scaled_q(), product);
}

void StagedSolve::run(ConstVector r0) {
  newton_->start(r0, newton_->options().alpha_cold);
  switch (options_.method) {
    case FrictionMethod::kAuto:
      run_auto();
      break;
    case FrictionMethod::kProximalNewton:
    case FrictionMethod::kProximalNewtonFb:
      proximal(newton_->options().alpha_cold, "asked for");
      break;
    case FrictionMethod::kAdmm:
      admm(options_.max_iterations, "asked for");
      break;
    case FrictionMethod::kGaussSeidel:
      gauss_seidel(options_.max_iterations, "asked for");
      break;
    case FrictionMethod::kPaperMinimum:
      classic(ClassicFriction::kPaperMinimum, 0.75);
      break;
    case FrictionMethod::kPaperFb:
      classic(ClassicFriction::kPaperFb, 0.75);
      break;
    case FrictionMethod::kAlartCurnier:
      classic(ClassicFriction::kAlartCurnier, 1.0);
      break;
    case FrictionMethod::kAlartCurnierSymmetric:
      classic(ClassicFriction::kAlartCurnierSymmetric, 1.0);
      break;
  }
}

bool StagedSolve::tighten() {
  goal_ *= 0.2;
  newton_->set_goal(goal_);
  return proximal(newton_->alpha(), "errors on the given data missed the tolerance");
}

void StagedSolve::run_auto() {
  const double flops = system_.factorization_flops();
  result_.factorization_flops = flops;
  newton_->set_budget(std::min(options_.max_factorizations, options_.attempt));
  if (!first_stages(flops) && dual_ != nullptr) rescue();
}

bool StagedSolve::first_stages(double flops) {
  if (dual_ == nullptr) {
    return proximal(newton_->options().alpha_cold,
                    fmt::format("primal form: {:.2g} operations a factorisation", flops));
  }
  if (flops < kExpensiveFactorization || !blocks_.symmetric) {
    return proximal(newton_->options().alpha_cold,
                    blocks_.symmetric
                        ? fmt::format("a factorisation is cheap: {:.2g} operations", flops)
                        : fmt::format("W is not symmetric: {:.1e}", blocks_.asymmetry));
  }
  const std::string reason = fmt::format("a factorisation is expensive: {:.2g} operations", flops);
  if (newton_->may_factorise() && admm(AndersonAdmmOptions{}.max_iterations, reason)) return true;
  newton_->set_scaled_centre(zero_vector(newton_->problem().rows()));
  const double ratio = sweeps_per_factorization(flops, blocks_.blocks, newton_->problem().blocks());
  const int sweeps = static_cast<int>(std::ceil(options_.sweeps_worth * ratio));
  if (gauss_seidel(sweeps, fmt::format("{} sweeps cost {:g} factorisations", sweeps,
                                       options_.sweeps_worth))) {
    return true;
  }
  return proximal(options_.newton.alpha_between(), "the first stages left an error");
}

/// Other starts, until one converges or the budget is spent. On problems with large friction
/// coefficients proximal Newton may cycle; which start leads out cannot be told beforehand.
void StagedSolve::rescue() {
  for (int k = 1;; ++k) {
    const int left = options_.max_factorizations - newton_->factorizations();
    if (left <= 0 || out_of_time()) return;
    if (!newton_->may_factorise()) {
      static_cast<void>(gauss_seidel(options_.max_iterations, "no factorisation fits in the time"));
      return;
    }
    const int length = std::max(1, options_.attempt / 4) * luby(k);
    newton_->set_budget(newton_->factorizations() + std::min(left, length));
    start_at_random();
    if (proximal(kAlphaFromAfar, fmt::format("not converged, random start {}", k))) return;
  }
}

/// Random impulses inside the cones, the same at every run: 0.1 to 10 times the load that |q|
/// makes, each contact's own within a factor of 10 of that.
void StagedSolve::start_at_random() {
  const Vector x = zero_vector(newton_->problem().rows());
  const double contacts = std::max(1.0, static_cast<double>(blocks_.laws.size()));
  const double size = random_decade() * norm2(newton_->scaled_q()) / std::sqrt(contacts);
  for (std::size_t i = 0; i < blocks_.laws.size(); ++i) {
    const double n = size * random_decade();
    const double angle = 6.283185307179586 * uniform();
    const double t = blocks_.laws[i].mu * n * uniform();
    x(3 * i) = n;
    x(3 * i + 1) = t * std::cos(angle);
    if (blocks_.laws[i].kind == RowLaw::Kind::kContact) {
      x(3 * i + 2) = t * std::sin(angle);
    }
  }
  newton_->set_scaled_centre(x);
}

/// 0.1 to 10, by a logarithmic law.
double StagedSolve::random_decade() {
  return std::pow(10.0, 2.0 * uniform() - 1.0);
}

double StagedSolve::uniform() {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<double>(random_ >> 11U) * 0x1.0p-53;
}

bool StagedSolve::proximal(double alpha, std::string reason) {
  const auto begin = Clock::now();
  newton_->set_alpha(alpha);
  const int before = newton_->factorizations();
  const ProximalReport report = newton_->run([this] { return out_of_time(); });
  const int steps = newton_->factorizations() - before;
  result_.newton_iterations += steps;
  result_.linear_iterations += report.linear_iterations;
  if (report.suspected_unsolvable) result_.status = FrictionStatus::kSuspectedUnsolvable;
  const bool fb = newton_->options().normal_map == ncp::NormalMap::kFischerBurmeister;
  return finish(fb ? "proximal-newton-fb" : "proximal-newton", std::move(reason), steps, steps,
                begin, report.solved);
}

bool StagedSolve::admm(int iterations, std::string reason) {
  const auto begin = Clock::now();
  AndersonAdmmOptions options;
  options.max_iterations = iterations;
  options.reduce = true;
  const AndersonAdmmReport report =
      anderson_admm(*newton_, options, [this] { return out_of_time(); });
  result_.sweeps += report.iterations;
  return finish("admm", std::move(reason), report.iterations, 1, begin, report.solved);
}

bool StagedSolve::gauss_seidel(int sweeps, std::string reason) {
  const auto begin = Clock::now();
  const Index n = newton_->problem().rows();
  const Vector x = zero_vector(n);
  const Vector v = zero_vector(n);
  newton_->scaled_centre(x);
  ContactGaussSeidel solver(dual_->scaled(), newton_->problem().laws());
  bool solved = false;
  int done = 0;
  const double operations = sweep_operations(blocks_.blocks, newton_->problem().blocks());
  bool more = sweeps > 0;
  while (more && !solved) {
    {
      const WorkClock::Unit unit(clock_, Work::kSweep, operations);
      solver.sweep(newton_->scaled_q(), x);
    }
    ++done;
    more = done < sweeps && clock_.fits(Work::kSweep, 2.0 * operations);  // and a measurement
    if (done % kCheckSweeps != 0 && more) continue;
    system_.apply(x, v);
    axpby(1.0, newton_->scaled_q(), 1.0, v);
    solved = newton_->meets_goal(newton_->offer(x, v));
  }
  newton_->set_scaled_centre(x);
  result_.sweeps += done;
  return finish("nsgs", std::move(reason), done, 0, begin, solved);
}

bool StagedSolve::classic(ClassicFriction method, double damping) {
  const auto begin = Clock::now();
  ClassicFrictionOptions options;
  options.method = method;
  options.damping = damping;
  options.max_iterations = options_.max_factorizations;
  const ClassicFrictionReport report =
      classic_friction(*newton_, options, [this] { return !newton_->may_factorise(); });
  result_.newton_iterations += report.iterations;
  result_.linear_iterations += report.linear_iterations;
  if (report.linear_failure) result_.status = FrictionStatus::kLinearFailure;
  return finish(std::string(to_string(options_.method)), "asked for", report.iterations,
                report.iterations, begin, report.solved);
}

bool StagedSolve::finish(std::string name, std::string reason, int iterations, int factorizations,
                         Clock::time_point begin, bool solved) {
  const ProximalError error = newton_->best_error();
  result_.factorizations += factorizations;
  result_.stages.push_back({std::move(name), std::move(reason), iterations, factorizations,
                            seconds_since(begin), error.siconos, error.unit_free, solved});
  const bool late = out_of_time() || (clock_.limited() && !newton_->may_factorise());
  if (late && !solved) {
    result_.status = cancelled() ? FrictionStatus::kCancelled : FrictionStatus::kTimeLimit;
  }
  return solved;
}

void solve_and_check(StagedSolve& solve, const FrictionSolverOptions& options, ConstVector r0,
                     const std::function<void()>& measure, FrictionResult& result) {
  solve.run(r0);
  measure();
  for (int attempt = 0; attempt < 3 && !within(result.error, options); ++attempt) {
    const bool believed = !result.stages.empty() && result.stages.back().solved;
    if (!believed || !solve.tighten()) break;
    measure();
  }
  if (within(result.error, options)) result.status = FrictionStatus::kSolved;
}

}  // namespace nsn
