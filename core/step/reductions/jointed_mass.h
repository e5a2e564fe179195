/// H of rigid bodies and the equations between them: rows without bounds leave the unknowns.
///
/// Of the rows of a step (core/step/system.h) those without bounds, index e, are equations: what
/// joints hold, springs, drives of any effort. The others, index k, are the complementarity
/// problem. Near a velocity u0 and impulses r_e0, with d = u - u0,
///
///     r_e = r_e0 - N (value_e + E_e r_e0 + J_e d),    N = (E_e + w rho_e)^-1
///
/// a proximal point step on r_e of weight w (of the effective mass rho of a row): what it leaves in
/// a rigid row is w rho (r_e - r_e0), and redundant rows are as good as any. With it
///
///     H = M + K + J_e^T N J_e                                  K: geometric stiffness
///     base = H^-1 (M (u_free - u0) + J_e^T (r_e0 - N (value_e + E_e r_e0)))
///     W = J_k H^-1 J_k^T + E_k,      q = value_k + J_k base
///     u = u0 + base + H^-1 J_k^T r_k
///
/// H couples bodies, 6x6 numbers each (core/factor/body_blocks.h), as joints do: a tree of links
/// has no fill, and its factor costs less than a few contacts. H = L L^T in an order of least
/// degree, such that what hangs below a body stands right before it. W is formed from Y = L^-1
/// J_k^T, of which a row has entries only between the bodies it touches and the root; the kept rows
/// of a tree stand in the order of the first body they touch, so those that reach a body are nearly
/// all within a range.
///
///   mass.analyze(system, J);                       // pattern: which rows, order, room
///   if (!mass.assemble(system, rows, blocks)) ...  // N, H, its factor, W
///   mass.solve(f);                                 // f <- H^-1 f
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/factor/body_factor.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"

namespace nsn {

/// The least operations that a factorisation over all rows of J can take.
double least_rows_flops(const BlockCsr& J);

class JointedMass {
 public:
  /// Takes the pattern; what depends on the equations alone is kept while they are the same. far:
  /// not zero for blocks that are left out altogether, one a block, or empty.
  void analyze(const System& system, const BlockCsr& J, const std::vector<std::uint8_t>& far = {});
  /// Row blocks that stay, ascending. There are no equations where not all bodies are rigid.
  const std::vector<Index>& kept() const { return kept_; }
  const std::vector<Index>& equations() const { return equations_; }
  /// Operations of one assemble() and of a factorisation of W.
  double flops() const { return flops_; }

  /// blocks: M + K, 9 per node. False: H has no factor, which only numbers that are not finite can
  /// bring about.
  [[nodiscard]] bool assemble(const System& system, const StepEvaluation& rows, ConstVector blocks);
  /// W over the kept rows.
  const BlockCsr& delassus() const { return W_; }
  /// f <- H^-1 f, 3 per node
  void solve(Vector f) { factor_.solve(f); }
  /// s = r_e0 - N (value_e + E_e r_e0), in the rows of the equations; others are left alone. r: empty for zero.
  void free_impulses(const StepEvaluation& rows, ConstVector r, Vector s) const;
  /// r_e = s - N J_e d
  void impulses(const BlockCsr& J, ConstVector s, ConstVector d, Vector r) const;

 private:
  /// What a row block does to one body: its blocks of J, -1: none.
  struct Side {
    Index place;  // of the body in the order
    Index linear;
    Index angular;
  };
  /// A kept row in one tree.
  struct Reach {
    Index first;  // place that it touches there
    Index row;    // of kept_
    Index tree;
  };
  struct Tree {
    Index root = 0;       // place
    Index row_begin = 0;  // in reach_
    Index row_end = 0;
    std::size_t pairs = 0;  // in target_
  };
  /// Rows of the tree that reach a place, and more: first ... last - 1, and Y there.
  struct Panel {
    Index first = 0;
    Index last = 0;
    std::size_t begin = 0;  // in Y_
    std::size_t stride = 0;

    std::size_t columns() const { return kBlock * static_cast<std::size_t>(last - first); }
  };

  void find_sides(const BlockCsr& J, const std::vector<Index>& rows, std::vector<Index>& begin,
                  std::vector<Side>& sides) const;
  bool same_equations(const System& system, const BlockCsr& J);
  void analyze_equations(const BlockCsr& J, Index bodies);
  void analyze_rows();
  void widen(Index place, Index rank);
  void lay_panels();
  void analyze_W();
  void count_flops();
  void form_H(const System& system, const StepEvaluation& rows, ConstVector blocks);
  void set_panels(const StepEvaluation& rows);
  void form_W(const StepEvaluation& rows);
  void add_tree(const Tree& tree);

  std::vector<Index> equations_, kept_;
  std::vector<Index> pattern_;  // of the equations: what was analysed
  double flops_ = 0.0;

  BodyFactor factor_;
  std::vector<Index> equation_begin_, equation_block_;  // off-diagonal block of each pair of sides
  std::vector<Side> equation_sides_;
  std::vector<double> N_;  // 9 per equation

  std::vector<Index> kept_begin_;
  std::vector<Side> kept_sides_;
  std::vector<Reach> reach_;   // tree by tree, in the order of rows there
  std::vector<Panel> panels_;  // of each place
  std::vector<double> Y_, gram_;
  std::vector<Tree> trees_;
  bool dense_ = false;         // one tree: W has all blocks
  std::vector<Index> target_;  // else: tree by tree, rows i >= j: block of W, then its mirror
  BlockCsr W_;
  std::vector<Index> W_begin_, W_column_;
  std::vector<double> W_value_;
};

}  // namespace nsn
