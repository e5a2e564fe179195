/// Gauss-Seidel over contacts: each contact's own friction problem is solved exactly in turn.
///
/// The local problem u = W_ii x + p (p: everything the others do) has three cases:
///     open    p_N >= 0: x = 0
///     stick   x = -W_ii^-1 p if that lies in the cone
///     slip    x = x_N (1, mu t) with u_N = 0 and u_T = -|u_T| t: one equation for the angle of t
/// Cheap per sweep and good on easy problems; the number of sweeps grows without bound on stacks.
///
/// A row of W has a block for every contact of either body. Where W = J H^-1 J^T + E with block
/// diagonal H a sweep keeps w = H^-1 J^T x instead, the velocities of the bodies: two blocks of J
/// and of J H^-1 a body do what that row does.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/contact/factorization_cost.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

/// Sweeps that take the time of one factorisation of a matrix with this many blocks and contacts;
/// flops: operations of the symmetric one.
double sweeps_per_factorization(double flops, Index blocks, Index contacts);

/// Operations of one sweep.
double sweep_operations(Index blocks, Index contacts);

class ContactGaussSeidel {
 public:
  /// W and laws, viewed, not copied, in the same, possibly scaled, variables.
  ContactGaussSeidel(const BlockCsr& W, std::span<const RowLaw> laws);

  /// Another W, with laws of as many rows; refresh() must follow.
  void refit(const BlockCsr& W, std::span<const RowLaw> laws);
  /// W has new values.
  void refresh();
  /// The same, W = S (J H^-1 J^T + E) S: the factors serve if that is cheaper. Y = J H^-1, nine
  /// per block of J; s: diagonal of S, three per block row.
  void refresh(const BlockCsr& J, ConstVector Y, ConstVector s);
  /// The same whatever is cheaper; of W its diagonal blocks are enough.
  void use_factors(const BlockCsr& J, ConstVector Y, ConstVector s);
  /// Passes over all blocks in order; x is updated. Returns |change| / |x| of the last one.
  double sweep(ConstVector q, Vector x, int passes = 1);

 private:
  /// One block of S J and of S J H^-1.
  struct Factor {
    Index node;
    Block J;
    Block Y;
  };
  void set_velocities(const double* x);
  void add_others(Index i, const double* x, double* p) const;
  void add_velocities(Index i, const double* dx);
  void solve_block(Index i, const double* p, double* x) const;
  void solve_contact(Index i, const double* p, double* x) const;
  void solve_planar(Index i, const double* p, double* x) const;
  void solve_box(Index i, const double* p, double* x) const;

  BlockCsr W_;
  std::span<const RowLaw> laws_;
  std::vector<Index> diagonal_;  // block (i, i)
  std::vector<Block> inverse_;   // of W_ii; NaN if it is singular
  // Factors, empty: rows of W serve.
  std::vector<Factor> factors_;
  std::vector<Index> factor_begin_;  // of each block row
  std::vector<Block> own_;           // S J H^-1 J^T S of a block with itself
  std::vector<double> w_;            // H^-1 J^T S x, three per node
};

}  // namespace nsn
