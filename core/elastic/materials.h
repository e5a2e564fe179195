/// Isotropic elastic materials on any device: energy density Psi, its derivatives, and what geometric
/// stiffness needs of them.
///
/// Isotropic means that Psi depends on the principal stretches s of F = U diag(s) V^T alone
/// (core/elastic/signed_svd.h). A material gives, per unit of rest volume (Pa = J/m^3),
///
///     energy    Psi(s)                    0 at rest, s = (1, 1, 1)
///     gradient  dPsi/ds                   nominal (first Piola-Kirchhoff) stress P = U diag(.) V^T
///     hessian   d2Psi/ds2                 N = V_e hessian, c = V_e gradient of an element
///     flip_k    (g_i - g_j)/(s_i - s_j)   stiffness against the change of V while s is kept,
///     twist_k   (g_i + g_j)/(s_i + s_j)     g = gradient, (i, j, k) cyclic; closed forms, no 0/0
///
/// The second derivative of Psi in F has nine eigenvalues: three of the hessian, three flips, three
/// twists. Rows of an element carry the first three, geometric stiffness the six others
/// (core/elastic/tetrahedron.h).
///
/// | material        | Psi                                                       | constants     |
/// |-----------------|-----------------------------------------------------------|---------------|
/// | linear          | G e:e + Lambda/2 (tr e)^2, e = sym(F) - I: not invariant  | G, Lambda     |
/// | corotational    | G sum (s_i-1)^2 + Lambda/2 (sum (s_i-1))^2                | G, Lambda     |
/// | neo-hookean     | m/2 (I-3) + L/2 (J-a)^2                                   | m, L, a (1)   |
/// | neo-hookean-log | m/2 (I-3) + L/2 (J-a)^2 - m/2 log(I+1)                    | m, L, a (2)   |
///
///     (1)  m = G,        L = Lambda + G,      a = 1 + m/L
///     (2)  m = 4/3 G,    L = Lambda + 5/6 G,  a = 1 + 3/4 m/L         [Smith18, Eq. 14]
///
/// with I = s1^2 + s2^2 + s3^2, J = s1 s2 s3 and the Lame constants: the shear modulus G = Y/(2(1+nu)),
/// Lambda = Y nu/((1+nu)(1-2nu)): every one of them has Young's modulus Y and Poisson's ratio nu at
/// small strain. In [Macklin19, Appendix B] C1 = m/2, D1 = L/2, alpha = a.
/// Differs from the paper: its gradient reads J - 1 where it must be J - a, or the rest shape
/// is not at rest.
///
/// [Smith18] B. Smith, F. de Goes, T. Kim: Stable Neo-Hookean Flesh Simulation, ACM TOG 37(2),
/// 2018.
#pragma once

#include <cmath>
#include <cstdint>
#include <variant>

#include "nsn/core/base/symmetric_kernels.h"

namespace nsn {

/// Lame constants, Pa: the shear modulus, and the other one. No mu, no lambda: those are friction and
/// multipliers.
struct Lame {
  double G = 0.0;
  double Lambda = 0.0;
};

/// Normal strains (xx, yy, zz), then engineering shear strains (yz, xz, xy), twice the tensor's.
struct Strain {
  Vec3 normal;
  Vec3 shear;
};

/// Small strain e = sym(F) - I; stress 2 G e + Lambda tr(e) I, the same whatever the rotation of
/// the element, so that only small rotations are right. In the six strains the stiffness
///
///     K_e = [ Lambda 1 1^T + 2 G I    0   ]
///           [           0            G I  ]      is 3x3 block diagonal, and so is its inverse.
struct LinearElastic {
  double G = 0.0;
  double Lambda = 0.0;

  NSN_FUNCTION static Strain strain(const Mat3& F) {
    return {{{F(0, 0) - 1.0, F(1, 1) - 1.0, F(2, 2) - 1.0}},
            {{F(1, 2) + F(2, 1), F(0, 2) + F(2, 0), F(0, 1) + F(1, 0)}}};
  }
  /// K_e e: stresses conjugate to the strains.
  NSN_FUNCTION Strain stress(const Strain& e) const {
    const double pressure = Lambda * (e.normal[0] + e.normal[1] + e.normal[2]);
    return {2.0 * G * e.normal + vec3(pressure, pressure, pressure), G * e.shear};
  }
  NSN_FUNCTION double energy(const Strain& e) const {
    const Strain sigma = stress(e);
    return 0.5 * (dot(sigma.normal, e.normal) + dot(sigma.shear, e.shear));
  }
};

/// Linear in the stretches: what is left of linear elasticity when the rotation is taken out.
struct Corotational {
  double G = 0.0;
  double Lambda = 0.0;
  /// s_i + s_j >= 0 in a signed decomposition. Psi has a kink where it vanishes (an inverted
  /// element may turn about either axis); the twist is evaluated no closer to it than this.
  static constexpr double kSmallestSum = 1e-3;
  NSN_FUNCTION static double apart(double sum) { return sum > kSmallestSum ? sum : kSmallestSum; }

  NSN_FUNCTION double energy(const Vec3& s) const {
    const Vec3 e = s - vec3(1.0, 1.0, 1.0);
    const double t = e[0] + e[1] + e[2];
    return G * dot(e, e) + 0.5 * Lambda * t * t;
  }
  NSN_FUNCTION Vec3 gradient(const Vec3& s) const {
    const double pressure = Lambda * (s[0] + s[1] + s[2] - 3.0);
    Vec3 g;
    for (int i = 0; i < 3; ++i) g[i] = 2.0 * G * (s[i] - 1.0) + pressure;
    return g;
  }
  NSN_FUNCTION Mat3 hessian(const Vec3&) const {
    Mat3 N = 2.0 * G * identity<3>();
    for (double& x : N.a) x += Lambda;
    return N;
  }
  NSN_FUNCTION Vec3 flip(const Vec3&) const { return vec3(2.0 * G, 2.0 * G, 2.0 * G); }
  NSN_FUNCTION Vec3 twist(const Vec3& s) const {
    const double force = 2.0 * Lambda * (s[0] + s[1] + s[2] - 3.0) - 4.0 * G;
    Vec3 k;
    for (int i = 0; i < 3; ++i) {
      k[i] = 2.0 * G + force / apart(s[(i + 1) % 3] + s[(i + 2) % 3]);
    }
    return k;
  }
};

/// Stable for every F, also inverted ones; WithLog adds the term that makes F = 0 unstable.
template <bool WithLog>
struct NeoHookean {
  double m = 0.0;  ///< Pa
  double L = 0.0;  ///< Pa
  double a = 1.0;  ///< stretch of volume that the second term likes

  NSN_FUNCTION double energy(const Vec3& s) const {
    const double I = dot(s, s);
    const double J = s[0] * s[1] * s[2];
    const double volume = 0.5 * L * ((J - a) * (J - a) - (1.0 - a) * (1.0 - a));
    const double shape = 0.5 * m * (I - 3.0);
    return WithLog ? volume + shape - 0.5 * m * std::log((I + 1.0) / 4.0) : volume + shape;
  }
  NSN_FUNCTION Vec3 gradient(const Vec3& s) const { return shear(s) * s + pressure(s) * area(s); }
  NSN_FUNCTION Mat3 hessian(const Vec3& s) const {
    const Vec3 A = area(s);
    const double p = pressure(s);
    Mat3 N = L * outer(A, A);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3;
      const int j = (k + 2) % 3;
      N(k, k) += shear(s);
      N(i, j) += p * s[k];
      N(j, i) += p * s[k];
    }
    if (WithLog) {
      const double I = dot(s, s) + 1.0;
      N += (2.0 * m / (I * I)) * outer(s, s);
    }
    return N;
  }
  NSN_FUNCTION Vec3 flip(const Vec3& s) const {
    const double g = shear(s);
    return vec3(g, g, g) - pressure(s) * s;
  }
  NSN_FUNCTION Vec3 twist(const Vec3& s) const {
    const double g = shear(s);
    return vec3(g, g, g) + pressure(s) * s;
  }

 private:
  /// dJ/ds
  NSN_FUNCTION static Vec3 area(const Vec3& s) {
    return vec3(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
  }
  NSN_FUNCTION double pressure(const Vec3& s) const { return L * (s[0] * s[1] * s[2] - a); }
  NSN_FUNCTION double shear(const Vec3& s) const {
    return WithLog ? m * (1.0 - 1.0 / (dot(s, s) + 1.0)) : m;
  }
};

using StableNeoHookean = NeoHookean<false>;
using StableNeoHookeanLog = NeoHookean<true>;

using ElasticMaterial =
    std::variant<LinearElastic, Corotational, StableNeoHookean, StableNeoHookeanLog>;

/// How E is made of a stiffness N that may be indefinite (N and floor in the same unit, floor > 0).
enum class ComplianceKind : std::uint8_t {
  kProjected,  ///< E = N^-1 with the eigenvalues of N raised to `floor` where they are below it
  kDiagonal    ///< E_ii = 1 / max(sum_j |N_ij|, floor): E^-1 >= N (Gershgorin), so that a step made
               ///< with it falls short but never overshoots
};

/// N and E = N^-1 as a Newton row may use them: symmetric positive definite.
struct StiffnessAndCompliance {
  Mat3 N;
  Mat3 E;
};

/// All eigenvalues of N are above floor: the leading minors of N - floor I are positive.
NSN_FUNCTION bool exceeds(const Mat3& N, double floor) {
  const double a = N(0, 0) - floor;
  const double b = N(1, 1) - floor;
  const double c = N(2, 2) - floor;
  const double minor = a * b - N(0, 1) * N(0, 1);
  const double det =
      c * minor - a * N(1, 2) * N(1, 2) - b * N(0, 2) * N(0, 2) + 2.0 * N(0, 1) * N(1, 2) * N(0, 2);
  return a > 0.0 && minor > 0.0 && det > 0.0;
}

NSN_FUNCTION StiffnessAndCompliance projected_compliance(const Mat3& N, double floor) {
  if (exceeds(N, floor)) {  // well inside the positive definite cone
    const Mat3 cofactors = adjugate(N);
    const double det = dot(column(N, 0), column(transpose(cofactors), 0));
    return {N, (1.0 / det) * cofactors};
  }
  const SymmetricEigen eigen = symmetric_kernels::eigen(N);
  Vec3 stiffness;
  Vec3 compliance;
  for (int k = 0; k < 3; ++k) {
    stiffness[k] = eigen.values[k] < floor ? floor : eigen.values[k];
    compliance[k] = 1.0 / stiffness[k];
  }
  const Mat3 Qt = transpose(eigen.vectors);
  return {eigen.vectors * (diagonal(stiffness) * Qt), eigen.vectors * (diagonal(compliance) * Qt)};
}

NSN_FUNCTION StiffnessAndCompliance diagonal_majorant(const Mat3& N, double floor) {
  Vec3 stiffness;
  Vec3 compliance;
  for (int i = 0; i < 3; ++i) {
    const double sum = std::fabs(N(i, 0)) + std::fabs(N(i, 1)) + std::fabs(N(i, 2));
    stiffness[i] = sum < floor ? floor : sum;
    compliance[i] = 1.0 / stiffness[i];
  }
  return {diagonal(stiffness), diagonal(compliance)};
}

NSN_FUNCTION StiffnessAndCompliance safe_compliance(const Mat3& N, ComplianceKind kind,
                                                    double floor) {
  return kind == ComplianceKind::kProjected ? projected_compliance(N, floor)
                                            : diagonal_majorant(N, floor);
}

}  // namespace nsn
