#include "nsn/core/contact/anderson_admm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/law_map.h"

namespace nsn {
namespace {

constexpr double kRegularisation = 1e-10;  // rounding: of the trace of the small matrix
// Guard against divergence: a residual this many times the best one forgets the history.
constexpr double kRestart = 10.0;
constexpr int kCheckEvery = 5;  // iterations: measuring errors costs about as much as one

/// a^T b in eight partial sums, which the order of a plain sum would forbid.
double inner(const double* a, const double* b, std::size_t n) {
  double part[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    for (std::size_t l = 0; l < 8; ++l) part[l] += a[k + l] * b[k + l];
  }
  double sum = 0.0;
  for (; k < n; ++k) sum += a[k] * b[k];
  for (const double p : part) sum += p;
  return sum;
}

double norm(const double* v, std::size_t n) {
  return std::sqrt(inner(v, v, n));
}

/// Solves the small symmetric positive definite A y = b in place (Cholesky), y in b.
void solve_small(std::vector<double>& A, std::vector<double>& b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    }
    const double diagonal = std::sqrt(std::max(A[j * n + j], std::numeric_limits<double>::min()));
    for (std::size_t i = j; i < n; ++i) A[i * n + j] /= diagonal;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
}

/// Anderson's combination of the last iterates of x -> g(x).
class Anderson {
 public:
  explicit Anderson(int memory) : memory_(static_cast<std::size_t>(memory)) {
    gram_.resize(memory_ * memory_);
    small_.reserve(memory_ * memory_);
    weights_.reserve(memory_);
  }

  /// Vectors of n numbers from now on.
  void fit(std::size_t n) {
    n_ = n;
    for (auto* v : {&f_last_, &g_last_}) v->resize(n);
    for (auto* v : {&dF_, &dG_}) v->resize(n * memory_);
    forget();
  }

  void forget() {
    count_ = 0;
    have_last_ = false;
  }

  /// The next x from g = g(x) and f = g - x.
  void next(const double* g, const double* f, double* x) {
    if (!have_last_) {
      std::copy_n(g, n_, x);
    } else {
      remember(g, f);
      combine(g, f, x);
    }
    std::copy_n(f, n_, f_last_.data());
    std::copy_n(g, n_, g_last_.data());
    have_last_ = true;
  }

 private:
  void remember(const double* g, const double* f) {
    const std::size_t column = count_ % memory_;
    ++count_;
    double* const df = dF_.data() + column * n_;
    double* const dg = dG_.data() + column * n_;
    for (std::size_t k = 0; k < n_; ++k) {
      df[k] = f[k] - f_last_[k];
      dg[k] = g[k] - g_last_[k];
    }
    for (std::size_t c = 0; c < std::min(count_, memory_); ++c) {
      const double product = inner(dF_.data() + c * n_, df, n_);
      gram_[c * memory_ + column] = gram_[column * memory_ + c] = product;
    }
  }

  void combine(const double* g, const double* f, double* x) {
    const std::size_t m = std::min(count_, memory_);
    small_.assign(m * m, 0.0);  // reserved
    weights_.assign(m, 0.0);
    double trace = 0.0;
    for (std::size_t i = 0; i < m; ++i) trace += gram_[i * memory_ + i];
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) small_[i * m + j] = gram_[i * memory_ + j];
      small_[i * m + i] += kRegularisation * trace + std::numeric_limits<double>::min();
      weights_[i] = inner(dF_.data() + i * n_, f, n_);
    }
    solve_small(small_, weights_, m);
    std::copy_n(g, n_, x);
    for (std::size_t i = 0; i < m; ++i) {
      const double* const dg = dG_.data() + i * n_;
      const double weight = weights_[i];
      for (std::size_t k = 0; k < n_; ++k) x[k] -= weight * dg[k];
    }
  }

  std::size_t n_ = 0;
  std::size_t memory_;
  std::size_t count_ = 0;
  bool have_last_ = false;
  std::vector<double> f_last_, g_last_, dF_, dG_, gram_, small_, weights_;
};

/// One problem: the map (z, w) -> (z+, w+), w = y / rho.
class Admm {
 public:
  Admm(ProximalNewton& newton, const AndersonAdmmOptions& options)
      : newton_(newton), system_(newton.problem().system()), options_(options) {}

  /// Takes the rows that `newton` has now.
  void fit() {
    laws_ = newton_.problem().laws();
    n_ = 3 * laws_.size();
    room_.resize(3 * n_);
    b_ = Vector(room_.data(), n_);
    x_ = Vector(room_.data() + n_, n_);
    A_ = Vector(room_.data() + 2 * n_, n_);
    std::fill_n(A_.data(), n_, options_.rho);
    blocks_.assign(laws_.size(), {});
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].active = laws_[i].kind == RowLaw::Kind::kPlanarContact ? 3 : 7;
    }
  }

  /// Factorises W + rho I; z = the centre, w = -(u + mu |u_T| e_N) / rho.
  void start(double* point) {
    reduced_ = options_.reduce && system_.prepare_shifted(options_.rho);
    if (!reduced_) system_.prepare(blocks_, A_);
    newton_.scaled_centre(x_);
    system_.apply(x_, b_);
    for (std::size_t k = 0; k < n_; ++k) {
      point[k] = x_(k);
      point[n_ + k] = -(b_(k) + newton_.scaled_q()(k)) / options_.rho;
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!laws_[i].is_contact()) continue;
      double* const w = point + n_ + 3 * i;
      w[0] -= laws_[i].mu * std::hypot(w[1], w[2]);
    }
  }

  /// image = map(point); false if the linear solve failed.
  bool apply(const double* point, double* image) {
    const double rho = options_.rho;
    for (std::size_t k = 0; k < n_; ++k) {
      b_(k) = rho * (point[k] - point[n_ + k]) - newton_.scaled_q()(k);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!laws_[i].is_contact()) continue;
      const double* const w = point + n_ + 3 * i;
      b_(3 * i) -= rho * laws_[i].mu * std::sqrt(w[1] * w[1] + w[2] * w[2]);
      if (laws_[i].kind == RowLaw::Kind::kPlanarContact) b_(3 * i + 2) = 0.0;
    }
    if (!solve()) return false;
    const double omega = options_.relaxation;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      double moved[3];
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
        moved[k - 3 * i] = omega * x_(k) + (1.0 - omega) * point[k] + point[n_ + k];
      }
      project(laws_[i], moved, image + 3 * i);
      for (std::size_t k = 0; k < 3; ++k) image[n_ + 3 * i + k] = moved[k] - image[3 * i + k];
    }
    return true;
  }

  /// Errors of z; remembered by the solver if they are the best.
  ProximalError offer(const double* z) {
    std::copy_n(z, n_, x_.data());
    system_.apply(x_, b_);
    for (std::size_t k = 0; k < n_; ++k) b_(k) += newton_.scaled_q()(k);
    return newton_.offer(x_, b_);
  }

  std::size_t size() const { return n_; }

 private:
  /// x = (W + rho I)^-1 b
  bool solve() {
    if (reduced_) {
      if (system_.solve_shifted(b_, x_).ok) return true;
      reduced_ = false;
      system_.prepare(blocks_, A_);
    }
    return system_.solve(b_, x_).ok;
  }

  ProximalNewton& newton_;
  NewtonSystem& system_;
  std::span<const RowLaw> laws_;  // scaled
  AndersonAdmmOptions options_;
  std::size_t n_ = 0;
  std::vector<double> room_;  // the three that follow
  Vector b_, x_, A_;
  std::vector<ncp::BlockLinearization> blocks_;
  bool reduced_ = false;
};

}  // namespace

struct AndersonAdmm::Workspace {
  ProximalNewton& newton;
  AndersonAdmmOptions options;
  Admm admm;
  std::size_t n = 0;
  Anderson anderson;
  std::vector<double> x, g, f, safe, best;

  Workspace(ProximalNewton& newton_given, const AndersonAdmmOptions& options_given)
      : newton(newton_given),
        options(options_given),
        admm(newton, options),
        anderson(options.memory) {}

  void fit() {
    admm.fit();
    n = admm.size();
    anderson.fit(2 * n);
    for (auto* v : {&x, &g, &f, &safe}) v->resize(2 * n);
    best.resize(n);
  }

  /// f = g - x; its length.
  double residual() {
    for (std::size_t k = 0; k < 2 * n; ++k) f[k] = g[k] - x[k];
    return norm(f.data(), 2 * n);
  }
};

AndersonAdmm::AndersonAdmm(ProximalNewton& newton, const AndersonAdmmOptions& options) {
  NSN_THROW_UNLESS(options.memory >= 1 && options.memory <= 20 && options.rho > 0.0 &&
                       options.relaxation > 0.0 && options.relaxation < 2.0,
                   "Anderson ADMM: memory {}, rho {}, relaxation {}", options.memory, options.rho,
                   options.relaxation);
  work_ = std::make_unique<Workspace>(newton, options);
}

AndersonAdmm::~AndersonAdmm() = default;

AndersonAdmmReport AndersonAdmm::run(const std::function<bool()>& stop) {
  auto& [newton, options, admm, n, anderson, x, g, f, safe, best] = *work_;
  work_->fit();
  AndersonAdmmReport report;
  admm.start(x.data());
  safe = x;
  double least = std::numeric_limits<double>::infinity();
  double least_error = least;
  while (report.iterations < options.max_iterations && !(stop && stop())) {
    if (!admm.apply(x.data(), g.data())) break;
    report.factorized = true;
    ++report.iterations;
    double size = work_->residual();
    if (!std::isfinite(size) || size > kRestart * least) {
      anderson.forget();
      x = safe;
      least = std::numeric_limits<double>::infinity();
      if (!admm.apply(x.data(), g.data())) break;
      ++report.iterations;
      size = work_->residual();
    }
    if (size < least) {
      least = size;
      safe = g;
    }
    const bool close = size < 20.0 * newton.options().tolerance * norm(g.data(), n);
    if (close || report.iterations % kCheckEvery == 0 ||
        report.iterations >= options.max_iterations) {
      const ProximalError error = admm.offer(g.data());
      const double worst = std::max(error.siconos, error.unit_free);
      if (worst < least_error) {
        least_error = worst;
        report.error = error;
        std::copy_n(g.data(), n, best.data());
      }
      report.solved = newton.meets_goal(error);
      if (report.solved) break;
    }
    anderson.next(g.data(), f.data(), x.data());
  }
  if (std::isfinite(least_error)) newton.set_scaled_centre(ConstVector(best.data(), n));
  return report;
}

AndersonAdmmReport anderson_admm(ProximalNewton& newton, const AndersonAdmmOptions& options,
                                 const std::function<bool()>& stop) {
  return AndersonAdmm(newton, options).run(stop);
}

}  // namespace nsn
