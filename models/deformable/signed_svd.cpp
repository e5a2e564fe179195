#include "nsn/models/deformable/signed_svd.h"

#include <cmath>
#include <limits>
#include <utility>

namespace nsn {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Quadratic convergence needs 4 to 6 sweeps; more are spent only on columns that are rounding
// noise.
constexpr int kMaxSweeps = 12;

struct Rotation {
  double c;
  double s;
};

// The smaller rotation that annihilates b in [[a, b], [b, d]].
Rotation jacobi_rotation(double a, double b, double d) {
  const double tau = (d - a) / (2.0 * b);
  const double t = std::copysign(1.0 / (std::fabs(tau) + std::sqrt(1.0 + tau * tau)), tau);
  const double c = 1.0 / std::sqrt(1.0 + t * t);
  return {c, t * c};
}

// Columns (p, q) of A times the rotation.
void rotate_columns(Mat3& A, int p, int q, const Rotation& r) {
  for (int i = 0; i < 3; ++i) {
    const double ap = A(i, p);
    const double aq = A(i, q);
    A(i, p) = r.c * ap - r.s * aq;
    A(i, q) = r.s * ap + r.c * aq;
  }
}

// One sweep over the three pairs of columns of B = F V; true if none had to be turned.
bool orthogonalise_columns(Mat3& B, Mat3& V) {
  bool done = true;
  for (int p = 0; p < 2; ++p) {
    for (int q = p + 1; q < 3; ++q) {
      const Vec3 bp = column(B, p);
      const Vec3 bq = column(B, q);
      const double a = dot(bp, bp);
      const double d = dot(bq, bq);
      const double b = dot(bp, bq);
      // A product that is a denormal number has no digits left to act on.
      if (std::fabs(b) <= kEpsilon * std::sqrt(a * d) || std::fabs(b) < 1e-300) continue;
      const Rotation r = jacobi_rotation(a, b, d);
      rotate_columns(B, p, q, r);
      rotate_columns(V, p, q, r);
      done = false;
    }
  }
  return done;
}

// Swaps columns p and q, one of them negated: V stays a rotation.
void swap_columns(Mat3& A, int p, int q) {
  for (int i = 0; i < 3; ++i) {
    const double ap = A(i, p);
    A(i, p) = A(i, q);
    A(i, q) = -ap;
  }
}

void sort_by_length(Mat3& B, Mat3& V) {
  Vec3 length;
  for (int j = 0; j < 3; ++j) length[j] = dot(column(B, j), column(B, j));
  const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (const auto& [p, q] : pairs) {
    if (length[p] >= length[q]) continue;
    std::swap(length[p], length[q]);
    swap_columns(B, p, q);
    swap_columns(V, p, q);
  }
}

// Power of two that brings F near 1; 0 where fourth powers of entries neither overflow nor
// underflow.
int scaling_exponent(double largest) {
  if (largest > 1e-30 && largest < 1e30) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

// A 2^exponent, exact.
template <class Matrix>
Matrix scaled(Matrix A, int exponent) {
  if (exponent == 0) return A;
  for (double& x : A.a) x = std::ldexp(x, exponent);
  return A;
}

// A unit vector at right angles to the unit vector u.
Vec3 any_perpendicular(const Vec3& u) {
  int smallest = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(u[k]) < std::fabs(u[smallest])) smallest = k;
  }
  Vec3 e;
  e[smallest] = 1.0;
  const Vec3 v = cross(u, e);
  return (1.0 / norm(v)) * v;
}

// The direction of b made orthogonal to u; any such direction where b has none.
Vec3 second_direction(const Vec3& u, const Vec3& b) {
  const double length = norm(b);
  if (length < 1e-290) return any_perpendicular(u);
  Vec3 v = (1.0 / length) * b;
  v -= dot(u, v) * u;
  const double rest = norm(v);
  // Only columns of rounding noise are still parallel to u after the sweeps.
  return rest < 0.5 ? any_perpendicular(u) : (1.0 / rest) * v;
}

}  // namespace

SignedSvd signed_svd(const Mat3& F) {
  return signed_svd(F, identity<3>());
}

SignedSvd signed_svd(const Mat3& F, const Mat3& V0) {
  SignedSvd svd{identity<3>(), Vec3{}, identity<3>()};
  if (!all_finite(F)) {
    for (double& s : svd.s.a) s = std::numeric_limits<double>::quiet_NaN();
    return svd;
  }
  const double largest = max_abs(F);
  if (largest == 0.0) return svd;
  const int exponent = scaling_exponent(largest);
  // Orthonormal again: rounding would add up from step to step.
  const Vec3 v0 = (1.0 / norm(column(V0, 0))) * column(V0, 0);
  Vec3 v1 = column(V0, 1) - dot(v0, column(V0, 1)) * v0;
  v1 *= 1.0 / norm(v1);
  svd.V = columns(v0, v1, cross(v0, v1));
  Mat3 B = scaled(F, -exponent) * svd.V;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    if (orthogonalise_columns(B, svd.V)) break;
  }
  sort_by_length(B, svd.V);
  const Vec3 b0 = column(B, 0);
  const Vec3 u0 = (1.0 / norm(b0)) * b0;
  const Vec3 u1 = second_direction(u0, column(B, 1));
  const Vec3 u2 = cross(u0, u1);
  svd.U = columns(u0, u1, u2);
  svd.s = vec3(norm(b0), dot(u1, column(B, 1)), dot(u2, column(B, 2)));
  // Rounding may put a coincident pair out of order by one unit in the last place.
  svd.s[1] = std::fmin(svd.s[1], svd.s[0]);
  svd.s[2] = std::fmax(-svd.s[1], std::fmin(svd.s[2], svd.s[1]));
  svd.s = scaled(svd.s, exponent);
  return svd;
}

}  // namespace nsn
