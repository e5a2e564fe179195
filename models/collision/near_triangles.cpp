#include "models/collision/near_triangles.h"

#include <algorithm>
#include <array>

#include "models/collision/separation.h"

namespace nsn {
Aabb NearTriangles::place(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                          double reach) {
  Aabb around = kNowhere;
  placed_.clear();
  const Aabb box = widened(a.bounds(inverse(b_in_a)), reach);
  b.for_each_in({box, region_b_.up, region_b_.top}, [&](int t) {
    Aabb moved = kNowhere;
    for (const Vec3& p : b.corners(t)) grow(moved, b_in_a.apply(p));
    moved = widened(moved, reach);
    grow(around, moved);
    Placed& placed = placed_.add();
    placed.number = t;
    placed.box = moved;
  });
  return around;
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
  const Pose a_in_b = inverse(b_in_a);
  for (const int s : of_a_) {
    for (const Vec3& p : a.corners(s)) grow(region_b_.box, a_in_b.apply(p));
  }
  region_b_.box = widened(region_b_.box, reach);
}

}  // namespace nsn
