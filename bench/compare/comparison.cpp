#include "bench/compare/comparison.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/support/bandwidth.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/schur_operator.h"

namespace nsn::bench {
namespace {

/// Blocks move 76 bytes per 3x3, CSR 12 per entry: worth it from 76 / 12 = 6.3 entries per block.
constexpr double kEntriesPerBlock = 76.0 / 12.0;

struct Variant {
  std::unique_ptr<LinearOperator> op;
  bool factored = false;
};

Variant assembled(const LinearSystem& system, std::string& storage) {
  if (system.A.rows % kBlock == 0 && system.A.rows > 0) {
    BlockCsr blocks = to_blocks(system.A);
    if (system.A.nonzeros() >= kEntriesPerBlock * blocks.blocks()) {
      storage = "3x3 blocks";
      return {std::make_unique<BlockOperator>(std::move(blocks), system.symmetric), false};
    }
  }
  storage = "csr";
  return {std::make_unique<CsrOperator>(system.A, system.symmetric), false};
}

/// H^-1 from its diagonal blocks; false if one is singular.
bool inverse_blocks(const Csr& H, Vector out) {
  diagonal_blocks(to_blocks(H), out);
  return invert_blocks(out, out) < 0;
}

/// |S x - A x| / |A x| for a random x: whether two operators are the same.
double difference(const LinearOperator& S, const Csr& A) {
  const Vector x = random_solution(A.rows, 1);
  const Vector Ax("Ax", x.extent(0));
  const Vector Sx("Sx", x.extent(0));
  multiply(A, x, Ax);
  S.apply(x, Sx);
  const double size = norm2(Ax);
  axpby(-1.0, Ax, 1.0, Sx);
  return size > 0.0 ? norm2(Sx) / size : norm2(Sx);
}

/// The factored operator of a system that has factors; null, and the reason in note, where they do
/// not give A (an export keeps them unreduced) or do not fit 3x3 blocks.
std::unique_ptr<LinearOperator> factored(const LinearSystem& system, std::string& note) {
  constexpr double kSame = 1e-8;  // rounding of files and of H^-1, far below any modelling change
  const SystemFactors& factors = *system.factors;
  if (system.A.rows % kBlock != 0) {
    note = "No factored operator: the number of rows is no multiple of three.";
    return nullptr;
  }
  const BlockCsr J = to_blocks(factors.J);
  const Vector H_inverse("H_inverse", static_cast<std::size_t>(J.columns) * kBlockSize);
  if (!inverse_blocks(factors.H, H_inverse)) {
    note = "No factored operator: H has a singular block.";
    return nullptr;
  }
  const BlockCsr C =
      factors.C ? to_blocks(*factors.C) : block_csr_from_triplets(J.rows, J.rows, {});
  auto op = std::make_unique<SchurOperator>(J, H_inverse, C);
  const double off = difference(*op, system.A);
  if (off <= kSame) return op;
  note = fmt::format("No factored operator: J H^-1 J^T + C differs from A by {:.1e}.", off);
  return nullptr;
}

/// One solver on one operator, over all its runs.
class Contestant {
 public:
  Contestant(const SolverRegistry& registry, const LinearOperator& op, const LinearSystem& system,
             const ComparisonOptions& options, SolverOutcome& outcome)
      : registry_(registry),
        op_(op),
        system_(system),
        options_(options),
        outcome_(outcome),
        spec_(outcome.label),
        x_("x", static_cast<std::size_t>(op.rows())) {}

  bool wants_another_run() const {
    if (!outcome_.ran() || slowest_ > options_.patience) return false;
    if (outcome_.repeats > 0 && !outcome_.report.ok()) return false;
    return outcome_.repeats < options_.repeats ||
           (spent_ < kShortSeconds && outcome_.repeats < kMostRepeats);
  }

  /// A fresh solver, so that every run pays for its own set-up.
  void time() {
    guarded([&](LinearSolver& solver) {
      const LinearReport report = solver.solve(system_.b, x_, options_.control);
      const double setup = report.analyze_seconds + report.factorize_seconds;
      const bool first = outcome_.repeats++ == 0;
      if (first || report.solve_seconds < outcome_.solve_seconds) {
        outcome_.report = report;
        outcome_.solve_seconds = report.solve_seconds;
      }
      outcome_.setup_seconds = first ? setup : std::min(setup, outcome_.setup_seconds);
      slowest_ = std::max(slowest_, setup + report.solve_seconds);
      spent_ += setup + report.solve_seconds;
    });
  }

  void observe() {
    if (!outcome_.ran() || outcome_.direct) return;
    guarded([&](LinearSolver& solver) {
      History& history = outcome_.history;
      const LinearReport report =
          solver.solve(system_.b, x_, options_.control, [&](const IterationInfo& info) {
            history.iteration.push_back(info.iteration);
            history.residual.push_back(info.residual);
            history.preconditioned.push_back(info.preconditioned);
            history.normal.push_back(info.normal_residual);
          });
      static_cast<void>(report);  // the timed runs have reported
    });
  }

 private:
  template <class Run>
  void guarded(const Run& run) {
    try {
      const auto solver = registry_.make(spec_);
      outcome_.direct = solver->capabilities().direct;
      solver->prepare(op_);
      Kokkos::deep_copy(x_, 0.0);
      run(*solver);
    } catch (const std::invalid_argument& error) {
      outcome_.refusal = error.what();  // the solver says what it cannot take
    }
  }

  const SolverRegistry& registry_;
  const LinearOperator& op_;
  const LinearSystem& system_;
  const ComparisonOptions& options_;
  SolverOutcome& outcome_;
  std::string spec_;
  Vector x_;
  double slowest_ = 0.0;  // of the runs so far, s
  double spent_ = 0.0;    // on all of them, s
};

bool needs_entries(const SolverRegistry& registry, const std::string& spec) {
  const Capabilities& can = registry.info(parse_named_options(spec).name).capabilities;
  return can.needs_entries && !can.takes_factors;
}

/// One empty outcome per solver and operator that it can take; returns the operator of each.
std::vector<const LinearOperator*> enter(const std::vector<Variant>& variants,
                                         const SolverRegistry& registry,
                                         const ComparisonOptions& options, SystemOutcome& result) {
  const std::size_t num_solvers = options.solvers.size();
  std::vector<const LinearOperator*> operators;
  for (const Variant& variant : variants) {
    for (std::size_t k = 0; k < num_solvers; ++k) {
      if (variant.factored && needs_entries(registry, options.solvers[k])) continue;
      SolverOutcome outcome;
      outcome.label = options.solvers[k];
      outcome.factored = variant.factored;
      outcome.style = k + (variant.factored ? num_solvers : 0);
      result.solvers.push_back(outcome);
      operators.push_back(variant.op.get());
    }
  }
  return operators;
}

/// Timed runs in turn with each other and with the triad, then the observed runs.
void race(std::vector<Contestant>& contestants, Triad& triad, int repeats, const OnRun& on_run,
          SystemOutcome& result) {
  const auto announce = [&](std::size_t k) {
    if (on_run) on_run(result.name, result.solvers[k].label);
  };
  bool running = true;
  for (int round = 0; running; ++round) {
    running = false;
    result.triad_bytes_per_second = std::max(result.triad_bytes_per_second, triad.run());
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      if (round < repeats) announce(k);
      if (!contestants[k].wants_another_run()) continue;
      contestants[k].time();
      running = true;
    }
  }
  for (std::size_t k = 0; k < contestants.size(); ++k) {
    announce(k);
    contestants[k].observe();
  }
}

}  // namespace

bool SystemOutcome::ok() const {
  return std::any_of(solvers.begin(), solvers.end(),
                     [](const SolverOutcome& outcome) { return outcome.ok(); });
}

void check_solvers(const SolverRegistry& registry, const std::vector<std::string>& solvers) {
  NSN_THROW_UNLESS(!solvers.empty(), "no linear solver is available");
  for (const std::string& spec : solvers) {
    const auto solver = registry.make(spec);
    NSN_THROW_UNLESS(std::count(solvers.begin(), solvers.end(), spec) == 1,
                     "solver '{}' is listed twice", spec);
  }
}

std::vector<std::string> split_solvers(const std::string& text) {
  std::vector<std::string> solvers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string piece = text.substr(at, comma - at);
    const bool option = piece.find('=') < piece.find(':');  // key=value goes on with the last one
    if (option && !solvers.empty()) {
      solvers.back() += ',' + piece;
    } else {
      solvers.push_back(piece);
    }
    at = comma + 1;
  }
  return solvers;
}

SystemOutcome compare_on(const LinearSystem& system, const SolverRegistry& registry,
                         const ComparisonOptions& options, const OnRun& on_run) {
  SystemOutcome result;
  result.name = system.name;
  result.path = system.path;
  result.rows = system.A.rows;
  result.nonzeros = system.A.nonzeros();
  result.symmetric = system.symmetric;
  result.rhs = system.rhs;
  result.rhs_norm = norm2(system.b);
  std::vector<Variant> variants;
  variants.push_back(assembled(system, result.storage));
  if (system.factors) {
    if (auto op = factored(system, result.note)) variants.push_back({std::move(op), true});
  }
  const std::vector<const LinearOperator*> operators = enter(variants, registry, options, result);
  std::vector<Contestant> contestants;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    contestants.emplace_back(registry, *operators[k], system, options, result.solvers[k]);
  }
  const double vectors = 8.0 * 8.0 * system.A.rows;  // the iteration's own
  Triad triad(variants.front().op->bytes_per_apply() + vectors);
  race(contestants, triad, options.repeats, on_run, result);
  for (SolverOutcome& outcome : result.solvers) {
    if (outcome.factored) outcome.label += " (factored)";
    if (!outcome.ran() || outcome.solve_seconds <= 0.0) continue;
    outcome.bandwidth_fraction =
        outcome.report.bytes_moved / outcome.solve_seconds / result.triad_bytes_per_second;
  }
  return result;
}

}  // namespace nsn::bench
