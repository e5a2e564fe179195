// Robots in a world: their coordinates, drives, motors, armature, mimics and filters.
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/named_options.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/rows/mimic_rows.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

using Description = std::shared_ptr<const RobotDescription>;

Description parse(const std::string& text) {
  return std::make_shared<const RobotDescription>(parse_robot(text, "robot.xml"));
}

Simulation simulate(World world, double h = 1.0 / 120.0, const std::string& preset = "accurate") {
  SimulationOptions options;
  options.h = h;
  options.newton = newton_preset(preset);
  return Simulation(std::move(world), options, standard_backends());
}

/// A tree with every kind of joint that a link can have.
Description many_joints() {
  return parse(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="root" pos="0 0 1"><freejoint name="free"/><geom type="box" size=".1 .2 .3"/>
      <body name="hip" pos="0 .2 -.3">
        <joint name="hx" axis="1 0 0" pos="0 0 .05"/><joint name="hz" axis="0 0 -1" pos="0 0 .05"/>
        <joint name="hy" axis="0 1 0" pos="0 0 .05"/><geom type="capsule" size=".05 .1"/>
        <body name="wrist" pos="0 0 -.3"><joint name="w1" axis="2 1 1"/><joint name="w2" axis="0 -1 1"/>
          <geom type="capsule" size=".04 .1" pos="0 0 -.1"/>
          <body name="ball" pos="0 0 -.3"><joint name="b" type="ball"/><geom type="sphere" size=".05" pos="0 0 -.1"/></body>
        </body>
      </body>
      <body name="sledge" pos=".3 0 0">
        <joint name="sx" type="slide" axis="1 0 0" ref=".1"/><joint name="sz" type="slide" axis="0 0 -1"/>
        <joint name="turn" axis="0 -1 0" ref=".2"/><geom type="box" size=".1 .1 .1" pos=".1 0 0"/>
      </body>
      <body name="split" pos="-.3 0 0"><joint name="p1" axis="0 0 1"/><joint name="p2" axis="1 0 0" pos="0 0 .2"/>
        <geom type="sphere" size=".1" pos="0 .1 0"/></body>
    </body></worldbody></mujoco>)");
}

std::vector<double> some_pose(const RobotDescription& robot) {
  std::vector<double> q = reference_coordinates(robot);
  for (std::size_t k = 0; k < q.size(); ++k)
    q[k] += 0.3 * std::sin(1.0 + 2.3 * static_cast<double>(k));
  return q;
}

TEST(BuildRobot, BodiesStandWhereTheKinematicsSay) {
  const Description robot = many_joints();
  const std::vector<double> q = some_pose(*robot);
  World world;

  const Robot built =
      build_robot(world, robot, {.base = {{1, 2, 3}, rotation_about({0, 0, 1}, 0.7)}, .q = q});

  const auto frames = forward_kinematics(*robot, q, built.base);
  for (int k = 0; k < robot->num_links(); ++k) {
    const RigidFrame in_world = link_frame(world, built, k);
    EXPECT_LT(norm(in_world.position - frames[static_cast<std::size_t>(k)].position), 1e-14);
  }
  const std::vector<double> back = coordinates(world, built);
  ASSERT_EQ(back.size(), q.size());
  for (std::size_t k = 0; k < q.size(); ++k) {
    // Quaternions come back as unit ones.
    const bool quaternion = (k >= 3 && k < 7) || (k >= 12 && k < 16);
    if (!quaternion) {
      EXPECT_NEAR(back[k], q[k], 1e-12) << k;
    }
  }
}

TEST(BuildRobot, JointsHoldWhileItFlies) {
  const Description robot = many_joints();
  World world;
  std::vector<double> v(static_cast<std::size_t>(robot->num_dofs()));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::cos(0.7 * static_cast<double>(k));
  const Robot built = build_robot(world, robot, {.q = some_pose(*robot), .v = v, .shapes = false});
  world.gravity = {};
  Simulation simulation = simulate(std::move(world));

  for (int step = 0; step < 120; ++step) {
    EXPECT_TRUE(simulation.step().converged()) << step;
    // What the solver leaves (1e-9 relative) over one step.
    EXPECT_LT(simulation.report().drift.distance, 1e-9);
    EXPECT_LT(simulation.report().drift.angle, 1e-8);
  }
}

TEST(BuildRobot, MovesAsItsVelocitiesSay) {
  const Description robot = many_joints();
  const std::vector<double> q = some_pose(*robot);
  std::vector<double> v(static_cast<std::size_t>(robot->num_dofs()));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::cos(0.7 * static_cast<double>(k));
  World world;

  const Robot built = build_robot(world, robot, {.q = q, .v = v});

  for (std::size_t d = 0; d < built.dofs.size(); ++d) {
    if (built.dofs[d].joint >= 0) {
      EXPECT_NEAR(speed(world, built, static_cast<int>(d)), v[d], 1e-13) << built.dofs[d].name;
    }
  }
}

const char* const kPendulum = R"(<mujoco><compiler angle="radian"/><worldbody><body name="b">
    <joint name="j" axis="0 1 0" %s/><geom type="sphere" size=".1" pos="0 0 -.5" mass="2"/></body></worldbody>
    <actuator>%s</actuator></mujoco>)";

std::string pendulum(const std::string& joint, const std::string& actuator = "") {
  std::string text = kPendulum;
  text.replace(text.find("%s"), 2, joint);
  text.replace(text.find("%s"), 2, actuator);
  return text;
}

constexpr double kInertia = 2.0 * (0.4 * 0.01 + 0.25);  // about the hinge

TEST(BuildRobot, ArmatureIsInertiaOfTheCoordinateAlone) {
  World world;
  const Robot robot = build_robot(world, parse(pendulum("armature='0.7'")));
  world.gravity = {};
  add_effort(world, robot, 0, 3.0);
  Simulation simulation = simulate(std::move(world), 1e-4);

  simulation.step();

  EXPECT_NEAR(speed(simulation.world(), robot, 0) / 1e-4, 3.0 / (kInertia + 0.7), 1e-8);
}

TEST(BuildRobot, RotorsOfAWristKeepTheirSpeedsWhileItTurns) {
  // Next to no body: a q'' = 0 for both angles, however fast they turn the axes of each other.
  World world;
  const Robot robot = build_robot(
      world,
      parse("<mujoco><compiler angle='radian'/><worldbody><body name='b'>"
            "<joint name='x' axis='1 0 0' armature='1'/><joint name='y' axis='0 1 0' "
            "armature='1'/><geom type='sphere' size='.01' mass='1e-3'/></body></worldbody>"
            "</mujoco>"),
      {.q = {0.4, 0.5}, .v = {2.0, 3.0}});
  world.gravity = {};
  Simulation simulation = simulate(std::move(world), 1e-3);

  for (int step = 0; step < 1000; ++step) simulation.step();

  // First order: angles after a second, of which the first step's velocity is of an instant.
  EXPECT_NEAR(position(simulation.world(), robot, 0), 2.4, 0.02);
  EXPECT_NEAR(position(simulation.world(), robot, 1), 3.5, 0.02);
}

TEST(BuildRobot, SpringAndDamperActAtTheEndOfTheStep) {
  World world;
  const Robot robot = build_robot(
      world, parse(pendulum("stiffness='40' damping='3' springref='0.2'")), {.q = {0.5}});
  world.gravity = {};
  const double h = 0.01;
  Simulation simulation = simulate(std::move(world), h);

  simulation.step();

  // I v / h = -k (q + h v - rest) - d v, v the rate of the angle over the step.
  const double expected = -40.0 * 0.3 / (kInertia / h + 3.0 + 40.0 * h);
  // The ball moves along a chord of its circle: (h v)^2 / 8 of v, 1.4e-7.
  EXPECT_NEAR(speed(simulation.world(), robot, 0), expected, 2e-7);
}

/// A bob of 1 kg that hangs 0.5 m below a ball joint of the world.
std::string hanging(const std::string& attributes) {
  return "<mujoco><compiler angle='degree'/><worldbody><body name='bob' pos='0 0 1'>"
         "<joint name='b' type='ball' " +
         attributes +
         "/><geom type='sphere' size='.05' mass='1' pos='0 0 -.5'/></body></worldbody></mujoco>";
}

double angle_of(const World& world) {
  return 2.0 * std::acos(std::min(1.0, std::abs(world.body(1).orientation.w)));
}

TEST(BallJoint, TurnsNoFurtherThanItsRange) {
  World world;
  build_robot(world, parse(hanging("range='0 40'")));
  world.body(1).velocity = {3.0, 1.5, 0.0};  // enough for a full turn
  world.body(1).angular_velocity = {-3.0, 6.0, 0.0};
  Simulation simulation = simulate(std::move(world), 1.0 / 120.0);
  double largest = 0.0;

  for (int step = 0; step < 240; ++step) {
    EXPECT_LT(simulation.step().error.total, 1e-8);
    largest = std::max(largest, angle_of(simulation.world()));
    EXPECT_LT(simulation.report().drift.limit_excess, 1e-6);
  }

  const double range = 40.0 * std::numbers::pi / 180.0;
  EXPECT_LT(largest, range + 1e-6);
  EXPECT_GT(largest, range - 1e-6);  // it got there
}

TEST(BallJoint, SpringBalancesGravityAtAnyAngleAndDamperStopsIt) {
  World world;
  build_robot(world, parse(hanging("stiffness='4' damping='1'")));
  world.gravity = {2.0, 3.0, 4.0};  // would turn it over
  Simulation simulation = simulate(std::move(world), 1.0 / 60.0);

  for (int step = 0; step < 600; ++step) simulation.step();

  // k log(Q) = r x m g: the turn is about one axis, and as large as the torque over k.
  const ConstBodyRef bob = simulation.world().body(1);
  const Quaternion& q = bob.orientation;
  const double sine = norm(Vec3{q.x, q.y, q.z});
  const Vec3 log = (angle_of(simulation.world()) / sine) * Vec3{q.x, q.y, q.z};
  const Vec3 arm = bob.position - Vec3{0, 0, 1};
  EXPECT_LT(norm(4.0 * log - cross(arm, simulation.world().gravity)), 1e-8);
  EXPECT_GT(norm(log), 0.3);
  EXPECT_LT(norm(bob.angular_velocity), 1e-8);
}

TEST(BuildRobot, PositionActuatorIsADriveWithinItsForceRange) {
  World world;
  const Robot robot = build_robot(
      world, parse(pendulum("", "<position joint='j' kp='500' gear='2' forcerange='-2 1'/>")));
  set_target(world, robot, 0, 1.5);
  Simulation simulation = simulate(std::move(world));

  for (int step = 0; step < 20; ++step) simulation.step();

  // The servo asks for far more than gear times its range: 2 N m, of its own bound.
  EXPECT_NEAR(simulation.drive_effort(0, 0), 2.0, 1e-9);
  set_target(simulation.world(), robot, 0, -3.0);
  simulation.step();
  EXPECT_NEAR(simulation.drive_effort(0, 0), -4.0, 1e-9);
}

/// A drive at its limit delivers exactly that in every preset and with both NCP functions.
TEST(EffortLimit, IsDeliveredExactlyInEveryPreset) {
  for (const std::string preset : {"accurate", "realtime", "paper"}) {
    for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
      for (const double target : {-100.0, 100.0}) {
        World world;
        const Robot robot = build_robot(world, parse(pendulum("damping='0.1'")));
        set_gains(world, robot, 0, 1e4, 10.0);
        world.joint(0).axes[0].drive.effort = {-1.25, 2.5};
        set_target(world, robot, 0, target);
        SimulationOptions options;
        options.newton = newton_preset(preset);
        set_options(options.newton, {{"ncp", std::string(to_string(ncp))}});
        // The paper's six iterations of t = 0.75 leave 0.25^6 of every step: let it converge.
        if (preset == "paper") options.newton.max_iterations = 60;
        Simulation simulation(std::move(world), options, standard_backends());

        for (int step = 0; step < 30; ++step) simulation.step();

        EXPECT_NEAR(simulation.drive_effort(0, 0), target > 0 ? 2.5 : -1.25, 1e-9)
            << preset << " " << static_cast<int>(ncp);
      }
    }
  }
}

/// Constant force on 2 kg: v = F t / m.
TEST(EffortLimit, MovesTheBodyAsThatEffortDoes) {
  World world;
  const Robot robot = build_robot(world, parse(pendulum("type='slide'")));
  world.gravity = {};
  set_gains(world, robot, 0, 0.0, 1e5, 0.75);
  set_target(world, robot, 0, 0.0, 1e4);
  Simulation simulation = simulate(std::move(world));

  for (int step = 0; step < 60; ++step) simulation.step();

  EXPECT_NEAR(speed(simulation.world(), robot, 0), 0.5 * 0.75 / 2.0, 1e-9);
}

TEST(JointFriction, HoldsBelowItsEffortAndBrakesAbove) {
  World world;
  const Robot robot = build_robot(world, parse(pendulum("frictionloss='1.5'")));
  world.gravity = {};
  add_effort(world, robot, 0, 1.4);
  Simulation simulation = simulate(std::move(world));
  for (int step = 0; step < 30; ++step) simulation.step();
  EXPECT_NEAR(position(simulation.world(), robot, 0), 0.0, 1e-9);

  clear_efforts(simulation.world(), robot);
  add_effort(simulation.world(), robot, 0, 1.75);
  const double h = 1.0 / 120.0;
  simulation.step();

  EXPECT_NEAR(speed(simulation.world(), robot, 0), h * 0.25 / kInertia, 1e-8);
}

TEST(Mimic, FollowerKeepsItsRatio) {
  const Description robot = parse(R"(<robot name="gripper"><link name="base"/>
    <link name="l"><collision><geometry><box size=".01 .01 .05"/></geometry></collision></link>
    <link name="r"><collision><geometry><box size=".01 .01 .05"/></geometry></collision></link>
    <joint name="jl" type="prismatic"><parent link="base"/><child link="l"/><axis xyz="1 0 0"/>
      <limit lower="0" upper=".05" effort="20" velocity="1"/></joint>
    <joint name="jr" type="prismatic"><parent link="base"/><child link="r"/><axis xyz="-1 0 0"/>
      <limit lower="0" upper=".2" effort="20" velocity="1"/><mimic joint="jl" multiplier="2" offset=".01"/></joint>
    </robot>)");
  World world;
  const Robot built = build_robot(world, robot, {.q = {0.0, 0.01}, .shapes = false});
  set_gains(world, built, 0, 1000.0, 20.0);
  set_target(world, built, 0, 0.03);
  Simulation simulation = simulate(std::move(world));

  for (int step = 0; step < 240; ++step) simulation.step();

  const double l = position(simulation.world(), built, 0);
  EXPECT_NEAR(l, 0.03, 1e-4);
  EXPECT_NEAR(position(simulation.world(), built, 1), 2.0 * l + 0.01, 1e-10);
}

/// Two slides on springs of 100 and 200 N/m, no gravity, and a tendon L = q1 / 2 + 2 q2.
std::string two_slides(const std::string& tendon, const std::string& more = "") {
  return R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" stiffness="100" damping="20"/><geom size=".05" mass="1"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0" stiffness="200" damping="30"/><geom size=".05" mass="1"/></body>
    </worldbody><tendon><fixed name="t" )" +
         tendon + R"(><joint joint="a" coef=".5"/><joint joint="b" coef="2"/></fixed></tendon>)" +
         more + "</mujoco>";
}

/// Where the slides are in the end.
std::pair<double, double> settled(const std::string& text, const std::vector<double>& start = {}) {
  World world;
  const Robot built = build_robot(world, parse(text), {.q = start, .shapes = false});
  Simulation simulation = simulate(std::move(world));
  for (int step = 0; step < 1200; ++step) simulation.step();
  return {position(simulation.world(), built, 0), position(simulation.world(), built, 1)};
}

TEST(Tendon, SpringsPullOnAllTheirJoints) {
  // f = 50 (0.3 - L), q1 = f / 2 / 100, q2 = 2 f / 200
  const double f = 50.0 * 0.3 / (1.0 + 50.0 * (0.25 / 100.0 + 4.0 / 200.0));
  const auto [a, b] = settled(two_slides("stiffness='50' springlength='.3'"));
  EXPECT_NEAR(a, 0.5 * f / 100.0, 1e-9);
  EXPECT_NEAR(b, 2.0 * f / 200.0, 1e-9);
}

TEST(Tendon, ServosHoldTheLengthTheyStartWith) {
  // L = 0.2 at the start, effort 40 (0.2 - L)
  const double f = 40.0 * 0.2 / (1.0 + 40.0 * (0.25 / 100.0 + 4.0 / 200.0));
  const std::string servo =
      "<actuator><general tendon='t' gainprm='.4' biastype='affine' biasprm='0 -40 "
      "-1'/></actuator>";
  const auto [a, b] = settled(two_slides("", servo), {0.0, 0.1});
  EXPECT_NEAR(a, 0.5 * f / 100.0, 1e-9);
  EXPECT_NEAR(b, 2.0 * f / 200.0, 1e-9);
  const std::string weak = "<actuator><position tendon='t' kp='40' forcerange='-1 1'/></actuator>";
  EXPECT_NEAR(settled(two_slides("", weak), {0.0, 0.1}).second, 2.0 / 200.0, 1e-9);
}

TEST(Tendon, LimitsAndEqualitiesHoldTheLength) {
  const auto [a, b] = settled(two_slides("limited='true' range='.1 1'"));
  EXPECT_NEAR(0.5 * a + 2.0 * b, 0.1, 1e-9);
  EXPECT_NEAR(b / a, 2.0, 1e-6);  // (2 / 200) / (0.5 / 100)
  const auto [c, d] = settled(two_slides("range='-1 -.1'"));
  EXPECT_NEAR(0.5 * c + 2.0 * d, -0.1, 1e-9);
  const auto [e, g] =
      settled(two_slides("", "<equality><tendon tendon1='t' polycoef='.2'/></equality>"));
  EXPECT_NEAR(0.5 * e + 2.0 * g, 0.2, 1e-9);
}

TEST(Tendon, FrictionHoldsUpToItsEffort) {
  // The springs ask for more than 1 N of the tendon: it slips until they ask for no more.
  const auto [a, b] = settled(two_slides("frictionloss='1'"), {0.0, 0.1});
  EXPECT_NEAR(a, 0.5 / 100.0, 1e-6);
  EXPECT_NEAR(b, 2.0 / 200.0, 1e-6);
}

TEST(CollisionFilter, FollowsContypeAndConaffinity) {
  const auto contacts = [](const std::string& a, const std::string& b) {
    World world;
    build_robot(
        world, parse("<mujoco><worldbody><body><freejoint/><geom type='sphere' size='.1' " + a +
                     "/></body><body pos='0 0 .15'><freejoint/><geom type='sphere' size='.1' " + b +
                     "/></body></worldbody></mujoco>"));
    Simulation simulation = simulate(std::move(world));
    return simulation.step().contacts;
  };

  EXPECT_EQ(contacts("", ""), 1);
  EXPECT_EQ(contacts("contype='0'", ""), 1);  // one of the two is enough
  EXPECT_EQ(contacts("contype='2' conaffinity='4'", ""), 0);
  EXPECT_EQ(contacts("contype='2' conaffinity='4'", "contype='4' conaffinity='0'"), 1);
}

TEST(CollisionFilter, NeighboursAndExcludedPairsDoNotTouch) {
  const auto contacts = [](const std::string& more, bool self) {
    World world;
    build_robot(
        world,
        parse(R"(<mujoco><worldbody><body name="a"><freejoint/><geom type="sphere" size=".1"/>
      <body name="b" pos=".05 0 0"><joint axis="0 0 1"/><geom type="sphere" size=".1"/>
        <body name="c" pos=".05 0 0"><joint axis="0 0 1"/><geom type="sphere" size=".1"/></body></body></body>
      </worldbody>)" +
              more + "</mujoco>"),
        {.self_collision = self});
    Simulation simulation = simulate(std::move(world));
    return simulation.step().contacts;
  };

  EXPECT_EQ(contacts("", true), 1);  // a and c alone
  EXPECT_EQ(contacts("<contact><exclude body1='a' body2='c'/></contact>", true), 0);
  EXPECT_EQ(contacts("", false), 0);
}

TEST(BuildRobot, FixedLinksAreOneBodyOrAsManyAsTheFileHas) {
  const Description robot =
      parse(R"(<mujoco><worldbody><body name="a"><freejoint/><geom type="sphere" size=".1"/>
    <body name="b" pos="0 0 .3"><geom type="sphere" size=".1"/></body></body></worldbody></mujoco>)");
  World merged;
  World apart;

  const Robot one = build_robot(merged, robot);
  const Robot two = build_robot(apart, robot, {.merge_fixed = false});

  ASSERT_EQ(one.bodies.size(), 1u);
  ASSERT_EQ(two.bodies.size(), 2u);
  const double m = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 1e-3;
  EXPECT_NEAR(merged.body(0).inertia(0, 0), 2.0 * (0.4 * m * 0.01 + m * 0.0225), 1e-9);
  EXPECT_EQ(apart.joints().num_joints(), 1);
}

TEST(BuildRobot, CopiesShareTheShapesOfTheirMeshes) {
  RobotDescription robot =
      *parse("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  RobotMesh tetrahedron;
  tetrahedron.surface.vertex = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedron.surface.triangle = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  robot.links[0].geometry[0].kind = GeometryKind::kMesh;
  robot.links[0].geometry[0].mesh = std::make_shared<const RobotMesh>(tetrahedron);
  const auto shared = std::make_shared<const RobotDescription>(std::move(robot));
  const auto pool = std::make_shared<RobotShapes>();
  World world;

  build_robot(world, shared, {.shape_pool = pool});
  build_robot(world, shared, {.shape_pool = pool});
  build_robot(world, shared, {.hulls = false, .shape_pool = pool});
  build_robot(world, shared);

  const auto shape = [&](std::size_t k) { return world.shapes().at(k).shape.get(); };
  EXPECT_EQ(shape(0), shape(1));
  EXPECT_NE(shape(0), shape(2));  // triangles
  EXPECT_NE(shape(0), shape(3));  // its own
}

TEST(Build, FrictionOfAPairIsTheLargerOrThatOfHigherPriority) {
  World world;
  build_robot(world,
              parse("<mujoco><worldbody>"
                    "<body name='a'><freejoint/><geom size='.1' friction='.3'/></body>"
                    "<body name='b'><freejoint/><geom size='.1' friction='.8'/></body>"
                    "<body name='c'><freejoint/><geom size='.1' friction='.2' priority='1'/></body>"
                    "<body name='d'><freejoint/><geom size='.1' condim='1'/></body>"
                    "<body name='e'><freejoint/><geom size='.1' condim='1'/></body>"
                    "</worldbody></mujoco>"));
  EXPECT_EQ(world.friction(0, 1), 0.8);
  EXPECT_EQ(world.friction(1, 2), 0.2);
  EXPECT_EQ(world.friction(0, 3), 1.0);  // slides freely with its like alone
  EXPECT_EQ(world.friction(3, 4), 0.0);
  const int other = world.add_shape(0, std::make_shared<Sphere>(0.1), {.mu = 1.2});
  EXPECT_NEAR(world.friction(0, other), 0.6, 1e-15);  // a surface that says nothing: the mean
}

/// A light link on a heavy one with gains that no explicit scheme would survive.
TEST(Drives, AreStableAtAnyGain) {
  for (const double gain : {1e2, 1e6, 1e10}) {
    World world;
    const Robot robot = build_robot(world, parse(pendulum("")));
    set_gains(world, robot, 0, gain, 0.1 * gain);
    set_target(world, robot, 0, 0.8);
    Simulation simulation = simulate(std::move(world));

    for (int step = 0; step < 600; ++step) ASSERT_TRUE(simulation.step().converged());

    // Statics: k (target - q) = m g l sin q.
    const double q = position(simulation.world(), robot, 0);
    EXPECT_NEAR(gain * (0.8 - q), 2.0 * 9.81 * 0.5 * std::sin(q), 1e-4 * gain * 1e-2 + 1e-3);
  }
}

}  // namespace
}  // namespace nsn
