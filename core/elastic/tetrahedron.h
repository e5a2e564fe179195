/// One tetrahedron (models/deformable/tetrahedra.h) on any device: its rows and what they leave to
/// geometric stiffness.
///
/// What a body yields it hands to an Out, which keeps what it needs:
///
///   out.direction(b, a, J)                  3x3, block b of the rows, node a
///   out.force(b, c, Ec, E)                  generalised forces, E c and compliance
///   out.stiffness(b, N)                     E^-1
///   out.modes(U, V, flip, twist, D)         of -K; D = N - E^-1 of projected stretch rows
#pragma once

#include "nsn/core/base/index.h"
#include "nsn/core/elastic/signed_svd.h"
#include "nsn/core/elastic/strain_rows.h"

namespace nsn {

/// At rest.
struct TetElement {
  Index node[4] = {};  ///< ascending; F does not depend on their order
  Vec3 gradient[4];    ///< g_a, 1/m; their sum is 0
  double volume = 0;   ///< V_e, m^3
  double weight = 0;   ///< V_e times the factor on Psi, or times that and tau
  double length = 0;   ///< edge of a cube of that volume, m: strains times it are in metres
};

/// F = sum_a x_a g_a^T; x(n): where node n is.
template <class Points>
NSN_FUNCTION Mat3 deformation_gradient(const TetElement& e, const Points& x) {
  Mat3 F;
  for (int a = 0; a < 4; ++a) F += outer(x(e.node[a]), e.gradient[a]);
  return F;
}

enum class ElementRows : std::uint8_t { kStretches, kStrains };

/// Everything times V_e and the factor on Psi.
struct StretchState {
  SignedSvd svd;
  Vec3 c;     ///< generalised forces of the stretches, with activation
  Mat3 N;     ///< their stiffness
  Vec3 flip;  ///< total, of the pairs (1,2), (2,0), (0,1)
  Vec3 twist;
};

template <class Material>
struct TetrahedronLaw {
  using Element = TetElement;
  static constexpr int kNodes = 4;
  static constexpr int kStart = 9;  ///< numbers that an element keeps of the start of its step
  static constexpr bool kLinear = std::is_same_v<Material, LinearElastic>;

  Material material;
  Lame lame;
  ElementRows rows = ElementRows::kStretches;
  ComplianceKind compliance = ComplianceKind::kProjected;
  double stiffness_floor = 0.0;
  bool project_geometric = true;

  NSN_FUNCTION int blocks() const { return rows == ElementRows::kStrains ? 2 : 1; }
  NSN_FUNCTION static double length(const TetElement& e) { return e.length; }
  NSN_FUNCTION bool clamps() const { return project_geometric; }

  /// A frame near V, from which every evaluation of the step sets out: it depends on where the step
  /// starts, not on what was evaluated before.
  template <class Points>
  NSN_FUNCTION void start(const TetElement& e, const Points& x, double* frame) const {
    if constexpr (!kLinear) store9(frame, stretch_frame(deformation_gradient(e, x)));
  }

  /// pressure: the activation p, Pa.
  template <class Points, class Out>
  NSN_FUNCTION void evaluate(const TetElement& e, double pressure, const Points& x,
                             const double* frame, double, const Out& out) const {
    const Mat3 F = deformation_gradient(e, x);
    const double p = pressure * e.volume;
    if constexpr (kLinear) {
      linear_rows(e, p, F, out);
    } else {
      const StretchState state = stretch_state(e, p, F, load9(frame));
      if (rows == ElementRows::kStretches) {
        stretch_rows(e, state, out);
      } else {
        strain_rows(e, state, out);
      }
    }
  }

 private:
  NSN_FUNCTION StretchState stretch_state(const TetElement& e, double p, const Mat3& F,
                                          const Mat3& V0) const {
    StretchState state{signed_svd(F, V0), {}, {}, {}, {}};
    const Vec3& s = state.svd.s;
    state.c = e.weight * material.gradient(s);
    state.N = e.weight * material.hessian(s);
    state.flip = e.weight * material.flip(s);
    state.twist = e.weight * material.twist(s);
    for (int k = 0; k < 3; ++k) {
      state.c[k] -= p;
      state.twist[k] -= 2.0 * p / Corotational::apart(s[(k + 1) % 3] + s[(k + 2) % 3]);
    }
    return state;
  }

  /// J_a = diag(V^T g_a) U^T
  template <class Out>
  NSN_FUNCTION void stretch_rows(const TetElement& e, const StretchState& state,
                                 const Out& out) const {
    const double floor = stiffness_floor * 2.0 * lame.G * e.weight;
    const StiffnessAndCompliance safe = safe_compliance(state.N, compliance, floor);
    for (int a = 0; a < 4; ++a) {
      const Vec3 scale = transpose(state.svd.V) * e.gradient[a];
      Mat3 J;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) J(i, j) = scale[i] * state.svd.U(j, i);
      }
      out.direction(0, a, J);
    }
    out.force(0, state.c, safe.E * state.c, safe.E);
    out.stiffness(0, safe.N);
    const bool projected = compliance == ComplianceKind::kProjected;
    out.modes(state.svd.U, state.svd.V, state.flip, state.twist,
              projected ? state.N - safe.N : Mat3{});
  }

  /// The tensor V diag(c) V^T as six components; what strain rows carry is taken off the flips.
  template <class Out>
  NSN_FUNCTION void strain_rows(const TetElement& e, const StretchState& state,
                                const Out& out) const {
    const Mat3& V = state.svd.V;
    const Mat3 sigma = V * (diagonal(state.c) * transpose(V));
    strain_blocks(e, state.svd.U * transpose(V), vec3(sigma(0, 0), sigma(1, 1), sigma(2, 2)),
                  vec3(sigma(1, 2), sigma(0, 2), sigma(0, 1)), out);
    const double carried = 2.0 * lame.G * e.weight;
    out.modes(state.svd.U, V, state.flip - vec3(carried, carried, carried), state.twist, Mat3{});
  }

  template <class Out>
  NSN_FUNCTION void linear_rows(const TetElement& e, double p, const Mat3& F,
                                const Out& out) const {
    const Strain sigma = material.stress(LinearElastic::strain(F));
    strain_blocks(e, identity<3>(), e.weight * sigma.normal - vec3(p, p, p), e.weight * sigma.shear,
                  out);
  }

  template <class Out>
  NSN_FUNCTION void strain_blocks(const TetElement& e, const Mat3& R, const Vec3& normal,
                                  const Vec3& shear, const Out& out) const {
    for (int a = 0; a < 4; ++a) {
      const StrainDirections J = strain_directions(e.gradient[a], R);
      out.direction(0, a, J.normal);
      out.direction(1, a, J.shear);
    }
    const double w = e.weight;
    const Mat3 N = w * strain_stiffness(lame);
    const bool exact = compliance == ComplianceKind::kProjected;
    const StiffnessAndCompliance safe =
        exact ? StiffnessAndCompliance{N, (1.0 / w) * strain_compliance(lame)}
              : safe_compliance(N, compliance, 2.0 * lame.G * w);
    const Mat3 E_shear = (1.0 / (w * lame.G)) * identity<3>();
    out.force(0, normal, safe.E * normal, safe.E);
    out.force(1, shear, E_shear * shear, E_shear);
    out.stiffness(0, safe.N);
    out.stiffness(1, w * lame.G * identity<3>());
  }
};

/// TetrahedronLaw of each material, after other laws.
template <class Materials, class... Others>
struct LawsOf;
template <class... Material, class... Others>
struct LawsOf<std::variant<Material...>, Others...> {
  using Variant = std::variant<Others..., TetrahedronLaw<Material>...>;
};

/// Sums and differences of flips and twists over two, as they enter blocks of -K.
struct TetModes {
  double mean[3], half[3];
};
/// clamped: negative modes are left out, so that -K is positive semidefinite.
NSN_FUNCTION TetModes tet_modes(const Vec3& flip, const Vec3& twist, bool clamped) {
  TetModes m;
  for (int k = 0; k < 3; ++k) {
    const double f = clamped && flip[k] < 0.0 ? 0.0 : flip[k];
    const double t = clamped && twist[k] < 0.0 ? 0.0 : twist[k];
    m.mean[k] = 0.5 * (f + t);
    m.half[k] = 0.5 * (f - t);
  }
  return m;
}
/// Block (a, b) of -K in the frame of U, from V^T g_a and V^T g_b: the modes of pair (i, j) couple
/// their components i and j.
NSN_FUNCTION Mat3 mode_block(const TetModes& m, const Vec3& g_a, const Vec3& g_b) {
  Mat3 K;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    K(i, i) += m.mean[k] * g_a[j] * g_b[j];
    K(j, j) += m.mean[k] * g_a[i] * g_b[i];
    K(i, j) = m.half[k] * g_a[j] * g_b[i];
    K(j, i) = m.half[k] * g_a[i] * g_b[j];
  }
  return K;
}

}  // namespace nsn
