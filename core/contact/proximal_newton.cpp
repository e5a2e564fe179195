#include "nsn/core/contact/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/friction_cone.h"
#include "nsn/ncp/fischer_burmeister.h"

namespace nsn {
namespace {

constexpr double kScaleFloor = 1e-12;     // of the largest |W_ii|
constexpr double kMuFloor = 0.05;         // in the weight of tangential rows
constexpr double kAcceptRatio = 0.5;      // |phi| <= ratio |A (x - r)|
constexpr double kRoundingFloor = 1e-14;  // |phi| <= floor max(|q|, |x|): no more to gain
constexpr double kNoTurn = 1e-14;         // kappa below which the p unknown is dropped
constexpr double kAlphaFloorFb = 1e-4;    // of d phi / d u in a Fischer-Burmeister row
constexpr double kBoxAlpha = 1.0;      // first weight of bounded box rows, of the scaled diagonal 1
constexpr int kLongestHistory = 1000;  // factorisations; later ones are not recorded

/// Factor on alpha after a proximal step of so many Newton steps.
double growth(int inner) {
  if (inner <= 1) return 0.02;
  if (inner <= 3) return 0.2;
  if (inner <= 6) return 0.5;
  return inner <= 9 ? 1.0 : 2.0;
}

double square3(const double* a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

}  // namespace

ProximalNewton::ProximalNewton(NewtonSystem& system, const ContactRows& rows,
                               const ProximalOptions& options)
    : system_(system), options_(options) {
  NSN_THROW_UNLESS(options_.tolerance > 0.0 && options_.goal > 0.0 && options_.max_inner >= 1 &&
                       options_.max_factorizations >= 0 && options_.failure_decay >= 0.0,
                   "proximal Newton: tolerance {}, goal {}, max_inner {}, max_factorizations {}",
                   options_.tolerance, options_.goal, options_.max_inner,
                   options_.max_factorizations);
  phi_norms_.reserve(static_cast<std::size_t>(options_.max_inner) + 1);
  history_.reserve(
      static_cast<std::size_t>(std::min(options_.max_factorizations, kLongestHistory)) * 2 + 64);
  refit(rows);
}

void ProximalNewton::refit(const ContactRows& rows) {
  validate(rows);
  NSN_THROW_UNLESS(system_.blocks() == rows.blocks(), "{} blocks of rows for a system of {} blocks",
                   rows.blocks(), system_.blocks());
  rows_ = rows;
  blocks_ = rows_.blocks();
  const auto n = static_cast<std::size_t>(rows_.rows());
  Vector* const vectors[] = {&s_, &q_,   &r_, &v_r_, &best_, &A_, &x_,     &v_,
                             &u_, &phi_, &b_, &d_,   &Wd_,   &z_, &lower_, &upper_};
  arena_.assign(n * std::size(vectors), 0.0);
  for (std::size_t k = 0; k < std::size(vectors); ++k) {
    *vectors[k] = Vector(arena_.data() + k * n, n);
  }
  std::fill_n(s_.data(), n, 1.0);
  any_contact_ = std::any_of(rows_.kind.begin(), rows_.kind.end(),
                             [](BlockKind kind) { return kind != BlockKind::kBox; });
  linearization_.resize(static_cast<std::size_t>(blocks_));
  sorted_.reserve(static_cast<std::size_t>(blocks_));
  q_norm_ = q_norm_given_ = 0.0;
  alpha_ = options_.alpha_cold;
  alpha_failed_ = box_alpha_ = 0.0;
  rejected_ = factorizations_ = proximal_steps_ = 0;
  velocity_known_ = false;
  best_error_ = {};
  history_.clear();
}

void ProximalNewton::set_patience(int max_inner, double failure_decay) {
  options_.max_inner = max_inner;
  options_.failure_decay = failure_decay;
  phi_norms_.reserve(static_cast<std::size_t>(max_inner) + 1);
}

void ProximalNewton::change_rows(const ContactRows& rows) {
  NSN_THROW_UNLESS(rows.kind == rows_.kind, "change_rows() keeps the kinds of the {} blocks",
                   blocks_);
  validate(rows);
  std::copy(rows.mu.begin(), rows.mu.end(), rows_.mu.begin());
  std::copy(rows.lower.begin(), rows.lower.end(), rows_.lower.begin());
  std::copy(rows.upper.begin(), rows.upper.end(), rows_.upper.begin());
}

void ProximalNewton::update(ConstVector q) {
  NSN_THROW_UNLESS(size_of(q) == rows_.rows(), "q has {} entries for {} rows", q.extent(0),
                   rows_.rows());
  reactions(r_);  // from now on in kg m/s
  compute_scaling();
  system_.scale(s_);
  for (Index k = 0; k < rows_.rows(); ++k) {
    r_(k) /= s_(k);
    lower_(k) = rows_.lower[static_cast<std::size_t>(k)] / s_(k);
    upper_(k) = rows_.upper[static_cast<std::size_t>(k)] / s_(k);
  }
  update_q(q);
}

void ProximalNewton::update_q(ConstVector q) {
  double sum = 0.0;
  double sum_given = 0.0;
  for (Index k = 0; k < rows_.rows(); ++k) {
    q_(k) = s_(k) * q(k);
    sum += q_(k) * q_(k);
    sum_given += q(k) * q(k);
  }
  q_norm_ = std::sqrt(sum);
  q_norm_given_ = std::sqrt(sum_given);
  velocity_known_ = false;
  best_error_ = {};
}

/// s = |W_ii|_2^(-1/2) a contact, W_kk^(-1/2) a box row.
void ProximalNewton::compute_scaling() {
  Vector diagonal(x_.data(), static_cast<std::size_t>(blocks_) * 9);
  system_.diagonal_blocks(diagonal);  // x_, v_, u_ are free between steps: 9 numbers a block
  double largest = 0.0;
  for (Index i = 0; i < blocks_; ++i) {
    const double* const w = diagonal.data() + 9 * i;
    double* const s = s_.data() + kBlock * i;
    if (rows_.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) {
      for (int k = 0; k < 3; ++k) s[k] = std::abs(w[4 * k]);
    } else {
      s[0] = s[1] = s[2] = spectral_norm(w);
    }
    for (int k = 0; k < 3; ++k) largest = std::max(largest, s[k]);
  }
  if (!(largest > 0.0)) largest = 1.0;
  for (Index k = 0; k < rows_.rows(); ++k) {
    s_(k) = 1.0 / std::sqrt(std::max(s_(k), kScaleFloor * largest));
  }
}

void ProximalNewton::start(ConstVector r, double alpha) {
  NSN_THROW_UNLESS(size_of(r) == rows_.rows(), "r has {} entries for {} rows", r.extent(0),
                   rows_.rows());
  NSN_THROW_UNLESS(all_finite(r), "the starting r holds NaN or infinity");
  for (Index k = 0; k < rows_.rows(); ++k) r_(k) = r(k) / s_(k);
  alpha_ = alpha;
  alpha_failed_ = 0.0;
  box_alpha_ = 0.0;
  rejected_ = 0;
  factorizations_ = 0;
  proximal_steps_ = 0;
  velocity_known_ = false;
  best_error_ = {};
  history_.clear();
}

void ProximalNewton::reactions(Vector out) const {
  for (Index k = 0; k < rows_.rows(); ++k) out(k) = s_(k) * r_(k);
}

void ProximalNewton::scaled_centre(Vector out) const {
  std::copy_n(r_.data(), rows_.rows(), out.data());
}

void ProximalNewton::set_scaled_centre(ConstVector x) {
  std::copy_n(x.data(), rows_.rows(), r_.data());
  velocity_known_ = false;
}

void ProximalNewton::best_reactions(Vector out) const {
  for (Index k = 0; k < rows_.rows(); ++k) out(k) = s_(k) * best_(k);
}

bool ProximalNewton::meets_goal(const ProximalError& error) const {
  const double goal = options_.goal * options_.tolerance;
  return error.siconos <= goal && error.unit_free <= options_.unit_free_factor * goal;
}

ProximalError ProximalNewton::offer(ConstVector x, ConstVector v) {
  // sums: natural map as given, natural map scaled, |r|^2, |u|^2
  const auto sums = sum_range<4>(blocks_, [&](Index first, Index last, auto& sum) {
    for (Index i = first; i < last; ++i) {
      const double* const s = s_.data() + kBlock * i;
      const double* const xi = x.data() + kBlock * i;
      const double* const vi = v.data() + kBlock * i;
      const double r[3] = {s[0] * xi[0], s[1] * xi[1], s[2] * xi[2]};
      const double u[3] = {vi[0] / s[0], vi[1] / s[1], vi[2] / s[2]};
      double given[3];
      double scaled[3];
      const auto block = static_cast<std::size_t>(i);
      if (rows_.kind[block] == BlockKind::kBox) {
        for (std::size_t k = 0; k < 3; ++k) {
          given[k] =
              natural_map(r[k], u[k], rows_.lower[3 * block + k], rows_.upper[3 * block + k], 1.0);
          scaled[k] = natural_map(xi[k], vi[k], lower_(3 * block + k), upper_(3 * block + k), 1.0);
        }
      } else {
        natural_map(r, u, rows_.mu[block], 1.0, given);
        natural_map(xi, vi, rows_.mu[block], 1.0, scaled);
      }
      for (std::size_t k = 0; k < 3; ++k) scaled[k] /= s[k];
      sum[0] += square3(given);
      sum[1] += square3(scaled);
      sum[2] += square3(r);
      sum[3] += square3(u);
    }
  });
  const double size = std::max({q_norm_given_, std::sqrt(sums[2]), std::sqrt(sums[3])});
  ProximalError error;
  error.siconos = size > 0.0 ? std::sqrt(sums[0]) / size : std::sqrt(sums[0]);
  error.unit_free = q_norm_given_ > 0.0 ? std::sqrt(sums[1]) / q_norm_given_ : std::sqrt(sums[1]);
  const auto weight = [&](const ProximalError& e) {
    return std::max(e.siconos, e.unit_free / options_.unit_free_factor);
  };
  if (weight(error) < weight(best_error_)) {
    best_error_ = error;
    std::copy_n(x.data(), rows_.rows(), best_.data());
  }
  return error;
}

/// Median of |r_i| over the contacts that carry load; 0 if none does.
double ProximalNewton::median_reaction() {
  sorted_.clear();
  for (Index i = 0; i < blocks_; ++i) {
    if (rows_.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) continue;
    const double size = square3(r_.data() + kBlock * i);
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

double ProximalNewton::box_weight(Index k) const {
  if (options_.box_follows_alpha) return alpha_;
  const bool bounded = std::isfinite(lower_(k)) || std::isfinite(upper_(k));
  return bounded ? std::max(options_.box_weight, box_alpha_) : options_.box_weight;
}

/// A = alpha D diag(1, 1/m^2, 1/m^2) of contacts, box_weight of box rows.
void ProximalNewton::set_weights() {
  const double median = median_reaction();
  for (Index i = 0; i < blocks_; ++i) {
    double* const a = A_.data() + kBlock * i;
    if (rows_.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) {
      for (Index k = 0; k < 3; ++k) a[k] = box_weight(kBlock * i + k);
      continue;
    }
    const double size = std::sqrt(square3(r_.data() + kBlock * i));
    const double clip = options_.load_clip;
    const double load = median > 0.0 ? std::clamp(size / median, 1.0 / clip, clip) : 1.0;
    const double m = std::min(std::max(rows_.mu[static_cast<std::size_t>(i)], kMuFloor),
                              options_.friction_ceiling);
    a[0] = alpha_ / load;
    a[1] = a[2] = a[0] / (m * m);
  }
}

/// v = W x + q
void ProximalNewton::velocity(ConstVector x, Vector v) {
  system_.apply(x, v);
  for (Index k = 0; k < rows_.rows(); ++k) v(k) += q_(k);
}

/// Natural map of one contact and its linearisation; see newton_system.h for the table of states.
void ProximalNewton::evaluate_contact(Index i) {
  const double mu = rows_.mu[static_cast<std::size_t>(i)];
  const bool planar = rows_.kind[static_cast<std::size_t>(i)] == BlockKind::kPlanarContact;
  const double* const x = x_.data() + kBlock * i;
  const double* const u = u_.data() + kBlock * i;
  double* const phi = phi_.data() + kBlock * i;
  double* const d0 = d_.data() + kBlock * i;
  double* const b = b_.data() + kBlock * i;
  BlockLinearization& block = linearization_[static_cast<std::size_t>(i)];
  block = {};
  d0[0] = d0[1] = d0[2] = b[0] = b[1] = b[2] = 0.0;

  // Normal row: phi, right-hand side, and the force that bounds friction.
  const double normal = x[0] - u[0];
  double force = normal;      // X_N
  double force_follows = mu;  // d F / d x_N
  double force_lead = u[0];   // d F / d x_N * this: what the normal row adds to F beyond d_N
  if (options_.normal_map == NormalMap::kMinimum) {
    if (normal <= 0.0) {  // open
      for (int k = 0; k < 3; ++k) {
        phi[k] = x[k];
        d0[k] = -x[k];
      }
      return;
    }
    phi[0] = u[0];
    b[0] = -u[0];
  } else {
    const auto f = ncp::FischerBurmeister{ncp::Origin::kSymmetric}(u[0], x[0]);
    const double slope = std::max(f.d_a, kAlphaFloorFb);
    phi[0] = f.phi;
    b[0] = -f.phi / slope;
    block.compliance[0] = f.d_b / slope;
    force = std::max(x[0], 0.0);
    force_follows = x[0] > 0.0 ? mu : 0.0;
    force_lead = 0.0;
  }

  // Friction: stick or slip.
  const double X1 = x[1] - u[1];
  const double X2 = x[2] - u[2];
  const double X = std::sqrt(X1 * X1 + X2 * X2);
  const double F = mu * force;
  if (X <= F && F > 0.0) {
    block.active = planar ? 3 : 7;
    for (int k = 1; k < 3; ++k) {
      phi[k] = u[k];
      b[k] = -u[k];
    }
    return;
  }
  const double tx = X > 0.0 ? X1 / X : 1.0;
  const double ty = X > 0.0 ? X2 / X : 0.0;
  const double kappa = X > 0.0 ? F / X : 0.0;
  phi[1] = x[1] - F * tx;
  phi[2] = x[2] - F * ty;
  const double along = phi[1] * tx + phi[2] * ty;
  const double across = phi[2] * tx - phi[1] * ty;
  const double c = force_follows * force_lead - along;
  d0[1] = c * tx;
  d0[2] = c * ty;
  block.rotated = true;
  block.tx = tx;
  block.ty = ty;
  block.coupling = options_.lagged_coupling ? 0.0 : force_follows;
  if (kappa < kNoTurn || planar) {
    block.active = 1;
    d0[1] += across * ty;
    d0[2] -= across * tx;
  } else {
    block.active = 5;
    block.compliance[2] = (1.0 - kappa) / kappa;
    b[2] = -across / kappa;
  }
}

void ProximalNewton::evaluate_box(Index i) {
  BlockLinearization& block = linearization_[static_cast<std::size_t>(i)];
  block = {};
  for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
    const double X = x_(k) - u_(k);
    const double clipped = std::min(std::max(X, lower_(k)), upper_(k));
    const bool inside = X >= lower_(k) && X <= upper_(k) && lower_(k) < upper_(k);
    phi_(k) = inside ? u_(k) : x_(k) - clipped;
    d_(k) = inside ? 0.0 : clipped - x_(k);
    b_(k) = inside ? -u_(k) : 0.0;
    if (inside) block.active |= static_cast<std::uint8_t>(1U << (k - kBlock * i));
  }
}

ProximalNewton::Residual ProximalNewton::evaluate() {
  const auto sums = sum_range<2>(blocks_, [&](Index first, Index last, auto& sum) {
    for (Index i = first; i < last; ++i) {
      for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
        const double pull = A_(k) * (x_(k) - r_(k));
        u_(k) = v_(k) + pull;
        sum[1] += pull * pull;
      }
      if (rows_.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) {
        evaluate_box(i);
      } else {
        evaluate_contact(i);
      }
      sum[0] += square3(phi_.data() + kBlock * i);
    }
  });
  return {std::sqrt(sums[0]), std::sqrt(sums[1])};
}

/// x += d, d = d0 + C z; evaluate() has left d0 in d_ and the rows' right-hand side in b_.
NewtonSolve ProximalNewton::newton_step() {
  system_.apply(d_, Wd_);
  bool any = false;
  for (Index i = 0; i < blocks_; ++i) {
    const BlockLinearization& block = linearization_[static_cast<std::size_t>(i)];
    if (block.active == 0) continue;
    any = true;
    double y[3];
    double moved[3];
    for (Index k = 0; k < 3; ++k) y[k] = Wd_(3 * i + k) + A_(3 * i + k) * d_(3 * i + k);
    restrict_to(block, y, moved);
    for (Index k = 0; k < 3; ++k) b_(3 * i + k) -= moved[k];
  }
  NewtonSolve solve{true, 0, LinearStatus::kDirect, 0.0};
  if (any) {
    ++factorizations_;
    system_.prepare(linearization_, A_);
    solve = system_.solve(b_, z_);
    if (!solve.ok) return solve;
  }
  for (Index i = 0; i < blocks_; ++i) {
    const BlockLinearization& block = linearization_[static_cast<std::size_t>(i)];
    double* const d = d_.data() + kBlock * i;
    if (block.active != 0) expand(block, z_.data() + kBlock * i, d);
    for (int k = 0; k < 3; ++k) x_(kBlock * i + k) += d[k];
  }
  return solve;
}

/// Leaves an inner loop that runs away or cycles.
bool ProximalNewton::diverged(int inner, double phi) const {
  const std::vector<double>& h = phi_norms_;
  if (!std::isfinite(phi) || phi > 1e4 * std::max(h[0], q_norm_)) return true;
  if (inner >= 3 && phi > 10.0 * std::max(h[0], h[1])) return true;
  if (inner < 8) return false;
  const auto recent = h.end() - 4;
  const double last = *std::min_element(recent, h.end());
  const double earlier = *std::min_element(h.begin(), recent);
  return last > 0.5 * earlier && phi > 10.0 * std::min(last, earlier);
}

void ProximalNewton::begin() {
  set_weights();
  std::copy_n(r_.data(), rows_.rows(), x_.data());
}

ProximalNewton::Residual ProximalNewton::measure() {
  velocity(x_, v_);
  return evaluate();
}

void ProximalNewton::move_centre() {
  std::copy_n(x_.data(), rows_.rows(), r_.data());
  std::copy_n(v_.data(), rows_.rows(), v_r_.data());
  velocity_known_ = true;
}

void ProximalNewton::iterate(Vector out) const {
  for (Index k = 0; k < rows_.rows(); ++k) out(k) = s_(k) * x_(k);
}

void ProximalNewton::scaled_iterate(Vector out) const {
  std::copy_n(x_.data(), rows_.rows(), out.data());
}

void ProximalNewton::set_scaled_iterate(ConstVector x) {
  std::copy_n(x.data(), rows_.rows(), x_.data());
}

void ProximalNewton::set_iterate(ConstVector x) {
  for (Index k = 0; k < rows_.rows(); ++k) x_(k) = x(k) / s_(k);
}

void ProximalNewton::accept(int inner) {
  move_centre();
  alpha_ = std::clamp(std::max(growth(inner) * alpha_, 2.0 * alpha_failed_), options_.alpha_min,
                      options_.alpha_max);
  alpha_failed_ *= options_.failure_decay;
  box_alpha_ *= growth(inner);
  rejected_ = 0;
}

void ProximalNewton::reject() {
  alpha_failed_ = alpha_;
  alpha_ = std::min(3.0 * alpha_, options_.alpha_max);
  ++rejected_;
  if (box_alpha_ > 0.0 || rejected_ >= 2 || !any_contact_) {
    box_alpha_ = std::clamp(3.0 * box_alpha_, kBoxAlpha, options_.alpha_max);
  }
}

void ProximalNewton::record(int inner, const Residual& residual, const ProximalError& error) {
  if (history_.size() == history_.capacity()) return;  // reserved; never grows
  history_.push_back({proximal_steps_, inner, alpha_, residual.phi, residual.proximity, error, 0,
                      LinearStatus::kDirect, 0.0});
}

ProximalStep ProximalNewton::step() {
  ProximalStep result;
  result.alpha = alpha_;
  if (!velocity_known_) {
    velocity(r_, v_r_);
    velocity_known_ = true;
    result.error = offer(r_, v_r_);
    if (meets_goal(result.error)) {
      result.outcome = StepOutcome::kSolved;
      return result;
    }
  }
  set_weights();
  std::copy_n(r_.data(), rows_.rows(), x_.data());
  std::copy_n(v_r_.data(), rows_.rows(), v_.data());
  phi_norms_.clear();
  ++proximal_steps_;
  for (int inner = 0;; ++inner) {
    if (inner > 0) {
      velocity(x_, v_);
      result.error = offer(x_, v_);
    }
    const Residual residual = evaluate();
    phi_norms_.push_back(residual.phi);
    result.residual = residual.phi;
    result.newton_steps = inner;
    record(inner, residual, result.error);
    if (inner > 0 && meets_goal(result.error)) {
      move_centre();
      result.outcome = StepOutcome::kSolved;
      return result;
    }
    if (inner > 0 && residual.phi <= std::max(kAcceptRatio * residual.proximity,
                                              kRoundingFloor * std::max(q_norm_, norm2(x_)))) {
      accept(inner);
      result.outcome = StepOutcome::kAccepted;
      return result;
    }
    if (inner == options_.max_inner || diverged(inner, residual.phi)) break;
    if (factorizations_ >= options_.max_factorizations) {
      result.outcome = StepOutcome::kBudget;
      return result;
    }
    const NewtonSolve solve = newton_step();
    result.linear_iterations += solve.linear_iterations;
    if (!history_.empty()) {
      history_.back().linear_iterations = solve.linear_iterations;
      history_.back().linear_status = solve.status;
      history_.back().linear_residual = solve.relative_residual;
    }
    if (!solve.ok) {
      result.linear_failure = true;
      break;
    }
  }
  reject();
  result.outcome = StepOutcome::kRejected;
  return result;
}

ProximalReport ProximalNewton::run(const std::function<bool()>& stop) {
  ProximalReport report;
  double error_at_floor = std::numeric_limits<double>::infinity();
  int stuck_at_floor = 0;
  for (;;) {
    const ProximalStep done = step();
    report.linear_iterations += done.linear_iterations;
    if (done.outcome == StepOutcome::kRejected) ++report.rejected_steps;
    if (done.outcome == StepOutcome::kSolved || done.outcome == StepOutcome::kBudget) {
      report.solved = done.outcome == StepOutcome::kSolved;
      break;
    }
    const bool floor = done.outcome == StepOutcome::kAccepted && alpha_ <= options_.alpha_min;
    stuck_at_floor =
        floor && !(done.error.unit_free < 0.5 * error_at_floor) ? stuck_at_floor + 1 : 0;
    error_at_floor = std::min(error_at_floor, done.error.unit_free);
    report.suspected_unsolvable = stuck_at_floor >= 5;
    if (stop && stop()) break;
    if (proximal_steps_ > 10 * options_.max_factorizations + 100) break;  // steps without a system
  }
  report.proximal_steps = proximal_steps_;
  report.factorizations = factorizations_;
  report.alpha = alpha_;
  report.error = best_error_;
  return report;
}

}  // namespace nsn
