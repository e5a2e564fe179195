#include "nsn/backends/amg.h"

#include <cmath>
#include <memory>

#if defined(NSN_WITH_AMG)
#include <algorithm>
#include <functional>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "nsn/backends/amg_hierarchy.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/pcg.h"
#include "nsn/core/linear/pcr.h"
#include "nsn/precond/incomplete_lu.h"
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
      OptionSpec::choice(
          "coarsening", "auto", {"auto", "smoothed-aggregation", "aggregation", "ruge-stuben"},
          "how a level is made of the one above; auto: aggregation of 3x3 blocks, smoothed "
          "for scalars and where rigid motions are kept"),
      OptionSpec::choice(
          "smoother", "auto",
          {"auto", "chebyshev", "spai0", "damped-jacobi", "gauss-seidel", "ilu0", "iluk"},
          "relaxation on each level; auto: ilu0 for 3x3 blocks, chebyshev for scalars"),
      OptionSpec::choice("nullspace", "auto", {"auto", "none", "rigid"},
                         "what coarse levels keep; rigid: motions of a rigid body, auto: where the "
                         "operator knows positions"),
      OptionSpec::integer("sweeps", 1, 1, 100, "smoothing steps before and after the coarse solve"),
      OptionSpec::integer("cycle", 1, 1, 4, "1: V-cycle, 2: W-cycle"),
      OptionSpec::integer("coarse_enough", 0, 0, 1e6,
                          "rows below which a level is factorised; 0: 300, or 3000 where rigid "
                          "motions are kept"),
      OptionSpec::real("shift", 1e-10, 0.0, 1.0, "the hierarchy is that of S + this diag S"),
      OptionSpec::flag("reuse", true, "keep the transfer operators while the pattern is unchanged"),
      OptionSpec::flag(
          "guard", true,
          "hand over to PCR with Jacobi where 20 iterations reduce less than 10 times"),
  };
}

#if defined(NSN_WITH_AMG)

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

  /// Builds the hierarchy again, transfer operators included.
  void rebuild(const LinearOperator& op);
  /// True if the transfer operators are those of other values.
  bool reused() const { return reused_; }
  /// True if the smoother was chosen here and there is a surer one to go on with.
  bool can_strengthen() const { return asked_.smoother == "auto" && settings_.smoother == "ilu0"; }
  /// Rebuilds with Gauss-Seidel, whose cycle is positive definite on every definite S, and stays with it
  /// for the pattern.
  void strengthen(const LinearOperator& op);

 private:
  /// S + shift diag S with 1 on the diagonal of empty rows; false: it is not finite.
  bool take_scalars(const LinearOperator& op);
  bool take_blocks(const LinearOperator& op);
  void take_diagonal(Index row, double largest, double& diagonal);
  void build();
  bool refresh_levels();
  bool suits_blocks();
  void leave_blocks(const LinearOperator& op);

  AmgSettings asked_;
  AmgSettings settings_;  // for the present pattern
  std::string nullspace_;
  double shift_;
  bool blocks_ = false;
  ScalarEntries entries_{ScalarEntries::Diagonal::kComplete};
  BlockEntries block_entries_;
  BlockCsr shifted_;  // of blocks
  Vector inverse_diagonal_;
  std::unique_ptr<AmgHierarchy> hierarchy_;
  bool reused_ = false;
  std::string note_;
};

AmgPreconditioner::AmgPreconditioner(const Options& options)
    : nullspace_(options.text("nullspace")), shift_(options.real("shift")) {
  asked_.coarsening = options.text("coarsening");
  asked_.smoother = options.text("smoother");
  asked_.sweeps = static_cast<unsigned>(options.integer("sweeps"));
  asked_.cycle = static_cast<unsigned>(options.integer("cycle"));
  asked_.coarse_enough = static_cast<unsigned>(options.integer("coarse_enough"));
  asked_.reuse = options.flag("reuse");
}

// Aggregates that keep six motions are large: one level further there are too few of them to tell one
// part of a body from another (a bar of 5184 points: 52 iterations with 3000 rows, 173 with 300).
constexpr double kShiftOfTrial = 1e-8;  // of the diagonal: a singular S has its factors too
constexpr unsigned kCoarse = 300;
constexpr unsigned kCoarseRigid = 3000;

void AmgPreconditioner::analyze(const LinearOperator& op) {
  hierarchy_.reset();
  const bool classical = asked_.coarsening == "ruge-stuben";
  settings_ = asked_;
  const bool rigid = nullspace_ != "none" && op.positions().extent(0) > 0 && !classical;
  blocks_ = op.blocks() != nullptr && !classical && !rigid;
  NSN_THROW_UNLESS(
      rigid || nullspace_ != "rigid",
      "'amg': nullspace=rigid needs an operator that knows positions (nodes.mtx of an imported "
      "system), and a coarsening by aggregation");
  if (rigid) settings_.positions = op.positions();
  if (asked_.coarsening == "auto") {
    settings_.coarsening = blocks_ ? "aggregation" : "smoothed-aggregation";
  }
  if (asked_.smoother == "auto") settings_.smoother = blocks_ ? "ilu0" : "chebyshev";
  settings_.aggregate = rigid ? kBlock : 1;
  if (settings_.coarse_enough == 0) settings_.coarse_enough = rigid ? kCoarseRigid : kCoarse;
  if (blocks_) {
    block_entries_.analyze(op);
    shifted_ = block_entries_.matrix();
    shifted_.value = Vector("shifted", shifted_.value.extent(0));
  } else {
    entries_.analyze(op);
  }
  inverse_diagonal_ = Vector("inverse_diagonal", static_cast<std::size_t>(op.rows()));
}

void AmgPreconditioner::take_diagonal(Index row, double largest, double& diagonal) {
  diagonal = largest == 0.0 ? 1.0 : (1.0 + shift_) * diagonal;
  const double inverse = 1.0 / std::abs(diagonal);
  inverse_diagonal_(row) = std::isfinite(inverse) ? inverse : 1.0;
}

bool AmgPreconditioner::take_scalars(const LinearOperator& op) {
  const Csr& S = entries_.update(op);
  for (Index i = 0; i < S.rows; ++i) {
    Index diagonal = S.row_begin(i);
    double largest = 0.0;
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      if (S.column(k) == i) diagonal = k;
      largest = std::max(largest, std::abs(S.value(k)));
    }
    take_diagonal(i, largest, S.value(diagonal));
  }
  return all_finite(S.value);
}

bool AmgPreconditioner::take_blocks(const LinearOperator& op) {
  copy(block_entries_.update(op).value, shifted_.value);
  for (Index i = 0; i < shifted_.rows; ++i) {
    const Index diagonal = find_block(shifted_, i, i);
    for (Index r = 0; r < kBlock; ++r) {
      double largest = 0.0;
      for (Index k = shifted_.row_begin(i); k < shifted_.row_begin(i + 1); ++k) {
        const double* const row = &shifted_.value(kBlockSize * k + kBlock * r);
        for (int c = 0; c < kBlock; ++c) largest = std::max(largest, std::abs(row[c]));
      }
      if (kBlock * i + r >= size_of(inverse_diagonal_)) continue;
      take_diagonal(kBlock * i + r, largest, shifted_.value(kBlockSize * diagonal + 4 * r));
    }
  }
  return all_finite(shifted_.value);
}

void AmgPreconditioner::factorize(const LinearOperator& op) {
  const ConfinedToThread confined(op.rows());
  note_.clear();
  if (!(blocks_ ? take_blocks(op) : take_scalars(op))) {
    hierarchy_.reset();
    note_ = "no hierarchy: the matrix holds NaN or infinity";
    return;
  }
  if (settings_.reuse && hierarchy_ != nullptr && refresh_levels()) return;
  if (blocks_ && hierarchy_ == nullptr && asked_.smoother == "auto" && !suits_blocks()) {
    leave_blocks(op);
    take_scalars(op);
  }
  build();
}

/// Incomplete factors of the blocks are positive definite, as on contacts and stiffnesses. Where they are
/// not, as on S of elastic rows, which couple within their blocks and hardly between them, ilu0 smooths
/// nothing and aggregates of blocks carry nothing down.
bool AmgPreconditioner::suits_blocks() {
  const BlockRowsView S{{shifted_.row_begin.data(), shifted_.row_begin.extent(0)},
                        {shifted_.column.data(), shifted_.column.extent(0)},
                        shifted_.value.data()};
  IncompleteLu<kBlock> factors;
  factors.analyze(S);
  return factors.factorize(S, kShiftOfTrial, {.definite = true});
}

void AmgPreconditioner::leave_blocks(const LinearOperator& op) {
  blocks_ = false;
  if (asked_.coarsening == "auto") settings_.coarsening = "smoothed-aggregation";
  if (asked_.smoother == "auto") settings_.smoother = "chebyshev";
  settings_.aggregate = kBlock;
  entries_.analyze(op);
}

void AmgPreconditioner::strengthen(const LinearOperator& op) {
  settings_.smoother = "gauss-seidel";
  rebuild(op);
}

void AmgPreconditioner::rebuild(const LinearOperator& op) {
  hierarchy_.reset();
  factorize(op);
}

void AmgPreconditioner::build() {
  reused_ = false;
  try {
    hierarchy_ = blocks_ ? make_amg_hierarchy(settings_, shifted_)
                         : make_amg_hierarchy(settings_, entries_.matrix());
  } catch (const std::exception& error) {
    hierarchy_.reset();
    note_ = fmt::format("no hierarchy: AMGCL says '{}'", error.what());
  }
}

bool AmgPreconditioner::refresh_levels() {
  reused_ = blocks_ ? refresh(*hierarchy_, shifted_) : refresh(*hierarchy_, entries_.matrix());
  return reused_;
}

void AmgPreconditioner::apply(ConstVector r, Vector z) const {
  const Index n = size_of(r);
  if (hierarchy_ == nullptr) {
    for (Index i = 0; i < n; ++i) z(i) = inverse_diagonal_(i) * r(i);
    return;
  }
  const ConfinedToThread confined(n);
  hierarchy_->apply(r, z);
}

double AmgPreconditioner::bytes_per_apply() const {
  return hierarchy_ == nullptr ? 24.0 * static_cast<double>(inverse_diagonal_.size())
                               : hierarchy_->bytes_per_apply();
}

double AmgPreconditioner::bytes_held() const {
  const double levels = hierarchy_ == nullptr ? 0.0 : hierarchy_->bytes_held();
  const double entries =
      blocks_ ? block_entries_.bytes_held() + 8.0 * size_of(shifted_.value) : entries_.bytes_held();
  return levels + entries + 8.0 * static_cast<double>(inverse_diagonal_.size());
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

// After the guard's iterations: neither done nor well on the way, which is a tenth of the residual, or
// half of the digits where a stronger smoother can be had.
bool Amg::disappoints(const Problem& problem, const LinearReport& report) {
  if (report.status != LinearStatus::kBudgetReached) return !report.ok();
  const double half = std::sqrt(problem.control.rtol);
  const double wanted = P_.can_strengthen() ? std::min(half, kGuardReduction) : kGuardReduction;
  return !(residual(problem) <= wanted * report.initial_residual);
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
      anew = fmt::format("transfer operators were formed again after {} iterations",
                         report.iterations);
      P_.rebuild(op);
      copy(x0_, x);
      iterate(problem, std::min(kGuardIterations, remaining(problem, report)), report);
    }
    while (remaining(problem, report) > 0 && P_.can_strengthen() && disappoints(problem, report)) {
      const int before = report.iterations;
      P_.strengthen(op);
      anew += fmt::format("{}gauss-seidel in place of ilu0 after {} iterations",
                          anew.empty() ? "" : "; ", before);
      if (!(residual(problem) < report.initial_residual)) copy(x0_, x);
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
