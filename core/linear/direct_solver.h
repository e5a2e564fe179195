/// A direct solver that reads one scalar matrix: what is left to a backend is to analyse a pattern,
/// to factorise values and to solve with the factors.
///
///   F ~ S,   x = F^-1 b,   x += F^-1 (b - S x) while the tolerance is missed
///
/// A matrix with NaN or infinity never reaches the library behind it.
#pragma once

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/refinement.h"

namespace nsn {

class DirectSolver : public LinearSolver {
 public:
  DirectSolver(const DirectSolver&) = delete;
  DirectSolver& operator=(const DirectSolver&) = delete;

  std::string_view name() const final { return name_; }
  const Capabilities& capabilities() const final { return capabilities_; }

 protected:
  /// Takes the option `refine` (refine_option()).
  DirectSolver(std::string_view name, const Capabilities& capabilities, const Options& options,
               ScalarEntries::Diagonal diagonal = ScalarEntries::Diagonal::kAsStored)
      : name_(name),
        capabilities_(capabilities),
        refine_(static_cast<int>(options.integer("refine"))),
        entries_(diagonal) {}

 private:
  /// Allocates and orders for the pattern of A; what goes wrong is said by factorize_entries().
  virtual void analyze_entries(const Csr& A) = 0;
  /// Takes the values of A, which are finite; A stays where it is until the next call.
  virtual Preparation factorize_entries(const Csr& A) = 0;
  /// v = F^-1 v
  virtual void solve_in_place(Vector v) = 0;
  /// Traffic of one solve_in_place().
  virtual double bytes_per_solve() const = 0;
  /// Held by the library behind.
  virtual double factor_bytes_held() const = 0;
  /// A word on the last factorisation for the report, or none.
  virtual std::string note() const { return {}; }

  void do_analyze(const LinearOperator& op) final {
    entries_.analyze(op);
    refinement_.analyze(op.rows());
    analyze_entries(entries_.matrix());
  }

  Preparation do_factorize(const LinearOperator& op) final {
    const Csr& A = entries_.update(op);
    if (!all_finite(A.value)) {
      return {false, LinearStatus::kNonFinite, "the matrix holds NaN or infinity"};
    }
    return factorize_entries(A);
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& /*monitor*/, LinearReport& report) final {
    report.detail = note();
    refinement_.solve_and_improve(
        op, b, x, control, refine_, bytes_per_solve(), [this](Vector v) { solve_in_place(v); },
        report);
  }

  double bytes_held() const final {
    return factor_bytes_held() + entries_.bytes_held() + refinement_.bytes_held();
  }

  std::string name_;
  Capabilities capabilities_;
  int refine_;
  ScalarEntries entries_;
  Refinement refinement_;
};

}  // namespace nsn
