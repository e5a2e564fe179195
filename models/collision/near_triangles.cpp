#include "models/collision/near_triangles.h"

#include <algorithm>
#include <span>

namespace nsn {
namespace {

/// Tried for one that separates two meshes.
constexpr int kDirections = 4;
/// So many triangles are not split any more.
constexpr std::size_t kFew = 4;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// All corners lie further than `reach` before or behind the plane through p across n.
bool beyond_plane(const Vec3& n, const Vec3& p, std::span<const Vec3, 3> corners, double reach) {
  const double offset = dot(n, p);
  const double h[3] = {dot(n, corners[0]) - offset, dot(n, corners[1]) - offset,
                       dot(n, corners[2]) - offset};
  return std::min({h[0], h[1], h[2]}) > reach || std::max({h[0], h[1], h[2]}) < -reach;
}

}  // namespace

void NearTriangles::find_direction(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                                   double reach) {
  gap_ = -1e300;
  const Vec3 between = centre(a.box()) - b_in_a.apply(centre(b.box()));
  Vec3 up = norm(between) > 0.0 ? normalized(between) : Vec3{0.0, 0.0, 1.0};
  for (int k = 0; k < kDirections; ++k) {
    const Vec3 low = a.support(-up);
    const Vec3 local = transpose_times(b_in_a.R, up);
    const Vec3 high = b.support(local);
    const Vec3 across = low - b_in_a.apply(high) - reach * up;
    const double gap = dot(up, across) + reach;
    if (gap > gap_) {
      gap_ = gap;
      region_a_ = {kNowhere, up, dot(up, low) - gap + reach};
      region_b_ = {kNowhere, -local, -dot(local, high) - gap + reach};
    }
    const double squared = dot(across, across);
    if (gap_ > reach || squared == 0.0) return;
    up -= (2.0 * dot(up, across) / squared) * across;
  }
}

Aabb NearTriangles::place(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                          double reach) {
  Aabb around = kNowhere;
  placed_.clear();
  const Aabb box = widened(a.bounds(inverse(b_in_a)), reach);
  b.for_each_in({box, region_b_.up, region_b_.top}, [&](int t) {
    Placed placed{t, b.corners(t), {}, {}};
    for (Vec3& p : placed.corners) p = b_in_a.apply(p);
    placed.normal = b_in_a.R * b.normals()[at(t)];
    placed.box = widened(box_of(placed.corners), reach);
    grow(around, placed.box);
    placed_.push_back(placed);
  });
  return around;
}

void NearTriangles::match_one(const TriangleMesh& a, double reach, const Placed& theirs,
                              std::size_t first, std::size_t last) {
  bool near = false;
  for (std::size_t k = first; k < last; ++k) {
    const int s = candidates_[k];
    if (!meet(theirs.box, a.box(s)) || (near && found_.holds(s))) continue;
    const std::array<Vec3, 3> mine = a.corners(s);
    if (beyond_plane(a.normals()[at(s)], mine[0], theirs.corners, reach)) continue;
    if (beyond_plane(theirs.normal, theirs.corners[0], mine, reach)) continue;
    near = true;
    if (found_.insert(s)) of_a_.push_back(s);
  }
  if (!near) return;
  of_b_.push_back(theirs.number);
  grow(region_a_.box, theirs.box);
}

void NearTriangles::match(const TriangleMesh& a, double reach, std::size_t begin, std::size_t end,
                          std::size_t first, std::size_t last) {
  Aabb box = kNowhere;
  for (std::size_t k = begin; k < end; ++k) grow(box, placed_[k].box);
  for (std::size_t k = first; k < last; ++k) {
    const int s = candidates_[k];
    if (meet(box, a.box(s))) candidates_.push_back(s);
  }
  const std::size_t stop = candidates_.size();
  if (last < stop && end - begin > kFew) {
    const std::size_t middle = (begin + end) / 2;
    match(a, reach, begin, middle, last, stop);
    match(a, reach, middle, end, last, stop);
  } else {
    for (std::size_t k = begin; k < end; ++k) match_one(a, reach, placed_[k], last, stop);
  }
  candidates_.resize(last);
}

void NearTriangles::find(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                         double reach) {
  of_a_.clear();
  of_b_.clear();
  find_direction(a, b, b_in_a, reach);
  if (gap_ > reach) return;
  const Aabb around = place(a, b, b_in_a, reach);
  candidates_.clear();
  a.for_each_in({around, region_a_.up, region_a_.top}, [&](int s) { candidates_.push_back(s); });
  found_.clear(a.triangles().size());
  match(a, reach, 0, placed_.size(), 0, candidates_.size());
  std::sort(of_a_.begin(), of_a_.end());
  std::sort(of_b_.begin(), of_b_.end());
  const Pose a_in_b = inverse(b_in_a);
  for (const int s : of_a_) {
    for (const Vec3& p : a.corners(s)) grow(region_b_.box, a_in_b.apply(p));
  }
  region_b_.box = widened(region_b_.box, reach);
}

}  // namespace nsn
