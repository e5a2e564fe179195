/// Dense kernels over rigid bodies: 6x6 blocks, rows padded to kPadded doubles.
///
/// Six is no width of any vector unit, eight is two or one of most: a row is one vector of eight
/// doubles, of which the last two are zero. The kernels are compiled several times, for plain
/// x86-64, for AVX2 and for AVX-512 (core/base/lanes.h), with the same result.
///
/// A panel has six rows, `stride` doubles from each other, and is read and written in whole
/// vectors: up to seven doubles beyond its last column, which must be zero. Pointers need no
/// alignment.
#pragma once

#include <cstddef>

namespace nsn::body_blocks {

inline constexpr std::size_t kBody = 6;    ///< degrees of freedom of a body
inline constexpr std::size_t kPadded = 8;  ///< doubles a row
inline constexpr std::size_t kSize = kBody * kPadded;

/// Doubles that n of them take in whole vectors.
constexpr std::size_t padded(std::size_t n) {
  return (n + kPadded - 1) / kPadded * kPadded;
}

/// Three rows over a body from their 3x3 blocks, and N times them: N 3x3.
void set_rows(const double* linear, const double* angular, const double* N, double* rows,
              double* scaled);

/// C += a^T b: a and b three rows, C a block.
void add_product(const double* a, const double* b, double* C);

/// D = L L^T in place: row j then holds row j of L before the diagonal, column j of L behind it,
/// and reciprocal[j] is 1 / L_jj. False: D is not positive definite, or not finite.
[[nodiscard]] bool factor(double* D, double* reciprocal);

/// X <- L^-1 X, a panel.
void divide(const double* L, const double* reciprocal, std::size_t columns, std::size_t stride,
            double* X);

/// C -= B^T X: B a block, C and X panels.
void subtract_product(const double* B, std::size_t columns, std::size_t x_stride, const double* X,
                      std::size_t c_stride, double* C);

/// Lower half of G += Y^T Y, Y a panel: row c of G, g_stride doubles from the next, gets its
/// columns 0 ... c, and up to seven more that mean nothing.
void add_gram(std::size_t columns, std::size_t stride, const double* Y, std::size_t g_stride,
              double* G);

/// y <- L^-1 y, y <- L^-T y: one column, kPadded doubles.
void forward(const double* L, const double* reciprocal, double* y);
void backward(const double* L, const double* reciprocal, double* y);

/// z -= B^T y, y -= B z: one column.
void subtract_transposed(const double* B, const double* y, double* z);
void subtract(const double* B, const double* z, double* y);

}  // namespace nsn::body_blocks
