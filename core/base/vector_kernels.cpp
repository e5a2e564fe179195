#include "nsn/core/base/vector_kernels.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/parallel.h"

namespace nsn {

void copy(ConstVector x, Vector y) {
  for_range(size_of(y), [&](Index begin, Index end) {
    std::copy(x.data() + begin, x.data() + end, y.data() + begin);
  });
}

Vector duplicate(ConstVector x) {
  Vector y(Kokkos::view_alloc(std::string("duplicate"), Kokkos::WithoutInitializing), x.size());
  copy(x, y);
  return y;
}

void fill(Vector x, double value) {
  for_range(size_of(x),
            [&](Index begin, Index end) { std::fill(x.data() + begin, x.data() + end, value); });
}

double dot(ConstVector x, ConstVector y) {
  return sum_range<1>(size_of(x), [=](Index first, Index last, auto& sum) {
    double s = 0.0;
    for (Index i = first; i < last; ++i) s += x(i) * y(i);
    sum[0] += s;
  })[0];
}

namespace {

/// The squares of such numbers neither overflow nor lose digits to underflow.
bool ordinary_square(double sum) {
  return sum > 1e-290 && std::isfinite(sum);
}

/// |x|_2 by numbers scaled to the largest.
double scaled_norm(ConstVector x) {
  const double largest = norm_max(x);
  if (!(largest > 0.0) || !std::isfinite(largest)) return largest;
  const double factor = std::exp2(std::min(-std::ilogb(largest), 1000));
  double sum = 0.0;
  for (Index i = 0; i < size_of(x); ++i) sum += (factor * x(i)) * (factor * x(i));
  return std::sqrt(sum) / factor;
}

}  // namespace

double norm2(ConstVector x) {
  const double sum = dot(x, x);
  return ordinary_square(sum) ? std::sqrt(sum) : scaled_norm(x);
}

double norm_max(ConstVector x) {
  double largest = 0.0;
  for (Index i = 0; i < size_of(x); ++i) {
    if (std::isnan(x(i))) return x(i);
    largest = std::max(largest, std::abs(x(i)));
  }
  return largest;
}

void axpby(double a, ConstVector x, double b, Vector y) {
  for_range(size_of(x), [=](Index first, Index last) {
    if (b == 0.0) {
      for (Index i = first; i < last; ++i) y(i) = a * x(i);
    } else {
      for (Index i = first; i < last; ++i) y(i) = a * x(i) + b * y(i);
    }
  });
}

double residual_norm(ConstVector b, ConstVector Ax, Vector r) {
  const double sum = sum_range<1>(size_of(b), [=](Index first, Index last, auto& total) {
    double s = 0.0;
    for (Index i = first; i < last; ++i) {
      const double ri = b(i) - Ax(i);
      r(i) = ri;
      s += ri * ri;
    }
    total[0] += s;
  })[0];
  return ordinary_square(sum) ? std::sqrt(sum) : scaled_norm(r);
}

bool all_finite(ConstVector x) {
  return std::isfinite(sum_range<1>(size_of(x), [=](Index first, Index last, auto& sum) {
    double part[8] = {};  // so that the additions need not wait for each other
    Index i = first;
    for (; i + 8 <= last; i += 8) {
      for (Index l = 0; l < 8; ++l) part[l] += 0.0 * x(i + l);  // 0 * (NaN or infinity) = NaN
    }
    for (; i < last; ++i) part[0] += 0.0 * x(i);
    for (const double s : part) sum[0] += s;
  })[0]);
}

Vector zero_vector(Index n) {
  Vector v(Kokkos::view_alloc("vector", Kokkos::WithoutInitializing), static_cast<std::size_t>(n));
  std::fill_n(v.data(), v.extent(0), 0.0);
  return v;
}

}  // namespace nsn
