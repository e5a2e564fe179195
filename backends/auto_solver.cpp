#include "nsn/backends/auto_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nsn/backends/iteration_limit.h"
#include "nsn/core/step/reductions/primal_solver.h"

namespace nsn {
namespace {

// Rates of one core of a present server, from exports of sphere-pile, card-house and KaplasTower;
// what they are compared for are ratios.
constexpr double kFactorRate = 2.8e10;      // operations/s of contact-lu
constexpr double kSupernodalRate = 1e11;    // of cholmod's dense panels
constexpr double kIncompleteRate = 8e9;     // of incomplete factors
constexpr double kCacheBandwidth = 4e10;    // bytes/s of products and sweeps
constexpr double kMemoryBandwidth = 8e9;    // the same beyond kCache
constexpr double kCache = 8e6;              // bytes
constexpr double kAnalysis = 30e-9;         // s of contact-lu's symbolic work, a block,
constexpr double kOrdering = 20e-12;        // and a block and row
constexpr double kScalarAnalysis = 1e-7;    // an entry, where it has to gather blocks from scalars
constexpr double kOtherAnalysis = 140e-9;   // of others', which order scalars, an entry
constexpr double kFillPerRow = 5.0;         // operations of factors over rows^2: a pile, unanalysed
constexpr double kWorthAnalysis = 0.5;      // of the cost of an iteration, to know that of factors
constexpr double kStart = 2e-6;             // s of any solver
constexpr double kExpectedIterations = 12;  // of incomplete factors on piles and stacks: 1 to 20
constexpr double kIterationsOfProducts = 100;  // of an iteration without entries
constexpr int kLeastIterations = 30;           // before an iteration is given up
constexpr double kTrivial = 2e6;               // rows^3: dense factors of 126 rows take 25 us
constexpr double kProductsPerBlock =
    220.0;  // operations of H + J^T C^-1 J, a block of a J of four a row

Capabilities capabilities_of_auto() {
  Capabilities can;
  can.handles_singular = true;
  can.handles_indefinite = true;
  can.handles_unsymmetric = true;
  return can;
}

/// Sizes of a pattern, in blocks of `width`.
struct Pattern {
  double rows = 0.0;
  double entries = 0.0;
  double elimination = 0.0;  // pairs (lower block of a row, upper block of the row it points to)
  double width = 1.0;
};

Pattern pattern_of(Index rows, const IndexVector& begin, const IndexVector& column, double width) {
  Pattern pattern{static_cast<double>(rows), static_cast<double>(column.extent(0)), 0.0, width};
  std::vector<Index> upper(to_size(rows));
  for (Index i = 0; i < rows; ++i) {
    Index above = 0;
    for (Index k = begin(i); k < begin(i + 1); ++k) {
      const Index j = column(k);
      if (j < i) pattern.elimination += upper[to_size(j)];
      above += j > i ? 1 : 0;
    }
    upper[to_size(i)] = above;
  }
  return pattern;
}

Pattern pattern_of(const LinearOperator& op) {
  if (op.blocks() != nullptr) {
    const BlockCsr& S = *op.blocks();
    return pattern_of(S.rows, S.row_begin, S.column, kBlock);
  }
  const Csr& S = *op.scalars();
  return pattern_of(S.rows, S.row_begin, S.column, 1.0);
}

/// The solvers it takes, in the order in which ties are kept.
enum Which : std::size_t {
  kContactLu,
  kCholmod,
  kKlu,
  kPcgIlu,
  kGmresIlu,
  kPcr,
  kGmres,
  kPrimal,
  kSolvers
};
constexpr std::array<const char*, kSolvers> kSpecs{
    "contact-lu", "cholmod", "klu",       "pcg:precond=block-ilu", "gmres:precond=block-ilu",
    "pcr",        "gmres",   "contact-lu"};

/// A solver of the list.
struct Candidate {
  Which which = kContactLu;
  bool direct = false;
  double setup = 0.0;      // predicted, s
  double iteration = 0.0;  // the same, of one
  LinearSolver* solver = nullptr;

  double cost(double iterations) const { return kStart + setup + iterations * iteration; }
  std::string_view name() const { return which == kPrimal ? solver->name() : kSpecs[which]; }
};

/// Seconds in words, without the weight of floating-point text: solves of ten microseconds pay for it.
std::string words_of(double seconds) {
  constexpr double kMicro = 1e6;
  constexpr double kMilli = 1e3;
  constexpr double kFew = 1e4;
  const double micro = std::min(std::ceil(kMicro * seconds), 1e12);
  if (micro < kFew) return std::to_string(static_cast<long>(micro)) + " us";
  return std::to_string(static_cast<long>(micro / kMilli)) + " ms";
}

class AutoSolver final : public LinearSolver {
 public:
  AutoSolver(const Options& options, const SolverRegistry& registry)
      : max_iterations_(static_cast<int>(options.integer("max_iterations"))) {
    for (std::size_t k = 0; k < kSolvers; ++k) {
      if (!registry.info(parse_named_options(kSpecs[k]).name).available()) continue;
      solvers_[k] = registry.make(kSpecs[k]);
    }
    solvers_[kPrimal] = std::make_unique<PrimalSolver>(std::move(solvers_[kPrimal]));
  }

  /// With the solver that answered last.
  std::string_view name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  double factorization_flops() const override {
    return candidates_.empty() ? 0.0 : candidates_.front().solver->factorization_flops();
  }

 private:
  void add(Which which, bool direct, double setup, double iteration) {
    if (solvers_[which] == nullptr) return;
    candidates_.push_back({which, direct, setup, iteration, solvers_[which].get()});
  }

  void add_incomplete(const LinearOperator& op, const Pattern& pattern) {
    const double cubed = pattern.width * pattern.width * pattern.width;
    const double bytes = 8.0 * pattern.width * pattern.width + 4.0;
    const double moved = 2.0 * bytes * pattern.entries + 160.0 * op.rows();
    const double bandwidth = moved > kCache ? kMemoryBandwidth : kCacheBandwidth;
    const double setup = 2.0 * cubed * pattern.elimination / kIncompleteRate +
                         3.0 * bytes * pattern.entries / bandwidth;
    const double iteration = moved / bandwidth;
    if (op.symmetric()) add(kPcgIlu, false, setup, iteration);
    // Two passes over the directions so far.
    const double directions = 16.0 * kExpectedIterations * op.rows() / bandwidth;
    add(kGmresIlu, false, setup, iteration + directions);
  }

  /// Symbolic work is spared where it would cost as much as an iteration does; once done it is no part
  /// of the price any more.
  void add_direct(const LinearOperator& op, const Pattern& pattern) {
    const double gathering = pattern.width == 1.0 ? kScalarAnalysis : kAnalysis;
    const double analysis = (gathering + kOrdering * op.rows()) * pattern.entries;
    const double bound =
        candidates_.empty() ? HUGE_VAL : kWorthAnalysis * candidates_.front().cost(iterations_);
    const double twice = op.symmetric() ? 1.0 : 2.0;
    double flops = 0.0;
    add(kContactLu, true, analysis, 0.0);
    Candidate& own = candidates_.back();
    if (analysis < bound) {
      own.solver->analyze(op);
      own.setup = 0.0;
      flops = twice * own.solver->factorization_flops();
    } else {
      flops = twice * kFillPerRow * op.rows() * static_cast<double>(op.rows());
    }
    own.setup += flops / kFactorRate;
    const double other = kOtherAnalysis * pattern.entries * pattern.width * pattern.width;
    if (op.symmetric()) add(kCholmod, true, other + flops / kSupernodalRate, 0.0);
    if (!op.symmetric()) add(kKlu, true, other + flops / kFactorRate, 0.0);
  }

  /// Over nodes, where that is possible: the same answer from a smaller matrix.
  void add_primal(const SchurOperator& S) {
    if (!has_primal_form(S)) return;
    const double blocks = primal_blocks(S);
    const double rows = S.J().columns;
    const double analysis = (kAnalysis + kOrdering * rows) * blocks;
    const double products = static_cast<double>(S.J().blocks()) * kProductsPerBlock;
    const double flops = kFillPerRow * 9.0 * rows * rows;
    add(kPrimal, true, analysis + products / kFactorRate + flops / kFactorRate, 0.0);
  }

  void choose_among_products(const LinearOperator& op) {
    const double moved = op.bytes_per_apply();
    const double iteration = moved / (moved > kCache ? kMemoryBandwidth : kCacheBandwidth);
    if (op.factors() != nullptr && op.symmetric()) add_primal(*op.factors());
    if (op.symmetric()) add(kPcr, false, 0.0, iteration);
    add(kGmres, false, 0.0, 2.0 * iteration);
  }

  void do_analyze(const LinearOperator& op) override {
    candidates_.clear();
    iterations_ = kExpectedIterations;
    const double rows = op.rows();
    trivial_ = op.blocks() != nullptr && rows * rows * rows <= kTrivial;
    if (!op.has_entries()) {
      iterations_ = kIterationsOfProducts;
      choose_among_products(op);
    } else if (trivial_) {
      add(kContactLu, true, 0.0, 0.0);
      if (op.symmetric()) add(kPcgIlu, false, 0.0, 0.0);
      add(kGmresIlu, false, 0.0, 0.0);
      if (!op.symmetric()) add(kKlu, true, 0.0, 0.0);
      if (op.symmetric()) add(kPcr, false, 0.0, 0.0);
    } else {
      const Pattern pattern = pattern_of(op);
      add_incomplete(op, pattern);
      add_direct(op, pattern);
      if (op.symmetric()) add(kPcr, false, HUGE_VAL, 0.0);
    }
    rank();
    candidates_.front().solver->analyze(op);
  }

  /// The least cost first, then the other kind, direct or iterative: what one kind cannot do the other
  /// may. A tie keeps the order in which they were added.
  void rank() {
    if (trivial_) return;
    std::stable_sort(candidates_.begin(), candidates_.end(), [&](const auto& a, const auto& b) {
      return a.cost(iterations_) < b.cost(iterations_);
    });
    const bool direct = candidates_.front().direct;
    std::stable_partition(candidates_.begin() + 1, candidates_.end(),
                          [=](const Candidate& c) { return c.direct != direct; });
  }

  Preparation do_factorize(const LinearOperator& op) override {
    rank();
    candidates_.front().solver->prepare(op);
    return {};
  }

  /// Iterations that cost as much as the best direct solver would.
  int patience(const Candidate& candidate) const {
    double direct = HUGE_VAL;
    for (const Candidate& other : candidates_) {
      if (other.direct) direct = std::min(direct, other.cost(0.0));
    }
    const double most = direct / candidate.iteration;
    if (!(most < std::numeric_limits<int>::max())) return std::numeric_limits<int>::max();
    return std::max(kLeastIterations, static_cast<int>(most));
  }

  /// At the rate so far as many iterations again will do.
  static bool on_its_way(const LinearReport& one, double target) {
    if (one.status != LinearStatus::kMaxIterations) return false;
    const double gained = std::log(one.initial_residual / one.true_residual);
    return gained > 0.0 && std::log(one.true_residual / target) <= gained;
  }

  std::string reason() const {
    const Candidate& chosen = candidates_.front();
    std::string said(chosen.name());
    if (trivial_) return said + ": a small system";
    const auto other = std::find_if(candidates_.begin() + 1, candidates_.end(),
                                    [&](const auto& c) { return c.direct != chosen.direct; });
    const auto& rival = other == candidates_.end() ? candidates_[1] : *other;
    if (candidates_.back().which == kGmres && chosen.which != kPrimal) {
      return said + ": the matrix is not formed";
    }
    said += ": predicted " + words_of(chosen.cost(iterations_)) + ", ";
    said += rival.name();
    return said + " " + words_of(rival.cost(iterations_));
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    const LinearControl asked = with_limit(control, max_iterations_);
    std::string said = control.lean ? "" : reason();
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      Candidate& candidate = candidates_[k];
      LinearSolver& solver = *candidate.solver;
      solver.prepare(op);
      LinearControl own = asked;
      own.lean = true;
      const bool last = k + 1 == candidates_.size();
      const bool limited = !candidate.direct && !last && own.iteration_budget <= 0;
      if (limited) own.max_iterations = std::min(own.max_iterations, patience(candidate));
      LinearReport one = solver.solve(b, x, own, monitor);
      const bool more = one.iterations < asked.max_iterations;
      if (limited && more && on_its_way(one, std::max(asked.rtol * report.rhs_norm, asked.atol))) {
        take(one, report);
        own.max_iterations = std::min(own.max_iterations, asked.max_iterations - report.iterations);
        one = solver.solve(b, x, own, monitor);
      }
      take(one, report);
      if (one.ok()) {
        if (!candidate.direct && one.iterations > 0) iterations_ = one.iterations;
        if (answered_ != candidate.which) name_ = "auto (" + std::string(candidate.name()) + ")";
        answered_ = candidate.which;
        break;
      }
      const bool all_spent = report.iterations >= asked.max_iterations && !candidate.direct;
      said += fmt::format("{}{} ended with {}", said.empty() ? "" : "; ", candidate.name(),
                          to_string(one.status));
      if (all_spent) break;
    }
    if (report.ok() && control.lean) return;
    report.detail = said + (report.detail.empty() ? "" : ": ") + report.detail;
  }

  void take(const LinearReport& one, LinearReport& report) {
    report.status = one.status;
    report.iterations += one.iterations;
    report.recurrence_residual = one.recurrence_residual;
    report.bytes_moved += one.bytes_moved;
    report.detail = one.detail;
    if (one.ok() && one.true_residual > 0.0) set_true_residual(one.true_residual);
  }

  double bytes_held() const override { return 0.0; }

  std::string name_ = "auto";
  Which answered_ = kSolvers;
  std::array<std::unique_ptr<LinearSolver>, kSolvers> solvers_;  // empty: not built
  bool trivial_ = false;  // factors cost less than to think about it
  int max_iterations_;
  Capabilities capabilities_ = capabilities_of_auto();
  std::vector<Candidate> candidates_;
  double iterations_ = kExpectedIterations;  // that incomplete factors are expected to take
};

}  // namespace

SolverInfo auto_backend() {
  SolverInfo info;
  info.name = "auto";
  info.summary = "the solver that is predicted to cost least, and others where it fails";
  info.licence = "that of the solvers it takes";
  info.capabilities = capabilities_of_auto();
  info.options = {OptionSpec::integer(
      "max_iterations", 0, 0, 1e9, "largest number of iterations; 0: as many as the call allows")};
  info.make = make_solver<AutoSolver>;
  return info;
}

}  // namespace nsn
