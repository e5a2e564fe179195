#include "nsn/core/problems/lcp.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/problems/friction_error.h"

namespace nsn {
namespace {

constexpr Index kMostEnumerated = 20;
constexpr double kZeroPivot = 1e-11;  // of the largest entry of the tableau
constexpr double kUnitFreeFactor = 100.0;
constexpr int kAskEvery = 256;  // patterns or pivots between looks at the clock

const std::vector<std::string> kMethodNames = {"auto", "newton", "lemke", "enumerate"};

/// The errors of a frictionless problem of one row per contact, with w = M z + q.
FrictionError measure(const LinearComplementarityProblem& problem, ConstVector z, Vector w) {
  const Vector frictionless = zero_vector(problem.M.rows);
  return friction_error(FrictionProblem{1, problem.M, problem.q, frictionless}, z, w);
}

bool within(const FrictionError& error, double tolerance) {
  return error.siconos <= tolerance && error.unit_free <= kUnitFreeFactor * tolerance;
}

/// Larger is worse: 1 where an answer just misses the tolerance.
double misses_by(const FrictionError& error, double tolerance) {
  const double worst = std::max(error.siconos, error.unit_free / kUnitFreeFactor) / tolerance;
  return std::isfinite(worst) ? worst : kInfinity;
}

std::vector<double> dense_of(const Csr& M) {
  std::vector<double> dense(to_size(M.rows) * to_size(M.rows), 0.0);
  for (Index i = 0; i < M.rows; ++i) {
    for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
      dense[to_size(i) * to_size(M.rows) + to_size(M.column(k))] = M.value(k);
    }
  }
  return dense;
}

// ---- Newton: every row is a box row 0 <= z with the proximal weight of a contact.

using Stop = std::function<bool()>;

void solve_by_newton(const LinearComplementarityProblem& problem, const SolverRegistry& registry,
                     const LcpOptions& options, const Stop& stop, LcpResult& result) {
  const Index n = problem.M.rows;
  BlockEntries entries;
  const CsrOperator op(problem.M, false);
  entries.analyze(op);
  const BlockCsr& M = entries.update(op);
  std::vector<RowLaw> laws;
  for (Index i = 0; i < M.rows; ++i) {
    double lower[3];
    for (Index k = 0; k < 3; ++k) lower[k] = 3 * i + k < n ? 0.0 : -kInfinity;
    laws.push_back(RowLaw::box(lower, {kInfinity, kInfinity, kInfinity}));
  }
  DualSystem system(registry.make(options.linear));
  system.analyze(M);
  system.set_values(M, false);
  ProximalOptions proximal;
  proximal.tolerance = 0.01 * options.tolerance;
  proximal.box_follows_alpha = true;
  proximal.max_factorizations = std::min(options.max_iterations, 300);
  ProximalNewton newton(system, laws, proximal);
  const Vector q = zero_vector(kBlock * M.rows);
  std::copy_n(problem.q.data(), n, q.data());
  const Vector r = zero_vector(kBlock * M.rows);
  newton.update(q);
  newton.start(r, proximal.alpha_cold);
  const ProximalReport report = newton.run(stop);
  result.iterations += report.factorizations;
  newton.best_reactions(r);
  for (Index i = 0; i < n; ++i) result.z(i) = std::max(r(i), 0.0);
}

// ---- Lemke's complementary pivoting on a dense tableau: w - M z - e z0 = q.

class Lemke {
 public:
  explicit Lemke(const LinearComplementarityProblem& problem)
      : n_(to_size(problem.M.rows)),
        columns_(2 * n_ + 2),
        tableau_(n_ * columns_, 0.0),
        basis_(n_) {
    const std::vector<double> M = dense_of(problem.M);
    for (std::size_t i = 0; i < n_; ++i) {
      basis_[i] = i;
      entry(i, i) = 1.0;
      for (std::size_t j = 0; j < n_; ++j) entry(i, n_ + j) = -M[i * n_ + j];
      entry(i, 2 * n_) = -1.0;
      entry(i, 2 * n_ + 1) = problem.q(i);
      for (std::size_t j = 0; j < columns_; ++j)
        largest_ = std::max(largest_, std::abs(entry(i, j)));
    }
  }

  LcpStatus run(int max_pivots, const Stop& stop, int& pivots) {
    std::size_t row = 0;
    for (std::size_t i = 1; i < n_; ++i) {
      if (rhs(i) <= rhs(row)) row = i;  // the last of equals: lexicographic order
    }
    if (n_ == 0 || rhs(row) >= 0.0) return LcpStatus::kSolved;
    std::size_t entering = 2 * n_;
    while (pivots < max_pivots) {
      const std::size_t leaving = basis_[row];
      pivot(row, entering);
      ++pivots;
      if (leaving == 2 * n_) return LcpStatus::kSolved;
      if (stop()) return LcpStatus::kTimeLimit;
      entering = leaving < n_ ? leaving + n_ : leaving - n_;
      if (!blocking_row(entering, row)) return LcpStatus::kRay;
    }
    return LcpStatus::kBudgetReached;
  }

  void read(Vector z) const {
    for (std::size_t i = 0; i < n_; ++i) z(i) = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (basis_[i] >= n_ && basis_[i] < 2 * n_) {
        z(basis_[i] - n_) = std::max(tableau_[i * columns_ + 2 * n_ + 1], 0.0);
      }
    }
  }

 private:
  double& entry(std::size_t i, std::size_t j) { return tableau_[i * columns_ + j]; }
  double rhs(std::size_t i) { return entry(i, 2 * n_ + 1); }

  void pivot(std::size_t row, std::size_t column) {
    const double scale = 1.0 / entry(row, column);
    for (std::size_t j = 0; j < columns_; ++j) entry(row, j) *= scale;
    for (std::size_t i = 0; i < n_; ++i) {
      const double factor = entry(i, column);
      if (i == row || factor == 0.0) continue;
      for (std::size_t j = 0; j < columns_; ++j) entry(i, j) -= factor * entry(row, j);
      entry(i, column) = 0.0;
    }
    basis_[row] = column;
  }

  /// Smallest ratio; ties by the lexicographic rule on the columns of the starting basis, the
  /// artificial variable first of all.
  bool blocking_row(std::size_t column, std::size_t& row) {
    bool found = false;
    for (std::size_t i = 0; i < n_; ++i) {
      if (entry(i, column) <= kZeroPivot * std::max(1.0, largest_)) continue;
      if (!found || precedes(i, row, column)) row = i;
      found = true;
    }
    return found;
  }

  bool precedes(std::size_t i, std::size_t k, std::size_t column) {
    const double a = entry(i, column);
    const double b = entry(k, column);
    const double difference = rhs(i) / a - rhs(k) / b;
    const double rounding = 1e-12 * (std::abs(rhs(i) / a) + std::abs(rhs(k) / b));
    if (std::abs(difference) > rounding) return difference < 0.0;
    if (basis_[i] == 2 * n_ || basis_[k] == 2 * n_) return basis_[i] == 2 * n_;
    for (std::size_t j = 0; j < n_; ++j) {
      const double d = entry(i, j) / a - entry(k, j) / b;
      if (std::abs(d) > 1e-12) return d < 0.0;
    }
    return false;
  }

  std::size_t n_;
  std::size_t columns_;
  std::vector<double> tableau_;
  std::vector<std::size_t> basis_;
  double largest_ = 0.0;
};

// ---- Enumeration: for every set of free z solve M_FF z_F = -q_F and look at the signs.

bool solve_dense(std::vector<double>& a, std::vector<double>& b, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    if (!(std::abs(a[best * n + k]) > 0.0)) return false;
    for (std::size_t j = 0; j < n && best != k; ++j) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return true;
}

/// Solved if a pattern gives a z within the tolerance; it is in result.z.
LcpStatus enumerate(const LinearComplementarityProblem& problem, double tolerance, const Stop& stop,
                    LcpResult& result) {
  const std::size_t n = to_size(problem.M.rows);
  const std::vector<double> M = dense_of(problem.M);
  std::vector<std::size_t> free;
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t pattern = 0; pattern < std::size_t{1} << n; ++pattern) {
    free.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if ((pattern >> i & 1U) != 0) free.push_back(i);
    }
    a.resize(free.size() * free.size());
    b.resize(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
      b[i] = -problem.q(free[i]);
      for (std::size_t j = 0; j < free.size(); ++j) {
        a[i * free.size() + j] = M[free[i] * n + free[j]];
      }
    }
    ++result.iterations;
    if (pattern % kAskEvery == 0 && stop()) return LcpStatus::kTimeLimit;
    if (!solve_dense(a, b, free.size())) continue;
    if (std::any_of(b.begin(), b.end(), [&](double z) { return !(z >= -tolerance); })) continue;
    std::fill_n(result.z.data(), n, 0.0);
    for (std::size_t i = 0; i < free.size(); ++i) result.z(free[i]) = std::max(b[i], 0.0);
    if (within(measure(problem, result.z, result.w), tolerance)) return LcpStatus::kSolved;
  }
  return LcpStatus::kEveryPatternTried;
}

/// Keeps the z of least error over several methods.
class Attempt {
 public:
  Attempt(const LinearComplementarityProblem& problem, const LcpOptions& options, LcpResult& result)
      : problem_(problem), options_(options), result_(result), best_(zero_vector(problem.M.rows)) {}

  /// After a method has left its answer in result.z: true if that solves the problem.
  bool solved_by(LcpMethod method) {
    const FrictionError error = measure(problem_, result_.z, result_.w);
    const double misses = misses_by(error, options_.tolerance);
    if (misses < least_) {
      least_ = misses;
      std::copy_n(result_.z.data(), best_.extent(0), best_.data());
      result_.method = method;
    }
    return within(error, options_.tolerance);
  }

  void finish() {
    std::copy_n(best_.data(), best_.extent(0), result_.z.data());
    result_.errors = measure(problem_, result_.z, result_.w);
    result_.error = result_.errors.siconos;
    const bool solved = within(result_.errors, options_.tolerance);
    if (solved) result_.status = LcpStatus::kSolved;
    if (!solved && result_.status == LcpStatus::kSolved) result_.status = LcpStatus::kBudgetReached;
  }

 private:
  const LinearComplementarityProblem& problem_;
  const LcpOptions& options_;
  LcpResult& result_;
  Vector best_;
  double least_ = kInfinity;
};

void validate(const LinearComplementarityProblem& problem) {
  NSN_THROW_UNLESS(problem.M.rows == problem.M.columns, "M is {} x {}, it must be square",
                   problem.M.rows, problem.M.columns);
  NSN_THROW_UNLESS(size_of(problem.q) == problem.M.rows, "q has {} entries for {} rows",
                   problem.q.extent(0), problem.M.rows);
  NSN_THROW_UNLESS(all_finite(problem.M.value) && all_finite(problem.q),
                   "M or q holds NaN or infinity");
}

void run_methods(const LinearComplementarityProblem& problem, const SolverRegistry& registry,
                 const LcpOptions& options, const Stop& stop, Attempt& attempt, LcpResult& result) {
  const bool all = options.method == LcpMethod::kAuto;
  if (all || options.method == LcpMethod::kNewton) {
    solve_by_newton(problem, registry, options, stop, result);
    if (attempt.solved_by(LcpMethod::kNewton)) return;
    if (stop()) {
      result.status = LcpStatus::kTimeLimit;
      return;
    }
  }
  if (all || options.method == LcpMethod::kLemke) {
    Lemke lemke(problem);
    int pivots = 0;
    result.status = lemke.run(options.max_iterations, stop, pivots);
    result.iterations += pivots;
    lemke.read(result.z);
    if (attempt.solved_by(LcpMethod::kLemke)) return;
    if (result.status == LcpStatus::kSolved) result.status = LcpStatus::kBudgetReached;
    if (result.status == LcpStatus::kTimeLimit) return;
  }
  const bool small = problem.M.rows <= kMostEnumerated;
  NSN_THROW_UNLESS(small || options.method != LcpMethod::kEnumerate,
                   "enumeration takes at most {} unknowns, this problem has {}", kMostEnumerated,
                   problem.M.rows);
  if (small && (all || options.method == LcpMethod::kEnumerate)) {
    result.status = enumerate(problem, options.tolerance, stop, result);
    static_cast<void>(attempt.solved_by(LcpMethod::kEnumerate));
  }
}

}  // namespace

std::string_view to_string(LcpMethod method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}

LcpMethod lcp_method_from_name(std::string_view name) {
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  NSN_THROW_UNLESS(found != kMethodNames.end(), "unknown method '{}'{}", name,
                   suggestion(name, kMethodNames));
  return static_cast<LcpMethod>(found - kMethodNames.begin());
}

std::string_view to_string(LcpStatus status) {
  switch (status) {
    case LcpStatus::kSolved:
      return "solved";
    case LcpStatus::kRay:
      return "ray";
    case LcpStatus::kEveryPatternTried:
      return "every-pattern-tried";
    case LcpStatus::kTimeLimit:
      return "time-limit";
    case LcpStatus::kBudgetReached:
      return "budget-reached";
  }
  return "?";
}

LcpResult solve_lcp(const LinearComplementarityProblem& problem, const SolverRegistry& registry,
                    const LcpOptions& options) {
  const auto start = Clock::now();
  validate(problem);
  LcpResult result;
  result.z = zero_vector(problem.M.rows);
  result.w = zero_vector(problem.M.rows);
  Attempt attempt(problem, options, result);
  const Stop stop = [&] {
    return options.time_limit > 0.0 && seconds_since(start) > options.time_limit;
  };
  run_methods(problem, registry, options, stop, attempt, result);
  attempt.finish();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace nsn
