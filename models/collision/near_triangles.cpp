#include "nsn/models/collision/near_triangles.h"

#include <algorithm>
#include <array>

#include "nsn/models/collision/lane_pose.h"
#include "nsn/models/collision/separation.h"

namespace nsn {
namespace {

/// Around those triangles where the mesh is.
NSN_VERSIONS Aabb box_around(const TriangleMesh& mesh, const std::vector<int>& triangles,
                             const Pose& pose) {
  const LanePose moved(pose);
  Lanes4 lower = in_lanes(kNowhere.lower);
  Lanes4 upper = in_lanes(kNowhere.upper);
  for (const int t : triangles) {
    for (const int v : mesh.triangles()[static_cast<std::size_t>(t)]) {
      const Lanes4 p = moved.apply(mesh.points()[static_cast<std::size_t>(v)]);
      lower = lesser(lower, p);
      upper = greater(upper, p);
    }
  }
  return {first_three(lower), first_three(upper)};
}

}  // namespace

NSN_VERSIONS Aabb NearTriangles::place(const TriangleMesh& a, const TriangleMesh& b,
                                       const Pose& b_in_a, double reach) {
  placed_.clear();
  candidates_.clear();
  const Aabb box = widened(a.bounds(inverse(b_in_a)), reach);
  b.for_each_in({box, region_b_.up, region_b_.top}, [&](int t) { candidates_.push_back(t); });
  const LanePose moved(b_in_a);
  const Vec3* const points = b.points().data();
  Lanes4 lower = in_lanes(kNowhere.lower);
  Lanes4 upper = in_lanes(kNowhere.upper);
  for (const int t : candidates_) {
    const std::array<int, 3>& corners = b.triangles()[static_cast<std::size_t>(t)];
    const Lanes4 p = moved.apply(points[corners[0]]);
    const Lanes4 q = moved.apply(points[corners[1]]);
    const Lanes4 r = moved.apply(points[corners[2]]);
    const Lanes4 low = lesser(lesser(p, q), r) - reach;
    const Lanes4 high = greater(greater(p, q), r) + reach;
    lower = lesser(lower, low);
    upper = greater(upper, high);
    Placed& placed = placed_.add();
    placed.number = t;
    placed.box.lower = first_three(low);
    placed.box.upper = first_three(high);
  }
  return {first_three(lower), first_three(upper)};
}

void NearTriangles::match(const TriangleMesh& a, std::size_t begin, std::size_t end,
                          std::size_t first, std::size_t last) {
  Aabb theirs = kNowhere;
  for (std::size_t k = begin; k < end; ++k) grow(theirs, placed_[k].box);
  Aabb own = kNowhere;
  for (std::size_t k = first; k < last; ++k) {
    const int s = candidates_[k];
    if (!meet(theirs, a.box(s))) continue;
    candidates_.push_back(s);
    grow(own, a.box(s));
  }
  const std::size_t stop = candidates_.size();
  if (end - begin > 1 && (end - begin) * (stop - last) > few_) {
    const std::size_t middle = (begin + end) / 2;
    match(a, begin, middle, last, stop);
    match(a, middle, end, last, stop);
  } else {
    take(begin, end, last, stop, own);
  }
  candidates_.resize(last);
}

void NearTriangles::take(std::size_t begin, std::size_t end, std::size_t first, std::size_t last,
                         const Aabb& own) {
  // Which meet is found without branches: it cannot be foreseen.
  const std::size_t stop = candidates_.size();
  candidates_.resize(stop + (end - begin));
  std::size_t count = stop;
  for (std::size_t k = begin; k < end; ++k) {
    candidates_[count] = static_cast<int>(k);
    count += static_cast<std::size_t>(meet(own, placed_[k].box));
  }
  for (std::size_t j = stop; j < count; ++j) {
    const Placed& placed = placed_[static_cast<std::size_t>(candidates_[j])];
    found_b_.insert(placed.number);
    grow(region_a_.box, placed.box);
  }
  if (count == stop) return;
  for (std::size_t k = first; k < last; ++k) found_a_.insert(candidates_[k]);
}

void NearTriangles::find(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                         double reach, std::size_t few) {
  few_ = few;
  of_a_.clear();
  of_b_.clear();
  const Separation apart = find_separation(a, b, b_in_a, reach);
  gap_ = apart.gap;
  region_a_ = {kNowhere, apart.up, apart.low - gap_ + reach};
  region_b_ = {kNowhere, apart.down, apart.high - gap_ + reach};
  if (gap_ > reach) return;
  const Aabb around = place(a, b, b_in_a, reach);
  candidates_.clear();
  a.for_each_in({around, region_a_.up, region_a_.top}, [&](int s) { candidates_.push_back(s); });
  found_a_.fit(a.triangles().size());
  found_b_.fit(b.triangles().size());
  match(a, 0, placed_.size(), 0, candidates_.size());
  found_a_.move_to(of_a_);
  found_b_.move_to(of_b_);
  region_b_.box = widened(box_around(a, of_a_, inverse(b_in_a)), reach);
}

}  // namespace nsn
