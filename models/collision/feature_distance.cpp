#include "nsn/models/collision/feature_distance.h"

#include <algorithm>

namespace nsn {
namespace {

/// Sines below this count as zero: the crossing of two lines is lost in rounding there.
constexpr double kParallel = 1e-10;

/// Exact at both ends.
Vec3 between(const Vec3& a, const Vec3& b, double t) {
  return (1.0 - t) * a + t * b;
}

/// Parameter of the point of a + t d nearest to a + away, 0 <= t <= 1.
double foot(const Vec3& away, const Vec3& d, double length_squared) {
  return length_squared > 0.0 ? std::min(std::max(dot(away, d) / length_squared, 0.0), 1.0) : 0.0;
}

double square(const Vec3& a) {
  return dot(a, a);
}

OnTriangle on_edge(const OnSegment& near, int from, int to) {
  constexpr TrianglePart kCorner[3] = {TrianglePart::kA, TrianglePart::kB, TrianglePart::kC};
  constexpr TrianglePart kEdge[3] = {TrianglePart::kAB, TrianglePart::kBC, TrianglePart::kCA};
  OnTriangle result;
  result.weights[from] = 1.0 - near.t;
  result.weights[to] = near.t;
  result.point = near.point;
  result.distance_squared = near.distance_squared;
  result.part = near.t == 0.0 ? kCorner[from] : near.t == 1.0 ? kCorner[to] : kEdge[from];
  return result;
}

}  // namespace

OnSegment closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 d = b - a;
  OnSegment result;
  result.t = foot(p - a, d, dot(d, d));
  result.point = between(a, b, result.t);
  result.distance_squared = square(p - result.point);
  return result;
}

OnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = b - a;
  const Vec3 v = c - a;
  const Vec3 n = cross(u, v);
  const double area_squared = dot(n, n);
  if (area_squared > kParallel * kParallel * dot(u, u) * dot(v, v)) {
    // Areas of the triangles that the foot of the perpendicular forms with the edges.
    const double w_b = dot(cross(p - a, v), n);
    const double w_c = dot(cross(u, p - a), n);
    const double w_a = area_squared - w_b - w_c;
    if (w_a > 0.0 && w_b > 0.0 && w_c > 0.0) {
      OnTriangle result;
      result.weights = (1.0 / area_squared) * Vec3{w_a, w_b, w_c};
      const double height = dot(p - a, n) / area_squared;
      result.point = p - height * n;
      result.distance_squared = height * height * area_squared;
      return result;
    }
  }
  OnTriangle best = on_edge(closest_on_segment(p, a, b), 0, 1);
  const auto offer = [&](const OnTriangle& other) {
    if (other.distance_squared < best.distance_squared) best = other;
  };
  offer(on_edge(closest_on_segment(p, b, c), 1, 2));
  offer(on_edge(closest_on_segment(p, c, a), 2, 0));
  return best;
}

bool crossing_of_segments(const Vec3& p0, const Vec3& d, const Vec3& q0, const Vec3& e,
                          BetweenSegments& out) {
  const Vec3 n = cross(d, e);
  const double sine_squared = dot(n, n);
  const Vec3 r = q0 - p0;
  const double along = dot(cross(r, e), n);
  if (along <= 0.0 || along >= sine_squared) return false;
  if (sine_squared <= kParallel * kParallel * dot(d, d) * dot(e, e)) return false;
  const double s = along / sine_squared;
  // Not det(r, d, n) / n^2, which is as uncertain as s along nearly parallel segments: the point
  // that belongs to this s is certain.
  const double t = dot(s * d - r, e) / dot(e, e);
  if (!(s < 1.0 && t > 0.0 && t < 1.0)) return false;
  const Vec3 on_p = p0 + s * d;
  const Vec3 on_q = q0 + t * e;
  out = {s, t, on_p, on_q, true, dot(on_p - on_q, on_p - on_q)};
  return true;
}

BetweenSegments closest_between_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0,
                                         const Vec3& q1) {
  BetweenSegments result;
  const Vec3 d = p1 - p0;
  const Vec3 e = q1 - q0;
  if (crossing_of_segments(p0, d, q0, e, result)) return result;
  // Else an end of one of them is nearest: of four, without a branch that cannot be foreseen.
  const double dd = dot(d, d);
  const double ee = dot(e, e);
  const Vec3 away[4] = {p0 - q0, p1 - q0, q0 - p0, q1 - p0};
  const double s[4] = {0.0, 1.0, foot(away[2], d, dd), foot(away[3], d, dd)};
  const double t[4] = {foot(away[0], e, ee), foot(away[1], e, ee), 0.0, 1.0};
  int nearest = 0;
  for (int k = 0; k < 4; ++k) {
    const double distance_squared = square(away[k] - (k < 2 ? t[k] : s[k]) * (k < 2 ? e : d));
    const bool nearer = k == 0 || distance_squared < result.distance_squared;
    nearest = nearer ? k : nearest;
    result.distance_squared = nearer ? distance_squared : result.distance_squared;
  }
  result.s = s[nearest];
  result.t = t[nearest];
  result.on_p = between(p0, p1, result.s);
  result.on_q = between(q0, q1, result.t);
  result.distance_squared = square(result.on_p - result.on_q);
  return result;
}

}  // namespace nsn
