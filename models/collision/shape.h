/// Shapes a body can collide with; each kind is one file pair in this folder.
///
/// A new kind is a class derived from Shape with its own ShapeType and an entry in the pair table
/// (pair_table.h) for every kind it can touch; nothing else changes.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/solid.h"

namespace nsn {

/// Where a shape is: world = x + R local.
struct Pose {
  Vec3 x;
  Mat3 R = identity<3>();

  Vec3 apply(const Vec3& local) const { return x + R * local; }
  Vec3 inverse_apply(const Vec3& world) const { return transpose_times(R, world - x); }
};

inline Pose inverse(const Pose& pose) {
  return {pose.inverse_apply({}), transpose(pose.R)};
}
/// Where b is in the axes of a.
inline Pose seen_from(const Pose& a, const Pose& b) {
  return {a.inverse_apply(b.x), transpose(a.R) * b.R};
}

/// Axis-aligned box; unbounded shapes have bounded = false and meet everything.
struct Aabb {
  Vec3 lower;
  Vec3 upper;
  bool bounded = true;
};
inline bool overlap(const Aabb& a, const Aabb& b) {
  if (!a.bounded || !b.bounded) return true;
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] &&
         b.lower[1] <= a.upper[1] && a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}

/// The same for bounded boxes, without branches: which comparison fails cannot be foreseen.
inline bool meet(const Aabb& a, const Aabb& b) {
  unsigned apart = 0;
  for (int k = 0; k < 3; ++k) {
    apart |= static_cast<unsigned>(!(a.lower[k] <= b.upper[k]));
    apart |= static_cast<unsigned>(!(b.lower[k] <= a.upper[k]));
  }
  return apart == 0;
}

/// A box that holds nothing and grows around what is added.
inline constexpr Aabb kNowhere{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
inline void grow(Aabb& box, const Vec3& p) {
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], p[k]);
    box.upper[k] = std::max(box.upper[k], p[k]);
  }
}
inline void grow(Aabb& box, const Aabb& other) {
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], other.lower[k]);
    box.upper[k] = std::max(box.upper[k], other.upper[k]);
  }
}
inline Aabb box_of(std::span<const Vec3> points) {
  Aabb box = kNowhere;
  for (const Vec3& p : points) grow(box, p);
  return box;
}
inline Aabb widened(const Aabb& box, double by) {
  const Vec3 all{by, by, by};
  return {box.lower - all, box.upper + all, box.bounded};
}
inline Vec3 centre(const Aabb& box) {
  return 0.5 * (box.lower + box.upper);
}
inline int longest_axis(const Aabb& box) {
  const Vec3 size = box.upper - box.lower;
  if (size[0] >= size[1] && size[0] >= size[2]) return 0;
  return size[1] >= size[2] ? 1 : 2;
}
/// No point of the box has a greater n . x.
inline double greatest_along(const Aabb& box, const Vec3& n) {
  double most = 0.0;
  for (int k = 0; k < 3; ++k) most += std::max(n[k] * box.lower[k], n[k] * box.upper[k]);
  return most;
}

/// Around all of a box in the axes of the pose.
inline Aabb moved_box(const Aabb& box, const Pose& pose) {
  const Vec3 middle = pose.apply(centre(box));
  const Vec3 half = 0.5 * (box.upper - box.lower);
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) reach[i] += std::abs(pose.R(i, j)) * half[j];
  }
  return {middle - reach, middle + reach};
}

/// Polygons for pictures and files, in shape axes.
struct SurfaceMesh {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> polygons;  ///< counter-clockwise seen from outside
};

/// Name of a kind, e.g. "box": pairs are looked up by it once, when a shape is added.
using ShapeType = std::string_view;

class Shape {
 public:
  virtual ~Shape() = default;
  virtual ShapeType type() const = 0;
  virtual Aabb bounds(const Pose& pose) const = 0;
  /// No smaller than `bounds`, and found faster: enough for what is far from everything.
  virtual Aabb loose_bounds(const Pose& pose) const { return bounds(pose); }
  /// True: nothing of the box (world axes) lies within the shape. Asked of unbounded shapes.
  virtual bool misses(const Pose&, const Aabb&) const { return false; }
  virtual SurfaceMesh surface() const = 0;
  /// What it encloses. Throws std::invalid_argument naming the kind if that is no volume.
  virtual Solid solid() const;
};

}  // namespace nsn
