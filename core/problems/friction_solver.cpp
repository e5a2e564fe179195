#include "nsn/core/problems/friction_solver.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/anderson_admm.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/factor/block_symbolic.h"
#include "nsn/core/problems/classic_friction.h"
#include "nsn/core/problems/condensation.h"
#include "nsn/core/problems/friction_blocks.h"
#include "nsn/core/problems/primal_system.h"

namespace nsn {
namespace {

// What decides between the stages. A factorisation that is not dear is worth no first stage; where
// it is, Gauss-Seidel gets the time of kSweepsWorth factorisations.
// The primal form is worth a look from so many rows per degree of freedom; what a solve takes.
constexpr double kPrimalRows = 1.3;
constexpr double kExpectedSteps = 15.0;
constexpr double kSweepsWorth = 20.0;
constexpr double kUsefulStart = 1e-5;  // errors above: Gauss-Seidel does better from zero
constexpr double kAlphaAfterStage = 1e-3;
constexpr int kAdmmIterations = 15;
constexpr int kCheckSweeps = 50;
constexpr int kFirstAttempt = 400;  // factorisations of proximal Newton before it starts elsewhere

/// How long a further attempt goes on. Most of those that succeed are quick; every other round is
/// patient.
struct Attempt {
  int factorizations;
  int max_inner;  // Newton steps of a proximal step
  double failure_decay;
};
constexpr Attempt kQuick = {160, 25, 0.6};
constexpr Attempt kPatient = {400, 12, 0.8};

/// Where and how proximal Newton starts again when it has not converged. On problems with large
/// friction coefficients it may cycle; which start leads out cannot be told beforehand, so they
/// differ.
struct Rescue {
  const char* name;
  int sweeps;     // Gauss-Seidel first
  bool admm;      // or Anderson ADMM, or neither: from zero
  double random;  // > 0: from random impulses of this size times |q|
  double alpha;
  double load_clip;
  double friction_ceiling;
  bool fb;
};
constexpr Rescue kRescues[] = {
    {"Gauss-Seidel start", 300, false, 0.0, 1e-3, 1e3, 1e9, false},
    {"even weights", 0, false, 0.0, 1.0, 10.0, 1e9, false},
    {"small random start", 0, false, 0.1, 1.0, 10.0, 1e9, false},
    {"small random start, tangential ceiling", 0, false, 0.1, 1e-2, 10.0, 0.5, false},
    {"random start and sweeps", 500, false, 1.0, 1e-2, 10.0, 1e9, false},
    {"ADMM start", 0, true, 0.0, 1e-3, 1e3, 1e9, false},
    {"large random start", 0, false, 10.0, 1.0, 10.0, 1e9, false},
    {"random start, tangential ceiling", 0, false, 1.0, 1e-2, 10.0, 0.5, false},
    {"random start, Fischer-Burmeister", 0, false, 0.1, 1e-2, 10.0, 1e9, true},
    {"random start", 0, false, 1.0, 1.0, 10.0, 1e9, false},
};

/// Small problems stay on the calling thread: waiting for another would cost more than it saves.
class OwnThread {
 public:
  explicit OwnThread(Index contacts) {
    if (contacts < 2 * kChunk) scope_.emplace();
  }

 private:
  std::optional<SerialScope> scope_;
};

const std::vector<std::string> kMethodNames = {
    "auto",     "proximal-newton", "proximal-newton-fb",     "admm", "nsgs", "paper-min",
    "paper-fb", "alart-curnier",   "alart-curnier-symmetric"};

const std::vector<std::string> kFormNames = {"auto", "dual", "primal"};

/// What the stages need to know of a problem besides its system.
struct StagedProblem {
  std::vector<RowLaw> laws;
  Vector q;                // three a contact
  bool symmetric = true;   // W
  double asymmetry = 0.0;  // of W
  Index blocks = 0;        // of W; 0 where it is not formed
};

/// One solve: the stages and what they leave behind.
class StagedSolve {
 public:
  /// dual: the same system where W is formed, null otherwise; Gauss-Seidel needs it.
  StagedSolve(const FrictionSolverOptions& options, StagedProblem problem, NewtonSystem& system,
              DualSystem* dual, FrictionResult& result, Clock::time_point start)
      : options_(options),
        blocks_(std::move(problem)),
        result_(result),
        start_(start),
        system_(system),
        dual_(dual) {
    ProximalOptions proximal;
    proximal.tolerance = options.tolerance;
    proximal.unit_free_factor = options.unit_free_factor;
    proximal.max_factorizations = options.max_factorizations;
    if (options.method == FrictionMethod::kProximalNewtonFb) {
      proximal.normal_map = ncp::NormalMap::kFischerBurmeister;
    }
    newton_ = std::make_unique<ProximalNewton>(system_, blocks_.laws, proximal);
    newton_->update(blocks_.q);
  }

  void run(ConstVector r0) {
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

  /// The errors formed anew miss the tolerance: aim lower and go on, as far as that is possible.
  bool tighten() {
    goal_ *= 0.2;
    newton_->set_goal(goal_);
    return proximal(newton_->alpha(), "errors on the given data missed the tolerance");
  }

  void best(Vector r) const { newton_->best_reactions(r); }

 private:
  bool out_of_time() const {
    return options_.time_limit > 0.0 && seconds_since(start_) > options_.time_limit;
  }

  void run_auto() {
    const double flops = system_.factorization_flops();
    result_.factorization_flops = flops;
    newton_->set_budget(std::min(options_.max_factorizations, kFirstAttempt));
    if (!first_stages(flops) && dual_ != nullptr) rescue();
  }

  bool first_stages(double flops) {
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
    const std::string dear = fmt::format("a factorisation is dear: {:.2g} operations", flops);
    if (admm(kAdmmIterations, dear)) return true;
    if (std::max(newton_->best_error().siconos, newton_->best_error().unit_free) > kUsefulStart) {
      newton_->set_scaled_centre(zero_vector(newton_->problem().rows()));
    }
    const double ratio =
        sweeps_per_factorization(flops, blocks_.blocks, newton_->problem().blocks());
    const int sweeps = static_cast<int>(std::clamp(kSweepsWorth * ratio, 20.0, 1000.0));
    if (gauss_seidel(sweeps, fmt::format("{} sweeps cost {} factorisations", sweeps,
                                         static_cast<int>(kSweepsWorth)))) {
      return true;
    }
    return proximal(kAlphaAfterStage, "the first stages left an error");
  }

  /// Other starts in turn, until one converges or the budget is spent.
  void rescue() {
    for (int round = 0;; ++round) {
      for (const Rescue& rescue : kRescues) {
        const int left = options_.max_factorizations - newton_->factorizations();
        if (left <= 0 || out_of_time()) return;
        const Attempt& attempt = round % 2 == 0 ? kQuick : kPatient;
        newton_->set_budget(newton_->factorizations() + std::min(left, attempt.factorizations));
        newton_->set_weighting(rescue.load_clip, rescue.friction_ceiling);
        newton_->set_patience(attempt.max_inner, attempt.failure_decay);
        newton_->set_normal_map(rescue.fb ? ncp::NormalMap::kFischerBurmeister
                                          : ncp::NormalMap::kMinimum);
        start_elsewhere(rescue, round);
        const std::string reason =
            fmt::format("not converged, start {}: {}", ++restarts_, rescue.name);
        if (rescue.sweeps > 0 && dual_ != nullptr && gauss_seidel(rescue.sweeps, reason)) return;
        if (rescue.admm && admm(50, reason)) return;
        if (proximal(rescue.alpha, reason)) return;
      }
    }
  }

  /// The centre is zero, or random impulses inside the cones (the same at every run).
  void start_elsewhere(const Rescue& rescue, int round) {
    const Vector x = zero_vector(newton_->problem().rows());
    if (rescue.random > 0.0 || round > 0) {
      const double size = std::max(rescue.random, 0.1) * norm2(newton_->scaled_q()) /
                          std::sqrt(std::max(1.0, static_cast<double>(blocks_.laws.size())));
      for (std::size_t i = 0; i < blocks_.laws.size(); ++i) {
        const double n = size * std::pow(10.0, 2.0 * uniform() - 1.0);
        const double angle = 6.283185307179586 * uniform();
        const double t = blocks_.laws[i].mu * n * uniform();
        x(3 * i) = n;
        x(3 * i + 1) = t * std::cos(angle);
        if (blocks_.laws[i].kind == RowLaw::Kind::kContact) {
          x(3 * i + 2) = t * std::sin(angle);
        }
      }
    }
    newton_->set_scaled_centre(x);
  }

  double uniform() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(random_ >> 11U) * 0x1.0p-53;
  }

  bool proximal(double alpha, std::string reason) {
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

  bool admm(int iterations, std::string reason) {
    const auto begin = Clock::now();
    AndersonAdmmOptions options;
    options.max_iterations = iterations;
    options.reduce = true;
    const AndersonAdmmReport report =
        anderson_admm(*newton_, options, [this] { return out_of_time(); });
    result_.sweeps += report.iterations;
    return finish("admm", std::move(reason), report.iterations, 1, begin, report.solved);
  }

  bool gauss_seidel(int sweeps, std::string reason) {
    const auto begin = Clock::now();
    const Index n = newton_->problem().rows();
    const Vector x = zero_vector(n);
    const Vector v = zero_vector(n);
    newton_->scaled_centre(x);
    ContactGaussSeidel solver(dual_->scaled(), newton_->problem().laws());
    bool solved = false;
    int done = 0;
    while (done < sweeps && !solved && !out_of_time()) {
      const double change = solver.sweep(newton_->scaled_q(), x);
      ++done;
      if (change < 30.0 * options_.tolerance || done % kCheckSweeps == 0 || done == sweeps) {
        system_.apply(x, v);
        axpby(1.0, newton_->scaled_q(), 1.0, v);
        solved = newton_->meets_goal(newton_->offer(x, v));
      }
    }
    newton_->set_scaled_centre(x);
    result_.sweeps += done;
    return finish("nsgs", std::move(reason), done, 0, begin, solved);
  }

  bool classic(ClassicFriction method, double damping) {
    const auto begin = Clock::now();
    ClassicFrictionOptions options;
    options.method = method;
    options.damping = damping;
    options.max_iterations = options_.max_factorizations;
    const ClassicFrictionReport report =
        classic_friction(*newton_, options, [this] { return out_of_time(); });
    result_.newton_iterations += report.iterations;
    result_.linear_iterations += report.linear_iterations;
    if (report.linear_failure) result_.status = FrictionStatus::kLinearFailure;
    return finish(std::string(to_string(options_.method)), "asked for", report.iterations,
                  report.iterations, begin, report.solved);
  }

  bool finish(std::string name, std::string reason, int iterations, int factorizations,
              Clock::time_point begin, bool solved) {
    const ProximalError error = newton_->best_error();
    result_.factorizations += factorizations;
    result_.stages.push_back({std::move(name), std::move(reason), iterations, factorizations,
                              seconds_since(begin), error.siconos, error.unit_free, solved});
    if (out_of_time() && !solved) result_.status = FrictionStatus::kTimeLimit;
    return solved;
  }

  const FrictionSolverOptions& options_;
  StagedProblem blocks_;
  FrictionResult& result_;
  Clock::time_point start_;
  NewtonSystem& system_;
  DualSystem* dual_;
  std::unique_ptr<ProximalNewton> newton_;
  double goal_ = 0.9;
  int restarts_ = 0;
  std::uint64_t random_ = 0x2545F4914F6CDD1DULL;
};

bool within(const FrictionError& error, const FrictionSolverOptions& options) {
  return error.siconos <= options.tolerance &&
         error.unit_free <= options.unit_free_factor * options.tolerance;
}

/// Runs the stages, measures on the given data, and aims lower where rounding got in between.
template <class Measure>
void solve_and_check(StagedSolve& solve, const FrictionSolverOptions& options, ConstVector r0,
                     const Measure& measure, FrictionResult& result) {
  solve.run(r0);
  measure();
  for (int attempt = 0; attempt < 3 && !within(result.error, options); ++attempt) {
    const bool believed = !result.stages.empty() && result.stages.back().solved;
    if (!believed || !solve.tighten()) break;
    measure();
  }
  if (within(result.error, options)) result.status = FrictionStatus::kSolved;
}

Vector padded_start(ConstVector r0, Index dimension, Index contacts) {
  Vector r = zero_vector(kBlock * contacts);
  if (r0.extent(0) == 0) return r;
  NSN_THROW_UNLESS(size_of(r0) == dimension * contacts,
                   "the starting r has {} entries for {} contacts in {} dimensions", r0.extent(0),
                   contacts, dimension);
  NSN_THROW_UNLESS(all_finite(r0), "the starting r holds NaN or infinity");
  pad_contacts(r0, dimension, r);
  return r;
}

/// Gives W to the system; what is left for the stages.
StagedProblem take(FrictionBlocks& blocks, DualSystem& system) {
  system.analyze(blocks.W);
  system.set_values(blocks.W, blocks.symmetric);
  return {std::move(blocks.laws), blocks.q, blocks.symmetric, blocks.asymmetry, blocks.W.blocks()};
}

struct FormChoice {
  bool primal = false;
  std::string reason;
};

/// A problem through M and H: which form, and the solve in it.
class GlobalSolve {
 public:
  GlobalSolve(const FrictionSolverOptions& options, const SolverRegistry& registry,
              const GlobalFrictionProblem& problem, MassMatrix& mass, FrictionResult& result,
              Clock::time_point start)
      : options_(options),
        registry_(registry),
        problem_(problem),
        mass_(mass),
        result_(result),
        start_(start),
        Ht_(contact_jacobian(problem)) {}

  /// M is singular.
  void refuse() {
    result_.status = FrictionStatus::kLinearFailure;
    result_.stages.push_back(
        {"mass", mass_.detail(), 0, 0, seconds_since(start_), 0.0, 0.0, false});
    result_.error.siconos = result_.error.unit_free = result_.error.dynamics =
        std::numeric_limits<double>::infinity();
  }

  /// By the operations of a factorisation, where rows per degree of freedom leave the question
  /// open.
  FormChoice choose() {
    if (options_.form == FrictionForm::kDual) return {false, "asked for"};
    const bool able = registry_.make(options_.linear)->capabilities().handles_unsymmetric;
    const FrictionMethod method = options_.method;
    const bool fits =
        method == FrictionMethod::kAuto || method == FrictionMethod::kProximalNewton ||
        method == FrictionMethod::kProximalNewtonFb || method == FrictionMethod::kAdmm;
    if (options_.form == FrictionForm::kPrimal) {
      NSN_THROW_UNLESS(able && fits, "the primal form is not for method '{}' with '{}'",
                       to_string(method), options_.linear);
      make_primal();
      return {true, "asked for"};
    }
    if (!able || !fits || problem_.contacts() == 0) return {false, "the method works on W"};
    const double rows = Ht_.rows;
    const double reached = degrees_reached();
    if (mass_.block_diagonal() && rows < kPrimalRows * reached) {
      return {false, fmt::format("{:.2g} rows per degree of freedom, M is block diagonal: W body "
                                 "by body",
                                 rows / std::max(reached, 1.0))};
    }
    make_primal();
    const double dual = dual_flops();
    const double primal = 2.0 * kExpectedSteps * primal_->factorization_flops();
    return {primal < dual,
            fmt::format("{:.2g} operations in primal form, {:.2g} over contacts", primal, dual)};
  }

  void run_primal(const Vector& start, const std::string& reason) {
    StagedProblem staged;
    const Index n = problem_.contacts();
    staged.laws =
        contact_laws({problem_.mu.data(), problem_.mu.extent(0)}, problem_.dimension == 2);
    staged.q = zero_vector(kBlock * n);
    if (!free_velocity(problem_, Ht_, mass_, staged.q)) return refuse();
    staged.symmetric = mass_.asymmetry() <= kSymmetricToRounding;
    staged.asymmetry = mass_.asymmetry();
    const Vector diagonal = zero_vector(kBlockSize * n);
    primal_->diagonal_blocks(diagonal);
    report_form("primal", reason);
    run(start, std::move(staged), *primal_, nullptr, diagonal);
  }

  void run_dual(const Vector& start, const std::string& reason) {
    FrictionBlocks blocks = condense(problem_, Ht_, mass_);
    if (!mass_.ok()) return refuse();
    DualSystem system(registry_.make(options_.linear));
    StagedProblem staged = take(blocks, system);
    const Vector diagonal = zero_vector(kBlockSize * blocks.W.rows);
    diagonal_blocks(blocks.W, diagonal);
    report_form("dual", reason);
    run(start, std::move(staged), system, &system, diagonal);
  }

 private:
  void make_primal() {
    primal_ = std::make_unique<PrimalSystem>(problem_, Ht_, mass_, registry_.make(options_.linear));
  }

  void report_form(const char* name, const std::string& reason) {
    result_.stages.push_back({name, reason, 0, 0, seconds_since(start_), 0.0, 0.0, false});
  }

  /// Degrees of freedom in blocks of three that a contact touches.
  double degrees_reached() const {
    std::vector<char> seen(static_cast<std::size_t>(problem_.dofs() / kBlock + 1), 0);
    double count = 0.0;
    for (Index k = 0; k < Ht_.nonzeros(); ++k) {
      char& mark = seen[static_cast<std::size_t>(Ht_.column(k) / kBlock)];
      if (mark != 0 || Ht_.value(k) == 0.0) continue;
      mark = 1;
      count += kBlock;
    }
    return count;
  }

  /// Operations of a whole solve over contacts: W where that is dear, then factorisations.
  double dual_flops() {
    if (mass_.block_diagonal()) {
      return 2.0 * kExpectedSteps * analyze_blocks(condensed_pattern(problem_, Ht_, mass_)).flops;
    }
    const double rows = kBlock * static_cast<double>(problem_.contacts());
    return rows * mass_.solve_flops() + 2.0 * kExpectedSteps * rows * rows * rows / 3.0;
  }

  void run(const Vector& padded, StagedProblem staged, NewtonSystem& system, DualSystem* dual,
           const Vector& diagonal) {
    const Index d = problem_.dimension;
    const Vector q = zero_vector(d * problem_.contacts());
    unpad_contacts(staged.q, d, q);
    const double q_norm = norm2(q);
    const Vector rho = zero_vector(problem_.contacts());
    contact_rho_of_diagonal(diagonal, rho);
    StagedSolve solve(options_, std::move(staged), system, dual, result_, start_);
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

  const FrictionSolverOptions& options_;
  const SolverRegistry& registry_;
  const GlobalFrictionProblem& problem_;
  MassMatrix& mass_;
  FrictionResult& result_;
  Clock::time_point start_;
  Csr Ht_;
  std::unique_ptr<PrimalSystem> primal_;
};

}  // namespace

std::string_view to_string(FrictionMethod method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}

const std::vector<std::string>& friction_method_names() {
  return kMethodNames;
}

FrictionMethod friction_method_from_name(std::string_view name) {
  NSN_THROW_UNLESS(name != "pfn" && name != "pfn-fb", "method '{}' is now 'proximal-newton{}'",
                   name, name.substr(3));
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  NSN_THROW_UNLESS(found != kMethodNames.end(), "unknown method '{}'{}", name,
                   suggestion(name, kMethodNames));
  return static_cast<FrictionMethod>(found - kMethodNames.begin());
}

FrictionForm friction_form_from_name(std::string_view name) {
  const auto found = std::find(kFormNames.begin(), kFormNames.end(), name);
  NSN_THROW_UNLESS(found != kFormNames.end(), "unknown form '{}'{}", name,
                   suggestion(name, kFormNames));
  return static_cast<FrictionForm>(found - kFormNames.begin());
}

std::string_view to_string(FrictionStatus status) {
  switch (status) {
    case FrictionStatus::kSolved:
      return "solved";
    case FrictionStatus::kBudgetReached:
      return "budget-reached";
    case FrictionStatus::kTimeLimit:
      return "time-limit";
    case FrictionStatus::kSuspectedUnsolvable:
      return "suspected-unsolvable";
    case FrictionStatus::kLinearFailure:
      return "linear-failure";
  }
  return "?";
}

FrictionSolver::FrictionSolver(const FrictionSolverOptions& options, const SolverRegistry& registry)
    : options_(options), registry_(registry) {
  NSN_THROW_UNLESS(options.tolerance > 0.0 && std::isfinite(options.tolerance),
                   "the tolerance is {}, it must be > 0", options.tolerance);
  NSN_THROW_UNLESS(options.unit_free_factor > 0.0 && options.max_factorizations >= 0 &&
                       options.max_iterations >= 0 && options.time_limit >= 0.0,
                   "unit_free_factor {}, max_factorizations {}, max_iterations {}, time_limit {}",
                   options.unit_free_factor, options.max_factorizations, options.max_iterations,
                   options.time_limit);
  static_cast<void>(registry_.make(options.linear));  // an unknown name is the caller's mistake
  static_cast<void>(registry_.make(options.mass));
}

FrictionResult FrictionSolver::solve(const FrictionProblem& problem, ConstVector r0) const {
  const auto start = Clock::now();
  const OwnThread own(problem.contacts());
  FrictionResult result;
  result.method = options_.method;
  FrictionBlocks blocks = to_friction_blocks(problem);
  result.asymmetry = blocks.asymmetry;
  const Index n = problem.contacts();
  const Vector padded = padded_start(r0, problem.dimension, n);
  result.r = zero_vector(problem.dimension * n);
  result.u = zero_vector(problem.dimension * n);
  const Vector rho = zero_vector(n);
  contact_rho(blocks.W, rho);
  DualSystem system(registry_.make(options_.linear));
  StagedSolve solve(options_, take(blocks, system), system, &system, result, start);
  const auto measure = [&] {
    solve.best(padded);
    unpad_contacts(padded, problem.dimension, result.r);
    multiply(problem.W, result.r, result.u);
    axpby(1.0, problem.q, 1.0, result.u);
    result.error =
        friction_error(problem.dimension, problem.mu, rho, norm2(problem.q), result.r, result.u);
  };
  solve_and_check(solve, options_, padded, measure, result);
  result.seconds = seconds_since(start);
  return result;
}

FrictionResult FrictionSolver::solve(const GlobalFrictionProblem& problem, ConstVector r0) const {
  const auto start = Clock::now();
  const OwnThread own(problem.contacts());
  validate(problem);
  FrictionResult result;
  result.method = options_.method;
  const Index d = problem.dimension;
  const Index n = problem.contacts();
  result.r = zero_vector(d * n);
  result.u = zero_vector(d * n);
  result.v = zero_vector(problem.dofs());
  const Vector padded = padded_start(r0, d, n);
  MassMatrix mass(problem.M, registry_, options_.mass);
  result.asymmetry = mass.asymmetry();
  GlobalSolve solve(options_, registry_, problem, mass, result, start);
  if (!mass.ok()) {
    solve.refuse();
  } else if (const FormChoice choice = solve.choose(); choice.primal) {
    solve.run_primal(padded, choice.reason);
    if (!result.solved() && options_.form == FrictionForm::kAuto) {
      solve.run_dual(padded_start(r0, d, n), "the primal form did not converge");
    }
  } else {
    solve.run_dual(padded, choice.reason);
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace nsn
