// A hand grasps irregular objects and shakes them, squeezes a soft ball and turns over.
#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/joints/hold.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/trajectory.h"
#include "nsn/models/scenes/irregular_objects.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/robot_files.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

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
  const Solid solid = mesh_solid(surface, MeshInertia::kPyramids);
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

/// Coordinates of the hand: three fingers of spread and three bends each, then the thumb.
using HandPose = std::vector<double>;
const HandPose kOpen{0, 0.3, 0.3, 0.2, 0, 0.3, 0.3, 0.2, 0, 0.3, 0.3, 0.2, 1.2, 0.1, 0.0, 0.1};

/// The hand on a kinematic mount, body 0, palm up; its 21 bodies follow.
Robot add_hand(World& world, const Options& options, const std::string& scene, const Vec3& place) {
  Body mount;
  mount.name = "mount";
  mount.kind = BodyKind::kKinematic;
  mount.position = place;
  RobotBuildOptions build;
  build.base_body = world.add_body(mount);
  build.base.position = place;
  build.merge_fixed = false;
  build.mu = options.real("mu");
  build.q = kOpen;
  Robot hand = build_robot(world, read_scene_robot(options, scene), build);
  for (int d = 0; d < static_cast<int>(hand.dofs.size()); ++d) {
    set_gains(world, hand, d, options.real("stiffness"), 0.1, options.real("effort"));
  }
  return hand;
}

/// Where the drives go by the end of a step.
void follow(World& world, const Robot& hand, const TrajectoryPoint& target) {
  for (std::size_t d = 0; d < target.q.size(); ++d) {
    set_target(world, hand, static_cast<int>(d), target.q[d], target.v[d]);
  }
}

/// The object is the last body.
World allegro_grasp(const Options& options) {
  World world;
  world.margin = 0.002;
  const MountPath path{{0.0, 0.0, 0.3}, 0.2, options.real("amplitude"), options.real("frequency")};
  const Robot hand = add_hand(world, options, "allegro-grasp", path.start);
  const HandPose shut{0, 1.4, 1.2, 1.0, 0, 1.4, 1.2, 1.0, 0, 1.4, 1.2, 1.0, 1.3, 0.3, 1.0, 1.2};
  const int object =
      add_object(world, static_cast<int>(options.integer("object")), options.real("radius"),
                 options.real("mass"), path.start + Vec3{0.025, 0.0, 0.052}, options.real("mu"));
  set_contact_compliance(world, options.real("compliance"));
  const int holder = add_holder(world, object, hand.base_body);
  Trajectory fingers;
  fingers.add(0.1, kOpen).add(kClosed, shut);
  world.control = [hand, fingers, path, holder](World& w, double h) {
    if (w.time >= kClosed) release(w, holder);
    follow(w, hand, fingers.at(w.time + h));
    const BodyRef carrier = w.body(hand.base_body);
    carrier.velocity = (1.0 / h) * (path.at(w.time + h) - carrier.position);
  };
  return world;
}

/// The ball lies on the palm; the hand closes, rises, and turns over about the fingers' direction.
World allegro_ball(const Options& options) {
  World world;
  world.margin = 0.001;
  const Vec3 start{0.0, 0.0, 0.3};
  const double palm = 0.0111;  // top of its box over the mount
  const Robot hand = add_hand(world, options, "allegro-ball", start);
  const double radius = options.real("radius");
  add_soft_ball(world, options, start + Vec3{0.01, 0.0, palm + radius + 1e-4});
  const HandPose shut{0, 1.1, 1.3, 0.9, 0, 1.1, 1.3, 0.9, 0, 1.1, 1.3, 0.9, 1.3, 0.3, 1.0, 1.2};
  Trajectory fingers;
  fingers.add(0.1, kOpen).add(kClosed, shut);
  Trajectory mount;  // height and angle
  const double turned = kLifted + options.real("turn");
  mount.add(kClosed, {0.0, 0.0}).add(kLifted, {0.2, 0.0}).add(turned, {0.2, std::numbers::pi});
  world.control = [hand, fingers, mount, start](World& w, double h) {
    follow(w, hand, fingers.at(w.time + h));
    const BodyRef carrier = w.body(hand.base_body);
    const TrajectoryPoint goal = mount.at(w.time + h);
    const Vec3 place = start + Vec3{0.0, 0.0, goal.q[0]};
    carrier.velocity = (1.0 / h) * (place - carrier.position);
    carrier.angular_velocity = {(goal.q[1] - mount.at(w.time).q[1]) / h, 0.0, 0.0};
  };
  return world;
}

}  // namespace

std::vector<SceneInfo> hand_scenes() {
  return {
      {"allegro-grasp",
       "our own hand of 21 bodies closes around an irregular object, lifts it and shakes it",
       {OptionSpec::integer("object", 0, 0, kIrregularObjects - 1,
                            "which one (models/scenes/irregular_objects.h)"),
        OptionSpec::real("radius", 0.035, 0.01, 0.06, "of the object, m"),
        OptionSpec::real("mass", 0.1, 1e-3, 10.0, "of the object, kg"),
        OptionSpec::real("mu", 0.8, 0.0, 10.0, "friction coefficient"),
        contact_compliance_option(1e-7),
        OptionSpec::real("stiffness", 3.0, 0.0, 1e6, "of the drives, N m/rad"),
        OptionSpec::real("effort", 0.7, 0.0, 1e3, "largest of a drive, N m"),
        OptionSpec::real("amplitude", 0.02, 0.0, 0.5, "of the shaking, m"),
        OptionSpec::real("frequency", 2.0, 0.0, 20.0, "of the shaking, Hz"),
        robot_file_option("hand")},
       480,
       allegro_grasp},
      {"allegro-ball",
       "our own hand of 21 bodies squeezes a soft ball, lifts it, turns upside down and holds it",
       joined(soft_ball_options(427),
              {OptionSpec::real("stiffness", 3.0, 0.0, 1e6, "of the drives, N m/rad"),
               OptionSpec::real("effort", 0.3, 0.0, 1e3, "largest of a drive, N m"),
               OptionSpec::real("turn", 1.5, 0.1, 100.0, "time to turn over, s"),
               robot_file_option("hand")}),
       960, allegro_ball},
  };
}

}  // namespace nsn
