/// One solver on one system, run by run; in this process or in another (bench/compare/worker.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/compare/outcome.h"
#include "bench/compare/systems.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn::bench {

/// One timed run; or why there is none.
struct TimedRun {
  std::string refusal;   ///< the solver does not take the system
  std::string ended;     ///< "time-limit", "memory-limit", "crashed"; report.detail says where
  bool stopped = false;  ///< given up because the comparison was: there is no row
  bool direct = false;
  LinearReport report;
  RunTime time;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  /// A fresh solver, so that every run pays for its own set-up.
  virtual TimedRun time() = 0;
  /// A run with a monitor; empty if it did not end well enough to have one.
  virtual History observe() = 0;
};

/// The matrix of a system as an operator, assembled or factored.
struct Variant {
  std::unique_ptr<LinearOperator> op;
  std::string storage;  ///< of an assembled one: "csr" or "3x3 blocks"
};
Variant assembled_variant(const LinearSystem& system);
/// Null, and the reason in note, where the factors do not give A or do not fit 3x3 blocks.
std::unique_ptr<LinearOperator> factored_variant(const LinearSystem& system, std::string& note);

/// The primal form of an operator with factors exists and has at most half of the entries of A.
bool worth_primal_form(const LinearOperator& factored, const Csr& A);

/// Called before "set-up" and before "solve".
using OnPhase = std::function<void(const char* phase)>;

/// In this process; everything given outlives it. op is the factored one for the primal form too.
std::unique_ptr<Contestant> local_contestant(const SolverRegistry& registry, std::string spec,
                                             SystemForm form, const LinearOperator& op,
                                             const LinearSystem& system,
                                             const LinearControl& control, OnPhase on_phase = {});

}  // namespace nsn::bench
