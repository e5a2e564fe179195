/// W = J H^-1 J^T + E in 3x3 blocks, E block diagonal: how impulses change velocities.
///
/// The pattern follows from J's alone and is worked out once (analyze); assemble() only runs
/// through a list of block products and allocates nothing.
#pragma once

#include <vector>

#include "core/block_csr.h"
#include "core/types.h"

namespace nsn {

class Delassus {
 public:
  /// Takes the pattern of J (values are not read).
  void analyze(const BlockCsr& J);
  /// Forms the values. H_inverse: 9 per node; E: 9 per block row, added to the diagonal.
  void assemble(const BlockCsr& J, ConstVector H_inverse, ConstVector E);

  const BlockCsr& matrix() const { return W_; }

 private:
  /// W block += Y(left) J(right)^T, Y = J H^-1.
  struct Product {
    Index left;
    Index right;
  };
  void form_products(const BlockCsr& J);

  BlockCsr W_;
  std::vector<Product> products_;     // grouped by block of the upper triangle
  std::vector<Index> product_begin_;  // per upper block
  std::vector<Index> upper_;          // block of W
  std::vector<Index> mirror_;         // its transpose's block
  Vector Y_;                          // 9 per block of J
};

}  // namespace nsn
