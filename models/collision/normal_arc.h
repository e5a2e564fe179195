/// The directions along which an edge between two faces can be touched.
#pragma once

#include <cmath>

#include "nsn/core/base/math3.h"

namespace nsn {

/// Unit normals from that of one face to that of the other, about their middle. As it is made, it
/// tells nothing: any direction may belong to the edge.
struct NormalArc {
  Vec3 middle;          ///< unit
  double cosine = 0.0;  ///< of half its angle
  double sine = 1.0;
};

/// n, m: unit normals of the faces of a convex edge. Faces that look away from each other have no
/// middle to speak of.
inline NormalArc normal_arc(const Vec3& n, const Vec3& m) {
  const double cosine = 0.5 * norm(n + m);
  if (cosine < 0.1) return {};
  return {normalized(n + m), cosine, std::sqrt(std::fmax(0.0, 1.0 - cosine * cosine))};
}

/// <= 0: some direction of the arc is opposite to one of another, to 1e-5: the middles are opposite
/// up to half of both angles. `between`: the cosine of the angle between the middles; `cosine`,
/// `sine`: of the other arc.
inline double opposition_excess(const NormalArc& arc, double between, double cosine, double sine) {
  return between - (arc.sine * sine - arc.cosine * cosine + 1e-5);
}

inline NormalArc operator*(const Mat3& R, const NormalArc& arc) {
  return {R * arc.middle, arc.cosine, arc.sine};
}

}  // namespace nsn
