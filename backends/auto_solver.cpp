#include "nsn/backends/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nsn/backends/iteration_limit.h"

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
constexpr double kOtherAnalysis = 140e-9;   // of others', which order scalars, an entry
constexpr double kFillPerRow = 5.0;         // operations of factors over rows^2: a pile, unanalysed
constexpr double kWorthAnalysis = 0.5;      // of the cost of an iteration, to know that of factors
constexpr double kStart = 2e-6;             // s of any solver
constexpr double kExpectedIterations = 12;  // of incomplete factors on piles and stacks: 1 to 20
constexpr int kLeastIterations = 100;       // before an iteration is given up

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

/// A solver of the list.
struct Candidate {
  const char* spec;
  bool direct = false;
  double setup = 0.0;      // predicted, s
  double iteration = 0.0;  // the same, of one
  LinearSolver* solver = nullptr;

  double cost(double iterations) const { return kStart + setup + iterations * iteration; }
};

class AutoSolver final : public LinearSolver {
 public:
  AutoSolver(const Options& options, const SolverRegistry& registry)
      : max_iterations_(static_cast<int>(options.integer("max_iterations"))) {
    for (const char* spec : {"contact-lu", "cholmod", "klu", "pcg:precond=block-ilu",
                             "gmres:precond=block-ilu", "pcr", "gmres"}) {
      const bool available = registry.info(parse_named_options(spec).name).available();
      if (available) solvers_[spec] = registry.make(spec);
    }
  }

  std::string_view name() const override { return "auto"; }
  const Capabilities& capabilities() const override { return capabilities_; }
  double factorization_flops() const override {
    return candidates_.empty() ? 0.0 : candidates_.front().solver->factorization_flops();
  }

 private:
  void add(const char* spec, bool direct, double setup, double iteration) {
    const auto found = solvers_.find(spec);
    if (found == solvers_.end()) return;
    candidates_.push_back({spec, direct, setup, iteration, found->second.get()});
  }

  void add_incomplete(const LinearOperator& op, const Pattern& pattern) {
    const double cubed = pattern.width * pattern.width * pattern.width;
    const double bytes = 8.0 * pattern.width * pattern.width + 4.0;
    const double moved = 2.0 * bytes * pattern.entries + 160.0 * op.rows();
    const double bandwidth = moved > kCache ? kMemoryBandwidth : kCacheBandwidth;
    const double setup = 2.0 * cubed * pattern.elimination / kIncompleteRate +
                         3.0 * bytes * pattern.entries / bandwidth;
    const double iteration = moved / bandwidth;
    if (op.symmetric()) add("pcg:precond=block-ilu", false, setup, iteration);
    // Two passes over the directions so far.
    const double directions = 16.0 * kExpectedIterations * op.rows() / bandwidth;
    add("gmres:precond=block-ilu", false, setup, iteration + directions);
  }

  /// Symbolic work is spared where it would cost as much as an iteration does; once done it is no part
  /// of the price any more.
  void add_direct(const LinearOperator& op, const Pattern& pattern) {
    const double analysis = (kAnalysis + kOrdering * op.rows()) * pattern.entries;
    const double bound =
        candidates_.empty() ? HUGE_VAL : kWorthAnalysis * candidates_.front().cost(iterations_);
    const double twice = op.symmetric() ? 1.0 : 2.0;
    double flops = 0.0;
    add("contact-lu", true, analysis, 0.0);
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
    if (op.symmetric()) add("cholmod", true, other + flops / kSupernodalRate, 0.0);
    if (!op.symmetric()) add("klu", true, other + flops / kFactorRate, 0.0);
  }

  void do_analyze(const LinearOperator& op) override {
    candidates_.clear();
    iterations_ = kExpectedIterations;
    if (!op.has_entries()) {
      if (op.symmetric()) add("pcr", false, 0.0, 0.0);
      add("gmres", false, 0.0, 0.0);
    } else {
      const Pattern pattern = pattern_of(op);
      add_incomplete(op, pattern);
      add_direct(op, pattern);
      if (op.symmetric()) add("pcr", false, HUGE_VAL, 0.0);
    }
    rank();
    candidates_.front().solver->analyze(op);
  }

  /// The least cost first, then the other kind, direct or iterative: what one kind cannot do the other
  /// may. A tie keeps the order in which they were added.
  void rank() {
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

  std::string reason() const {
    const Candidate& chosen = candidates_.front();
    if (candidates_.size() == 1 || chosen.iteration + chosen.setup == 0.0) {
      return fmt::format("{}: the matrix is not formed", chosen.spec);
    }
    const auto other = std::find_if(candidates_.begin() + 1, candidates_.end(),
                                    [&](const auto& c) { return c.direct != chosen.direct; });
    const auto& rival = other == candidates_.end() ? candidates_[1] : *other;
    return fmt::format("{}: predicted {:.2g} ms, {} {:.2g} ms", chosen.spec,
                       1e3 * chosen.cost(iterations_), rival.spec, 1e3 * rival.cost(iterations_));
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
      const LinearReport one = solver.solve(b, x, own, monitor);
      take(one, report);
      if (one.ok()) {
        if (!candidate.direct && one.iterations > 0) iterations_ = one.iterations;
        break;
      }
      const bool all_spent = report.iterations >= asked.max_iterations && !candidate.direct;
      said += fmt::format("{}{} ended with {}", said.empty() ? "" : "; ", candidate.spec,
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

  std::map<std::string, std::unique_ptr<LinearSolver>, std::less<>> solvers_;  // all that are built
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
