#include "nsn/core/step/paper_laws.h"

#include <cmath>

#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

/// Alart-Curnier: a contact on the edge of its cone must not pin its body.
constexpr double kTiesSlip = 1.0 - 1e-9;

ncp::NcpValue<double> ncp_value(const PaperOptions& options, double a, double b) {
  if (options.ncp == NcpKind::kMinimumMap) return ncp::MinimumMap{}(a, b);
  return ncp::FischerBurmeister{options.origin}(a, b);
}

ncp::FixedPointFriction fixed_point(const PaperOptions& options) {
  if (options.friction == FrictionKind::kSmoothed) return ncp::FixedPointFriction::kSmoothed;
  return options.ncp == NcpKind::kMinimumMap ? ncp::FixedPointFriction::kMinimumMap
                                             : ncp::FixedPointFriction::kFischerBurmeister;
}

void set_unit_row(Mat3& A, int k, double value) {
  for (int j = 0; j < 3; ++j) A(k, j) = 0.0;
  A(k, k) = value;
}

/// l dv_k + c x_k = -h, dr_k = x_k
void set_row(int k, double l, double c, double h, PaperRow& row) {
  set_unit_row(row.L, k, l);
  set_unit_row(row.U, k, 1.0);
  set_unit_row(row.C, k, c);
  row.h[k] = h;
}

/// The linearised law of one block, and its room.
struct Linearised {
  double phi[3] = {0.0, 0.0, 0.0};
  double d0[3];
  double b[3];
  ncp::BlockLinearization rows;

  ncp::LinearisedBlock out() { return {phi, d0, b, rows}; }
  bool active(int k) const { return (rows.active >> k & 1) != 0; }
};

}  // namespace

void PaperLaws::fit(const System& system) {
  rows_.assign(to_size(system.blocks()), {});
}

void PaperLaws::scale(const System& system, const StepEvaluation& evaluation, Vector r) {
  for (Index i = 0; i < system.blocks(); ++i) {
    const RowLaw& law = system.laws[to_size(i)];
    const double* const rho = &system.rho(kBlock * i);
    double* const r_i = &r(kBlock * i);
    const Mat3 E = load9(&evaluation.E(kBlockSize * i));
    const Vec3 v = load3(&evaluation.value(kBlock * i)) + E * load3(r_i);
    if (law.is_contact()) {
      scale_contact(law.mu, rho, E(0, 0), v, r_i, rows_[to_size(i)]);
    } else {
      scale_box(law, rho, E, v, r_i, rows_[to_size(i)]);
    }
  }
}

void PaperLaws::scale_contact(double mu, const double* rho, double E, const Vec3& v, double* r,
                              PaperRow& row) const {
  const double F = mu * r[0];
  scale_one_sided({}, rho[0], E, v[0], r[0], row);
  switch (options_.friction) {
    case FrictionKind::kAlartCurnierSymmetric:
      scale_alart_curnier(rho[1], F, v, r, row);
      break;
    case FrictionKind::kAlartCurnier:
      scale_full_alart_curnier(mu, rho[1], F, v, r, row);
      break;
    default:
      scale_fixed_point(rho[1], F, v, r, row);
  }
  row.R = options_.friction == FrictionKind::kAlartCurnier ? identity<3>() : row.L;
}

void PaperLaws::scale_box(const RowLaw& law, const double* rho, const Mat3& E, const Vec3& v,
                          const double* r, PaperRow& row) const {
  Linearised at;
  row.L = row.U = identity<3>();
  row.C = E;
  for (int k = 0; k < 3; ++k) {
    const bool lower = std::isfinite(law.lo[k]);
    if (lower != std::isfinite(law.hi[k])) {
      const OneBound bound{k, lower ? law.lo[k] : law.hi[k], lower ? 1.0 : -1.0};
      scale_one_sided(bound, rho[k], E(k, k), v[k], r[k], row);
      continue;
    }
    ncp::linearise_box(k, r[k], v[k], law.lo[k], law.hi[k], rho[k], at.out());
    row.h[k] = row.phi[k] = at.phi[k];
    row.force[k] = r[k];
    if (!at.active(k)) set_row(k, 0.0, rho[k], at.phi[k], row);
  }
  row.R = row.L;
}

void PaperLaws::scale_one_sided(const OneBound& at, double rho, double E, double v, double r,
                                PaperRow& row) const {
  const double beyond = r - at.bound;
  const auto f = ncp_value(options_, at.side * v, at.side * rho * beyond);
  const double phi = at.side * f.phi;
  row.phi[at.k] = phi;
  row.force[at.k] = r;
  if (options_.form == NcpForm::kAlphaScaled) {
    set_row(at.k, f.d_a, f.d_a * E + f.d_b * rho, phi, row);
    row.force[at.k] = at.bound + f.d_a * beyond;
  } else if (f.d_a == 0.0) {  // inactive: r goes to its bound
    set_row(at.k, 0.0, rho, phi, row);
  } else {
    const ncp::RowScaled scaled = ncp::row_scaled(f, rho);
    set_row(at.k, 1.0, E + scaled.compliance, at.side * scaled.residual, row);
  }
}

void PaperLaws::scale_fixed_point(double rho, double F, const Vec3& v, const double* r,
                                  PaperRow& row) const {
  Linearised at;
  ncp::linearise_fixed_point(fixed_point(options_), F, options_.smoothing, r, v.a, rho, false,
                             at.out());
  for (int k = 1; k < 3; ++k) {
    const bool active = at.active(k);
    set_row(k, active ? 1.0 : 0.0, active ? at.rows.compliance[k] : rho, at.phi[k], row);
    row.phi[k] = at.phi[k];
    row.force[k] = active || options_.form == NcpForm::kRowScaled ? r[k] : 0.0;
  }
}

void PaperLaws::scale_alart_curnier(double rho, double F, const Vec3& v, double* r,
                                    PaperRow& row) const {
  Linearised at;
  at.out().clear();
  if (F > 0.0) {
    const ncp::FrictionBound bound{.F = F, .follows = 0.0, .lead = 0.0, .stick = kTiesSlip};
    ncp::linearise_friction(bound, r, v.a, rho, false, false, at.out());
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

void PaperLaws::scale_full_alart_curnier(double mu, double rho, double F, const Vec3& v,
                                         const double* r, PaperRow& row) const {
  const auto where = ncp::AlartCurnier{}(v.a + 1, r + 1, F, rho);
  const auto d = ncp::full_alart_curnier(where, r + 1, mu, rho);
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

}  // namespace nsn
