/// S x = b for S = J H^-1 J^T + C over the nodes of H instead of the rows of J, where C is regular:
///
///   K = H + J^T C^-1 J,      K y = J^T C^-1 b,      x = C^-1 (b - J y)
///
/// Stiff elastic rows have a small, regular C: S has a block for each pair of elements that share a
/// node, K one for each pair of nodes that share an element, and there are fewer nodes. K is S with H
/// and C exchanged, and formed by the same code. C takes digits that come back by refinement on S: x is
/// improved while |b - S x| misses what was asked for and at least halves.
///
///   PrimalSolver solver(registry.make("amg"));
///   solver.prepare(op);                       // op.factors() is there, its C block diagonal
///   LinearReport report = solver.solve(b, x);
///
/// The solver of K may be any; its near null space are rigid motions where the operator knows where its
/// nodes are.
#pragma once

#include <memory>
#include <string>

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"

namespace nsn {

/// C is block diagonal and each of its blocks regular to rounding. No row: false.
bool has_primal_form(const SchurOperator& S);
/// Blocks of K.
Index primal_blocks(const SchurOperator& S);

class PrimalSolver final : public LinearSolver {
 public:
  explicit PrimalSolver(std::unique_ptr<LinearSolver> solver);

  std::string_view name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  double factorization_flops() const override { return solver_->factorization_flops(); }

 private:
  /// Throws std::invalid_argument without factors and for a C that is not block diagonal.
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override;
  /// x += C^-1 (r - J y); r = b - S x on entry and after. Returns |r|.
  double correct(const LinearOperator& op, ConstVector b, Vector x);
  double residual(const LinearOperator& op, ConstVector b, ConstVector x);
  bool improve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
               const Monitor& monitor, LinearReport& report, double& size);

  std::unique_ptr<LinearSolver> solver_;  // of K
  std::string name_;
  Capabilities capabilities_;
  Delassus K_;
  std::unique_ptr<BlockOperator> op_;
  Vector H_, C_inverse_;  // blocks
  Vector r_, row_, x_;    // 3 per row block
  Vector force_, y_;      // 3 per node
};

}  // namespace nsn
