// Any robot file on a floor: what `nsn run FILE` simulates.
#include <algorithm>
#include <memory>

#include "nsn/models/robots/build_robot.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/robot_files.h"
#include "nsn/models/scenes/robot_overlaps.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

bool has_floor(const RobotDescription& robot) {
  const auto& shapes = robot.world_geometry;
  return std::any_of(shapes.begin(), shapes.end(), [](const RobotGeometry& g) {
    return g.kind == GeometryKind::kPlane && g.collides;
  });
}

/// Height of the lowest point of all shapes, m, and half of the largest horizontal extent.
struct Extent {
  double bottom = 0.0;
  double reach = 1.0;
};

Extent extent_of(const World& world) {
  Extent extent;
  for (const PlacedShape& placed : world.shapes()) {
    if (!placed.shape->bounds({}).bounded) continue;
    const ConstBodyRef body = world.body(placed.body);
    const Pose pose{body.to_world(placed.offset),
                    rotation_matrix(body.orientation * placed.rotation)};
    const Aabb box = placed.shape->bounds(pose);
    extent.bottom = std::min(extent.bottom, box.lower[2]);
    for (int i = 0; i < 2; ++i) {
      extent.reach = std::max({extent.reach, -box.lower[i], box.upper[i]});
    }
  }
  return extent;
}

/// At z = 0, or a millimetre below what reaches deeper.
void add_floor(World& world, double mu) {
  const Extent extent = extent_of(world);
  const int floor = add_ground(world, mu, 2.0 * extent.reach);
  if (extent.bottom < 0.0) world.body(floor).position[2] = extent.bottom - 1e-3;
}

/// Hinges and slides that no actuator of the file holds.
void hold_pose(World& world, const Robot& robot, double stiffness) {
  for (int d = 0; d < static_cast<int>(robot.dofs.size()); ++d) {
    const RobotDof& dof = robot.at(d);
    if (dof.joint < 0) continue;
    if (world.joint(dof.joint).axes[static_cast<std::size_t>(dof.axis)].drive.on()) continue;
    set_gains(world, robot, d, stiffness, 0.1 * stiffness);
    set_target(world, robot, d, position(world, robot, d));
  }
}

RobotReadOptions read_options(const Options& options) {
  RobotReadOptions read;
  read.root = options.text("root");
  if (options.text("package").empty()) return read;
  const auto [name, path] = parse_assignment(options.text("package"));
  read.packages[name] = path;
  return read;
}

World any_robot(const Options& options) {
  const auto description = read_scene_robot(options, "robot", read_options(options));
  World world;
  world.gravity = description->gravity;
  RobotBuildOptions build;
  build.base.position = {0.0, 0.0, options.real("height")};
  const Robot robot = build_robot(world, description, build);
  world.notes = ignore_overlaps(world, robot, options.real("overlap"));
  if (!has_floor(*description)) add_floor(world, options.real("mu"));
  if (options.real("stiffness") > 0.0) hold_pose(world, robot, options.real("stiffness"));
  return world;
}

}  // namespace

std::vector<SceneInfo> robot_scenes() {
  return {
      {"robot",
       "any robot (URDF, MJCF) on a floor: its servos hold the pose it starts in, motors are off",
       {robot_file_option("humanoid"),
        OptionSpec::choice("package", "", {}, "NAME=PATH of a package:// in the file"),
        OptionSpec::choice("root", "", {}, "folder outside of which no file of the robot is read"),
        OptionSpec::real("height", 0.0, -100.0, 100.0, "the file's world is raised by, m"),
        OptionSpec::real("overlap", 1e-3, 0.0, 1.0,
                         "links that overlap by more at the start never touch, m"),
        OptionSpec::real("mu", 1.0, 0.0, 10.0, "friction of a floor that the file does not have"),
        OptionSpec::real("stiffness", 0.0, 0.0, 1e12,
                         "of drives that hold joints without an actuator, N m/rad or N/m; damping "
                         "a tenth of it")},
       240,
       any_robot},
  };
}

}  // namespace nsn
