#include "bench/compare/comparison.h"

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

#include "bench/support/bandwidth.h"
#include "bench/support/machine_load.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn::bench {
namespace {

/// One solver on one operator, over all its runs.
class Entrant {
 public:
  Entrant(std::unique_ptr<Contestant> contestant, const ComparisonOptions& options,
          SolverOutcome& outcome)
      : contestant_(std::move(contestant)), options_(options), outcome_(outcome) {}

  bool wants_another_run() const {
    if (count_ == 0) return true;
    if (!outcome_.ok() || slowest_ > options_.patience) return false;
    const int counted = static_cast<int>(outcome_.runs.size());
    return counted < options_.repeats || (spent_ < kShortSeconds && counted < kMostRepeats);
  }

  void time() {
    const TimedRun run = contestant_->time();
    if (run.stopped) return;
    ++count_;
    outcome_.refusal = run.refusal;
    outcome_.ended = run.ended;
    outcome_.direct = run.direct;
    if (!run.refusal.empty() || !run.ended.empty()) {
      outcome_.report = run.report;
      return;
    }
    if (count_ == 1) outcome_.cold = run.time;
    if (outcome_.runs.empty() || run.time.total() < outcome_.least(false).total()) {
      outcome_.report = run.report;
    }
    slowest_ = std::max(slowest_, run.time.cpu());
    spent_ += run.time.cpu();
    if (count_ == 1 && run.report.ok() && run.time.cpu() < kWarmUpSeconds) return;
    outcome_.runs.push_back(run.time);
  }

  /// The run with a monitor; the contestant is not needed any more.
  void finish() {
    if (outcome_.ran() && outcome_.ended.empty() && !outcome_.direct) {
      outcome_.history = contestant_->observe();
    }
    contestant_.reset();
  }
  bool finished() const { return contestant_ == nullptr; }

 private:
  std::unique_ptr<Contestant> contestant_;
  const ComparisonOptions& options_;
  SolverOutcome& outcome_;
  int count_ = 0;
  double slowest_ = 0.0;  // of the runs so far, s
  double spent_ = 0.0;    // on all of them, s
};

bool needs_entries(const SolverRegistry& registry, const std::string& spec) {
  const Capabilities can = registry.capabilities(spec);
  return can.needs_entries && !can.takes_factors;
}

/// One empty outcome per solver and form that it can take.
void enter(const std::vector<SystemForm>& forms, const SolverRegistry& registry,
           const ComparisonOptions& options, SystemOutcome& result) {
  const std::size_t num_solvers = options.solvers.size();
  for (const SystemForm form : forms) {
    for (std::size_t k = 0; k < num_solvers; ++k) {
      const bool factored = form == SystemForm::kFactored;
      if (factored && needs_entries(registry, options.solvers[k])) continue;
      SolverOutcome outcome;
      outcome.label = options.solvers[k] + suffix(form);
      outcome.form = form;
      outcome.style = k + num_solvers * static_cast<std::size_t>(form);
      result.solvers.push_back(outcome);
    }
  }
}

/// 0 ... count - 1 in another order each time.
std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < count; ++k) order.push_back(k);
  for (std::size_t k = count; k > 1; --k) std::swap(order[k - 1], order[random() % k]);
  return order;
}

struct Race {
  const ComparisonOptions& options;
  const ComparisonCalls& calls;
  SystemOutcome& result;
  Triad& triad;

  void judge(SolverOutcome& outcome) const {
    const double solve = outcome.least(false).solve;
    if (!outcome.ran() || !outcome.ended.empty() || solve <= 0.0) return;
    outcome.bandwidth_fraction = outcome.report.bytes_moved / solve / result.triad_bytes_per_second;
  }

  bool stopped() const { return calls.stopped && calls.stopped(); }

  /// Rounds in which each solver that wants to runs once. One that is done is observed at once.
  void run(std::vector<std::unique_ptr<Entrant>>& entrants) const {
    std::mt19937_64 random(options.seed);
    bool running = true;
    while (running && !stopped()) {
      running = false;
      result.triad_bytes_per_second = std::max(result.triad_bytes_per_second, triad.run());
      for (const std::size_t k : shuffled(entrants.size(), random)) {
        if (entrants[k] == nullptr || entrants[k]->finished() || stopped()) continue;
        SolverOutcome& outcome = result.solvers[k];
        if (calls.on_run) calls.on_run(result.name, outcome.label);
        entrants[k]->time();
        running = true;
        if (stopped() || entrants[k]->wants_another_run()) continue;
        entrants[k]->finish();
        judge(outcome);
        if (calls.on_row) calls.on_row(result, outcome);
      }
    }
  }
};

bool held_up(const SystemOutcome& result) {
  double wall = 0.0;
  double cpu = 0.0;
  for (const SolverOutcome& outcome : result.solvers) {
    for (const RunTime& run : outcome.runs) {
      wall += run.total();
      cpu += run.cpu();
    }
  }
  return cpu < kHeldUp * wall;
}

void describe(const LinearSystem& system, SystemOutcome& result) {
  result.name = system.name;
  result.path = system.path;
  result.rows = system.A.rows;
  result.nonzeros = system.A.nonzeros();
  result.symmetric = system.symmetric;
  result.rhs = system.rhs;
  result.rhs_norm = norm2(system.b);
}

}  // namespace

void check_solvers(const SolverRegistry& registry, const std::vector<std::string>& solvers) {
  NSN_THROW_UNLESS(!solvers.empty(), "no linear solver is available");
  for (const std::string& spec : solvers) {
    static_cast<void>(registry.make(spec));
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
                         const ComparisonOptions& options, const ComparisonCalls& calls) {
  SystemOutcome result;
  describe(system, result);
  const Variant assembled = assembled_variant(system);
  result.storage = assembled.storage;
  std::unique_ptr<LinearOperator> factors;
  if (system.factors) factors = factored_variant(system, result.note);
  std::vector<SystemForm> forms{SystemForm::kAssembled};
  if (factors != nullptr) forms.push_back(SystemForm::kFactored);
  if (factors != nullptr && worth_primal_form(*factors, system.A)) {
    forms.push_back(SystemForm::kPrimal);
  }
  enter(forms, registry, options, result);
  std::vector<std::unique_ptr<Entrant>> entrants;
  for (std::size_t k = 0; k < result.solvers.size(); ++k) {
    SolverOutcome& outcome = result.solvers[k];
    entrants.emplace_back();
    if (const auto known = calls.known.find(outcome.label); known != calls.known.end()) {
      const std::size_t style = outcome.style;
      outcome = known->second;
      outcome.style = style;
      continue;
    }
    const std::string& spec = options.solvers[outcome.style % options.solvers.size()];
    const bool assembled_form = outcome.form == SystemForm::kAssembled;
    const LinearOperator& op = assembled_form ? *assembled.op : *factors;
    entrants.back() = std::make_unique<Entrant>(
        calls.enter ? calls.enter(spec, outcome.form)
                    : local_contestant(registry, spec, outcome.form, op, system, options.control),
        options, outcome);
  }
  const double vectors = 8.0 * 8.0 * system.A.rows;  // the iteration's own
  Triad triad(assembled.op->bytes_per_apply() + vectors);
  const MachineLoad load;
  Race{options, calls, result, triad}.run(entrants);
  result.others = load.others();
  result.by_cpu = options.one_thread && held_up(result);
  std::size_t place = 0;
  std::erase_if(result.solvers, [&](const SolverOutcome&) {
    const auto& entrant = entrants[place++];
    return entrant != nullptr && !entrant->finished();  // stopped before it was done
  });
  return result;
}

}  // namespace nsn::bench
