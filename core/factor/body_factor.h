/// H = L L^T over rigid bodies, 6x6 numbers each (core/factor/body_blocks.h), coupled as joints couple
/// them: a tree of links has no fill.
///
/// The order is one of least degree, such that what hangs below a body stands right before it. A
/// place is a body's position in the order. Column k of L has a diagonal block and one for each later
/// place below it; blocks beside the diagonal are transposed.
///
///   factor.analyze(neighbours);                    // which bodies are coupled: order, room
///   factor.clear();  ... factor.diagonal(k) ...    // fill in H, lower half
///   if (!factor.factorise()) ...                   // H -> L in place
///   factor.solve(f);                               // f <- H^-1 f
#pragma once

#include <span>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {

class BodyFactor {
 public:
  /// neighbours: of each body, in any order, repeated or not.
  void analyze(std::vector<std::vector<Index>> neighbours);

  Index bodies() const { return static_cast<Index>(order_.size()); }
  Index place(Index body) const { return place_[static_cast<std::size_t>(body)]; }
  Index body(Index place) const { return order_[static_cast<std::size_t>(place)]; }
  /// Place of the root of the tree that a place is in.
  Index root(Index place) const { return root_[static_cast<std::size_t>(place)]; }
  /// Blocks of column `place`: first ... last - 1, and the place of block b.
  Index first_block(Index place) const { return below_begin_[static_cast<std::size_t>(place)]; }
  Index last_block(Index place) const { return below_begin_[static_cast<std::size_t>(place) + 1]; }
  Index place_of_block(Index b) const { return below_[static_cast<std::size_t>(b)]; }
  /// Block of column p in row q > p, places.
  Index block_of(Index p, Index q) const;

  /// H = 0.
  void clear();
  double* diagonal(Index place);
  double* off(Index block);
  /// Reciprocals of the diagonal of L, once factorised.
  const double* reciprocal(Index place) const;
  /// Returns false if H is not positive definite.
  [[nodiscard]] bool factorise();
  /// f <- H^-1 f, 6 numbers per body in the order of bodies.
  void solve(Vector f);

 private:
  std::vector<Index> place_, order_;  // body -> place, place -> body
  std::vector<Index> below_begin_, below_;
  std::vector<Index> target_of_pair_;  // of column k: blocks its pairs update
  std::vector<Index> root_;            // of each place
  std::vector<double> diagonal_, off_, reciprocal_;
  std::vector<double> x_;  // of each place
};

}  // namespace nsn
