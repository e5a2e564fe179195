/// Sparse matrix of 3x3 blocks in compressed rows: the storage of J, C, S (docs/notation.md).
///
/// A particle is one 3-dof node, a rigid body two (linear, angular); a contact is one 3-row block
/// (n, t1, t2). One block holds nine values and one index: 8.44 bytes an entry against 12 for
/// scalar CSR.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

using Block = std::array<double, kBlockSize>;  ///< row by row

/// True if these are zeros, of either sign.
inline bool all_zero(const double* values, int count) {
  int zeros = 0;
  while (zeros < count && values[zeros] == 0.0) ++zeros;
  return zeros == count;
}

/// One block of a block matrix; blocks with the same place add up.
struct BlockTriplet {
  Index row = 0;     ///< block row
  Index column = 0;  ///< block column
  Block value{};
};

/// A of (rows x columns) blocks, that is (3 rows x 3 columns) scalars. Blocks of block row i are
/// row_begin(i) ... row_begin(i+1) - 1, by ascending block column, each at most once.
struct BlockCsr {
  Index rows = 0;         ///< block rows
  Index columns = 0;      ///< block columns
  IndexVector row_begin;  ///< rows + 1
  IndexVector column;     ///< blocks
  Vector value;           ///< 9 * blocks

  Index blocks() const { return size_of(column); }
  Index scalar_rows() const { return kBlock * rows; }
  Index scalar_columns() const { return kBlock * columns; }
};

/// Sums duplicates. Throws std::invalid_argument for an index out of range.
BlockCsr block_csr_from_triplets(Index rows, Index columns, std::span<const BlockTriplet> triplets);

/// A^T, and how to refresh its values: block k of the transpose is the transpose of block source(k)
/// of A.
struct BlockTranspose {
  BlockCsr matrix;
  IndexVector source;
};
BlockTranspose transpose(const BlockCsr& A);
/// Copies the values of A into an existing transpose of the same pattern; allocates nothing.
void refresh(BlockTranspose& At, const BlockCsr& A);

/// Diagonal blocks of a square A, 9 * rows doubles; zero where a block is absent. out has that
/// length.
void diagonal_blocks(const BlockCsr& A, Vector out);

/// Where block (i, j) is stored, -1: nowhere.
Index find_block(const BlockCsr& A, Index i, Index j);
/// For each block (i, j) the place of block (j, i); empty if the pattern is not symmetric or a
/// diagonal block is absent.
std::vector<Index> transposed_blocks(const BlockCsr& A);
/// The same into `place`, whose room is kept.
void find_transposed_blocks(const BlockCsr& A, std::vector<Index>& place);

/// All nine entries of every block, stored zeros included: the pattern depends on A's pattern
/// alone.
Csr to_scalar(const BlockCsr& A);
/// Rows and columns are padded to a multiple of three; a padded diagonal gets 1 where A is square.
BlockCsr to_blocks(const Csr& A);

/// The arrays of a block matrix as bare pointers, for kernels.
class BlockRows {
 public:
  explicit BlockRows(const BlockCsr& A)
      : begin_(A.row_begin.data()), column_(A.column.data()), value_(A.value.data()) {}

  /// out[0..3) = block row i of A x
  void multiply(Index i, const double* x, double* out) const {
    double y0 = 0.0;
    double y1 = 0.0;
    double y2 = 0.0;
    const Index end = begin_[i + 1];
    for (Index k = begin_[i]; k < end; ++k) {
      const double* const a = value_ + static_cast<std::ptrdiff_t>(k) * kBlockSize;
      const double* const v = x + static_cast<std::ptrdiff_t>(column_[k]) * kBlock;
      prefetch_ahead(a);
      prefetch_ahead(a + 8);
      y0 += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
      y1 += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
      y2 += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
    }
    out[0] = y0;
    out[1] = y1;
    out[2] = y2;
  }

 private:
  const Index* begin_;
  const Index* column_;
  const double* value_;
};

/// y = A x
void multiply(const BlockCsr& A, ConstVector x, Vector y);
/// y += factor A^T x, on the calling thread
void add_transposed(const BlockCsr& A, double factor, ConstVector x, Vector y);

/// Inverts 3x3 blocks, e.g. M or H: out and in may be the same view. Returns the index of the first
/// block that is not finite or singular to rounding, -1 if there is none.
Index invert_blocks(ConstVector in, Vector out);

}  // namespace nsn
