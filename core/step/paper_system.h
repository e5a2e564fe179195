/// Stages `linearise` and `solve` of the paper's method (core/step/paper_step.h): the Newton matrix
/// in compliance or stiffness form, and the change (du, dr) it gives.
///
/// A linear solver that needs no entries gets S as its factors L J, H^-1 and C if they move fewer
/// bytes per product than its blocks would: finite elements, where every row meets some seventy
/// others.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "nsn/core/linear/linear_chain.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/delassus.h"
#include "nsn/core/step/paper_laws.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class PaperSystem {
 public:
  /// Options and monitor must outlive it.
  /// options: of the method, which must outlive it; linear: the chain of solvers.
  PaperSystem(const PaperOptions& options, const std::vector<std::string>& linear,
              const SolverRegistry& registry, StepMonitor& monitor);

  /// Returns false before fit(), and if an observer wants entries where there are only factors.
  bool ready() const {
    return operator_ != nullptr || (factors_ != nullptr && !monitor_.observed());
  }
  /// Takes the pattern of J and allocates.
  void fit(const System& system, const BlockCsr& J);

  /// S and b at `state`; `at` and `rows` were evaluated there.
  /// g = M (u - u_free) - J^T F(r), 3 per node; quasi: added to the diagonal of M, 3 per node.
  void linearise(StepEquations& equations, const State& state, const StepEvaluation& at,
                 ConstVector g, ConstVector quasi, std::vector<PaperRow>& rows);
  /// Solves the last linearisation to |b - S x| <= rtol |b|.
  LinearReport solve(const StepEvaluation& at, ConstVector g, const std::vector<PaperRow>& rows,
                     double rtol, Vector du, Vector dr);
  std::string_view solver_name() const { return linear_->name(); }

 private:
  bool use_factors(const BlockCsr& J) const;
  void fit_factors(const BlockCsr& J);
  void fit_stiffness(const BlockCsr& J);
  void assemble_compliance(const StepEvaluation& at, ConstVector g,
                           const std::vector<PaperRow>& rows);
  void assemble_factors(const StepEvaluation& at, ConstVector g, const std::vector<PaperRow>& rows);
  void assemble_stiffness(const StepEvaluation& at, ConstVector g, std::vector<PaperRow>& rows);
  void assemble_right_side(const StepEvaluation& at, ConstVector g,
                           const std::vector<PaperRow>& rows);
  Vec3 row_diagonal(const BlockCsr& J, Index i) const;
  void regularize(double& entry, double diagonal) const;
  void show(const StepEvaluation& at, const std::vector<PaperRow>& rows);
  void recover(const StepEvaluation& at, ConstVector g, const std::vector<PaperRow>& rows,
               Vector du, Vector dr);

  const PaperOptions& options_;
  StepMonitor& monitor_;
  std::unique_ptr<LinearSolver> linear_;
  Delassus delassus_;
  BlockCsr S_;                               // compliance or stiffness matrix
  std::unique_ptr<BlockOperator> operator_;  // views S_
  std::unique_ptr<SchurOperator> factors_;   // S = J H^-1 J^T + C, rows of J scaled
  BlockCsr scaled_J_, C_;
  Vector diagonal_;                // of the factored S
  std::vector<Index> node_block_;  // stiffness form: block of S for each pair of a row's nodes
  Vector no_compliance_;           // zeros: C enters S by itself
  Vector C_out_;                   // C with its regularisation, 9 per row block
  Vector H_, H_inverse_;           // 9 per node
  Vector b_, x_;                   // of S
  Vector scratch_, row_scratch_;   // 3 per node, 3 per row block
};

}  // namespace nsn
