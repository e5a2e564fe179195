/// Coulomb friction of one contact: two tangential rows, slip velocity v (m/s), impulse x_T (kg
/// m/s), bound F = mu x_N (kg m/s), scale rho > 0 (1/kg).
///
/// Two families:
///
/// * W of [Macklin19], a fixed point: v + W x_T = 0 with W >= 0 (1/kg) from an NCP function of
///   |v| and rho (F - |x_T|). Symmetric; W = 0 means stick.
///   The same with a W that smooths Coulomb's law at small speeds.
/// * Alart-Curnier: x_T = Pi(x_T - v / rho), Pi the projection on the disc of radius F; here with
///   its exact derivative by every variable (unsymmetric: the bound moves with x_N). With the bound
///   held (symmetric) or with x_N eliminated it is linearise_friction() of ncp/natural_map.h.
///
/// A contact with F <= 0 is inactive: its rows ask for x_T = 0.
/// Differs from the paper: it prints |v|^2 although units demand |v|, and x_N >= 0 for the inactive
/// set.
#pragma once

#include "nsn/ncp/natural_map.h"
#include "nsn/ncp/ncp_value.h"

namespace nsn::ncp {

/// W of the minimum map: 0 if |v| <= rho (F - l), else (|v| - rho (F - l)) / F.
/// v = |v| >= 0, l = |x_T| >= 0, F > 0.
struct MinimumMapFriction {
  template <class Real>
  NSN_FUNCTION Real operator()(Real v, Real l, Real F, Real rho) const {
    const Real excess = v - rho * (F - l);
    return excess > Real(0) ? excess / F : Real(0);
  }
};

/// W of Fischer-Burmeister: W = rho N / D with b = rho (F - l), s = hypot(v, b),
///   N = s - b,   D = v + rho F - s = rho l + (v + b - s).
/// l is clamped at 1.5 F: beyond F + sqrt(F^2 + 2 v F / rho) the formula turns negative, and an
/// indefinite matrix would follow. v = l = 0 is stick: W = 0.
struct FischerBurmeisterFriction {
  template <class Real>
  NSN_FUNCTION Real operator()(Real v, Real l, Real F, Real rho) const {
    const Real bound = Real(1.5) * F;
    const Real length = l < bound ? l : bound;
    const Real b = rho * (F - length);
    const Real s = hypotenuse(v, b);
    const Real sum = v + b;
    const Real numerator = b > Real(0) ? v * (v / (s + b)) : s - b;
    const Real tail = sum > Real(0) ? Real(2) * (v / (sum + s)) * b : sum - s;
    const Real denominator = rho * length + tail;
    return denominator > Real(0) ? rho * (numerator / denominator) : Real(0);
  }
};

/// W of friction smoothed below the speed v_s > 0: W = sqrt(v^2 + v_s^2) / F, so that
///   x_T = -F v / sqrt(v^2 + v_s^2).
/// Smooth and symmetric; there is no stick: what should stick creeps at about v_s |x_T| / F.
struct SmoothedFriction {
  template <class Real>
  NSN_FUNCTION Real operator()(Real v, Real F, Real v_s) const {
    return hypotenuse(v, v_s) / F;
  }
};

/// Which W the fixed point has.
enum class FixedPointFriction { kMinimumMap, kFischerBurmeister, kSmoothed };

/// Rows 1 and 2 of a contact by the fixed point: u_T + W x_T = 0 with W of this iterate; F <= 0:
/// x_T goes to 0. smoothing: v_s of kSmoothed, m/s. planar: row 2 is padding.
NSN_FUNCTION void linearise_fixed_point(FixedPointFriction law, double F, double smoothing,
                                        const double* x, const double* u, double rho, bool planar,
                                        const LinearisedBlock& out) {
  if (!(F > 0.0)) {
    for (int k = 1; k < 3; ++k) {
      out.phi[k] = rho * x[k];
      out.d0[k] = -x[k];
    }
    return;
  }
  const double v = std::hypot(u[1], u[2]);
  const double l = std::hypot(x[1], x[2]);
  const double W = law == FixedPointFriction::kSmoothed ? SmoothedFriction{}(v, F, smoothing)
                   : law == FixedPointFriction::kMinimumMap
                       ? MinimumMapFriction{}(v, l, F, rho)
                       : FischerBurmeisterFriction{}(v, l, F, rho);
  out.rows.active |= planar ? 2 : 6;
  out.phi[2] = 0.0;
  for (int k = 1; k < (planar ? 2 : 3); ++k) {
    out.rows.compliance[k] = W;
    out.phi[k] = u[k] + W * x[k];
    out.b[k] = -out.phi[k];
  }
}

enum class FrictionRegion { kOpen, kStick, kSlip };

/// Where tau = x_T - v / rho lies.
template <class Real>
struct AlartCurnierPoint {
  FrictionRegion region;
  Real direction[2];  ///< t = tau / |tau|; (1, 0) if tau = 0
  Real ratio;         ///< kappa = F / |tau| in (0, 1] if slipping, 1 otherwise
  Real projected[2];  ///< P_F(tau), kg m/s
};

/// Region, direction and projection. Ties (|tau| = F up to 1e-9)
/// count as slip: a contact on the edge of its cone must not pin its body.
struct AlartCurnier {
  template <class Real>
  NSN_FUNCTION AlartCurnierPoint<Real> operator()(const Real v[2], const Real x[2], Real F,
                                                  Real rho) const {
    const Real tau[2] = {x[0] - v[0] / rho, x[1] - v[1] / rho};
    const Real length = hypotenuse(tau[0], tau[1]);
    AlartCurnierPoint<Real> out{
        FrictionRegion::kOpen, {Real(1), Real(0)}, Real(1), {Real(0), Real(0)}};
    if (length > Real(0)) {
      out.direction[0] = tau[0] / length;
      out.direction[1] = tau[1] / length;
    }
    if (!(F > Real(0))) return out;
    const bool stick = length < F * (Real(1) - Real(1e-9));
    out.region = stick ? FrictionRegion::kStick : FrictionRegion::kSlip;
    out.ratio = stick ? Real(1) : (F < length ? F / length : Real(1));
    out.projected[0] = stick ? tau[0] : F * out.direction[0];
    out.projected[1] = stick ? tau[1] : F * out.direction[1];
    return out;
  }
};

/// phi = x_T - Pi(x_T - v / rho) and its derivatives: the full (unsymmetric) form.
template <class Real>
struct AlartCurnierDerivative {
  Real phi[2];       ///< kg m/s
  Real d_x[4];       ///< d phi / d x_T, 2x2 row by row, dimensionless
  Real d_v[4];       ///< d phi / d v, 2x2 row by row, kg
  Real d_normal[2];  ///< d phi / d x_N at F = mu x_N, dimensionless
};

template <class Real>
NSN_FUNCTION AlartCurnierDerivative<Real> full_alart_curnier(const AlartCurnierPoint<Real>& at,
                                                             const Real x[2], Real mu, Real rho) {
  AlartCurnierDerivative<Real> out{};
  const Real* t = at.direction;
  Real P[4] = {Real(0), Real(0), Real(0), Real(0)};  // derivative of the projection by tau
  if (at.region == FrictionRegion::kStick) P[0] = P[3] = Real(1);
  if (at.region == FrictionRegion::kSlip) {
    P[0] = at.ratio * (Real(1) - t[0] * t[0]);
    P[1] = P[2] = -at.ratio * t[0] * t[1];
    P[3] = at.ratio * (Real(1) - t[1] * t[1]);
    out.d_normal[0] = -mu * t[0];
    out.d_normal[1] = -mu * t[1];
  }
  for (int i = 0; i < 2; ++i) out.phi[i] = x[i] - at.projected[i];
  for (int i = 0; i < 4; ++i) {
    out.d_x[i] = (i == 0 || i == 3 ? Real(1) : Real(0)) - P[i];
    out.d_v[i] = P[i] / rho;
  }
  return out;
}

}  // namespace nsn::ncp
