/// W = J H^-1 J^T + E in 3x3 blocks, E block diagonal: how impulses change velocities.
///
/// The pattern follows from J's alone and is worked out once (analyze); assemble() only runs
/// through a list of block products and allocates nothing.
#pragma once

#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class Delassus {
 public:
  Delassus() = default;
  Delassus(const Delassus&) = delete;
  Delassus& operator=(const Delassus&) = delete;

  /// Takes the pattern of J (values are not read).
  void analyze(const BlockCsr& J);
  /// Forms the values. H_inverse: 9 per node; E: 9 per block row, added to the diagonal.
  void assemble(const BlockCsr& J, ConstVector H_inverse, ConstVector E);

  const BlockCsr& matrix() const { return W_; }
  /// J H^-1 of the last assembly, 9 per block of J.
  ConstVector factor() const { return ConstVector(Y_.data(), Y_.size()); }

 private:
  /// W block += Y(left) J(right)^T, Y = J H^-1.
  struct Product {
    Index left;
    Index right;
  };
  void find_pattern(const BlockCsr& J);
  void form_products(const BlockCsr& J);
  void sum_products(Index begin, Index end);

  BlockCsr W_;  // on the three that follow
  std::vector<Index> row_begin_, column_;
  std::vector<double> value_;
  std::vector<Product> products_;     // grouped by block of the upper triangle
  std::vector<Index> product_begin_;  // per upper block
  std::vector<Index> upper_;          // block of W
  std::vector<Index> mirror_;         // its transpose's block
  std::vector<double> Y_;             // J H^-1, 9 per block of J
  std::vector<double> Jt_;            // J's blocks transposed, each row of three in room for four
};

}  // namespace nsn
