#include "nsn/core/problems/staged_solve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/anderson_admm.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/indefinite.h"

namespace nsn {
namespace {

// An error measurement costs about as much as a sweep: one for each of these.
constexpr int kCheckSweeps = 20;

constexpr double kPaperDamping = 0.75;  // t of the paper

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

ClassicFriction classic_of(FrictionMethod method) {
  switch (method) {
    case FrictionMethod::kPaperMinimum:
      return ClassicFriction::kPaperMinimum;
    case FrictionMethod::kPaperFb:
      return ClassicFriction::kPaperFb;
    case FrictionMethod::kAlartCurnier:
      return ClassicFriction::kAlartCurnier;
    default:
      return ClassicFriction::kAlartCurnierSymmetric;
  }
}

}  // namespace

bool within(const FrictionError& error, const FrictionSolverOptions& options) {
  return std::max(error.siconos, error.dynamics) <= options.tolerance &&
         error.unit_free <= options.unit_free_factor * options.tolerance;
}

StagedProblem take(FrictionBlocks& blocks, DualSystem& system) {
  system.analyze(blocks.W);
  system.set_values(blocks.W, blocks.symmetric);
  return {std::move(blocks.laws), blocks.q, blocks.symmetric, blocks.asymmetry, blocks.W.blocks()};
}

StagedSolve::StagedSolve(const FrictionSolverOptions& options, const SolverRegistry& registry,
                         StagedProblem problem, NewtonSystem& system, DualSystem* dual,
                         FrictionResult& result, Clock::time_point start)
    : options_(options),
      registry_(registry),
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
  newton_->obey(&clock_);
  if (options.time_limit > 0.0) limit_time(options.time_limit - seconds_since(start));
}

/// No unit of work starts that would not end in time; a product shows how fast this machine is.
void StagedSolve::limit_time(double seconds) {
  clock_.set_deadline(clock_.now() + seconds);
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
    case FrictionMethod::kAssociated:
      static_cast<void>(associated());
      break;
    case FrictionMethod::kShiftMap:
      static_cast<void>(shift_map(left(), "asked for"));
      break;
    case FrictionMethod::kCertificate:
      static_cast<void>(certify());
      break;
    default:
      classic();
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
  if (first_stages(flops) || dual_ == nullptr || result_.status == FrictionStatus::kNoSolution)
    return;
  if (certify() || indefinite()) return;
  rescue();
}

bool StagedSolve::first_stages(double flops) {
  if (dual_ == nullptr) {
    return proximal(newton_->options().alpha_cold,
                    fmt::format("primal form: {:.2g} operations per factorisation", flops));
  }
  if (flops < kExpensiveFactorization || !blocks_.symmetric) {
    return proximal(newton_->options().alpha_cold,
                    blocks_.symmetric
                        ? fmt::format("a factorisation is cheap: {:.2g} operations", flops)
                        : fmt::format("W is not symmetric: {:.1e}", blocks_.asymmetry));
  }
  const std::string reason = fmt::format("a factorisation is expensive: {:.2g} operations", flops);
  if (newton_->may_factorise() && admm(AndersonAdmmOptions{}.max_iterations, reason)) return true;
  if (certify()) return false;
  newton_->set_scaled_centre(zero_vector(newton_->problem().rows()));
  const double ratio = sweeps_per_factorization(flops, blocks_.blocks, newton_->problem().blocks());
  const int sweeps = static_cast<int>(std::ceil(options_.sweeps_worth * ratio));
  if (gauss_seidel(sweeps, fmt::format("{} sweeps cost {:g} factorisations", sweeps,
                                       options_.sweeps_worth))) {
    return true;
  }
  return proximal(options_.newton.alpha_between(), "the first stages left an error");
}

/// What may still be factorised.
int StagedSolve::left() const {
  return options_.max_factorizations - newton_->factorizations() - convex_factorizations_;
}

/// Other starts, until one converges or the budget is spent. Which leads out cannot be told beforehand: closed packings
/// need the shift map, open heaps sweeps, problems with large friction coefficients, on which proximal Newton may cycle,
/// random starts, most often. They take turns in pieces of Luby's lengths, random starts with three times the work.
void StagedSolve::rescue() {
  if (has_convex_form() && shift_map(1, "not converged: the convex problem")) return;
  for (int k = 1; left() > 0 && !out_of_time(); ++k) {
    if (!newton_->may_factorise()) {
      static_cast<void>(gauss_seidel(options_.max_iterations, "no factorisation fits in the time"));
      return;
    }
    const int length = std::max(1, options_.attempt / 4) * luby(k);
    newton_->set_budget(newton_->factorizations() + std::min(left(), length));
    start_at_random();
    if (proximal(kAlphaFromAfar, fmt::format("not converged, random start {}", k))) return;
    if (has_convex_form() && shift_map(length / 3, fmt::format("not converged, round {}", k)))
      return;
    if (dips(length / 3, fmt::format("not converged, round {}", k))) return;
  }
}

/// Asks once whether there is a solution at all.
bool StagedSolve::certify() {
  if (certificate_asked_ || !has_convex_form()) return false;  // W z = 0 says nothing of W^T z
  certificate_asked_ = true;
  const auto begin = Clock::now();
  const std::unique_ptr<LinearSolver> solver = registry_.make(options_.linear);
  // A factorisation of the normals alone has a ninth of the entries, a 27th of the operations.
  const double flops = system_.factorization_flops() / 27.0;
  const auto stop = [this, flops] { return out_of_time() || !clock_.fits(Work::kFactor, flops); };
  NoSolution found = find_no_solution(dual_->scaled(), newton_->scaled_q(),
                                      newton_->problem().laws(), *solver, {}, stop);
  const std::string reason =
      found.certified
          ? fmt::format("every admissible motion needs a velocity change of {:.1e} |q_N|",
                        found.need)
          : "no certificate";
  result_.stages.push_back({"certificate", reason, found.factorizations, 0, seconds_since(begin),
                            newton_->best_error().siconos, newton_->best_error().unit_free, false});
  if (!found.certified) {
    if (clock_.cancelled()) result_.status = FrictionStatus::kCancelled;
    return false;
  }
  for (Index i = 0; i < size_of(found.z); ++i) found.z(i) *= newton_->scaling()(kBlock * i);
  result_.certificate = std::move(found);
  result_.status = FrictionStatus::kNoSolution;
  return true;
}

/// Before the long search: bodies have no such W.
bool StagedSolve::indefinite() {
  const auto begin = Clock::now();
  const NegativeEnergy energy = find_negative_energy(dual_->scaled());
  if (!energy.found()) return false;
  const ProximalError error = newton_->best_error();
  result_.stages.push_back(
      {"indefinite",
       fmt::format("W is not positive semidefinite: z . W z = {:.1e} |z|^2, most at contact {}",
                   energy.quotient, energy.contact),
       0, 0, seconds_since(begin), error.siconos, error.unit_free, false});
  result_.negative_energy = energy.quotient;
  result_.status = FrictionStatus::kIndefinite;
  return true;
}

bool StagedSolve::has_convex_form() const {
  return dual_ != nullptr && blocks_.symmetric;
}

/// The convex problem alone: what others compute, to compare with. Its last iterate is the answer.
bool StagedSolve::associated() {
  NSN_THROW_UNLESS(has_convex_form(), "method 'associated' needs a symmetric W: form dual");
  const auto begin = Clock::now();
  const Vector x = zero_vector(newton_->problem().rows());
  const Vector v = zero_vector(newton_->problem().rows());
  const std::vector<double> shift(blocks_.laws.size(), 0.0);
  ConvexContact convex(dual_->scaled(), newton_->problem().laws(), registry_.make(options_.linear));
  const ConvexContact::Report report = convex.solve(
      newton_->scaled_q(), shift,
      [&](ConstVector last, ConstVector velocity) {
        copy(last, x);
        copy(velocity, v);
        return false;
      },
      [this] { return !newton_->may_factorise(); }, left());
  convex_factorizations_ += report.factorizations;
  const bool solved = newton_->meets_goal(newton_->offer(x, v));
  return finish("associated", "asked for", report.factorizations, report.factorizations, begin,
                solved);
}

/// Convex solves and Newton's method from what they pass, until this many factorisations are spent.
bool StagedSolve::shift_map(int factorizations, std::string reason) {
  const RescueOptions& rescue = options_.rescue;
  NSN_THROW_UNLESS(has_convex_form(), "method 'shift-map' needs a symmetric W: form dual");
  if (shift_map_ == nullptr) {
    shift_map_ = std::make_unique<ShiftMap>(*newton_, dual_->scaled(),
                                            registry_.make(options_.linear), rescue.relaxation);
  }
  const int enough = left() - std::min(left(), factorizations);
  for (int since = 0; left() > enough && newton_->may_factorise(); ++since) {
    const auto begin = Clock::now();
    const ShiftMap::Step step =
        shift_map_->step([this] { return !newton_->may_factorise(); }, left());
    convex_factorizations_ += step.factorizations;
    if (finish("shift-map", reason, step.factorizations, step.factorizations, begin, step.solved)) {
      return true;
    }
    if (step.factorizations == 0) return false;
    if (step.largest >= rescue.dip * newton_at_ && since % rescue.wander != rescue.wander - 1)
      continue;
    newton_at_ = std::min(newton_at_, step.largest);
    if (newton_from(shift_map_->x(), rescue.alpha_from_point, rescue.from_point,
                    "from the shift map")) {
      return true;
    }
  }
  return out_of_time() && finish("shift-map", std::move(reason), 0, 0, Clock::now(), false);
}

/// Gauss-Seidel that goes on where it was, with Newton's method wherever its error has dipped: near a solution that
/// repels sweeps they have small errors for a while, and Newton does not care.
bool StagedSolve::dips(int factorizations, std::string reason) {
  const RescueOptions& rescue = options_.rescue;
  const Index n = newton_->problem().rows();
  if (swept_.extent(0) == 0) swept_ = zero_vector(n);
  const Vector v = zero_vector(n);
  ContactGaussSeidel solver(dual_->scaled(), newton_->problem().laws());
  const double flops = std::max(system_.factorization_flops(), 1.0);
  const double ratio =
      std::max(1.0, sweeps_per_factorization(flops, blocks_.blocks, newton_->problem().blocks()));
  const double operations = sweep_operations(blocks_.blocks, newton_->problem().blocks());
  double work = 0.0;  // in factorisations
  double since = 0.0;
  double last = kInfinity;
  while (work < factorizations && clock_.fits(Work::kSweep, rescue.dip_sweeps * operations)) {
    const auto begin = Clock::now();
    {
      const WorkClock::Unit unit(clock_, Work::kSweep, rescue.dip_sweeps * operations);
      solver.sweep(newton_->scaled_q(), swept_, rescue.dip_sweeps);
    }
    work += rescue.dip_sweeps / ratio;
    since += rescue.dip_sweeps / ratio;
    result_.sweeps += rescue.dip_sweeps;
    system_.apply(swept_, v);
    axpby(1.0, newton_->scaled_q(), 1.0, v);
    const ProximalError error = newton_->offer(swept_, v);
    if (newton_->meets_goal(error))
      return finish("dips", std::move(reason), rescue.dip_sweeps, 0, begin, true);
    const double size = std::max(error.siconos, error.unit_free);
    if (size >= rescue.dip * last && since < rescue.from_dip) continue;
    last = std::min(last, size);
    since = 0.0;
    const int before = newton_->factorizations();
    if (newton_from(swept_, options_.newton.alpha_warm, rescue.from_dip, reason)) return true;
    work += newton_->factorizations() - before;
  }
  return false;
}

bool StagedSolve::newton_from(ConstVector x, double alpha, int factorizations, std::string reason) {
  newton_->set_budget(newton_->factorizations() + std::min(left(), factorizations));
  newton_->set_scaled_centre(x);
  return proximal(alpha, std::move(reason));
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
  const bool asks = options_.method == FrictionMethod::kAuto;
  const ProximalReport report = newton_->run([this, asks] {
    return out_of_time() ||
           (asks && newton_->factorizations() >= options_.rescue.ask_after && certify());
  });
  const int steps = newton_->factorizations() - before;
  result_.newton_iterations += steps;
  result_.linear_iterations += report.linear_iterations;
  if (report.suspected_unsolvable && result_.status != FrictionStatus::kNoSolution)
    result_.status = FrictionStatus::kSuspectedUnsolvable;
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

/// The methods of others, with their names.
bool StagedSolve::classic() {
  const auto begin = Clock::now();
  ClassicFrictionOptions options;
  options.method = classic_of(options_.method);
  const bool paper = options_.method == FrictionMethod::kPaperMinimum ||
                     options_.method == FrictionMethod::kPaperFb;
  options.damping = paper ? kPaperDamping : 1.0;
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
  if (late && !solved && result_.status != FrictionStatus::kNoSolution) {
    result_.status = clock_.cancelled() ? FrictionStatus::kCancelled : FrictionStatus::kTimeLimit;
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
