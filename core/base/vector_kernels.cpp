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

double norm2(ConstVector x) {
  return std::sqrt(dot(x, x));
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
  return std::sqrt(sum_range<1>(size_of(b), [=](Index first, Index last, auto& sum) {
    double s = 0.0;
    for (Index i = first; i < last; ++i) {
      const double ri = b(i) - Ax(i);
      r(i) = ri;
      s += ri * ri;
    }
    sum[0] += s;
  })[0]);
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
