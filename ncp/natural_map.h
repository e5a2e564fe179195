/// The natural map of contacts and of box rows: value, linearisation, projection and error.
///
/// x: impulse, kg m/s; u: velocity, m/s; rho > 0: scale, 1/kg; a contact's three numbers are
/// (n, t1, t2). A solution is a fixed point, x = Pi(x - u / rho) for any rho, so the map
///     rho (x - Pi(x - u / rho)),    m/s,
/// vanishes exactly at solutions. In scaled variables (core/contact/scaled_problem.h) rho = 1.
///
///   box row    Pi clips to [lower, upper]
///   contact    Pi projects on Coulomb's cone { |x_T| <= mu x_N }, with u + mu |u_T| e_N for u
///              (errors: one value in any units), or, for Newton's method,
///              Pi_N = max(., 0) and Pi_T projects on the disc of radius F = mu (x_N - u_N / rho)
///
/// Both maps of a contact have the same zeros. Newton's method takes the second, which is piecewise
/// smooth with three pieces: open, stick, slip (ncp/block_linearization.h).
#pragma once

#include <cmath>

#include "nsn/ncp/block_linearization.h"
#include "nsn/ncp/fischer_burmeister.h"

namespace nsn::ncp {

// ---- Projections

NSN_FUNCTION double clip(double x, double lower, double upper) {
  return x < lower ? lower : (upper < x ? upper : x);
}

/// Factor <= 1 that brings (x, y) into the disc of radius F >= 0.
NSN_FUNCTION double shrink_to_disc(double x, double y, double F) {
  const double size = std::sqrt(x * x + y * y);
  return size > F ? F / size : 1.0;
}

/// Into the cone by x_N >= 0, then radially: keeps x_N, unlike the projection.
NSN_FUNCTION void clip_to_cone(double mu, double* x) {
  x[0] = x[0] < 0.0 ? 0.0 : x[0];
  const double shrink = shrink_to_disc(x[1], x[2], mu * x[0]);
  x[1] *= shrink;
  x[2] *= shrink;
}

/// p = Pi(z), the nearest point of the cone; z and p have three entries and may be the same.
NSN_FUNCTION void project_on_cone(const double* z, double mu, double* p) {
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

// ---- Values and errors

/// rho (x - clip(x - u / rho, lower, upper))
NSN_FUNCTION double natural_map(double x, double u, double lower, double upper, double rho) {
  const double z = x - u / rho;
  if (z < lower) return rho * (x - lower);
  return z > upper ? rho * (x - upper) : u;
}

/// out = rho (x - Pi(x - (u + mu |u_T| e_N) / rho)). Inside the cone and its polar the difference
/// is formed without cancellation; on the boundary its rounding is added, so that an enormous x
/// does not hide a velocity.
NSN_FUNCTION void natural_map(const double* x, const double* u, double mu, double rho,
                              double* out) {
  const double shifted[3] = {u[0] + mu * std::sqrt(u[1] * u[1] + u[2] * u[2]), u[1], u[2]};
  double z[3];
  for (int k = 0; k < 3; ++k) z[k] = x[k] - shifted[k] / rho;
  const double t = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  if (mu * t <= -z[0]) {  // first, as above
    for (int k = 0; k < 3; ++k) out[k] = rho * x[k];
  } else if (t <= mu * z[0]) {
    for (int k = 0; k < 3; ++k) out[k] = shifted[k];
  } else {
    double p[3];
    project_on_cone(z, mu, p);
    for (int k = 0; k < 3; ++k) out[k] = x[k] - p[k];
    out[0] += std::copysign(1.1e-16 * (std::fabs(z[0]) + t), out[0]);
    for (int k = 0; k < 3; ++k) out[k] *= rho;
  }
}

/// The error of a contact in two parts, m/s, the friction bound taken at x_N.
struct ContactError {
  double normal;  ///< |min(u_N, rho_N x_N)|
  double
      friction;  ///< rho_T |x_T - Pi(x_T - u_T / rho_T)|, Pi on the disc of radius mu max(x_N, 0)
};

NSN_FUNCTION ContactError contact_error(const double* x, const double* u, double mu, double rho_N,
                                        double rho_T) {
  const double force = rho_N * x[0];
  const double bound = mu * (x[0] < 0.0 ? 0.0 : x[0]);
  const double tau[2] = {x[1] - u[1] / rho_T, x[2] - u[2] / rho_T};
  const double shrink = shrink_to_disc(tau[0], tau[1], bound);
  const double off[2] = {x[1] - shrink * tau[0], x[2] - shrink * tau[1]};
  return {std::fabs(force < u[0] ? force : u[0]),
          rho_T * std::sqrt(off[0] * off[0] + off[1] * off[1])};
}

// ---- Linearisations

/// Of one block: what linearise_...() fills, three numbers each.
struct LinearisedBlock {
  double* phi;  ///< the map, m/s
  double* d0;   ///< known change of x, kg m/s
  double* b;    ///< right-hand side of the unknowns, m/s
  BlockLinearization& rows;

  NSN_FUNCTION void clear() const {
    rows = {};
    for (int k = 0; k < 3; ++k) d0[k] = b[k] = 0.0;
  }
};

/// Box row k of a block: inside its bounds u = 0 is asked for, else x moves to the bound.
NSN_FUNCTION void linearise_box(int k, double x, double u, double lower, double upper, double rho,
                                const LinearisedBlock& out) {
  const double target = x - u / rho;
  const double clipped = clip(target, lower, upper);
  const bool inside = target >= lower && target <= upper && lower < upper;
  out.phi[k] = inside ? u : rho * (x - clipped);
  out.d0[k] = inside ? 0.0 : clipped - x;
  out.b[k] = inside ? -u : 0.0;
  if (inside) out.rows.active |= static_cast<std::uint8_t>(1U << k);
}

/// The radius F >= 0 of the friction disc and how it follows the normal impulse during a step:
///     dF = follows (d_N + lead)
struct FrictionBound {
  double F;        ///< kg m/s
  double follows;  ///< mu, or 0: the bound is held
  double lead;     ///< what the normal row adds to F beyond d_N, kg m/s
  /// Sticks up to this share of F, (0, 1]; a little below 1 counts ties as slip.
  double stick = 1.0;
};

/// Friction rows 1 and 2 of a contact whose normal row is set: stick (|x_T - u_T / rho| <= F) asks
/// for u_T = 0; slip along t has the impulse along t known and one unknown across it.
/// planar: row 2 is padding. lagged: F moves in d0 alone, which keeps the matrix symmetric.
NSN_FUNCTION void linearise_friction(const FrictionBound& bound, const double* x, const double* u,
                                     double rho, bool planar, bool lagged,
                                     const LinearisedBlock& out) {
  constexpr double kNoTurn = 1e-14;  // kappa below which the unknown across the slip is dropped
  const double F = bound.F;
  const double X1 = x[1] - u[1] / rho;
  const double X2 = x[2] - u[2] / rho;
  const double X = std::sqrt(X1 * X1 + X2 * X2);
  if (X <= bound.stick * F && F > 0.0) {
    out.rows.active |= planar ? 2 : 6;
    for (int k = 1; k < 3; ++k) {
      out.phi[k] = u[k];
      out.b[k] = -u[k];
    }
    return;
  }
  const double tx = X > 0.0 ? X1 / X : 1.0;
  const double ty = X > 0.0 ? X2 / X : 0.0;
  const double kappa = X > 0.0 ? (F < X ? F / X : 1.0) : 0.0;
  const double off[2] = {x[1] - F * tx, x[2] - F * ty};
  const double along = off[0] * tx + off[1] * ty;
  const double across = off[1] * tx - off[0] * ty;
  const double c = bound.follows * bound.lead - along;
  out.phi[1] = rho * off[0];
  out.phi[2] = rho * off[1];
  out.d0[1] = c * tx;
  out.d0[2] = c * ty;
  out.rows.rotated = true;
  out.rows.tx = tx;
  out.rows.ty = ty;
  out.rows.coupling = lagged ? 0.0 : bound.follows;
  if (kappa < kNoTurn || planar) {
    out.d0[1] += across * ty;
    out.d0[2] -= across * tx;
  } else {
    out.rows.active |= 4;
    out.rows.compliance[2] = rho * ((1.0 - kappa) / kappa);
    out.b[2] = -(rho * across) / kappa;
  }
}

/// Normal row of the minimum map; false: the contact is open there, x_N goes to 0.
NSN_FUNCTION bool linearise_minimum(double x, double u, double rho, const LinearisedBlock& out) {
  if (x - u / rho <= 0.0) {
    out.phi[0] = rho * x;
    out.d0[0] = -x;
    return false;
  }
  out.rows.active = 1;
  out.phi[0] = u;
  out.b[0] = -u;
  return true;
}

/// A row phi(u, rho x) = 0 divided by its slope d phi / d u:  d_u + compliance d_x = -residual.
struct RowScaled {
  double compliance;  ///< 1/kg
  double residual;    ///< m/s
};
NSN_FUNCTION RowScaled row_scaled(const NcpValue<double>& f, double rho) {
  constexpr double kSlopeFloor = 1e-4;  // 1e-2 and 1e-8 were measured worse
  const double slope = f.d_a < kSlopeFloor ? kSlopeFloor : f.d_a;
  return {f.d_b * rho / slope, f.phi / slope};
}

/// Normal row of Fischer-Burmeister, in scaled variables.
NSN_FUNCTION void linearise_fischer_burmeister(double x, double u, Origin origin,
                                               const LinearisedBlock& out) {
  const NcpValue<double> f = FischerBurmeister{origin}(u, x);
  const RowScaled row = row_scaled(f, 1.0);
  out.rows.active = 1;
  out.phi[0] = f.phi;
  out.b[0] = -row.residual;
  out.rows.compliance[0] = row.compliance;
}

/// The complementarity function of a contact's normal row.
enum class NormalMap {
  kMinimum,           ///< x_N = max(x_N - u_N, 0); friction bound mu max(x_N - u_N, 0)
  kFischerBurmeister  ///< x_N + u_N - sqrt(x_N^2 + u_N^2) = 0; friction bound mu max(x_N, 0)
};

/// A contact in scaled variables: the map and its exact derivative but for `lagged`.
NSN_FUNCTION void linearise_contact(NormalMap map, const double* x, const double* u, double mu,
                                    bool planar, bool lagged, const LinearisedBlock& out) {
  out.clear();
  FrictionBound bound = {mu * (x[0] - u[0]), mu, u[0]};
  if (map == NormalMap::kFischerBurmeister) {
    linearise_fischer_burmeister(x[0], u[0], Origin::kSymmetric, out);
    bound = {mu * (x[0] < 0.0 ? 0.0 : x[0]), x[0] > 0.0 ? mu : 0.0, 0.0};
  } else if (!linearise_minimum(x[0], u[0], 1.0, out)) {
    for (int k = 1; k < 3; ++k) {
      out.phi[k] = x[k];
      out.d0[k] = -x[k];
    }
    return;
  }
  linearise_friction(bound, x, u, 1.0, planar, lagged, out);
}

}  // namespace nsn::ncp
