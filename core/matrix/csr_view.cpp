#include "nsn/core/matrix/csr_view.h"

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

void check(std::string_view name, Index rows, Index columns, const CsrArrays& A,
           std::size_t values_per_entry) {
  NSN_THROW_UNLESS(rows >= 0 && columns >= 0, "{}: {} x {}", name, rows, columns);
  NSN_THROW_UNLESS(A.row_begin.size() == to_size(rows) + 1,
                   "{}: {} entries of row_begin for {} rows", name, A.row_begin.size(), rows);
  NSN_THROW_UNLESS(A.row_begin.front() == 0, "{}: row_begin starts with {}, not 0", name,
                   A.row_begin.front());
  NSN_THROW_UNLESS(A.column.size() * values_per_entry == A.value.size(),
                   "{}: {} columns for {} values", name, A.column.size(), A.value.size());
  for (std::size_t i = 0; i < to_size(rows); ++i) {
    NSN_THROW_UNLESS(A.row_begin[i] <= A.row_begin[i + 1], "{}: row_begin falls at row {}", name,
                     i);
  }
  NSN_THROW_UNLESS(static_cast<std::size_t>(A.row_begin.back()) == A.column.size(),
                   "{}: row_begin ends with {}, and there are {} entries", name, A.row_begin.back(),
                   A.column.size());
  for (std::size_t i = 0; i < to_size(rows); ++i) {
    for (Index k = A.row_begin[i]; k < A.row_begin[i + 1]; ++k) {
      const Index column = A.column[to_size(k)];
      NSN_THROW_UNLESS(column >= 0 && column < columns,
                       "{}: column {} in row {} of a matrix of {} columns", name, column, i,
                       columns);
      NSN_THROW_UNLESS(k == A.row_begin[i] || A.column[to_size(k - 1)] < column,
                       "{}: the columns of row {} do not ascend", name, i);
    }
  }
}

/// The library's arrays are views of what may be written; nothing writes through these.
template <class View, class T>
View view_of(std::span<const T> from) {
  return View(const_cast<T*>(from.data()), from.size());
}

}  // namespace

Csr csr_view(std::string_view name, Index rows, Index columns, const CsrArrays& arrays) {
  check(name, rows, columns, arrays, 1);
  return {rows, columns, view_of<IndexVector>(arrays.row_begin),
          view_of<IndexVector>(arrays.column), view_of<Vector>(arrays.value)};
}

BlockCsr block_csr_view(std::string_view name, Index rows, Index columns, const CsrArrays& arrays) {
  check(name, rows, columns, arrays, kBlockSize);
  return {rows, columns, view_of<IndexVector>(arrays.row_begin),
          view_of<IndexVector>(arrays.column), view_of<Vector>(arrays.value)};
}

}  // namespace nsn
