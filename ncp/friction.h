/// Coulomb friction of one contact: two tangential rows, slip velocity v (m/s), impulse x_T (kg
/// m/s), bound F = mu x_N (kg m/s), scale rho > 0 (1/kg).
///
/// Two families:
///
/// * W of [Macklin19], a fixed point: v + W x_T = 0 with W >= 0 (1/kg) from an NCP function of
///   |v| and rho (F - |x_T|). Symmetric; W = 0 means stick.
///   The same with a W that smooths Coulomb's law at small speeds.
/// * Alart-Curnier: x_T = P_F(x_T - v / rho), P_F the projection on the disc of radius F; with its
///   exact derivative (unsymmetric: the bound moves with x_N) or with the bound held (symmetric).
///
/// A contact with F <= 0 is inactive: its rows ask for x_T = 0.
/// Differs from the paper: it prints |v|^2 where units demand |v|, and x_N >= 0 for the inactive
/// set.
#pragma once

#include "nsn/ncp/ncp_value.h"

namespace nsn::ncp {

/// W of the minimum map: 0 where |v| <= rho (F - l), else (|v| - rho (F - l)) / F.
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

enum class FrictionRegion { kOpen, kStick, kSlip };

/// Where tau = x_T - v / rho lies, and the frame the slip rows use.
template <class Real>
struct AlartCurnierPoint {
  FrictionRegion region;
  Real direction[2];      ///< t = tau / |tau|; (1, 0) where tau = 0
  Real perpendicular[2];  ///< p = t turned by 90 degrees
  Real ratio;             ///< kappa = F / |tau| in (0, 1] where slipping, 1 otherwise
  Real projected[2];      ///< P_F(tau), kg m/s
};

/// Region, frame and projection shared by both Alart-Curnier forms. Ties (|tau| = F up to 1e-9)
/// count as slip: a contact on the edge of its cone must not pin its body.
struct AlartCurnier {
  template <class Real>
  NSN_FUNCTION AlartCurnierPoint<Real> operator()(const Real v[2], const Real x[2], Real F,
                                                  Real rho) const {
    const Real tau[2] = {x[0] - v[0] / rho, x[1] - v[1] / rho};
    const Real length = hypotenuse(tau[0], tau[1]);
    AlartCurnierPoint<Real> out{
        FrictionRegion::kOpen, {Real(1), Real(0)}, {Real(0), Real(1)}, Real(1), {Real(0), Real(0)}};
    if (length > Real(0)) set_frame(tau, length, out);
    if (!(F > Real(0))) return out;
    const bool stick = length < F * (Real(1) - Real(1e-9));
    out.region = stick ? FrictionRegion::kStick : FrictionRegion::kSlip;
    out.ratio = stick ? Real(1) : (F < length ? F / length : Real(1));
    out.projected[0] = stick ? tau[0] : F * out.direction[0];
    out.projected[1] = stick ? tau[1] : F * out.direction[1];
    return out;
  }

 private:
  template <class Real>
  NSN_FUNCTION static void set_frame(const Real tau[2], Real length, AlartCurnierPoint<Real>& out) {
    out.direction[0] = tau[0] / length;
    out.direction[1] = tau[1] / length;
    out.perpendicular[0] = -out.direction[1];
    out.perpendicular[1] = out.direction[0];
  }
};

/// Newton rows of the symmetric form, bound F held: along p the row  p.dv + C_p z_p = residual_p,
/// along t the impulse is known. Stick: both rows dv = -v.
template <class Real>
struct SymmetricSlip {
  Real compliance;  ///< C_p = rho (1/kappa - 1), 1/kg
  Real residual;    ///< (1/kappa) p.v, m/s
  Real along;       ///< impulse still missing along t: F - t.x, kg m/s
};

template <class Real>
NSN_FUNCTION SymmetricSlip<Real> symmetric_slip(const AlartCurnierPoint<Real>& at, const Real v[2],
                                                const Real x[2], Real F, Real rho) {
  const Real inverse = Real(1) / at.ratio;
  const Real* t = at.direction;
  const Real* p = at.perpendicular;
  return {rho * (inverse - Real(1)), inverse * (p[0] * v[0] + p[1] * v[1]),
          F - (t[0] * x[0] + t[1] * x[1])};
}

/// phi = x_T - P_F(x_T - v / rho) and its derivatives: the full (unsymmetric) form.
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
