/// Dense kernels of small fronts, column by column.
///
/// They work on vectors of four doubles (eight where the build's own flags allow): no intrinsics,
/// the compiler's vector types where it has them and plain arrays where it has not. A build for any
/// x86-64 carries them twice and takes those for AVX2 where the processor has it; a result does not
/// depend on which.
///
/// Matrices are column-major with a leading dimension. A kernel may read, and write back unchanged,
/// up to kBeyond doubles beyond a column: allocate that much more at the end of a buffer.
#pragma once

#include <cstddef>

namespace nsn::front {

inline constexpr int kBeyond = 7;

/// Where the right factor's entry (k, j) lies: b[k * row + j * column].
struct Strides {
  std::size_t row;
  std::size_t column;
};

/// C (rows x columns) -= A (rows x depth) B (depth x columns), or C = -A B.
void subtract_product(int rows, int columns, int depth, const double* a, std::size_t lda,
                      const double* b, Strides sb, double* c, std::size_t ldc);
void set_product(int rows, int columns, int depth, const double* a, std::size_t lda,
                 const double* b, Strides sb, double* c, std::size_t ldc);
template <bool kAdd = true>
void multiply_subtract(int rows, int columns, int depth, const double* a, std::size_t lda,
                       const double* b, Strides sb, double* c, std::size_t ldc) {
  kAdd ? subtract_product(rows, columns, depth, a, lda, b, sb, c, ldc)
       : set_product(rows, columns, depth, a, lda, b, sb, c, ldc);
}

/// Lower triangle of C (rows x rows) -= A A^T, A (rows x depth), or C = -A A^T; entries above the
/// diagonal inside a tile are written too and mean nothing.
void subtract_square(int rows, int depth, const double* a, std::size_t lda, double* c,
                     std::size_t ldc);
void set_square(int rows, int depth, const double* a, std::size_t lda, double* c, std::size_t ldc);
template <bool kAdd = true>
void multiply_subtract_lower(int rows, int depth, const double* a, std::size_t lda, double* c,
                             std::size_t ldc) {
  kAdd ? subtract_square(rows, depth, a, lda, c, ldc) : set_square(rows, depth, a, lda, c, ldc);
}

/// LU of the first p columns of a front of f rows: L (f x p, ld f) holds both factors,
/// U (p x u, ld p) the rest of the pivot rows. Pivots are sought in the p rows only; the diagonal
/// is kept where it reaches `threshold` of the largest. pivot[k] is the row exchanged with row k.
/// Returns the column without a usable pivot, or -1.
int factor_lu(double* L, int f, int p, double* U, int u, int* pivot, double threshold);

/// Cholesky of the first p columns of a front of f rows, lower part, ld f. Returns the column whose
/// pivot is not positive, or -1.
int factor_cholesky(double* L, int f, int p);

/// Solves with those factors, p pivots of a front of f rows. Forward:
///   own <- L11^-1 own,   update (f - p) = L21 own;
/// backward, `known` the entries of the rows below (LU: their negative):
///   own <- U11^-1 (own + U known),   own <- L11^-T (own - L21^T known)
void forward_lu(const double* L, int f, int p, double* own, double* update);
void forward_cholesky(const double* L, int f, int p, double* own, double* update);
void backward_lu(const double* L, int f, int p, const double* U, int u, const double* known,
                 double* own);
void backward_cholesky(const double* L, int f, int p, const double* known, double* own);

}  // namespace nsn::front
