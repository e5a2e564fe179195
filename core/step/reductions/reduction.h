/// The rows of a step, linearised, as a problem over fewer unknowns.
///
/// At a velocity u0 with impulses r0 the rows of a step (core/step/system.h) are linearised. Some
/// of them may leave the unknowns; those that stay, index k, see
///
///     v = W r_k + q,      u = u0 + base + push(r_k)
///     W = J_k H^-1 J_k^T + E_k,      push(r_k) = H^-1 J_k^T (r_k - reference)
///
/// with H = M + geometric stiffness + what the eliminated rows add to it. Three implementations:
///
///     BlockDiagonalReduction  every row stays; H is 3x3 blocks on the diagonal
///     ElasticReduction        rows of elastic elements leave; H is sparse over nodes
///     JointedReduction        rows without bounds leave; H is 6x6 blocks over rigid bodies
///
/// A method linearises, solves v = W r_k + q with the laws of its rows, and takes u from r_k. It
/// sees this interface alone; Reductions::choose (core/step/reductions/reductions.h) decides among the three.
#pragma once

#include <vector>

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/step_method.h"
#include "nsn/core/step/system.h"

namespace nsn {

class StepReduction {
 public:
  virtual ~StepReduction() = default;

  /// Row blocks that stay, ascending.
  const std::vector<Index>& kept() const { return kept_; }
  /// Row blocks that are eliminated, ascending.
  virtual const std::vector<Index>& eliminated() const = 0;
  /// To be called at the start of every step, after analysis.
  void begin(const System& system);
  /// Linearises at (u, r), `at` evaluated there, and takes the rows out of `at`, which has to be
  /// evaluated before it is used again. stiffness: with geometric stiffness in H. Returns false if
  /// H has no factor, which only numbers that are not finite can cause.
  [[nodiscard]] virtual bool linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                                       ConstVector r, bool stiffness) = 0;
  /// The next linearisation measures impulses of eliminated rows from zero, not from r: those of redundant joints that
  /// only balance each other would grow from step to step.
  virtual void forget_impulses() {}
  virtual const BlockCsr& W() const = 0;
  /// 3 per kept block, m/s. A method may change what it asks of its rows.
  Vector q() { return q_; }
  /// Rows at u0, the point of the last linearisation.
  const StepEvaluation& rows() const { return rows_; }
  ConstVector origin() const { return origin_; }  ///< u0
  ConstVector base() const { return base_; }
  /// H^-1 J_k^T (r - reference), 3 per node.
  virtual void push(ConstVector r, Vector out) = 0;
  /// r of the eliminated rows for the motion d = u - u0; other entries are left alone.
  virtual void eliminated_impulses(ConstVector d, Vector r) const = 0;
  /// J H^-1, 9 per block of J, if it was formed; empty otherwise.
  virtual ConstVector factor() const { return {}; }
  /// H, 9 per node, if it is block diagonal; empty otherwise.
  virtual ConstVector H_blocks() const { return {}; }
  /// Rows and error at state.u = u0 + base + push, d = state.u - u0 before it is rounded. Impulses
  /// of eliminated rows may be improved: nonlinear rows follow the motion.
  virtual StepError evaluate(StepEquations& equations, StepEvaluation& at, ConstVector d,
                             State& state);

  /// Kept entries of a vector over all rows, and back.
  void gather(ConstVector all, Vector kept) const;
  void scatter(ConstVector kept, Vector all) const;

 protected:
  /// Sizes base, q and origin; to be called at the end of an analysis.
  void allocate(const System& system);
  /// base = M (u_free - u), origin = u.
  void start_at(const System& system, ConstVector u);
  /// q = value + J base over the kept rows.
  void set_q(const BlockCsr& J, ConstVector value);
  /// f += factor J_k^T r over the kept rows.
  void add_kept_impulse(double factor, ConstVector r, Vector f) const;
  /// Takes the rows of `at`, which keeps those that were here.
  void take(StepEvaluation& at) { rows_.swap(at); }

  std::vector<Index> kept_;
  StepEvaluation rows_;
  Vector q_;
  Vector origin_, base_;
  Vector impulse_;  ///< scratch, 3 per node
  Vector H_;        ///< M + geometric stiffness, 9 per node

 private:
  std::vector<double> arena_;
};

/// Shows the Newton matrix S of the reduced problem to the monitor's observer.
void show(StepMonitor& monitor, StepReduction& reduction, const LinearOperator& S, ConstVector b);

}  // namespace nsn
