/// Shapes a body can collide with; each kind is one file pair in this folder.
///
/// A new kind is a class derived from Shape with its own ShapeType and an entry in the pair table
/// (pair_table.h) for every kind it can touch; nothing else changes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/math3.h"

namespace nsn {

/// Where a shape is: world = x + R local.
struct Pose {
  Vec3 x;
  Mat3 R = identity<3>();

  Vec3 apply(const Vec3& local) const { return x + R * local; }
  Vec3 inverse_apply(const Vec3& world) const { return transpose_times(R, world - x); }
};

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
  virtual SurfaceMesh surface() const = 0;
};

}  // namespace nsn
