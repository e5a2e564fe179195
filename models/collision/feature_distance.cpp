#include "models/collision/feature_distance.h"

#include <algorithm>

namespace nsn {
namespace {

/// Sines below this count as zero: the crossing of two lines is lost in rounding there.
constexpr double kParallel = 1e-10;

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
  const double length_squared = dot(d, d);
  OnSegment result;
  if (length_squared > 0.0) result.t = std::clamp(dot(p - a, d) / length_squared, 0.0, 1.0);
  // From the nearer end: the point is exact at both.
  result.point = result.t < 0.5 ? a + result.t * d : b - (1.0 - result.t) * d;
  const Vec3 away = p - result.point;
  result.distance_squared = dot(away, away);
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
  if (sine_squared <= kParallel * kParallel * dot(d, d) * dot(e, e)) return false;
  const Vec3 r = q0 - p0;
  const double along = dot(cross(r, e), n);
  if (along <= 0.0 || along >= sine_squared) return false;
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
  BetweenSegments best;
  if (crossing_of_segments(p0, p1 - p0, q0, q1 - q0, best)) return best;
  best.distance_squared = -1.0;
  const auto offer = [&](double s, double t, const Vec3& on_p, const Vec3& on_q, double distance) {
    if (best.distance_squared >= 0.0 && distance >= best.distance_squared) return;
    best = {s, t, on_p, on_q, false, distance};
  };
  for (int end = 0; end < 2; ++end) {
    const Vec3& p = end == 0 ? p0 : p1;
    const OnSegment near = closest_on_segment(p, q0, q1);
    offer(end, near.t, p, near.point, near.distance_squared);
  }
  for (int end = 0; end < 2; ++end) {
    const Vec3& q = end == 0 ? q0 : q1;
    const OnSegment near = closest_on_segment(q, p0, p1);
    offer(near.t, end, near.point, q, near.distance_squared);
  }
  return best;
}

}  // namespace nsn
