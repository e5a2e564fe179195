#include "nsn/models/collision/gjk.h"

#include <algorithm>
#include <cmath>

#include "nsn/models/collision/feature_distance.h"

namespace nsn {
namespace {

constexpr int kMaxIterations = 200;

struct Corner {
  Vec3 w;  // a - b
  SupportMap::Point a;
  SupportMap::Point b;
  double weight = 1.0;
};

/// Up to four corners, and the point of their hull nearest to the origin.
class Simplex {
 public:
  int size() const { return size_; }
  const Corner& corner(int k) const { return corner_[static_cast<std::size_t>(k)]; }
  void push(const Corner& corner) { corner_[static_cast<std::size_t>(size_++)] = corner; }
  bool has(const Vec3& w) const {
    for (int k = 0; k < size_; ++k) {
      if (max_abs(corner(k).w - w) == 0.0) return true;
    }
    return false;
  }
  /// Largest coordinate: rounding errors are relative to it.
  double extent() const {
    double largest = 0.0;
    for (int k = 0; k < size_; ++k) largest = std::max(largest, max_abs(corner(k).w));
    return largest;
  }

  /// Drops the corners that the nearest point does not need. False: the origin lies inside.
  bool reduce() {
    if (size_ == 1) return keep({0}, {1.0});
    if (size_ == 2) {
      const double t = closest_on_segment({}, corner(0).w, corner(1).w).t;
      return keep({0, 1}, {1.0 - t, t});
    }
    if (size_ == 3) return keep_triangle(0, 1, 2);
    return reduce_tetrahedron();
  }

  Vec3 nearest() const {
    Vec3 sum;
    for (int k = 0; k < size_; ++k) sum += corner(k).weight * corner(k).w;
    return sum;
  }

 private:
  bool keep(const std::array<int, 3>& which, const Vec3& weights) {
    const std::array<Corner, 4> old = corner_;
    size_ = 0;
    for (int k = 0; k < 3; ++k) {
      if (weights[k] <= 0.0) continue;
      push(old[static_cast<std::size_t>(which[static_cast<std::size_t>(k)])]);
      corner_[static_cast<std::size_t>(size_ - 1)].weight = weights[k];
    }
    return true;
  }

  bool keep_triangle(int i, int j, int k) {
    return keep({i, j, k}, closest_on_triangle({}, corner(i).w, corner(j).w, corner(k).w).weights);
  }

  bool reduce_tetrahedron() {
    constexpr int kFace[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool inside = true;
    int best = -1;
    double nearest = 0.0;
    for (int f = 0; f < 4; ++f) {
      const Vec3& a = corner(kFace[f][0]).w;
      const Vec3& b = corner(kFace[f][1]).w;
      const Vec3& c = corner(kFace[f][2]).w;
      const Vec3 n = cross(b - a, c - a);
      const double apex = dot(n, corner(kFace[f][3]).w - a);
      const double origin = -dot(n, a);
      // A tetrahedron as flat as rounding has no inside.
      const double flat = 1e-14 * norm(n) * extent();
      if (std::abs(apex) > flat && apex * origin > 0.0) continue;
      inside = false;
      const double d = closest_on_triangle({}, a, b, c).distance_squared;
      if (best >= 0 && d >= nearest) continue;
      best = f;
      nearest = d;
    }
    if (inside) return false;
    return keep_triangle(kFace[best][0], kFace[best][1], kFace[best][2]);
  }

  std::array<Corner, 4> corner_;
  int size_ = 0;
};

Corner support(const SupportMap& A, const SupportMap& B, const Vec3& v) {
  Corner corner;
  corner.a = A.support(-v);
  corner.b = B.support(v);
  corner.w = corner.a.x - corner.b.x;
  return corner;
}

GjkResult finish(const Simplex& simplex, const Vec3& v, int iterations) {
  GjkResult result;
  result.status = GjkResult::Status::kApart;
  result.iterations = iterations;
  result.distance = norm(v);
  result.normal = (1.0 / result.distance) * v;
  result.corners = simplex.size();
  for (int k = 0; k < simplex.size(); ++k) {
    const Corner& corner = simplex.corner(k);
    result.on_a += corner.weight * corner.a.x;
    result.on_b += corner.weight * corner.b.x;
    result.vertex_a[static_cast<std::size_t>(k)] = corner.a.vertex;
    result.vertex_b[static_cast<std::size_t>(k)] = corner.b.vertex;
  }
  return result;
}

}  // namespace

GjkResult gjk(const SupportMap& A, const SupportMap& B, const Vec3& start, double cutoff) {
  Simplex simplex;
  simplex.push(support(A, B, dot(start, start) > 0.0 ? start : Vec3{0, 0, 1}));
  Vec3 v = simplex.nearest();
  GjkResult overlap;
  for (int k = 1; k <= kMaxIterations; ++k) {
    overlap.iterations = k;
    const double distance = norm(v);
    if (distance <= 1e-12 * simplex.extent()) return overlap;
    const Corner corner = support(A, B, v);
    const double bound = dot(v, corner.w) / distance;
    if (bound > cutoff) {
      GjkResult beyond;
      beyond.status = GjkResult::Status::kBeyond;
      beyond.distance = bound;
      beyond.iterations = k;
      return beyond;
    }
    if (distance - bound <= 1e-14 * distance || simplex.has(corner.w)) {
      return finish(simplex, v, k);
    }
    const Simplex before = simplex;
    simplex.push(corner);
    if (!simplex.reduce()) return overlap;
    const Vec3 next = simplex.nearest();
    if (norm(next) >= distance) return finish(before, v, k);  // rounding: no nearer point is found
    v = next;
  }
  return finish(simplex, v, kMaxIterations);
}

}  // namespace nsn
