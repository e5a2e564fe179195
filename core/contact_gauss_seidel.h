/// Gauss-Seidel over contacts: each contact's own friction problem is solved exactly in turn.
///
/// The local problem u = W_ii x + p (p: everything the others do) has three cases:
///     open    p_N >= 0: x = 0
///     stick   x = -W_ii^-1 p where that lies in the cone
///     slip    x = x_N (1, mu t) with u_N = 0 and u_T = -|u_T| t: one equation for the angle of t
/// Cheap per sweep and good on easy problems; the number of sweeps grows without bound on stacks.
#pragma once

#include <vector>

#include "core/block_csr.h"
#include "core/contact_rows.h"
#include "core/types.h"

namespace nsn {

/// Operations from which a factorisation is dear: sweeps before it are worth their time.
inline constexpr double kDearFactorization = 3e6;
/// Sweeps that take the time of one factorisation of a matrix with so many blocks and contacts;
/// flops: operations of the symmetric one.
double sweeps_per_factorization(double flops, Index blocks, Index contacts);

class ContactGaussSeidel {
 public:
  /// W (viewed, not copied) and rows in the same, possibly scaled, variables; bounds three a block.
  ContactGaussSeidel(const BlockCsr& W, const ContactRows& rows, ConstVector lower,
                     ConstVector upper);

  /// W has new values.
  void refresh();
  /// One pass over all blocks in order; x is updated. Returns |change| / |x|.
  double sweep(ConstVector q, Vector x);

 private:
  void solve_contact(Index i, const double* p, double* x) const;
  void solve_planar(Index i, const double* p, double* x) const;
  void solve_box(Index i, const double* p, double* x) const;

  BlockCsr W_;
  const ContactRows& rows_;
  ConstVector lower_, upper_;
  std::vector<Index> diagonal_;  // block (i, i)
  std::vector<Block> inverse_;   // of W_ii; NaN where it is singular
};

}  // namespace nsn
