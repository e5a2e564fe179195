/// One spring (models/deformable/springs.h) on any device. Out: core/elastic/tetrahedron.h, and
///
///   out.across(K)      -K of the pair, exact
#pragma once

#include "nsn/core/base/index.h"
#include "nsn/core/base/math3.h"

namespace nsn {

struct Spring {
  Index a = 0;
  Index b = 0;               ///< another node than a
  double rest_length = 0.0;  ///< L, m, >= 0; 0: a linear attachment of three rows
  double stiffness = 1.0;    ///< k, N/m, > 0
  double damping = 0.0;      ///< b, N s/m, >= 0
};

struct SpringLaw {
  using Element = Spring;
  static constexpr int kNodes = 2;
  static constexpr int kStart = 3;
  /// Below this share of its rest length a spring has no direction to speak of: x is taken.
  static constexpr double kNoLength = 1e-9;

  NSN_FUNCTION static int blocks() { return 1; }
  NSN_FUNCTION static double length(const Spring&) { return 1.0; }
  NSN_FUNCTION static bool clamps() { return true; }

  /// x_a - x_b, against which rates are measured.
  template <class Points>
  NSN_FUNCTION void start(const Spring& e, const Points& x, double* kept) const {
    store3(kept, x(e.a) - x(e.b));
  }

  template <class Points, class Out>
  NSN_FUNCTION void evaluate(const Spring& e, double, const Points& x, const double* kept, double h,
                             const Out& out) const {
    const Vec3 r = x(e.a) - x(e.b);
    const Vec3 r0 = load3(kept);
    const double N = e.stiffness + e.damping / h;
    Mat3 J = identity<3>();
    Vec3 c = e.stiffness * r + (e.damping / h) * (r - r0);
    Mat3 K;
    if (e.rest_length > 0.0) {
      const double least = kNoLength * e.rest_length;
      const double l = norm(r);
      const Vec3 d = l > least ? (1.0 / l) * r : vec3(1.0, 0.0, 0.0);
      const double force = e.stiffness * (l - e.rest_length) + e.damping / h * (l - norm(r0));
      J = Mat3{{d[0], d[1], d[2]}};
      c = vec3(force, 0.0, 0.0);
      K = (force / (l < least ? least : l)) * (identity<3>() - outer(d, d));
    }
    out.direction(0, 0, J);
    out.direction(0, 1, -J);
    const Vec3 Ec = vec3(c[0] / N, c[1] / N, c[2] / N);
    out.force(0, c, Ec, diagonal(vec3(1.0 / N, 1.0 / N, 1.0 / N)));
    out.stiffness(0, N * (transpose(J) * J));
    out.across(K);
  }
};

/// -K of a pair without what softens: a pressed spring gives way sideways.
NSN_FUNCTION Mat3 hardening_across(const Mat3& K) {
  return trace(K) > 0.0 ? K : Mat3{};
}

}  // namespace nsn
