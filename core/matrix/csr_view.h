/// Arrays of another program as matrices: views, checked, not copied.
///
///   const Csr A = csr_view("A", n, n, {row_begin, column, value});
///
/// The arrays must live as long as the view; nothing here writes through it.
#pragma once

#include <span>
#include <string_view>

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

/// Compressed rows: entries of row i are value[row_begin[i]] ... value[row_begin[i + 1] - 1], by strictly
/// ascending column.
struct CsrArrays {
  std::span<const Index> row_begin;
  std::span<const Index> column;
  std::span<const double> value;
};

/// Throws std::invalid_argument that names the matrix and the row for arrays that are no such matrix.
Csr csr_view(std::string_view name, Index rows, Index columns, const CsrArrays& arrays);
/// The same for rows x columns blocks of 3 x 3, nine values per entry, row by row.
BlockCsr block_csr_view(std::string_view name, Index rows, Index columns, const CsrArrays& arrays);

}  // namespace nsn
