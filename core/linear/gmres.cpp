#include "nsn/core/linear/gmres.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

constexpr int kGroup = 8;           // directions a kernel handles in one pass over the new one
constexpr double kCancelled = 0.7;  // |w| after / before Gram-Schmidt that asks for a second pass
constexpr double kStalledCycle = 0.999;  // |r| after / before a cycle: a guard against endless ones
constexpr double kZeroPivot = 1e-13;     // of the triangular factor, relative to its largest
constexpr const char* kNotFinite = "a product or the preconditioner returned NaN or infinity";

/// h[0..count) = V^T w for `count` <= kGroup consecutive directions of length n.
void project(const double* V, Index n, int count, const double* w, double* h) {
  const auto sum = sum_range<kGroup>(n, [=](Index first, Index last, auto& total) {
    for (int j = 0; j < count; ++j) {
      const double* const v = V + static_cast<std::ptrdiff_t>(j) * n;
      double s0 = 0.0;
      double s1 = 0.0;
      Index i = first;
      for (; i + 1 < last; i += 2) {
        s0 += v[i] * w[i];
        s1 += v[i + 1] * w[i + 1];
      }
      if (i < last) s0 += v[i] * w[i];
      total[static_cast<std::size_t>(j)] += s0 + s1;
    }
  });
  for (int j = 0; j < count; ++j) h[j] = sum[static_cast<std::size_t>(j)];
}

/// w = w + sign * V h for `count` consecutive directions.
void combine(const double* V, Index n, int count, const double* h, double sign, double* w) {
  for_range(n, [=](Index first, Index last) {
    for (int j = 0; j < count; ++j) {
      const double* const v = V + static_cast<std::ptrdiff_t>(j) * n;
      const double c = sign * h[j];
      for (Index i = first; i < last; ++i) w[i] += c * v[i];
    }
  });
}

}  // namespace

void Gmres::allocate(Index n, int directions) {
  NSN_THROW_UNLESS(n >= 0 && directions >= 1, "GMRES of {} rows with {} directions", n, directions);
  n_ = n;
  m_ = std::max(1, std::min(directions, static_cast<int>(n)));
  const auto size = static_cast<std::size_t>(n);
  const auto m = static_cast<std::size_t>(m_);
  V_ = allocate_vector("basis", size * (m + 1));
  w_ = allocate_vector("w", size);
  t_ = allocate_vector("t", size);
  x_ = allocate_vector("x", size);
  hessenberg_.assign((m + 1) * m, 0.0);
  cosine_.assign(m, 0.0);
  sine_.assign(m, 0.0);
  g_.assign(m + 1, 0.0);
  y_.assign(m, 0.0);
  h_.assign(m + 1, 0.0);
}

double Gmres::bytes_held() const {
  return 8.0 *
         (static_cast<double>(V_.extent(0)) + 3.0 * n_ + static_cast<double>(hessenberg_.size()));
}

Vector Gmres::basis(int j) const {
  const auto begin = static_cast<std::size_t>(j) * static_cast<std::size_t>(n_);
  return Kokkos::subview(V_, std::pair(begin, begin + static_cast<std::size_t>(n_)));
}

// basis(0) = r / |r| with r = b - A x, or P times that; returns |r|.
double Gmres::begin(const LinearMap& A, const LinearMap& P, GmresSide side, ConstVector b,
                    ConstVector x) {
  A(x, w_);
  ++products_;
  double norm = residual_norm(b, w_, w_);
  if (P && side == GmresSide::kLeft) {
    P(w_, t_);
    ++preconditions_;
    copy(t_, w_);
    norm = norm2(w_);
  }
  std::fill(g_.begin(), g_.end(), 0.0);
  g_[0] = norm;
  if (norm > 0.0 && std::isfinite(norm)) axpby(1.0 / norm, w_, 0.0, basis(0));
  vector_bytes_ += 40.0 * n_;
  return norm;
}

// w = A P v_j or P A v_j
void Gmres::next_direction(const LinearMap& A, const LinearMap& P, GmresSide side, int j) {
  ++products_;
  if (!P) {
    A(basis(j), w_);
    return;
  }
  ++preconditions_;
  if (side == GmresSide::kLeft) {
    A(basis(j), t_);
    P(t_, w_);
  } else {
    P(basis(j), t_);
    A(t_, w_);
  }
}

// w -= V V^T w, coefficients into column j of H; returns |w|.
double Gmres::orthogonalize(int j) {
  for (int i = 0; i <= j; ++i) H(i, j) = 0.0;
  double before = norm2(w_);
  for (int pass = 0; pass < 2; ++pass) {
    // All coefficients come from the same w: project first, subtract afterwards.
    for (int first = 0; first <= j; first += kGroup) {
      const int count = std::min(kGroup, j + 1 - first);
      project(V_.data() + static_cast<std::ptrdiff_t>(first) * n_, n_, count, w_.data(),
              h_.data() + first);
    }
    combine(V_.data(), n_, j + 1, h_.data(), -1.0, w_.data());
    for (int i = 0; i <= j; ++i) H(i, j) += h_[static_cast<std::size_t>(i)];
    vector_bytes_ += 16.0 * n_ * (j + 1) + 32.0 * n_;
    const double after = norm2(w_);
    if (after > kCancelled * before) return after;
    before = after;
  }
  return before;
}

// Givens rotations make column j of H triangular and keep |residual| in g(j + 1).
void Gmres::rotate(int j, double below) {
  const auto J = static_cast<std::size_t>(j);
  for (int i = 0; i < j; ++i) {
    const auto I = static_cast<std::size_t>(i);
    const double upper = H(i, j);
    const double lower = H(i + 1, j);
    H(i, j) = cosine_[I] * upper + sine_[I] * lower;
    H(i + 1, j) = -sine_[I] * upper + cosine_[I] * lower;
  }
  const double length = std::hypot(H(j, j), below);
  cosine_[J] = length > 0.0 ? H(j, j) / length : 1.0;
  sine_[J] = length > 0.0 ? below / length : 0.0;
  H(j, j) = length;
  g_[J + 1] = -sine_[J] * g_[J];
  g_[J] *= cosine_[J];
}

// x += V y or P V y, with y from the triangular system; a vanishing pivot (singular A) drops out.
void Gmres::update(const LinearMap& P, GmresSide side, int directions, Vector x) {
  double largest = 0.0;
  for (int i = 0; i < directions; ++i) largest = std::max(largest, std::abs(H(i, i)));
  const double floor = kZeroPivot * largest;
  for (int i = directions - 1; i >= 0; --i) {
    const auto I = static_cast<std::size_t>(i);
    double sum = g_[I];
    for (int k = i + 1; k < directions; ++k) sum -= H(i, k) * y_[static_cast<std::size_t>(k)];
    y_[I] = std::abs(H(i, i)) > floor ? sum / H(i, i) : 0.0;
  }
  const bool right = P && side == GmresSide::kRight;
  const Vector sum = right ? w_ : t_;
  axpby(y_[0], basis(0), 0.0, sum);
  combine(V_.data() + n_, n_, directions - 1, y_.data() + 1, 1.0, sum.data());
  if (right) {
    P(w_, t_);
    ++preconditions_;
  }
  vector_bytes_ += 8.0 * n_ * directions + 40.0 * n_;
  if (all_finite(t_)) axpby(1.0, t_, 1.0, x);
}

// One cycle of directions from the present residual; x is updated. Returns false if a product or the
// preconditioner returned a number that is not finite.
bool Gmres::run_cycle(const LinearMap& A, const LinearMap& P, GmresSide side, Vector x,
                      const IterationGoal& goal, const Monitor& monitor, LinearReport& report) {
  int j = 0;
  bool finite = true;
  double estimate = report.recurrence_residual;
  while (j < m_ && report.iterations < goal.limit && estimate > goal.target) {
    next_direction(A, P, side, j);
    const double below = orthogonalize(j);
    finite = std::isfinite(below);
    if (!finite) break;
    rotate(j, below);
    ++j;
    ++report.iterations;
    estimate = std::abs(g_[static_cast<std::size_t>(j)]);
    if (monitor) monitor({report.iterations, estimate, estimate, 0.0});
    // The space is exhausted when the new direction is rounding error.
    if (below <= 1e-15 * std::abs(H(j - 1, j - 1)) || below == 0.0) break;
    axpby(1.0 / below, w_, 0.0, basis(j));
    vector_bytes_ += 16.0 * n_;
  }
  copy(x, x_);
  if (j > 0) update(P, side, j, x);
  return finite;
}

// Returns true if the residual of report ends the iteration.
bool Gmres::ends(const IterationGoal& goal, LinearReport& report) {
  const double residual = report.recurrence_residual;
  if (!std::isfinite(residual)) {
    report.status = LinearStatus::kNonFinite;
    report.detail = kNotFinite;
  } else if (residual <= goal.target) {
    report.status = goal.converged(residual);
  } else if (report.iterations >= goal.limit) {
    report.status = goal.out_of_iterations();
  } else {
    return false;
  }
  return true;
}

void Gmres::solve(const LinearMap& A, const LinearMap& P, GmresSide side, ConstVector b, Vector x,
                  const LinearControl& control, const Monitor& monitor, LinearReport& report) {
  NSN_THROW_UNLESS(size_of(b) == n_ && size_of(x) == n_,
                   "GMRES allocated for {} rows, b of {} and x of {} entries", n_, b.extent(0),
                   x.extent(0));
  products_ = preconditions_ = 0;
  vector_bytes_ = 0.0;
  report.iterations = 0;
  double& residual = report.recurrence_residual;
  residual = begin(A, P, side, b, x);
  const double scale = side == GmresSide::kLeft ? residual : norm2(b);
  const IterationGoal goal(control, scale);
  if (monitor) monitor({0, residual, residual, 0.0});
  while (!ends(goal, report)) {
    const double before = residual;
    const bool finite = run_cycle(A, P, side, x, goal, monitor, report);
    residual = begin(A, P, side, b, x);
    if (!(residual <= before)) {  // nothing but rounding was gained: keep what was better
      copy(x_, x);
      residual = before;
    }
    if (!finite) {
      report.status = LinearStatus::kNonFinite;
      report.detail = kNotFinite;
      return;
    }
    if (residual > goal.target && residual > kStalledCycle * before &&
        report.iterations < goal.limit) {
      report.status = LinearStatus::kStagnation;
      report.detail =
          "a whole cycle of directions gained nothing: singular and inconsistent, or "
          "the tolerance is below rounding";
      return;
    }
  }
}

}  // namespace nsn
