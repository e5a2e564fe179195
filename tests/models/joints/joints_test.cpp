// Joints in motion: what they hold, limit, drive and report; bad input.
#include "nsn/models/joints/joints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/rows/joint_rows.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::advance;

int add_static(World& world) {
  Body body;
  body.kind = BodyKind::kStatic;
  return world.add_body(body);
}

int add_arm(World& world, const Vec3& centre, double mass = 1.0) {
  Body body;
  body.mass = mass;
  body.inertia = box_inertia(mass, {1.0, 0.1, 0.1});
  body.position = centre;
  return world.add_body(body);
}

/// An arm on a horizontal hinge at the origin, its centre 0.5 m away; body 1, joint 0.
World hinged_arm(const JointAxis& settings = {}) {
  World world;
  const int ground = add_static(world);
  const int arm = add_arm(world, {0.5, 0, 0});
  Joint joint = revolute_joint(arm, ground);
  const JointCoordinate coordinate = joint.axes[0].coordinate;
  joint.axes[0] = settings;
  joint.axes[0].coordinate = coordinate;
  world.add_joint(joint, {.point = {}, .axis = {0, 1, 0}});
  return world;
}

Simulation simulation_of(World world, double h = 1.0 / 120.0) {
  SimulationOptions options;
  options.h = h;
  return Simulation(std::move(world), options, standard_backends());
}

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Joint, RejectsBadInputByName) {
  World world;
  const int ground = add_static(world);
  const int arm = add_arm(world, {});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Joint named = revolute_joint(arm, arm);
  named.name = "elbow";
  EXPECT_EQ(message_of([&] { world.add_joint(named); }),
            "joint 0 (revolute, elbow): both sides are body 1");
  EXPECT_EQ(message_of([&] { world.add_joint(fixed_joint(arm, 7)); }),
            "joint 0 (fixed): no body 7 (there are 2)");
  EXPECT_EQ(message_of([&] {
              world.add_joint(revolute_joint(arm, ground), {.point = {}, .axis = {0, 0, 0}});
            }),
            "joint 0 (revolute): axis (0, 0, 0) has no direction");
  Joint crossed = prismatic_joint(arm, ground);
  crossed.axes[0].limit = {1.0, -1.0};
  EXPECT_EQ(message_of([&] { world.add_joint(crossed); }),
            "joint 0 (prismatic): limits [1, -1] are crossed");
  Joint lost = spherical_joint(arm, ground);
  lost.frame_a.origin[1] = nan;
  EXPECT_EQ(message_of([&] { world.add_joint(lost); }),
            "joint 0 (spherical): frame a is not finite");
  Joint skewed = spherical_joint(arm, ground);
  skewed.frame_b.rotation = {0.5, 0.0, 0.0, 0.0};
  EXPECT_EQ(message_of([&] { world.add_joint(skewed); }),
            "joint 0 (spherical): quaternion of frame b has length 0.5, not 1");
  Joint pushed = revolute_joint(arm, ground);
  pushed.axes[0].drive.stiffness = -1.0;
  EXPECT_EQ(message_of([&] { world.add_joint(pushed); }),
            "joint 0 (revolute): drive stiffness -1 is negative or not finite");
  EXPECT_NE(message_of([&] {
              world.add_joint(distance_joint(arm, {}, ground, {}, 0.0));
            }).find("length 0"),
            std::string::npos);
  EXPECT_EQ(world.joints().num_joints(), 0);  // nothing was kept
}

TEST(Joint, TypesHoldWhatTheySayAndLeaveTheRest) {
  // Degrees of freedom of a free body on each joint: a random push moves it within them alone.
  const struct {
    const char* type;
    int rows;
  } cases[] = {{"fixed", 6},       {"spherical", 3}, {"revolute", 5}, {"prismatic", 5},
               {"cylindrical", 4}, {"universal", 4}, {"weld", 6}};
  for (const auto& c : cases) {
    World world;
    world.gravity = {1.0, 2.0, -9.0};
    const int ground = add_static(world);
    const int arm = add_arm(world, {0.4, 0.3, -0.2});
    world.body(arm).angular_velocity = {1.0, -2.0, 3.0};
    const std::string type = c.type;
    Joint joint = type == "fixed"         ? fixed_joint(arm, ground)
                  : type == "spherical"   ? spherical_joint(arm, ground)
                  : type == "revolute"    ? revolute_joint(arm, ground)
                  : type == "prismatic"   ? prismatic_joint(arm, ground)
                  : type == "cylindrical" ? cylindrical_joint(arm, ground)
                  : type == "universal"   ? universal_joint(arm, ground)
                                          : weld_joint(arm, ground, {});
    EXPECT_EQ(joint.rows.size(), static_cast<std::size_t>(c.rows));
    world.add_joint(joint, {.point = {0.1, 0, 0}, .axis = {1, 2, -1}});
    Simulation simulation = simulation_of(std::move(world));
    EXPECT_EQ(advance(simulation, 120), 0) << type;
    // Rows are solved to 1e-9 of the speed, a gap is h times that.
    EXPECT_LT(simulation.report().drift.distance, 1e-9) << type;
    EXPECT_LT(simulation.report().drift.angle, 1e-9) << type;
    const ConstBodyRef body = simulation.world().body(arm);
    const bool moves = c.rows < 6;
    EXPECT_EQ(norm(body.velocity) + norm(body.angular_velocity) > 1e-3, moves) << type;
  }
}

TEST(Joint, ReactionOfAHangingBodyIsItsWeight) {
  World world;
  const int ground = add_static(world);
  const int arm = add_arm(world, {0.5, 0, 0}, 2.0);
  world.add_joint(fixed_joint(arm, ground), {.point = {}});
  Simulation simulation = simulation_of(std::move(world));

  advance(simulation, 10);

  const JointReaction reaction = simulation.joint_reaction(0);
  EXPECT_NEAR(reaction.force[2], -2.0 * 9.81, 1e-8);        // on the ground
  EXPECT_NEAR(reaction.torque[1], 0.5 * 2.0 * 9.81, 1e-8);  // x cross -z = +y
  EXPECT_LT(std::abs(reaction.force[0]) + std::abs(reaction.torque[0]), 1e-8);
}

TEST(JointDrive, IsStableForAnyStiffnessAtALargeStep) {
  for (double stiffness = 1.0; stiffness <= 1e12; stiffness *= 100.0) {
    JointAxis axis;
    axis.drive = position_drive(0.3, stiffness, 0.01 * stiffness);
    Simulation simulation = simulation_of(hinged_arm(axis), 1.0 / 60.0);
    double largest = 0.0;
    for (int k = 0; k < 600; ++k) {
      EXPECT_TRUE(simulation.step().converged()) << stiffness;
      largest = std::max(largest, std::abs(simulation.joint_position(0, 0)));
    }
    // Released level, a free arm swings by half a turn; no drive may add to that.
    EXPECT_LT(largest, std::numbers::pi) << stiffness;
    const double sag = std::abs(simulation.joint_position(0, 0) - 0.3);
    // At rest k (C - target) = m g l cos C <= 4.905 N m.
    EXPECT_LE(stiffness * sag, 4.905 * (1.0 + 1e-6) + 1e-8 * stiffness) << stiffness;
  }
}

TEST(JointDrive, ReachesItsTargetsInPositionAndSpeed) {
  JointAxis axis;
  axis.drive = velocity_drive(2.0, 1e9);
  Simulation simulation = simulation_of(hinged_arm(axis));
  for (int k = 0; k < 1200; ++k) simulation.step();
  // Ten seconds at 2 rad/s, whole turns counted; the arm's weight lags by 5 N m / 1e9.
  EXPECT_NEAR(simulation.joint_position(0, 0), 20.0, 1e-6);
  EXPECT_NEAR(simulation.joint_speed(0, 0), 2.0, 1e-7);
}

TEST(JointDrive, AtItsLargestEffortDeliversExactlyThat) {
  JointAxis axis;
  axis.drive = position_drive(1.0, 1e6, 1e3);
  axis.drive.max_effort = 2.0;  // the weight needs 4.905 N m
  Simulation simulation = simulation_of(hinged_arm(axis));
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(simulation.step().converged());
    EXPECT_NEAR(simulation.drive_effort(0, 0), 2.0, 1e-9);
  }
}

TEST(JointFriction, HoldsBelowItsBoundAndBrakesAboveIt) {
  JointAxis axis;
  axis.friction = 5.0;  // the weight needs 4.905 N m
  Simulation holds = simulation_of(hinged_arm(axis));
  advance(holds, 120);
  EXPECT_LT(std::abs(holds.joint_position(0, 0)), 1e-9);
  axis.friction = 4.0;
  Simulation slips = simulation_of(hinged_arm(axis));
  advance(slips, 60);
  EXPECT_GT(std::abs(slips.joint_position(0, 0)), 0.05);
}

TEST(JointLimit, IsExceededByNoMoreThanRounding) {
  JointAxis axis;
  axis.limit = {-0.4, 0.7};  // the arm falls to positive angles
  Simulation simulation = simulation_of(hinged_arm(axis));
  double excess = 0.0;
  for (int k = 0; k < 240; ++k) {
    ASSERT_TRUE(simulation.step().converged());
    excess = std::max(excess, simulation.joint_position(0, 0) - 0.7);
  }
  EXPECT_LT(excess, 1e-9);                                  // required: 1e-6 rad
  EXPECT_NEAR(simulation.joint_position(0, 0), 0.7, 1e-9);  // rests on it
  EXPECT_LT(simulation.report().drift.limit_excess, 1e-9);
}

TEST(JointLimit, RopeKeepsItsLengthAndGoesSlack) {
  World world;
  const int ground = add_static(world);
  const int ball = add_arm(world, {0.1, 0, 0});
  world.add_joint(distance_range_joint(ball, {}, ground, {}, 0.0, 1.0));
  Simulation simulation = simulation_of(std::move(world));
  advance(simulation, 240);
  EXPECT_LT(simulation.report().drift.limit_excess, 1e-9);
  EXPECT_GT(norm(simulation.world().body(ball).position), 0.5);  // it fell into the rope
}

TEST(Weld, BendsByItsCompliance) {
  World world;
  const int ground = add_static(world);
  const int arm = add_arm(world, {0.5, 0, 0});
  WeldCompliance compliance;
  compliance.angular = {1e-3, 1e-3, 1e-3};
  compliance.angular_damping = {10.0, 10.0, 10.0};
  world.add_joint(weld_joint(arm, ground, compliance), {.point = {}, .axis = {1, 0, 0}});
  Simulation simulation = simulation_of(std::move(world));
  EXPECT_EQ(advance(simulation, 600), 0);
  // k theta = m g l cos(theta) with k = 1000 N m/rad; the row measures 2 sin(theta / 2).
  const Vec3 p = simulation.world().body(arm).position;
  EXPECT_NEAR(std::atan2(-p[2], p[0]), 4.905e-3, 1e-7);  // theta^3 / 24 and cos: 6e-8
}

TEST(JointedBodies, DoNotCollideUnlessAsked) {
  for (const bool collide : {false, true}) {
    World world;
    world.gravity = {};
    Body body;
    body.mass = 1.0;
    body.inertia = box_inertia(1.0, {1, 1, 1});
    const int first = world.add_body(body);
    body.position = {0.9, 0, 0};  // overlaps
    const int second = world.add_body(body);
    for (const int b : {first, second}) {
      world.add_shape(b, std::make_shared<Box>(Vec3{1, 1, 1}));
    }
    Joint joint = spherical_joint(second, first);
    joint.collide = collide;
    world.add_joint(joint, {.point = {0.45, 0, 0}});
    Simulation simulation = simulation_of(std::move(world));
    simulation.step();
    EXPECT_EQ(simulation.report().contacts > 0, collide);
  }
}

TEST(RedundantJoints, TheSameJointTwiceChangesNothing) {
  World once = hinged_arm();
  World twice = hinged_arm();
  Joint copy = twice.joint(0);
  twice.add_joint(copy);
  Simulation a = simulation_of(std::move(once));
  Simulation b = simulation_of(std::move(twice));
  EXPECT_EQ(advance(a, 120), 0);
  EXPECT_EQ(advance(b, 120), 0);
  // Both are solved to 1e-9 of the speed in each of 120 steps.
  EXPECT_LT(norm(a.world().body(1).position - b.world().body(1).position), 1e-7);
}

/// An arm that hangs on a universal joint in the origin, no gravity.
World cardan_arm(const JointAxis& about_b, const JointAxis& about_a) {
  World world;
  world.gravity = {};
  const int ground = add_static(world);
  const int arm = add_arm(world, {0, 0, -0.5});
  Joint joint = universal_joint(arm, ground);
  const JointAxis* const settings[] = {&about_b, &about_a};
  for (std::size_t k = 0; k < 2; ++k) {
    const JointCoordinate coordinate = joint.axes[k].coordinate;
    joint.axes[k] = *settings[k];
    joint.axes[k].coordinate = coordinate;
  }
  world.add_joint(joint, {.point = {}, .axis = {0, 0, 1}});
  return world;
}

TEST(UniversalJoint, DrivesTurnItByTheProductOfTheirAngles) {
  JointAxis first;
  JointAxis second;
  first.drive = position_drive(0.7, 1e8, 1e5);
  second.drive = position_drive(-0.4, 1e8, 1e5);
  Simulation simulation = simulation_of(cardan_arm(first, second));

  for (int k = 0; k < 240; ++k) EXPECT_TRUE(simulation.step().converged());

  const Joint& joint = simulation.world().joint(0);
  const Quaternion frame_b = joint.frame_b.rotation;  // of a ground that is not turned
  const Quaternion turned =
      frame_b * rotation_about({0, 1, 0}, 0.7) * rotation_about({1, 0, 0}, -0.4);
  const Quaternion seen = simulation.world().body(1).orientation * joint.frame_a.rotation;
  EXPECT_NEAR(norm(rotation_matrix(turned) * Vec3{1, 2, 3} - rotation_matrix(seen) * Vec3{1, 2, 3}),
              0.0, 1e-6);  // the drives are stiff: 1e8 N m/rad, and nothing pulls
  EXPECT_NEAR(simulation.joint_position(0, 0), 0.7, 1e-6);
  EXPECT_NEAR(simulation.joint_position(0, 1), -0.4, 1e-6);
}

TEST(UniversalJoint, KeepsItsLimits) {
  JointAxis first;
  JointAxis second;
  first.limit = {-0.3, 0.5};
  second.limit = {-0.2, 0.2};
  World world = cardan_arm(first, second);
  world.gravity = {3.0, -4.0, 1.0};
  Simulation simulation = simulation_of(std::move(world));
  double excess = 0.0;
  bool reached = false;
  for (int k = 0; k < 240; ++k) {
    EXPECT_TRUE(simulation.step().converged());
    excess = std::max(excess, simulation.report().drift.limit_excess);
    reached = reached || std::abs(std::abs(simulation.joint_position(0, 1)) - 0.2) < 1e-6;
  }
  EXPECT_LT(excess, 1e-6);  // rad
  EXPECT_TRUE(reached);
}

TEST(Drive, ItsWorkIsInTheReport) {
  JointAxis axis;
  axis.drive = velocity_drive(2.0, 50.0);
  World world = hinged_arm(axis);
  world.gravity = {};
  Simulation simulation = simulation_of(std::move(world), 1e-4);
  const double before = energy(simulation.world());
  double work = 0.0;
  for (int k = 0; k < 2000; ++k) work += simulation.step().work_external;
  const double gained = simulation.report().energy - before;
  EXPECT_GT(gained, 0.1);  // J: 2 rad/s of 0.33 kg m^2 are 0.67 J
  // Implicit steps lose what a step of the speed is worth, here 5 % of the first steps.
  EXPECT_NEAR(work, gained, 0.05 * gained);
  EXPECT_GE(work, gained);
}

}  // namespace
}  // namespace nsn
