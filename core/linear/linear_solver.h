/// The contract of every linear solver: prepare once per matrix, solve as often as needed, and say
/// truthfully how it went.
///
///   auto solver = registry.make("pcr:precond=block-jacobi");
///   solver->prepare(op);                    // symbolic or numeric work, or none: by the op's ids
///   LinearReport report = solver->solve(b, x, {.rtol = 1e-8});
///   if (!report.ok()) fmt::print("{}\n", report.detail);
///
/// Numerical trouble is a status; misuse (wrong sizes, an operator without the entries a solver
/// needs) is an exception whose text names the value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_status.h"

namespace nsn {

/// What one solve is asked for.
struct LinearControl {
  double rtol = 1e-10;  ///< |b - S x|_2 <= rtol |b|_2
  double atol = 0.0;    ///< or |b - S x|_2 <= atol, in the unit of b
  int max_iterations = 10000;
  /// > 0: stop after this many iterations with kBudgetReached, which counts as success (inexact
  /// Newton).
  int iteration_budget = 0;
  /// For many small solves in a row: spares the product with a guess of zero (a non-number in S
  /// then shows in the answer only) and the one for normal_residual, which stays 0.
  bool lean = false;
  /// Direct solvers may answer without refinement and without forming the residual, which stays 0:
  /// for callers that measure the outcome themselves. Lean as well: no norms, no seconds, and zero
  /// in place of an answer that is not finite.
  bool trust = false;
};

/// State of an iterative solver after one iteration (0: the initial guess).
struct IterationInfo {
  int iteration = 0;
  double residual = 0.0;  ///< |r|_2 of the recurrence
  double preconditioned =
      0.0;  ///< sqrt(r^T P r), the norm that PCR never lets rise; 0 if not formed
  double normal_residual = 0.0;  ///< |S r|_2, formed only for a monitor; 0 if not formed
};

/// Called after each iteration where set; costs one more product per iteration for |S r|.
using Monitor = std::function<void(const IterationInfo&)>;

/// What one solve did. Every field is filled by every backend.
struct LinearReport {
  LinearStatus status = LinearStatus::kBackendError;
  int iterations = 0;  ///< 0 for direct solvers and for an initial guess that is a solution
  double initial_residual = 0.0;     ///< |b - S x0|_2
  double recurrence_residual = 0.0;  ///< what the iteration believes
  double true_residual = 0.0;        ///< |b - S x|_2, recomputed with the operator after the solve
  double rhs_norm = 0.0;             ///< |b|_2
  double normal_residual = 0.0;      ///< |S r|_2 of the true residual
  double analyze_seconds = 0.0;      ///< symbolic work of the last prepare()
  double factorize_seconds = 0.0;    ///< numeric work of the last prepare()
  double solve_seconds = 0.0;
  double bytes_moved = 0.0;  ///< memory traffic of this solve that the algorithm cannot avoid
  double bytes_held = 0.0;   ///< memory the solver keeps between solves
  /// Solvers on a device: what crossed the bus and what was launched since the last report, the
  /// preparation included.
  double bytes_to_device = 0.0;
  double bytes_from_device = 0.0;
  std::int64_t kernel_launches = 0;  ///< a library call counts as one
  std::string detail;  ///< one sentence for a person; empty when there is nothing to say

  bool ok() const { return status <= LinearStatus::kDirect; }
  /// |b - S x| / |b|; the absolute residual where b = 0.
  double relative_residual() const;
};

/// What a solver can and cannot take.
struct Capabilities {
  bool needs_entries = false;       ///< refuses matrix-free operators
  bool takes_factors = false;       ///< but for those with factors(): J H^-1 J^T + C
  bool handles_singular = false;    ///< converges on consistent singular systems
  bool handles_indefinite = false;  ///< symmetric indefinite
  bool handles_unsymmetric = false;
  bool direct = false;  ///< factorises; iterations are 0
  std::string_view device = "cpu";
};

/// Solves S x = b for a sequence of operators with mostly one sparsity pattern.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  virtual std::string_view name() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  /// Symbolic work if op.pattern_id() is new, numeric work if op.value_id() is new, nothing
  /// otherwise. op must live until the last solve. A factorisation that fails is reported by the
  /// next solve(). Throws std::invalid_argument if op lacks entries or symmetry that the solver
  /// needs.
  void prepare(const LinearOperator& op);
  /// The symbolic part of prepare() alone, for callers that weigh factorization_flops() first.
  void analyze(const LinearOperator& op);
  /// Multiplications and additions of a symmetric factorisation on the analysed pattern; 0: unknown
  /// or not a direct solver.
  virtual double factorization_flops() const { return 0.0; }

  /// x holds the initial guess on entry (iterative solvers start from it) and the answer on return.
  /// A non-finite answer never leaves: x is the initial guess then, and the status says why.
  [[nodiscard]] LinearReport solve(ConstVector b, Vector x, const LinearControl& control = {},
                                   const Monitor& monitor = {});

 protected:
  /// Outcome of numeric preparation; ok unless a factorisation failed.
  struct Preparation {
    bool ok = true;
    LinearStatus status = LinearStatus::kDirect;
    std::string detail;
  };

  /// do_solve() has formed |b - S x|_2 with the operator at the x it returns: the front need not.
  void set_true_residual(double norm) {
    known_residual_ = norm;
    residual_known_ = true;
  }

 private:
  bool needs_solve(ConstVector b, Vector x, const LinearControl& control, const Monitor& monitor,
                   LinearReport& report);
  void judge(ConstVector b, Vector x, const LinearControl& control, LinearReport& report);
  void solve_trusted(ConstVector b, Vector x, const LinearControl& control, const Monitor& monitor,
                     LinearReport& report);
  /// Allocates and orders for op's pattern.
  virtual void do_analyze(const LinearOperator& op) = 0;
  /// Takes op's values.
  virtual Preparation do_factorize(const LinearOperator& op) = 0;
  /// Fills status, iterations, recurrence_residual, bytes_moved and detail; the front does the
  /// rest. b is finite and the preparation went well. A direct solver leaves the status at kDirect.
  virtual void do_solve(const LinearOperator& op, ConstVector b, Vector x,
                        const LinearControl& control, const Monitor& monitor,
                        LinearReport& report) = 0;
  virtual double bytes_held() const = 0;

  const LinearOperator* op_ = nullptr;
  std::uint64_t pattern_id_ = 0;
  std::uint64_t value_id_ = 0;
  Preparation preparation_;
  double analyze_seconds_ = 0.0;
  double factorize_seconds_ = 0.0;
  bool residual_known_ = false;
  double known_residual_ = 0.0;
  std::vector<double> room_;  // the two that follow
  Vector r_;                  // true residual
  Vector Sr_;                 // S r; also keeps the initial guess during a solve
};

}  // namespace nsn
