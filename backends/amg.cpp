#include "nsn/backends/amg.h"

#include <cmath>
#include <memory>

#if defined(NSN_WITH_AMG)
#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/aggregation.hpp>
#include <amgcl/coarsening/ruge_stuben.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/chebyshev.hpp>
#include <amgcl/relaxation/damped_jacobi.hpp>
#include <amgcl/relaxation/gauss_seidel.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/relaxation/spai0.hpp>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/pcg.h"
#include "nsn/core/linear/pcr.h"
#include "nsn/precond/jacobi.h"
#endif

namespace nsn {
namespace {

#if !defined(NSN_WITH_AMG)
constexpr const char* kNotBuilt =
    "built without AMGCL: install its headers (libamgcl-dev) and configure with -DNSN_WITH_AMG=ON";
#endif

Capabilities capabilities_of_amg() {
  Capabilities can;
  can.needs_entries = true;
  can.handles_singular = true;
  return can;
}

std::vector<OptionSpec> options_of_amg() {
  return {
      OptionSpec::choice("krylov", "pcr", {"pcr", "pcg", "none"},
                         "iteration around the cycle; none: x += P (b - S x)"),
      OptionSpec::choice("coarsening", "smoothed-aggregation",
                         {"smoothed-aggregation", "aggregation", "ruge-stuben"},
                         "how a level is made of the one above"),
      OptionSpec::choice("smoother", "chebyshev",
                         {"chebyshev", "spai0", "damped-jacobi", "gauss-seidel", "ilu0"},
                         "relaxation on each level"),
      OptionSpec::integer("sweeps", 1, 1, 100, "smoothing steps before and after the coarse solve"),
      OptionSpec::integer("cycle", 1, 1, 4, "1: V-cycle, 2: W-cycle"),
      OptionSpec::integer("coarse_enough", 300, 1, 1e6, "rows below which a level is factorised"),
      OptionSpec::real("shift", 1e-10, 0.0, 1.0, "the hierarchy is that of S + this diag S"),
      OptionSpec::flag("reuse", true, "keep the transfer operators while the pattern is unchanged"),
      OptionSpec::flag(
          "guard", true,
          "hand over to PCR with Jacobi where 20 iterations reduce less than 10 times"),
  };
}

#if defined(NSN_WITH_AMG)

using Backend = amgcl::backend::builtin<double, Index, Index>;
using Matrix = Backend::matrix;

/// Sizes of a hierarchy, gathered while it is built.
struct Statistics {
  double rows = 0.0;          // of the levels that are smoothed: all but the last
  double entries = 0.0;       // of their matrices
  double transfer = 0.0;      // of P and R between all levels
  double last_rows = 0.0;     // of the last level, which is factorised
  double last_entries = 0.0;  // of its matrix

  Statistics() = default;
  Statistics(double first_rows, double first_entries)
      : last_rows(first_rows), last_entries(first_entries) {}

  void add_level(double transfer_entries, double level_rows, double level_entries) {
    rows += std::exchange(last_rows, level_rows);
    entries += std::exchange(last_entries, level_entries);
    transfer += transfer_entries;
  }
};

bool finite(const Matrix& A) {
  const auto entries = static_cast<std::size_t>(A.nnz);
  return std::all_of(A.val, A.val + entries, [](double v) { return std::isfinite(v); });
}

/// AMGCL's Ruge-Stueben splitting sorts variables by a weight of up to twice their number of
/// neighbours into as many bins as there are rows: a nearly dense level would overrun them.
bool too_dense_to_split(const Matrix& A) {
  Index longest = 0;
  for (std::size_t i = 0; i < A.nrows; ++i) longest = std::max(longest, A.ptr[i + 1] - A.ptr[i]);
  return 2 * static_cast<std::size_t>(longest) >= A.nrows;
}

/// A without the rows that have no negative entry beside the diagonal. AMGCL's Ruge-Stueben keeps
/// such rows on the fine level, as it should, but reads their strong connections without having set
/// them: rows without entries have none to read.
template <class M>
M without_rows_of_one_sign(const M& A) {
  const double negligible = amgcl::detail::eps<double>(1);
  M kept;
  kept.set_size(A.nrows, A.ncols, true);
  const auto couples = [&](std::size_t i) {
    for (auto k = A.ptr[i]; k < A.ptr[i + 1]; ++k) {
      if (A.col[k] != static_cast<Index>(i) && A.val[k] <= -negligible) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < A.nrows; ++i) {
    kept.ptr[i + 1] = kept.ptr[i] + (couples(i) ? A.ptr[i + 1] - A.ptr[i] : 0);
  }
  kept.set_nonzeros(static_cast<std::size_t>(kept.ptr[A.nrows]));
  for (std::size_t i = 0; i < A.nrows; ++i) {
    const auto count = kept.ptr[i + 1] - kept.ptr[i];
    std::copy_n(A.col + A.ptr[i], count, kept.col + kept.ptr[i]);
    std::copy_n(A.val + A.ptr[i], count, kept.val + kept.ptr[i]);
  }
  return kept;
}

enum class CoarseningKind { kSmoothedAggregation, kAggregation, kRugeStuben };

/// AMGCL's coarsenings behind one type, chosen at run time.
template <class B>
class Coarsening {
  using Smoothed = amgcl::coarsening::smoothed_aggregation<B>;
  using Plain = amgcl::coarsening::aggregation<B>;
  using Classical = amgcl::coarsening::ruge_stuben<B>;

 public:
  struct params {
    CoarseningKind kind = CoarseningKind::kSmoothedAggregation;
    unsigned block_size = 1;  // rows that are aggregated together
    Statistics* statistics = nullptr;
  };

  explicit Coarsening(const params& p) : statistics_(p.statistics), method_(choose(p)) {}

  template <class M>
  auto transfer_operators(const M& A) {
    if (auto* const classical = std::get_if<Classical>(&method_)) {
      if (too_dense_to_split(A)) throw amgcl::error::empty_level();  // ends the hierarchy here
      return classical->transfer_operators(without_rows_of_one_sign(A));
    }
    return std::visit([&](auto& method) { return method.transfer_operators(A); }, method_);
  }

  template <class M>
  std::shared_ptr<M> coarse_operator(const M& A, const M& P, const M& R) const {
    auto coarse =
        std::visit([&](auto& method) { return method.coarse_operator(A, P, R); }, method_);
    if (!finite(*coarse)) throw std::runtime_error("a coarse matrix is not finite");
    statistics_->add_level(static_cast<double>(P.nnz + R.nnz), static_cast<double>(coarse->nrows),
                           static_cast<double>(coarse->nnz));
    return coarse;
  }

 private:
  using Method = std::variant<Smoothed, Plain, Classical>;

  static Method choose(const params& p) {
    if (p.kind == CoarseningKind::kRugeStuben) return Classical();
    if (p.kind == CoarseningKind::kAggregation) {
      typename Plain::params plain;
      plain.aggr.block_size = p.block_size;
      return Plain(plain);
    }
    typename Smoothed::params smoothed;
    smoothed.aggr.block_size = p.block_size;
    return Smoothed(smoothed);
  }

  Statistics* statistics_;
  Method method_;
};

enum class SmootherKind { kChebyshev, kSpai0, kDampedJacobi, kGaussSeidel, kIlu0 };

/// AMGCL's relaxations behind one type, chosen at run time.
template <class B>
class Smoother {
  using Chebyshev = amgcl::relaxation::chebyshev<B>;
  using Spai0 = amgcl::relaxation::spai0<B>;
  using DampedJacobi = amgcl::relaxation::damped_jacobi<B>;
  using GaussSeidel = amgcl::relaxation::gauss_seidel<B>;
  using Ilu0 = amgcl::relaxation::ilu0<B>;

 public:
  struct params {
    SmootherKind kind = SmootherKind::kChebyshev;
  };

  template <class M>
  Smoother(const M& A, const params& p, const typename B::params& backend)
      : method_(choose(A, p.kind, backend)) {}

  template <class M, class Rhs, class X, class Temporary>
  void apply_pre(const M& A, const Rhs& rhs, X& x, Temporary& t) const {
    std::visit([&](const auto& method) { method->apply_pre(A, rhs, x, t); }, method_);
  }
  template <class M, class Rhs, class X, class Temporary>
  void apply_post(const M& A, const Rhs& rhs, X& x, Temporary& t) const {
    std::visit([&](const auto& method) { method->apply_post(A, rhs, x, t); }, method_);
  }
  std::size_t bytes() const {
    return std::visit([](const auto& method) { return method->bytes(); }, method_);
  }

 private:
  using Method = std::variant<std::unique_ptr<Chebyshev>, std::unique_ptr<Spai0>,
                              std::unique_ptr<DampedJacobi>, std::unique_ptr<GaussSeidel>,
                              std::unique_ptr<Ilu0>>;

  template <class M>
  static Method choose(const M& A, SmootherKind kind, const typename B::params& backend) {
    switch (kind) {
      case SmootherKind::kSpai0:
        return std::make_unique<Spai0>(A, typename Spai0::params(), backend);
      case SmootherKind::kDampedJacobi:
        return std::make_unique<DampedJacobi>(A, typename DampedJacobi::params(), backend);
      case SmootherKind::kGaussSeidel:
        return std::make_unique<GaussSeidel>(A, typename GaussSeidel::params(), backend);
      case SmootherKind::kIlu0:
        return std::make_unique<Ilu0>(A, typename Ilu0::params(), backend);
      case SmootherKind::kChebyshev:
        break;
    }
    typename Chebyshev::params chebyshev;
    chebyshev.scale = true;  // of D^-1 S, whose spectrum does not depend on units
    return std::make_unique<Chebyshev>(A, chebyshev, backend);
  }

  Method method_;
};

using Hierarchy = amgcl::amg<Backend, Coarsening, Smoother>;

/// AMGCL runs OpenMP regions of its own: a thread that may not dispatch, and any thread on a small
/// system, keeps its work to itself.
class ConfinedToThread {
 public:
#if defined(_OPENMP)
  explicit ConfinedToThread(Index rows) : before_(omp_get_max_threads()) {
    omp_set_num_threads(rows < 2 * chunk_length(rows) ? 1 : concurrency());
  }
  ~ConfinedToThread() {
    omp_set_num_threads(before_);
  }

 private:
  int before_;
#else
  explicit ConfinedToThread(Index) {}
#endif
 public:
  ConfinedToThread(const ConfinedToThread&) = delete;
  ConfinedToThread& operator=(const ConfinedToThread&) = delete;
};

/// P = one cycle. Where no hierarchy can be built, P is the inverse diagonal and note() tells why.
class AmgPreconditioner final : public Preconditioner {
 public:
  explicit AmgPreconditioner(const Options& options);

  std::string_view name() const override { return "amg"; }
  bool needs_entries() const override { return true; }
  void analyze(const LinearOperator& op) override;
  void factorize(const LinearOperator& op) override;
  void apply(ConstVector r, Vector z) const override;
  std::string_view note() const override { return note_; }
  double bytes_per_apply() const override;
  double bytes_held() const override;

  /// Builds the hierarchy anew, transfer operators included.
  void rebuild(const LinearOperator& op);
  /// True if the transfer operators are those of other values.
  bool reused() const { return reused_; }

 private:
  std::shared_ptr<Matrix> shifted(const LinearOperator& op);
  void build(std::shared_ptr<Matrix> A);
  bool refresh(std::shared_ptr<Matrix> A);

  Hierarchy::params params_;
  double shift_;
  bool reuse_;
  int smoother_products_;  // products with a level's matrix in one smoothing step
  ScalarEntries entries_{ScalarEntries::Diagonal::kComplete};
  Vector inverse_diagonal_;
  Statistics statistics_;
  std::unique_ptr<Hierarchy> hierarchy_;
  bool reused_ = false;
  std::string note_;
};

CoarseningKind coarsening_kind(const std::string& text) {
  if (text == "aggregation") return CoarseningKind::kAggregation;
  if (text == "ruge-stuben") return CoarseningKind::kRugeStuben;
  return CoarseningKind::kSmoothedAggregation;
}

SmootherKind smoother_kind(const std::string& text) {
  if (text == "spai0") return SmootherKind::kSpai0;
  if (text == "damped-jacobi") return SmootherKind::kDampedJacobi;
  if (text == "gauss-seidel") return SmootherKind::kGaussSeidel;
  if (text == "ilu0") return SmootherKind::kIlu0;
  return SmootherKind::kChebyshev;
}

constexpr int kChebyshevDegree = 5;  // AMGCL's default

AmgPreconditioner::AmgPreconditioner(const Options& options)
    : shift_(options.real("shift")), reuse_(options.flag("reuse")) {
  params_.coarsening.kind = coarsening_kind(options.text("coarsening"));
  params_.coarsening.statistics = &statistics_;
  params_.relax.kind = smoother_kind(options.text("smoother"));
  params_.coarse_enough = static_cast<unsigned>(options.integer("coarse_enough"));
  params_.npre = params_.npost = static_cast<unsigned>(options.integer("sweeps"));
  params_.ncycle = static_cast<unsigned>(options.integer("cycle"));
  params_.max_levels = 30;  // a coarsening that no longer coarsens must end
  params_.allow_rebuild = reuse_;
  const bool chebyshev = params_.relax.kind == SmootherKind::kChebyshev;
  smoother_products_ = chebyshev ? kChebyshevDegree : 1;
}

void AmgPreconditioner::analyze(const LinearOperator& op) {
  hierarchy_.reset();
  entries_.analyze(op);
  inverse_diagonal_ = Vector("inverse_diagonal", static_cast<std::size_t>(op.rows()));
  const bool classical = params_.coarsening.kind == CoarseningKind::kRugeStuben;
  params_.coarsening.block_size = op.blocks() != nullptr && !classical ? 3 : 1;
}

// S + shift diag S with 1 on the diagonal of empty rows, in AMGCL's own storage.
std::shared_ptr<Matrix> AmgPreconditioner::shifted(const LinearOperator& op) {
  const Csr& S = entries_.update(op);
  for (Index i = 0; i < S.rows; ++i) {
    Index diagonal = S.row_begin(i);
    double largest = 0.0;
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      if (S.column(k) == i) diagonal = k;
      largest = std::max(largest, std::abs(S.value(k)));
    }
    S.value(diagonal) = largest == 0.0 ? 1.0 : (1.0 + shift_) * S.value(diagonal);
    const double inverse = 1.0 / std::abs(S.value(diagonal));
    inverse_diagonal_(i) = std::isfinite(inverse) ? inverse : 1.0;
  }
  if (!all_finite(S.value)) return nullptr;
  using amgcl::make_iterator_range;
  const Index* const begin = S.row_begin.data();
  const Index* const column = S.column.data();
  const double* const value = S.value.data();
  return std::make_shared<Matrix>(static_cast<std::size_t>(S.rows),
                                  static_cast<std::size_t>(S.columns),
                                  make_iterator_range(begin, begin + S.rows + 1),
                                  make_iterator_range(column, column + S.nonzeros()),
                                  make_iterator_range(value, value + S.nonzeros()));
}

void AmgPreconditioner::factorize(const LinearOperator& op) {
  const ConfinedToThread confined(op.rows());
  const auto A = shifted(op);
  note_.clear();
  if (A == nullptr) {
    hierarchy_.reset();
    note_ = "no hierarchy: the matrix holds NaN or infinity";
    return;
  }
  if (reuse_ && hierarchy_ != nullptr && refresh(A)) return;
  build(A);
}

void AmgPreconditioner::rebuild(const LinearOperator& op) {
  hierarchy_.reset();
  factorize(op);
}

void AmgPreconditioner::build(std::shared_ptr<Matrix> A) {
  reused_ = false;
  statistics_ = Statistics(static_cast<double>(A->nrows), static_cast<double>(A->nnz));
  try {
    hierarchy_ = std::make_unique<Hierarchy>(std::move(A), params_);
  } catch (const std::exception& error) {
    hierarchy_.reset();
    note_ = fmt::format("no hierarchy: AMGCL says '{}'", error.what());
  }
}

bool AmgPreconditioner::refresh(std::shared_ptr<Matrix> A) {
  statistics_ = Statistics(static_cast<double>(A->nrows), static_cast<double>(A->nnz));
  try {
    hierarchy_->rebuild(std::move(A));
    reused_ = true;
  } catch (const std::exception&) {  // the new values do not fit the old levels: build() follows
    reused_ = false;
  }
  return reused_;
}

void AmgPreconditioner::apply(ConstVector r, Vector z) const {
  const Index n = size_of(r);
  if (hierarchy_ == nullptr) {
    for (Index i = 0; i < n; ++i) z(i) = inverse_diagonal_(i) * r(i);
    return;
  }
  const ConfinedToThread confined(n);
  const auto rhs = amgcl::make_iterator_range(r.data(), r.data() + n);
  auto x = amgcl::make_iterator_range(z.data(), z.data() + n);
  hierarchy_->apply(rhs, x);
}

// On each smoothed level: the smoothing steps and a residual read the matrix, P and R are read
// once, and about five vectors pass per product. The last level is factorised; its factors hold at
// least the entries of its matrix. A W-cycle visits the levels below the first more often.
double AmgPreconditioner::bytes_per_apply() const {
  if (hierarchy_ == nullptr) return 24.0 * static_cast<double>(inverse_diagonal_.size());
  const double products = 2.0 * params_.npre * smoother_products_ + 1.0;
  const double visits = params_.ncycle == 1 ? 1.0 : 2.0;
  return visits * (12.0 * (products * statistics_.entries + statistics_.transfer) +
                   40.0 * products * statistics_.rows + 12.0 * statistics_.last_entries);
}

double AmgPreconditioner::bytes_held() const {
  const double levels = hierarchy_ == nullptr ? 0.0 : static_cast<double>(hierarchy_->bytes());
  return levels + entries_.bytes_held() + 8.0 * static_cast<double>(inverse_diagonal_.size());
}

constexpr int kGuardIterations = 20;
constexpr double kGuardReduction = 0.1;

class Amg final : public LinearSolver {
 public:
  explicit Amg(const Options& options)
      : krylov_(options.text("krylov")), guard_(options.flag("guard")), P_(options) {}

  std::string_view name() const override { return "amg"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override;

  struct Problem {
    const LinearOperator& op;
    ConstVector b;
    Vector x;
    const LinearControl& control;
    const Monitor& monitor;
  };
  using Method = std::function<void(const LinearControl&, const Monitor&, LinearReport&)>;
  void run(const Problem& problem, int most, const Method& method, LinearReport& report) const;
  int remaining(const Problem& problem, const LinearReport& report) const;
  void iterate(const Problem& problem, int most, LinearReport& report);
  void stationary(const Problem& problem, const LinearControl& control, const Monitor& monitor,
                  LinearReport& report);
  bool disappoints(const Problem& problem, const LinearReport& report);
  void fall_back(const Problem& problem, LinearReport& report);
  double residual(const Problem& problem);

  Capabilities capabilities_ = capabilities_of_amg();
  std::string krylov_;
  bool guard_;
  AmgPreconditioner P_;
  Jacobi jacobi_;
  bool jacobi_ready_ = false;
  Pcr pcr_;
  Pcr fallback_;
  Pcg pcg_;
  Vector r_;
  Vector z_;
  Vector x0_;
};

void Amg::do_analyze(const LinearOperator& op) {
  const auto n = static_cast<std::size_t>(op.rows());
  P_.analyze(op);
  jacobi_.analyze(op);
  if (krylov_ == "pcr") pcr_.allocate(op.rows(), false);
  if (krylov_ == "pcg") pcg_.allocate(op.rows(), false);
  fallback_.allocate(op.rows(), true);
  r_ = Vector("r", n);
  z_ = Vector("z", n);
  x0_ = Vector("x0", n);
}

LinearSolver::Preparation Amg::do_factorize(const LinearOperator& op) {
  P_.factorize(op);
  jacobi_ready_ = false;
  return {};
}

double Amg::bytes_held() const {
  return P_.bytes_held() + jacobi_.bytes_held() + pcr_.bytes_held() + pcg_.bytes_held() +
         fallback_.bytes_held() + 24.0 * static_cast<double>(r_.size());
}

// |b - S x|_2
double Amg::residual(const Problem& problem) {
  problem.op.apply(problem.x, r_);
  return residual_norm(problem.b, r_, r_);
}

int Amg::remaining(const Problem& problem, const LinearReport& report) const {
  const LinearControl& c = problem.control;
  const int most =
      c.iteration_budget > 0 ? std::min(c.iteration_budget, c.max_iterations) : c.max_iterations;
  return most - report.iterations;
}

// At most `most` further iterations of a method; counts and bytes add up in the report.
void Amg::run(const Problem& problem, int most, const Method& method, LinearReport& report) const {
  LinearControl control = problem.control;
  control.iteration_budget = most;
  control.max_iterations = most;
  const int before = report.iterations;
  Monitor monitor;
  if (problem.monitor) {
    monitor = [&problem, before](IterationInfo info) {
      if (before > 0 && info.iteration == 0) return;  // seen as the last one of the run before
      info.iteration += before;
      problem.monitor(info);
    };
  }
  LinearReport part = report;
  part.iterations = 0;
  part.bytes_moved = 0.0;
  part.detail.clear();
  method(control, monitor, part);
  part.iterations += before;
  part.bytes_moved += report.bytes_moved;
  report = part;
}

void Amg::iterate(const Problem& problem, int most, LinearReport& report) {
  const auto method = [&](const LinearControl& control, const Monitor& monitor,
                          LinearReport& part) {
    if (krylov_ == "pcr") {
      pcr_.solve(problem.op, P_, problem.b, problem.x, control, {}, monitor, part);
    } else if (krylov_ == "pcg") {
      pcg_.solve(problem.op, P_, problem.b, problem.x, control, monitor, part);
    } else {
      stationary(problem, control, monitor, part);
    }
  };
  run(problem, most, method, report);
}

// x += P (b - S x)
void Amg::stationary(const Problem& problem, const LinearControl& control, const Monitor& monitor,
                     LinearReport& report) {
  const double relative = control.rtol * report.rhs_norm;
  const double first = residual(problem);
  double size = first;
  for (;; ++report.iterations) {
    if (monitor) {
      problem.op.apply(r_, z_);
      monitor({report.iterations, size, 0.0, norm2(z_)});
    }
    if (size <= std::max(relative, control.atol)) {
      report.status =
          size <= relative ? LinearStatus::kConvergedRelative : LinearStatus::kConvergedAbsolute;
      break;
    }
    if (!(size < 1e6 * first)) {
      report.status = LinearStatus::kBreakdown;
      report.detail = "the cycles diverge";
      break;
    }
    if (report.iterations >= control.iteration_budget) {
      report.status = LinearStatus::kBudgetReached;
      break;
    }
    P_.apply(r_, z_);
    axpby(1.0, z_, 1.0, problem.x);
    size = residual(problem);
    report.bytes_moved +=
        P_.bytes_per_apply() + problem.op.bytes_per_apply() + 48.0 * problem.op.rows();
  }
  report.recurrence_residual = size;
}

// After the guard's iterations: neither done nor well on the way.
bool Amg::disappoints(const Problem& problem, const LinearReport& report) {
  if (report.status == LinearStatus::kBudgetReached) {
    return !(residual(problem) <= kGuardReduction * report.initial_residual);
  }
  return !report.ok();
}

void Amg::fall_back(const Problem& problem, LinearReport& report) {
  const double reached = residual(problem);
  const std::string why =
      !P_.note().empty() ? std::string(P_.note())
      : report.status == LinearStatus::kBudgetReached
          ? fmt::format("AMG reduced the residual only {:.2g} times in {} iterations",
                        report.initial_residual / reached, report.iterations)
          : fmt::format("AMG ended with {} after {} iterations", to_string(report.status),
                        report.iterations);
  if (!(reached < report.initial_residual)) copy(x0_, problem.x);
  if (!jacobi_ready_) {
    jacobi_.factorize(problem.op);
    jacobi_ready_ = true;
  }
  const auto method = [&](const LinearControl& control, const Monitor& monitor,
                          LinearReport& part) {
    fallback_.solve(problem.op, jacobi_, problem.b, problem.x, control, {}, monitor, part);
  };
  run(problem, remaining(problem, report), method, report);
  report.detail = fmt::format("{}; continued by PCR with Jacobi{}{}", why,
                              report.detail.empty() ? "" : ": ", report.detail);
}

void Amg::do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                   const Monitor& monitor, LinearReport& report) {
  const Problem problem{op, b, x, control, monitor};
  copy(x, x0_);
  const int trial =
      guard_ ? std::min(kGuardIterations, remaining(problem, report)) : remaining(problem, report);
  std::string anew;
  iterate(problem, trial, report);
  if (guard_ && remaining(problem, report) > 0) {
    if (disappoints(problem, report) && P_.reused()) {
      anew = fmt::format("transfer operators made anew after {} iterations", report.iterations);
      P_.rebuild(op);
      copy(x0_, x);
      iterate(problem, std::min(kGuardIterations, remaining(problem, report)), report);
    }
    if (remaining(problem, report) > 0 && disappoints(problem, report)) {
      fall_back(problem, report);
    } else if (remaining(problem, report) > 0 && report.status == LinearStatus::kBudgetReached) {
      iterate(problem, remaining(problem, report), report);
    }
  }
  if (report.status == LinearStatus::kBudgetReached && control.iteration_budget <= 0) {
    report.status = LinearStatus::kMaxIterations;
  }
  if (!report.ok() && report.detail.empty()) {
    report.detail = fmt::format("{} iterations spent", report.iterations);
  }
  if (!anew.empty()) {
    report.detail = report.detail.empty() ? anew : fmt::format("{}; {}", anew, report.detail);
  }
}

#endif  // NSN_WITH_AMG

}  // namespace

SolverInfo amg_backend() {
  SolverInfo info;
  info.name = "amg";
  info.summary = "algebraic multigrid within PCR, PCG or alone, guarded, AMGCL";
  info.licence = "MIT (AMGCL)";
  info.capabilities = capabilities_of_amg();
  info.options = options_of_amg();
#if defined(NSN_WITH_AMG)
  info.make = make_solver<Amg>;
#else
  info.built = false;
  info.reason = kNotBuilt;
#endif
  return info;
}

PreconditionerInfo amg_preconditioner() {
  PreconditionerInfo info;
  info.name = "amg";
#if defined(NSN_WITH_AMG)
  info.make = [](const PreconditionerOptions&) {
    return std::make_unique<AmgPreconditioner>(Options(options_of_amg(), {}, "'amg'"));
  };
#else
  info.reason = kNotBuilt;
#endif
  return info;
}

}  // namespace nsn
