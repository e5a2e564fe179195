// A hand grasps irregular objects, lifts and shakes them.
#include <cmath>
#include <memory>
#include <numbers>

#include "models/collision/triangle_mesh.h"
#include "models/joints/hold.h"
#include "models/robots/build_robot.h"
#include "models/robots/trajectory.h"
#include "models/scenes/irregular_objects.h"
#include "models/scenes/parts.h"
#include "models/scenes/robot_files.h"
#include "models/scenes/scene.h"

namespace nsn {
namespace {

constexpr const char* kAllegro = "allegro_mjcf/right_hand.xml";
constexpr double kClosed = 1.2;  // s, until the fingers are where they go
constexpr double kLifted = 2.4;  // s

/// Where the mount is: still, then up, then shaken along all three axes.
struct MountPath {
  Vec3 start;
  double lift = 0.0;       ///< m
  double amplitude = 0.0;  ///< m
  double frequency = 0.0;  ///< Hz

  Vec3 at(double time) const {
    Vec3 x = start;
    const double begin = kClosed + 0.2;
    x[2] += lift * smooth_step((time - begin) / (kLifted - begin));
    const double fade = amplitude * smooth_step(time - kLifted);
    const double phase = 2.0 * std::numbers::pi * frequency * (time - kLifted);
    return x + fade * Vec3{std::sin(phase), std::sin(1.3 * phase), std::sin(0.7 * phase)};
  }
};

int add_object(World& world, int kind, double radius, double mass, const Vec3& position,
               double mu) {
  const TriangleSurface surface = irregular_object(kind, radius);
  const GeometryMass solid = mesh_mass(surface, MeshInertia::kPyramids);
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : surface.triangle) triangles.push_back({t[0], t[1], t[2]});
  Body body;
  body.name = irregular_object_name(kind);
  body.mass = mass;
  body.inertia = (mass / solid.volume) * solid.inertia;
  body.position = position + solid.centre;
  const int b = world.add_body(body);
  world.add_shape(b, std::make_shared<TriangleMesh>(surface.vertex, triangles), {.mu = mu},
                  -solid.centre);
  return b;
}

/// Something that presents the object and lets it go: springs between it and the mount. Returns the
/// joint.
int add_holder(World& world, int object, int mount) {
  Joint holder = make_joint("holder", object, mount);
  for (int i = 0; i < 3; ++i) {
    JointAxis along;
    along.coordinate = coordinate(JointCoordinate::Kind::kPoint, i);
    along.drive = position_drive(0.0, 200.0, 5.0);
    JointAxis about;
    about.coordinate = coordinate(JointCoordinate::Kind::kTurn, i);
    about.drive = position_drive(0.0, 0.1, 0.005);
    holder.axes.push_back(along);
    holder.axes.push_back(about);
  }
  holder.collide = true;
  return world.add_joint(holder, {.point = world.body(object).position});
}

void release(World& world, int holder) {
  for (JointAxis& axis : world.joint(holder).axes) axis.drive = {};
}

/// Body 0 is the mount, then the hand's 21; the object is the last one.
World allegro_grasp(const Options& options) {
  const auto description = read_scene_robot(options, "allegro-grasp");
  World world;
  world.margin = 0.002;
  const double mu = options.real("mu");
  MountPath path{{0.0, 0.0, 0.3}, 0.2, options.real("amplitude"), options.real("frequency")};
  Body mount;
  mount.name = "mount";
  mount.kind = BodyKind::kKinematic;
  mount.position = path.start;
  RobotBuildOptions build;
  build.base_body = world.add_body(mount);
  build.base.position = path.start;
  build.merge_fixed = false;
  build.mu = mu;
  std::vector<double> open{0, 0.3, 0.3, 0.2, 0,   0.3, 0.3, 0.2,
                           0, 0.3, 0.3, 0.2, 1.2, 0.1, 0.0, 0.1};
  std::vector<double> shut{0, 1.4, 1.2, 1.0, 0,   1.4, 1.2, 1.0,
                           0, 1.4, 1.2, 1.0, 1.3, 0.3, 1.0, 1.2};
  build.q = open;
  const Robot hand = build_robot(world, description, build);
  for (int d = 0; d < static_cast<int>(hand.dofs.size()); ++d) {
    set_gains(world, hand, d, options.real("stiffness"), 0.1, options.real("effort"));
  }
  const int object =
      add_object(world, static_cast<int>(options.integer("object")), options.real("radius"),
                 options.real("mass"), path.start + Vec3{0.025, 0.0, 0.052}, mu);
  const int holder = add_holder(world, object, hand.base_body);
  Trajectory fingers;
  fingers.add(0.1, open).add(kClosed, shut);
  world.control = [hand, fingers, path, holder](World& w, double h) {
    if (w.time >= kClosed) release(w, holder);
    const TrajectoryPoint target = fingers.at(w.time + h);
    for (std::size_t d = 0; d < target.q.size(); ++d) {
      set_target(w, hand, static_cast<int>(d), target.q[d], target.v[d]);
    }
    Body& carrier = w.body(hand.base_body);
    carrier.velocity = (1.0 / h) * (path.at(w.time + h) - carrier.position);
  };
  return world;
}

}  // namespace

std::vector<SceneInfo> hand_scenes() {
  return {
      {"allegro-grasp",
       "a hand of 21 bodies closes around an irregular object, lifts it and shakes it",
       {OptionSpec::integer("object", 0, 0, kIrregularObjects - 1,
                            "which one (models/scenes/irregular_objects.h)"),
        OptionSpec::real("radius", 0.035, 0.01, 0.06, "of the object, m"),
        OptionSpec::real("mass", 0.1, 1e-3, 10.0, "of the object, kg"),
        OptionSpec::real("mu", 0.8, 0.0, 10.0, "friction coefficient"),
        OptionSpec::real("stiffness", 3.0, 0.0, 1e6, "of the drives, N m/rad"),
        OptionSpec::real("effort", 0.7, 0.0, 1e3, "largest of a drive, N m"),
        OptionSpec::real("amplitude", 0.02, 0.0, 0.5, "of the shaking, m"),
        OptionSpec::real("frequency", 2.0, 0.0, 20.0, "of the shaking, Hz"),
        robot_file_option(kAllegro)},
       480,
       allegro_grasp},
  };
}

}  // namespace nsn
