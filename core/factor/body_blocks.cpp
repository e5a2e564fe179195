#include "nsn/core/factor/body_blocks.h"

#include <cmath>

#include "nsn/core/base/lanes.h"

namespace nsn::body_blocks {
namespace {

using Lanes = Lanes8;
static_assert(kPadded == 8);

}  // namespace

NSN_VERSIONS void set_rows(const double* linear, const double* angular, const double* N,
                           double* rows, double* scaled) {
  Lanes row[3];  // made in registers: what is stored piece by piece cannot be loaded whole at once
  for (std::size_t i = 0; i < 3; ++i) {
    const double* const l = linear + 3 * i;
    const double* const a = angular + 3 * i;
    row[i] = Lanes{l[0], l[1], l[2], a[0], a[1], a[2], 0.0, 0.0};
    reinterpret_cast<Lanes*>(rows)[i] = row[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Lanes sum = N[3 * i] * row[0];
    sum += N[3 * i + 1] * row[1];
    sum += N[3 * i + 2] * row[2];
    reinterpret_cast<Lanes*>(scaled)[i] = sum;
  }
}

NSN_VERSIONS void add_product(const double* a, const double* b, double* C) {
  const auto* const rows = reinterpret_cast<const Lanes*>(b);
  auto* const out = reinterpret_cast<Lanes*>(C);
  const Lanes b0 = rows[0];
  const Lanes b1 = rows[1];
  const Lanes b2 = rows[2];
  for (std::size_t i = 0; i < kBody; ++i) {
    Lanes sum = out[i];
    sum += a[i] * b0;
    sum += a[kPadded + i] * b1;
    sum += a[2 * kPadded + i] * b2;
    out[i] = sum;
  }
}

/// Right-looking: column j is done, then leaves those after it.
NSN_VERSIONS bool factor(double* D, double* reciprocal) {
  Lanes row[kBody];
  for (std::size_t i = 0; i < kBody; ++i) row[i] = reinterpret_cast<const Lanes*>(D)[i];
  bool ok = true;  // no pivot was zero, negative or not finite
  for (std::size_t j = 0; j < kBody; ++j) {
    const double r = 1.0 / std::sqrt(row[j][j]);
    ok = ok && r > 0.0 && std::isfinite(r);
    row[j] = r * row[j];
    reciprocal[j] = r;
    for (std::size_t i = j + 1; i < kBody; ++i) row[i] -= row[j][i] * row[j];
  }
  for (std::size_t j = 0; j < kBody; ++j) reinterpret_cast<Lanes*>(D)[j] = row[j];
  for (std::size_t j = 1; j < kBody; ++j) {
    for (std::size_t i = 0; i < j; ++i) D[kPadded * j + i] = row[i][j];
  }
  return ok;
}

NSN_VERSIONS void divide(const double* L, const double* reciprocal, std::size_t columns,
                         std::size_t stride, double* X) {
  for (std::size_t c = 0; c < columns; c += kPadded) {
    Lanes x[kBody];
    for (std::size_t i = 0; i < kBody; ++i) {
      x[i] = *reinterpret_cast<const Lanes*>(X + i * stride + c);
    }
    for (std::size_t j = 0; j < kBody; ++j) {
      x[j] = reciprocal[j] * x[j];
      for (std::size_t i = j + 1; i < kBody; ++i) x[i] -= L[kPadded * j + i] * x[j];
    }
    for (std::size_t i = 0; i < kBody; ++i) *reinterpret_cast<Lanes*>(X + i * stride + c) = x[i];
  }
}

NSN_VERSIONS void subtract_product(const double* B, std::size_t columns, std::size_t x_stride,
                                   const double* X, std::size_t c_stride, double* C) {
  for (std::size_t c = 0; c < columns; c += kPadded) {
    Lanes x[kBody];
    for (std::size_t j = 0; j < kBody; ++j) {
      x[j] = *reinterpret_cast<const Lanes*>(X + j * x_stride + c);
    }
    for (std::size_t i = 0; i < kBody; ++i) {
      auto* const out = reinterpret_cast<Lanes*>(C + i * c_stride + c);
      Lanes sum = *out;
      for (std::size_t j = 0; j < kBody; ++j) sum -= B[kPadded * j + i] * x[j];
      *out = sum;
    }
  }
}

NSN_VERSIONS void add_gram(std::size_t columns, std::size_t stride, const double* Y,
                           std::size_t g_stride, double* G) {
  for (std::size_t d = 0; d < columns; d += kPadded) {
    Lanes y[kBody];
    for (std::size_t j = 0; j < kBody; ++j) {
      y[j] = *reinterpret_cast<const Lanes*>(Y + j * stride + d);
    }
    for (std::size_t c = d; c < columns; ++c) {
      auto* const out = reinterpret_cast<Lanes*>(G + c * g_stride + d);
      Lanes sum = *out;
      for (std::size_t j = 0; j < kBody; ++j) sum += Y[j * stride + c] * y[j];
      *out = sum;
    }
  }
}

/// Entries that are done change further and mean nothing: y has them.
NSN_VERSIONS void forward(const double* L, const double* reciprocal, double* y) {
  const auto* const column = reinterpret_cast<const Lanes*>(L);
  Lanes left = *reinterpret_cast<const Lanes*>(y);
  for (std::size_t j = 0; j < kBody; ++j) {
    const double y_j = left[j] * reciprocal[j];
    left -= y_j * column[j];
    y[j] = y_j;
  }
}

NSN_VERSIONS void backward(const double* L, const double* reciprocal, double* y) {
  const auto* const row = reinterpret_cast<const Lanes*>(L);
  Lanes left = *reinterpret_cast<const Lanes*>(y);
  for (std::size_t j = kBody; j-- > 0;) {
    const double y_j = left[j] * reciprocal[j];
    left -= y_j * row[j];
    y[j] = y_j;
  }
}

NSN_VERSIONS void subtract_transposed(const double* B, const double* y, double* z) {
  const auto* const row = reinterpret_cast<const Lanes*>(B);
  Lanes sum = *reinterpret_cast<const Lanes*>(z);
  for (std::size_t j = 0; j < kBody; ++j) sum -= y[j] * row[j];
  *reinterpret_cast<Lanes*>(z) = sum;
}

NSN_VERSIONS void subtract(const double* B, const double* z, double* y) {
  const auto* const row = reinterpret_cast<const Lanes*>(B);
  const Lanes all = *reinterpret_cast<const Lanes*>(z);
  double sum[kBody];
  for (std::size_t j = 0; j < kBody; ++j) {
    const Lanes p = row[j] * all;
    sum[j] = (p[0] + p[1]) + (p[2] + p[3]) + (p[4] + p[5]);
  }
  *reinterpret_cast<Lanes*>(y) -= Lanes{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], 0.0, 0.0};
}

}  // namespace nsn::body_blocks
