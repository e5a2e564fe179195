/// H where it is not block diagonal: elastic rows eliminated, nodes coupled by geometric stiffness.
///
/// Of the rows of a step (core/step/system.h) those of elastic elements, index c, may leave the
/// unknowns: their impulse follows from the velocity, r_c = -E_c^-1 (v_c + J_c (u+ - u)), v_c the
/// value at u. What is left, index k, sees
///
///     H = M + K + J_c^T E_c^-1 J_c                             K: geometric stiffness
///     u_f = u - H^-1 (M (u - u_free) + J_c^T E_c^-1 v_c)       velocity without the impulses r_k
///     W = J_k H^-1 J_k^T + E_k,      q = J_k (u_f - u) + v_k
///     u+ = u_f + H^-1 J_k^T r_k
///
/// the Schur complement of the same linear system: the same answer to rounding. A soft body has
/// many elements and few contacts, so the sparse H (one node a particle) is far cheaper to
/// factorise than a W over all elements. H = L L^T by supernodes (core/factor/multifrontal.h);
/// W = Y^T Y with Y = L^-1 J_k^T from one forward solve with all columns, which visits only the
/// supernodes above nodes that a kept row touches. Nodes in different trees of the elimination do
/// not couple their rows.
#pragma once

#include <vector>

#include "nsn/core/factor/multifrontal.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"

namespace nsn {

class ElasticMass {
 public:
  /// Decides which rows stay for the pattern of `system`, and allocates. J: the pattern. What was
  /// analysed for the same elastic rows is kept. Of more than 20000 row blocks the elastic ones
  /// leave wherever there are fewer nodes: to count the operations of the rows' form would take
  /// more memory than all the rest.
  void analyze(const System& system, const BlockCsr& J, Elimination elimination,
               GeometricStiffness stiffness);
  /// false: no row is eliminated and H is block diagonal; nothing below may be called.
  bool sparse() const { return sparse_; }
  /// Row blocks that stay, ascending.
  const std::vector<Index>& kept() const { return kept_; }
  /// Row blocks that leave, ascending.
  const std::vector<Index>& eliminated() const { return eliminated_; }
  /// Operations of one linearisation in this form, and of the rows' own form (a lower bound where
  /// that decided).
  double eliminated_flops() const { return flops_; }
  double rows_flops() const { return rows_flops_; }

  /// Forms and factorises H at (u, r), `rows` evaluated there, and forms W. With full geometric
  /// stiffness all modes of it are in H where that is positive definite (Newton converges
  /// quadratically there), else the hardening ones; after such a failure the next few times at
  /// once. False: H has no Cholesky factor, which only numbers that are not finite can bring about.
  [[nodiscard]] bool assemble(StepEquations& equations, const StepEvaluation& rows, ConstVector u,
                              ConstVector r, GeometricStiffness stiffness);
  /// In place of assemble() where `rows` have hardly moved since: H and W stay those of the last
  /// one, the elastic impulses are those of `rows`.
  void keep_factor(const StepEvaluation& rows);
  /// v <- H^-1 v, 3 per node.
  void solve(Vector v) { factor_.solve(v.data()); }
  /// W over the kept rows.
  const BlockCsr& delassus() const { return W_; }
  const BlockCsr& H() const { return H_; }

  /// f += J_c^T E_c^-1 v_c
  void add_elastic_impulse(const StepEvaluation& rows, Vector f) const;
  /// r_c = -E_c^-1 v_c into the eliminated blocks of r: the elastic impulses where `rows` were
  /// evaluated.
  void elastic_impulses(const StepEvaluation& rows, Vector r) const;
  /// r_c = -E_c^-1 (v_c + J_c change): the same, linearised where `rows` and H were.
  void linear_impulses(const StepEvaluation& rows, ConstVector change, Vector r) const;

 private:
  /// Kept rows that touch one tree of the elimination, and the part of it they reach.
  struct Tree {
    std::vector<Index> rows;        // kept rows, ascending
    std::vector<Index> supernodes;  // reached, ascending
    Index scalars = 0;              // of them
  };
  struct Touch {  // block `entry` of J: row `row` of its tree, node at compact scalar `scalar`
    Index tree;
    Index row;
    Index entry;
    Index scalar;
  };

  bool choose(const BlockCsr& J, Elimination elimination);
  bool analyze_H(const System& system, const BlockCsr& J);
  void place_pairs(const BlockCsr& J);
  void find_trees(const BlockCsr& J);
  void analyze_W();
  [[nodiscard]] bool factorise(StepEquations& equations, const StepEvaluation& rows, ConstVector u,
                               ConstVector r, GeometricStiffness stiffness, StiffnessModes modes);
  void add_elastic_stiffness(const StepEvaluation& rows);
  void form_W(const StepEvaluation& rows);
  void forward(const Tree& tree, int columns);
  double reduced_flops() const;

  bool sparse_ = false;
  bool full_ = false;
  int hardening_left_ = 0;  // times that H is formed of hardening modes without trying all
  double flops_ = 0.0;
  double rows_flops_ = 0.0;
  std::vector<Index> kept_, eliminated_;
  std::vector<Index> pattern_;  // of the eliminated rows: what H was analysed for
  BlockCsr H_;
  std::vector<Index> pair_;        // block of H for each pair (p <= q) of an eliminated row's nodes
  std::vector<Index> transposed_;  // block of (j, i) for each block (i, j) of H
  std::vector<std::uint8_t> active_;
  Multifrontal factor_;
  Vector stiffness_;  // E_c^-1, 9 per eliminated block
  std::vector<Tree> trees_;
  std::vector<Touch> touches_;
  std::vector<Index> compact_;  // compact scalar of each place in the order, -1: not reached
  std::vector<Index> tree_of_;  // of each supernode
  BlockCsr W_;
  std::vector<Index> W_block_;  // tree by tree, rows i >= j of it: block of W, then its mirror
  Vector Y_, S_, T_;
};

}  // namespace nsn
