/// Coulomb's cone K = { |r_T| <= mu r_N } and the projection on it.
///
/// A contact's three numbers are (n, t1, t2). The solution of a frictional contact is
///     r = P_K(r - rho (u + mu |u_T| e_N))      for any rho > 0,
/// so the distance between the two sides measures how far (r, u) is from one.
#pragma once

#include <algorithm>
#include <cmath>

namespace nsn {

/// p = P_K(z), the nearest point of the cone; z and p have three entries and may be the same.
inline void project_on_cone(const double* z, double mu, double* p) {
  const double t = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  if (mu * t <= -z[0]) {  // first: with mu = 0, z_N < 0 and no tangent meet both conditions
    p[0] = p[1] = p[2] = 0.0;
  } else if (t <= mu * z[0]) {
    p[0] = z[0], p[1] = z[1], p[2] = z[2];
  } else {
    const double n = (z[0] + mu * t) / (1.0 + mu * mu);
    const double ratio = t > 0.0 ? mu * n / t : 0.0;
    p[0] = n, p[1] = ratio * z[1], p[2] = ratio * z[2];
  }
}

/// out = r - P_K(r - rho (u + mu |u_T| e_N)): zero exactly at a solution. Inside the cone and its
/// polar the difference is formed without cancellation; on the boundary its rounding is added, so
/// that an enormous r does not hide a velocity.
inline void natural_map(const double* r, const double* u, double mu, double rho, double* out) {
  const double shift = mu * std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const double step[3] = {rho * (u[0] + shift), rho * u[1], rho * u[2]};
  const double z[3] = {r[0] - step[0], r[1] - step[1], r[2] - step[2]};
  const double t = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  if (mu * t <= -z[0]) {  // first, as above
    for (int k = 0; k < 3; ++k) out[k] = r[k];
  } else if (t <= mu * z[0]) {
    for (int k = 0; k < 3; ++k) out[k] = step[k];
  } else {
    double p[3];
    project_on_cone(z, mu, p);
    for (int k = 0; k < 3; ++k) out[k] = r[k] - p[k];
    out[0] += std::copysign(1.1e-16 * (std::abs(z[0]) + t), out[0]);
  }
}

/// x - clip(x - rho u, lower, upper): the same for a bounded row.
inline double natural_map(double x, double u, double lower, double upper, double rho) {
  const double z = x - rho * u;
  if (z < lower) return x - lower;
  return z > upper ? x - upper : rho * u;
}

/// Largest singular value of a 3x3 matrix stored row by row.
inline double spectral_norm(const double* a) {
  // C = A^T A; its largest eigenvalue by the trigonometric formula for symmetric 3x3 matrices.
  const double c00 = a[0] * a[0] + a[3] * a[3] + a[6] * a[6];
  const double c11 = a[1] * a[1] + a[4] * a[4] + a[7] * a[7];
  const double c22 = a[2] * a[2] + a[5] * a[5] + a[8] * a[8];
  const double c01 = a[0] * a[1] + a[3] * a[4] + a[6] * a[7];
  const double c02 = a[0] * a[2] + a[3] * a[5] + a[6] * a[8];
  const double c12 = a[1] * a[2] + a[4] * a[5] + a[7] * a[8];
  const double mean = (c00 + c11 + c22) / 3.0;
  const double d0 = c00 - mean;
  const double d1 = c11 - mean;
  const double d2 = c22 - mean;
  const double off = c01 * c01 + c02 * c02 + c12 * c12;
  const double p = std::sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) / 6.0);
  if (!(p > 0.0)) return std::sqrt(std::max(mean, 0.0));
  const double determinant =
      d0 * (d1 * d2 - c12 * c12) - c01 * (c01 * d2 - c12 * c02) + c02 * (c01 * c12 - d1 * c02);
  const double cosine = std::clamp(0.5 * determinant / (p * p * p), -1.0, 1.0);
  return std::sqrt(std::max(mean + 2.0 * p * std::cos(std::acos(cosine) / 3.0), 0.0));
}

}  // namespace nsn
