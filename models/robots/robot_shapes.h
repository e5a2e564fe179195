/// Collision shapes of a robot's geometry. Meshes are turned into shapes once: robots that are
/// built with the same RobotShapes share them.
///
///   const auto shapes = std::make_shared<RobotShapes>();
///   for (...) build_robot(world, humanoid, {.base = ..., .shape_pool = shapes});
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "nsn/models/collision/shape.h"
#include "nsn/models/robots/robot_description.h"

namespace nsn {

/// What becomes of a mesh.
struct MeshShapeOptions {
  bool hulls = true;  ///< its convex hull; false: its triangles
  /// Points of a hull: the extreme ones along this many directions; 0: all points of the mesh.
  int hull_points = 0;
};

class RobotShapes {
 public:
  /// Throws InputError with the geometry's place in its file where it has no shape. What was
  /// approximated is added to the notes, a sentence each.
  std::shared_ptr<const Shape> shape(const RobotGeometry& geometry, const MeshShapeOptions& options,
                                     std::vector<std::string>& notes);

 private:
  using Key = std::tuple<std::shared_ptr<const RobotMesh>, bool, int>;
  std::map<Key, std::shared_ptr<const Shape>> meshes_;
};

}  // namespace nsn
