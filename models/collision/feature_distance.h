/// Closest points between the features of meshes: points, segments and triangles.
///
///   point - segment      min_t        |p - (a + t (b - a))|             0 <= t <= 1
///   point - triangle     min_w        |p - (w0 a + w1 b + w2 c)|        w >= 0, sum w = 1
///   segment - segment    min_{s, t}   |p(s) - q(t)|                     0 <= s, t <= 1
///
/// Every result carries the weights of the corners, so that a contact can act on the points of a
/// deformable body as well as on a rigid one, and says which feature it lies on. Segments of length
/// zero and triangles without area are legal: they are treated as what they have become. The
/// functions are pure, exact up to rounding (relative to the coordinates; shift them near the
/// origin first), and choose the same feature for the same input.
#pragma once

#include "nsn/core/base/math3.h"

namespace nsn {

/// Nearest point of a segment a b.
struct OnSegment {
  double t = 0.0;  ///< weight of b; a has 1 - t
  Vec3 point;
  double distance_squared = 0.0;  ///< m^2
};
OnSegment closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

/// Parts of a triangle (a, b, c).
enum class TrianglePart { kA, kB, kC, kAB, kBC, kCA, kFace };

/// Nearest point of a triangle.
struct OnTriangle {
  Vec3 weights;  ///< of a, b, c; >= 0, sum 1
  Vec3 point;
  TrianglePart part = TrianglePart::kFace;
  double distance_squared = 0.0;  ///< m^2
};
OnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// Nearest points p(s) = p0 + s (p1 - p0) and q(t) = q0 + t (q1 - q0) of two segments.
struct BetweenSegments {
  double s = 0.0;
  double t = 0.0;
  Vec3 on_p;
  Vec3 on_q;
  /// Both points lie between the ends, where the segments cross in space; then on_p - on_q is
  /// perpendicular to both. False also for parallel segments: their nearest points are chosen at an
  /// end of one of them.
  bool crossing = false;
  double distance_squared = 0.0;  ///< m^2
};
BetweenSegments closest_between_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0,
                                         const Vec3& q1);
/// The same where they cross, from one end and the way to the other; false and `out` as it was
/// where they do not.
bool crossing_of_segments(const Vec3& p0, const Vec3& d, const Vec3& q0, const Vec3& e,
                          BetweenSegments& out);

}  // namespace nsn
