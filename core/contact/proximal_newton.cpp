#include "nsn/core/contact/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/law_map.h"

namespace nsn {
namespace {

constexpr double kMuFloor = 0.05;         // in the weight of tangential rows: 1 / mu^2 stays finite
constexpr double kRoundingFloor = 1e-14;  // |phi| <= floor max(|q|, |x|): no more to gain
constexpr int kLongestHistory = 400;      // factorisations; later ones are not recorded

double square3(const double* a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

}  // namespace

ProximalNewton::ProximalNewton(NewtonSystem& system, std::span<const RowLaw> laws,
                               const ProximalOptions& options)
    : problem_(system), options_(options), schedule_(options.schedule) {
  NSN_THROW_UNLESS(options_.tolerance > 0.0 && options_.goal > 0.0 && schedule_.max_inner >= 1 &&
                       options_.max_factorizations >= 0 && schedule_.failure_decay >= 0.0,
                   "proximal Newton: tolerance {}, goal {}, max_inner {}, max_factorizations {}",
                   options_.tolerance, options_.goal, schedule_.max_inner,
                   options_.max_factorizations);
  history_.reserve(
      static_cast<std::size_t>(std::min(options_.max_factorizations, kLongestHistory)) * 2 + 64);
  refit(laws);
}

void ProximalNewton::refit(std::span<const RowLaw> laws) {
  problem_.refit(laws);
  const auto n = static_cast<std::size_t>(problem_.rows());
  Vector* const vectors[] = {&r_, &v_r_, &best_, &A_, &x_, &v_, &u_, &phi_, &b_, &d_, &Wd_, &z_};
  arena_.assign(n * std::size(vectors), 0.0);
  for (std::size_t k = 0; k < std::size(vectors); ++k) {
    *vectors[k] = Vector(arena_.data() + k * n, n);
  }
  linearization_.resize(laws.size());
  sorted_.reserve(laws.size());
  schedule_.restart(options_.alpha_cold);
  factorizations_ = proximal_steps_ = 0;
  flops_ = -1.0;
  velocity_known_ = false;
  best_error_ = {};
  history_.clear();
}

void ProximalNewton::update(ConstVector q) {
  problem_.unscale(r_, r_);
  problem_.rescale();
  problem_.scale(r_, r_);
  problem_.set_q(q);
  velocity_known_ = false;
  best_error_ = {};
}

void ProximalNewton::start(ConstVector r, double alpha) {
  NSN_THROW_UNLESS(size_of(r) == problem_.rows(), "r has {} entries for {} rows", r.extent(0),
                   problem_.rows());
  NSN_THROW_UNLESS(all_finite(r), "the starting r holds NaN or infinity");
  problem_.scale(r, r_);
  schedule_.restart(alpha);
  factorizations_ = 0;
  proximal_steps_ = 0;
  velocity_known_ = false;
  best_error_ = {};
  history_.clear();
}

void ProximalNewton::reactions(Vector out) const {
  problem_.unscale(r_, out);
}

void ProximalNewton::scaled_centre(Vector out) const {
  std::copy_n(r_.data(), problem_.rows(), out.data());
}

void ProximalNewton::set_scaled_centre(ConstVector x) {
  std::copy_n(x.data(), problem_.rows(), r_.data());
  velocity_known_ = false;
}

void ProximalNewton::best_reactions(Vector out) const {
  problem_.unscale(best_, out);
}

bool ProximalNewton::meets_goal(const ProximalError& error) const {
  const double goal = options_.goal * options_.tolerance;
  return error.siconos <= goal && error.unit_free <= options_.unit_free_factor * goal;
}

ProximalError ProximalNewton::offer(ConstVector x, ConstVector v) {
  const ProximalError error = problem_.error(x, v);
  const auto weight = [&](const ProximalError& e) {
    return std::max(e.siconos, e.unit_free / options_.unit_free_factor);
  };
  if (weight(error) < weight(best_error_)) {
    best_error_ = error;
    std::copy_n(x.data(), problem_.rows(), best_.data());
  }
  return error;
}

/// Median of |r_i| over the contacts that carry load; 0 if none does.
double ProximalNewton::median_reaction() {
  sorted_.clear();
  const std::span<const RowLaw> laws = problem_.laws();
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (!laws[i].is_contact()) continue;
    const double size = square3(r_.data() + 3 * i);
    if (size > 0.0) sorted_.push_back(size);
  }
  if (sorted_.empty()) return 0.0;
  const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 2);
  std::nth_element(sorted_.begin(), middle, sorted_.end());
  double median = std::sqrt(*middle);
  if (sorted_.size() % 2 == 0) {
    median = 0.5 * (median + std::sqrt(*std::max_element(sorted_.begin(), middle)));
  }
  return median;
}

double ProximalNewton::box_weight(const RowLaw& law, int k) const {
  if (options_.box_follows_alpha) return schedule_.alpha;
  const bool bounded = std::isfinite(law.lo[k]) || std::isfinite(law.hi[k]);
  return bounded ? std::max(options_.box_weight, schedule_.box_weight) : options_.box_weight;
}

/// A = alpha D diag(1, 1/m^2, 1/m^2) of contacts, box_weight of box rows.
void ProximalNewton::set_weights() {
  const double median = median_reaction();
  const std::span<const RowLaw> laws = problem_.laws();
  for (std::size_t i = 0; i < laws.size(); ++i) {
    double* const a = A_.data() + 3 * i;
    if (!laws[i].is_contact()) {
      for (int k = 0; k < 3; ++k) a[k] = box_weight(laws[i], k);
      continue;
    }
    const double size = std::sqrt(square3(r_.data() + 3 * i));
    const double clip = options_.load_clip;
    const double load = median > 0.0 ? std::clamp(size / median, 1.0 / clip, clip) : 1.0;
    const double m = std::clamp(laws[i].mu, kMuFloor, options_.friction_ceiling);
    a[0] = schedule_.alpha / load;
    a[1] = a[2] = a[0] / (m * m);
  }
}

/// Natural map and linearisation at x_, with v_ = W x + q.
ProximalNewton::Residual ProximalNewton::evaluate() {
  const std::span<const RowLaw> laws = problem_.laws();
  const auto sums = sum_range<2>(problem_.blocks(), [&](Index first, Index last, auto& sum) {
    for (Index i = first; i < last; ++i) {
      for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
        const double pull = A_(k) * (x_(k) - r_(k));
        u_(k) = v_(k) + pull;
        sum[1] += pull * pull;
      }
      const Index at = kBlock * i;
      const RowLaw& law = laws[static_cast<std::size_t>(i)];
      const ncp::LinearisedBlock out{phi_.data() + at, d_.data() + at, b_.data() + at,
                                     linearization_[static_cast<std::size_t>(i)]};
      if (law.is_contact()) {
        ncp::linearise_contact(options_.normal_map, x_.data() + at, u_.data() + at, law.mu,
                               law.kind == RowLaw::Kind::kPlanarContact, options_.lagged_coupling,
                               out);
      } else {
        linearise_box(law, x_.data() + at, u_.data() + at, out);
      }
      sum[0] += square3(out.phi);
    }
  });
  return {std::sqrt(sums[0]), std::sqrt(sums[1])};
}

double ProximalNewton::factorization_flops() {
  if (flops_ < 0.0) flops_ = problem_.system().factorization_flops();
  return flops_;
}

bool ProximalNewton::may_factorise() {
  if (clock_ == nullptr) return true;
  return clock_->fits(Work::kFactor, clock_->limited() ? factorization_flops() : 0.0);
}

NewtonSolve ProximalNewton::solve_newton_system() {
  std::optional<WorkClock::Unit> unit;
  if (clock_ != nullptr && clock_->limited()) {
    unit.emplace(*clock_, Work::kFactor, factorization_flops());
  }
  problem_.system().prepare(linearization_, A_);
  return problem_.system().solve(b_, z_);
}

/// x += d, d = d0 + C z; evaluate() has left d0 in d_ and the rows' right-hand side in b_.
NewtonSolve ProximalNewton::newton_step() {
  problem_.system().apply(d_, Wd_);
  bool any = false;
  for (std::size_t i = 0; i < linearization_.size(); ++i) {
    const ncp::BlockLinearization& block = linearization_[i];
    if (block.active == 0) continue;
    any = true;
    double y[3];
    double moved[3];
    for (std::size_t k = 0; k < 3; ++k) y[k] = Wd_(3 * i + k) + A_(3 * i + k) * d_(3 * i + k);
    restrict_to(block, y, moved);
    for (std::size_t k = 0; k < 3; ++k) b_(3 * i + k) -= moved[k];
  }
  NewtonSolve solve{true, 0, LinearStatus::kDirect, 0.0};
  if (any) {
    ++factorizations_;
    solve = solve_newton_system();
    if (!solve.ok) return solve;
  }
  for (std::size_t i = 0; i < linearization_.size(); ++i) {
    const ncp::BlockLinearization& block = linearization_[i];
    double* const d = d_.data() + 3 * i;
    if (block.active != 0) expand(block, z_.data() + 3 * i, d);
    for (std::size_t k = 0; k < 3; ++k) x_(3 * i + k) += d[k];
  }
  return solve;
}

bool ProximalNewton::solved_well(const Residual& residual) const {
  return residual.phi <=
         std::max(residual.proximity, kRoundingFloor * std::max(problem_.q_norm(), norm2(x_)));
}

void ProximalNewton::begin() {
  set_weights();
  std::copy_n(r_.data(), problem_.rows(), x_.data());
}

ProximalNewton::Residual ProximalNewton::measure() {
  problem_.velocity(x_, v_);
  return evaluate();
}

void ProximalNewton::move_centre() {
  std::copy_n(x_.data(), problem_.rows(), r_.data());
  std::copy_n(v_.data(), problem_.rows(), v_r_.data());
  velocity_known_ = true;
}

void ProximalNewton::scaled_iterate(Vector out) const {
  std::copy_n(x_.data(), problem_.rows(), out.data());
}

void ProximalNewton::set_scaled_iterate(ConstVector x) {
  std::copy_n(x.data(), problem_.rows(), x_.data());
}

void ProximalNewton::record(int inner, const Residual& residual, const ProximalError& error) {
  if (history_.size() == history_.capacity()) return;  // reserved; never grows
  history_.push_back({proximal_steps_, inner, schedule_.alpha, residual.phi, residual.proximity,
                      error, 0, LinearStatus::kDirect, 0.0});
}

void ProximalNewton::record(const NewtonSolve& solve) {
  if (history_.empty()) return;
  history_.back().linear_iterations = solve.linear_iterations;
  history_.back().linear_status = solve.status;
  history_.back().linear_residual = solve.relative_residual;
}

/// Measures a new centre.
bool ProximalNewton::solved_at_centre(ProximalStep& result) {
  if (velocity_known_) return false;
  problem_.velocity(r_, v_r_);
  velocity_known_ = true;
  result.error = offer(r_, v_r_);
  return meets_goal(result.error);
}

ProximalStep ProximalNewton::step(const std::function<bool()>& stop) {
  ProximalStep result;
  result.alpha = schedule_.alpha;
  result.outcome = StepOutcome::kSolved;
  if (solved_at_centre(result)) return result;
  begin();
  std::copy_n(v_r_.data(), problem_.rows(), v_.data());
  double start = 0.0;
  ++proximal_steps_;
  for (int inner = 0;; ++inner) {
    if (inner > 0) {
      problem_.velocity(x_, v_);
      result.error = offer(x_, v_);
    }
    const Residual residual = evaluate();
    if (inner <= 1) start = std::max(start, residual.phi);
    result.residual = residual.phi;
    result.newton_steps = inner;
    record(inner, residual, result.error);
    if (inner > 0 && meets_goal(result.error)) {
      move_centre();
      return result;
    }
    if (inner > 0 && solved_well(residual)) {
      move_centre();
      schedule_.on_accept(inner);
      result.outcome = StepOutcome::kAccepted;
      return result;
    }
    if (inner == schedule_.max_inner || schedule_.runs_away(inner, residual.phi, start)) break;
    if (factorizations_ >= options_.max_factorizations || (stop && stop()) || !may_factorise()) {
      result.outcome = StepOutcome::kBudget;
      return result;
    }
    const NewtonSolve solve = newton_step();
    result.linear_iterations += solve.linear_iterations;
    record(solve);
    result.linear_failure = !solve.ok;
    if (!solve.ok) break;
  }
  schedule_.on_reject(problem_.has_contacts());
  result.outcome = StepOutcome::kRejected;
  return result;
}

ProximalReport ProximalNewton::run(const std::function<bool()>& stop) {
  ProximalReport report;
  double error_at_floor = std::numeric_limits<double>::infinity();
  int stuck_at_floor = 0;
  for (;;) {
    const ProximalStep done = step(stop);
    report.linear_iterations += done.linear_iterations;
    if (done.outcome == StepOutcome::kRejected) ++report.rejected_steps;
    if (done.outcome == StepOutcome::kSolved || done.outcome == StepOutcome::kBudget) {
      report.solved = done.outcome == StepOutcome::kSolved;
      break;
    }
    const bool floor =
        done.outcome == StepOutcome::kAccepted && schedule_.alpha <= schedule_.alpha_min;
    stuck_at_floor =
        floor && !(done.error.unit_free < 0.5 * error_at_floor) ? stuck_at_floor + 1 : 0;
    error_at_floor = std::min(error_at_floor, done.error.unit_free);
    report.suspected_unsolvable = stuck_at_floor >= 5;
    if (stop && stop()) break;
    if (proximal_steps_ > 10 * options_.max_factorizations + 100) break;  // steps without a system
  }
  report.proximal_steps = proximal_steps_;
  report.factorizations = factorizations_;
  report.alpha = schedule_.alpha;
  report.error = best_error_;
  return report;
}

}  // namespace nsn
