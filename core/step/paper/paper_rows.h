/// Stage `scale` of the paper's method (core/step/paper/device_step.h): what each row block asks for.
///
///   row of a block           L = R            C                    h
///   one bound, row-scaled    1                E + d_b rho/d_a      phi/d_a           d_a >= 1e-4
///   one bound, alpha-scaled  d_a              d_a E + d_b rho      phi               F(r) = d_a r
///   friction W               1                W                    v_T + W r_T
///   friction off             0                rho                  rho r_T
///   Alart-Curnier slip       p (across slip)  C_p                  residual_p        r_t set at once
///   none or two, inside      1                E                    v
///   two bounds, at one       0                rho                  rho (r - bound)
///
/// One bound: normals of contacts and limits of joints, phi(v, rho r) = 0 by the chosen NCP
/// function (r from the bound on, both negated where it is an upper one). Two bounds, as drives of
/// limited effort have them, are no complementarity problem of two terms: the projection.
///
/// The laws themselves are in ncp/friction.h and ncp/natural_map.h. Every function may run on a
/// device; one block at a time, in double.
#pragma once

#include "nsn/core/base/math3.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"
#include "nsn/ncp/natural_map.h"

namespace nsn::paper {

/// One row block:  L J du + C x = -h,  x the unknowns; J^T R^T x in the momentum, dr = U^T x.
struct Row {
  Mat3 L, R, U, C;
  Vec3 h;
  Vec3 phi;    ///< unscaled residual, m/s: what the merit sums
  Vec3 force;  ///< F(r), the impulse in the momentum balance
};

/// Alart-Curnier: a contact on the edge of its cone must not pin its body.
inline constexpr double kTiesSlip = 1.0 - 1e-9;

NSN_FUNCTION ncp::NcpValue<double> ncp_value(const PaperOptions& options, double a, double b) {
  if (options.ncp == NcpKind::kMinimumMap) return ncp::MinimumMap{}(a, b);
  return ncp::FischerBurmeister{options.origin}(a, b);
}

NSN_FUNCTION ncp::FixedPointFriction fixed_point(const PaperOptions& options) {
  if (options.friction == FrictionKind::kSmoothed) return ncp::FixedPointFriction::kSmoothed;
  return options.ncp == NcpKind::kMinimumMap ? ncp::FixedPointFriction::kMinimumMap
                                             : ncp::FixedPointFriction::kFischerBurmeister;
}

NSN_FUNCTION void set_unit_row(Mat3& A, int k, double value) {
  for (int j = 0; j < 3; ++j) A(k, j) = 0.0;
  A(k, k) = value;
}

/// l dv_k + c x_k = -h, dr_k = x_k
NSN_FUNCTION void set_row(int k, double l, double c, double h, Row& row) {
  set_unit_row(row.L, k, l);
  set_unit_row(row.U, k, 1.0);
  set_unit_row(row.C, k, c);
  row.h[k] = h;
}

/// The linearised law of one block, and its room.
struct Linearised {
  double phi[3];
  double d0[3];
  double b[3];
  ncp::BlockLinearization rows;

  NSN_FUNCTION ncp::LinearisedBlock out() { return {phi, d0, b, rows}; }
  NSN_FUNCTION bool active(int k) const { return (rows.active >> k & 1) != 0; }
};

/// Row k: side = 1 for 0 <= v orthogonal to r >= bound, -1 for 0 >= v and r <= bound.
struct OneBound {
  int k = 0;
  double bound = 0.0;
  double side = 1.0;
};

NSN_FUNCTION void scale_one_sided(const PaperOptions& options, const OneBound& at, double rho,
                                  double E, double v, double r, Row& row) {
  const double beyond = r - at.bound;
  const auto f = ncp_value(options, at.side * v, at.side * rho * beyond);
  const double phi = at.side * f.phi;
  row.phi[at.k] = phi;
  row.force[at.k] = r;
  if (options.form == NcpForm::kAlphaScaled) {
    set_row(at.k, f.d_a, f.d_a * E + f.d_b * rho, phi, row);
    row.force[at.k] = at.bound + f.d_a * beyond;
  } else if (f.d_a == 0.0) {  // inactive: r goes to its bound
    set_row(at.k, 0.0, rho, phi, row);
  } else {
    const ncp::RowScaled scaled = ncp::row_scaled(f, rho);
    set_row(at.k, 1.0, E + scaled.compliance, at.side * scaled.residual, row);
  }
}

NSN_FUNCTION bool is_bound(double limit) {
  return limit > -RowLaw::kInfinity && limit < RowLaw::kInfinity;
}

NSN_FUNCTION void scale_box(const PaperOptions& options, const RowLaw& law, const Vec3& rho,
                            const Mat3& E, const Vec3& v, const Vec3& r, Row& row) {
  Linearised at;
  row.L = row.U = identity<3>();
  row.C = E;
  for (int k = 0; k < 3; ++k) {
    const bool lower = is_bound(law.lo[k]);
    if (lower != is_bound(law.hi[k])) {
      const OneBound bound{k, lower ? law.lo[k] : law.hi[k], lower ? 1.0 : -1.0};
      scale_one_sided(options, bound, rho[k], E(k, k), v[k], r[k], row);
      continue;
    }
    ncp::linearise_box(k, r[k], v[k], law.lo[k], law.hi[k], rho[k], at.out());
    row.h[k] = row.phi[k] = at.phi[k];
    row.force[k] = r[k];
    if (!at.active(k)) set_row(k, 0.0, rho[k], at.phi[k], row);
  }
  row.R = row.L;
}

NSN_FUNCTION void scale_fixed_point(const PaperOptions& options, double rho, double F,
                                    const Vec3& v, const Vec3& r, Row& row) {
  Linearised at;
  ncp::linearise_fixed_point(fixed_point(options), F, options.smoothing, r.a, v.a, rho, false,
                             at.out());
  for (int k = 1; k < 3; ++k) {
    const bool active = at.active(k);
    set_row(k, active ? 1.0 : 0.0, active ? at.rows.compliance[k] : rho, at.phi[k], row);
    row.phi[k] = at.phi[k];
    row.force[k] = active || options.form == NcpForm::kRowScaled ? r[k] : 0.0;
  }
}

NSN_FUNCTION void scale_alart_curnier(double rho, double F, const Vec3& v, Vec3& r, Row& row) {
  Linearised at;
  at.out().clear();
  if (F > 0.0) {
    const ncp::FrictionBound bound{.F = F, .follows = 0.0, .lead = 0.0, .stick = kTiesSlip};
    ncp::linearise_friction(bound, r.a, v.a, rho, false, false, at.out());
  }
  for (int k = 1; k < 3; ++k) {
    const bool active = at.active(k);
    set_row(k, active ? 1.0 : 0.0, active ? at.rows.compliance[k] : rho, active ? -at.b[k] : 0.0,
            row);
    row.phi[k] = F > 0.0 ? at.phi[k] : rho * r[k];
    r[k] = F > 0.0 ? r[k] + at.d0[k] : 0.0;  // what is known is set, not solved for
    row.force[k] = r[k];
  }
  if (!at.rows.rotated) return;
  const double tx = at.rows.tx;
  const double ty = at.rows.ty;
  row.L(2, 1) = row.U(2, 1) = -ty;
  row.L(2, 2) = row.U(2, 2) = tx;
  row.U(1, 1) = tx;
  row.U(1, 2) = ty;
  if (!at.active(2)) set_unit_row(row.L, 2, 0.0);
}

NSN_FUNCTION void scale_full_alart_curnier(double mu, double rho, double F, const Vec3& v,
                                           const Vec3& r, Row& row) {
  const auto where = ncp::AlartCurnier{}(v.a + 1, r.a + 1, F, rho);
  const auto d = ncp::full_alart_curnier(where, r.a + 1, mu, rho);
  for (int k = 1; k < 3; ++k) {  // rho phi, m/s
    row.L(k, 0) = 0.0;
    row.C(k, 0) = rho * d.d_normal[k - 1];
    for (int j = 1; j < 3; ++j) {
      row.L(k, j) = rho * d.d_v[2 * (k - 1) + j - 1];
      row.C(k, j) = rho * d.d_x[2 * (k - 1) + j - 1];
    }
    set_unit_row(row.U, k, 1.0);
    row.h[k] = row.phi[k] = rho * d.phi[k - 1];
    row.force[k] = r[k];
  }
}

/// The row at impulse r, with v = value + E r. Alart-Curnier sets the slipping part of r.
NSN_FUNCTION void scale_row(const PaperOptions& options, const RowLaw& law, const Vec3& rho,
                            const Mat3& E, const Vec3& v, Vec3& r, Row& row) {
  if (!law.is_contact()) return scale_box(options, law, rho, E, v, r, row);
  const double F = law.mu * r[0];
  scale_one_sided(options, {}, rho[0], E(0, 0), v[0], r[0], row);
  switch (options.friction) {
    case FrictionKind::kAlartCurnierSymmetric:
      scale_alart_curnier(rho[1], F, v, r, row);
      break;
    case FrictionKind::kAlartCurnier:
      scale_full_alart_curnier(law.mu, rho[1], F, v, r, row);
      break;
    default:
      scale_fixed_point(options, rho[1], F, v, r, row);
  }
  row.R = options.friction == FrictionKind::kAlartCurnier ? identity<3>() : row.L;
}

/// The three parts of one block's error, m/s (core/step/step_error.h).
struct BlockError {
  double normal = 0.0;
  double friction = 0.0;
  double box = 0.0;
};
NSN_FUNCTION BlockError block_error(const RowLaw& law, const Vec3& v, const Vec3& r,
                                    const Vec3& rho) {
  BlockError error;
  if (law.is_contact()) {
    const ncp::ContactError parts = ncp::contact_error(r.a, v.a, law.mu, rho[0], rho[1]);
    return {parts.normal, parts.friction, 0.0};
  }
  for (int k = 0; k < 3; ++k) {
    const double map = ncp::natural_map(r[k], v[k], law.lo[k], law.hi[k], rho[k]);
    const double size = std::fabs(map);
    error.box = size <= error.box || error.box != error.box ? error.box : size;
  }
  return error;
}

}  // namespace nsn::paper
