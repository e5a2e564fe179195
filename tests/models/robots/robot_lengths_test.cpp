// Tendons through sites, with slack, with leaders, over many links; bodies held at points and welds.
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/step/named_options.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

std::shared_ptr<const RobotDescription> parse(const std::string& text) {
  return std::make_shared<const RobotDescription>(parse_robot(text, "robot.xml"));
}

struct Motion {
  Robot robot;
  Simulation simulation;

  double q(int dof) const { return position(simulation.world(), robot, dof); }
  RigidFrame link(int k) const { return link_frame(simulation.world(), robot, k); }
};

/// After `steps` under the gravity of the file.
Motion motion(const std::string& text, int steps) {
  const auto description = parse(text);
  World world;
  world.gravity = description->gravity;
  Robot robot = build_robot(world, description);
  SimulationOptions options;
  options.newton = newton_preset("accurate");
  Motion result{std::move(robot), Simulation(std::move(world), options, standard_backends())};
  for (int step = 0; step < steps; ++step) EXPECT_TRUE(result.simulation.step().converged());
  return result;
}

/// 2 kg that slides along z from -0.2 m, a damper beside, a site at its centre and one at the origin.
std::string hanging(const std::string& tendon, const std::string& more = "") {
  return R"(<mujoco><option gravity="0 0 -10"/><worldbody><site name="top"/>
    <body pos="0 0 -.2"><joint name="z" type="slide" axis="0 0 1" damping="20"/>
      <geom size=".01" mass="2"/><site name="low"/></body></worldbody>
    <tendon><spatial name="t" )" +
         tendon + "<site site='top'/><site site='low'/></spatial></tendon>" + more + "</mujoco>";
}

TEST(PathTendon, StringHoldsItsLoadAndSagsUntilThen) {
  EXPECT_NEAR(motion(hanging("range='0 .3'>"), 240).link(0).position[2], -0.3, 1e-9);
  EXPECT_LT(motion(hanging("range='0 .3' limited='false'>"), 240).link(0).position[2], -1.0);
}

TEST(PathTendon, SpringAndPulleyShareTheLoad) {
  // k (L - 0.2) = m g with L the depth.
  EXPECT_NEAR(motion(hanging("stiffness='100'>"), 600).link(0).position[2], -0.2 - 20.0 / 100.0,
              1e-7);
  // L = depth / 2 pulls the mass with half its force: 100 (L - 0.1) / 2 = 20.
  const Motion slow = motion(hanging("stiffness='100'><pulley divisor='2'/>"), 1200);
  EXPECT_NEAR(slow.link(0).position[2], -2.0 * (0.1 + 0.4), 1e-6);
}

TEST(PathTendon, SpringWithSlackPullsBeyondIt) {
  const Motion pulled = motion(hanging("stiffness='100' springlength='.1 .25'>"), 600);
  EXPECT_NEAR(pulled.link(0).position[2], -0.25 - 20.0 / 100.0, 1e-7);
  // It starts within the slack: the first step of free fall, -v = h (g - d v / m), d = 20.
  const double h = 1.0 / 120.0;
  const Motion free = motion(hanging("stiffness='1e6' springlength='.1 .25'>"), 1);
  EXPECT_NEAR(free.link(0).position[2], -0.2 - h * h * 10.0 / (1.0 + h * 20.0 / 2.0), 1e-9);
}

TEST(PathTendon, ServoHoldsTheLengthItStartsWith) {
  const std::string servo = "<actuator><position tendon='t' kp='400'/></actuator>";
  EXPECT_NEAR(motion(hanging(">", servo), 600).link(0).position[2], -0.2 - 20.0 / 400.0, 1e-7);
  const std::string two =
      "<actuator><position tendon='t' kp='400'/><position tendon='t' kp='100'/>"
      "<motor tendon='t'/></actuator>";
  EXPECT_NEAR(motion(hanging(">", two), 600).link(0).position[2], -0.2 - 20.0 / 500.0, 1e-7);
}

TEST(PathTendon, ForceRangeOfTheTendonBoundsItsServo) {
  // 15 N of the servo, and a spring of 50 N/m on the joint for the rest of 20 N.
  std::string text = hanging("actuatorfrcrange='-15 15'>",
                             "<actuator><position tendon='t' kp='4000'/></actuator>");
  text.replace(text.find("damping=\"20\""), 12, "damping=\"20\" stiffness=\"50\"");
  EXPECT_NEAR(motion(text, 1200).q(0), -5.0 / 50.0, 1e-6);
}

TEST(PathTendon, ArmatureIsInertiaOfItsLength) {
  // 2 kg and 3 kg fall as 5 kg under the weight of two, the length is the depth: m g / (m + a).
  const auto fall = [](const std::string& tendon) {
    std::string text = hanging(tendon);
    text.replace(text.find("damping=\"20\""), 12, "");
    return motion(text, 60).link(0).position[2] + 0.2;
  };
  const double steps = 60.0 * 61.0 / 2.0 / (120.0 * 120.0);
  EXPECT_NEAR(fall(">"), -10.0 * steps, 1e-9);
  EXPECT_NEAR(fall("armature='3'>"), -10.0 * 2.0 / 5.0 * steps, 1e-7);
  const auto description = parse(
      "<mujoco><worldbody><body><joint name='j' armature='.5'/><geom size='.1'/></body></worldbody>"
      "<tendon><fixed armature='2'><joint joint='j' coef='3'/></fixed></tendon></mujoco>");
  EXPECT_EQ(description->link(0).joints[0].armature, 0.5 + 9.0 * 2.0);
}

/// `count` hinges of a chain in the plane, each on a spring of k N m/rad; a tendon sums them.
std::string chain(int count, const std::string& tendon, const std::string& more) {
  std::string bodies;
  std::string sum;
  std::string close;
  for (int k = 0; k < count; ++k) {
    bodies += "<body pos='" + std::string(k == 0 ? "0" : ".02") + " 0 0'><joint name='j" +
              std::to_string(k) +
              "' axis='0 0 1' stiffness='3' damping='.2'/><geom size='.005' mass='.01'/>";
    sum += "<joint joint='j" + std::to_string(k) + "' coef='" + std::to_string(k + 1) + "'/>";
    close += "</body>";
  }
  return "<mujoco><option gravity='0 0 0'/><worldbody>" + bodies + close +
         "</worldbody><tendon><fixed name='t' " + tendon + ">" + sum + "</fixed></tendon>" + more +
         "</mujoco>";
}

TEST(LongTendon, HoldsTheSumOfItsHinges) {
  // min sum 3/2 q_k^2 with sum w_k q_k = c: q_k = c w_k / sum w^2. Seven fit into a row, twenty do not.
  for (const int count : {7, 20}) {
    const double squares = count * (count + 1) * (2 * count + 1) / 6.0;
    const double c = 0.0001 * squares;
    const std::string held =
        "<equality><tendon tendon1='t' polycoef='" + std::to_string(c) + "'/></equality>";
    const Motion settled = motion(chain(count, "", held), 600);
    for (int k = 0; k < count; ++k) EXPECT_NEAR(settled.q(k), 0.0001 * (k + 1), 1e-7) << k;
    EXPECT_EQ(settled.simulation.world().num_particles(), count == 7 ? 0 : 3);
  }
}

TEST(LongTendon, ServoOnManyHingesIsThatOnTheSum) {
  // Effort f = 5 (L0 - L) on all, q_k = f w_k / 3: L = f S / 3, S = sum w^2. It starts bent.
  const auto description =
      parse(chain(20, "", "<actuator><position tendon='t' kp='5'/></actuator>"));
  World world;
  const std::vector<double> start(20, 0.002);
  const Robot robot = build_robot(world, description, {.q = start});
  world.gravity = {};
  const double squares = 2870.0;
  const double f = 5.0 * (0.002 * 210.0) / (1.0 + 5.0 * squares / 3.0);
  double summed = 0.0;
  for (const auto& [d, weight] : robot.relays.back().sum) summed += 0.002 * weight;
  EXPECT_NEAR(world.particle(robot.relays.back().particle).position[0], summed, 1e-15);
  SimulationOptions options;
  options.newton = newton_preset("accurate");
  Simulation simulation(std::move(world), options, standard_backends());
  for (int step = 0; step < 600; ++step) simulation.step();
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(position(simulation.world(), robot, k), f * (k + 1) / 3.0, 1e-7) << k;
  }
}

TEST(Leader, IsFollowedToTheFourthOrder) {
  const auto slides = [](const std::string& equality) {
    return "<mujoco><option gravity='0 0 0'/><worldbody>"
           "<body><joint name='a' type='slide' axis='1 0 0' ref='.3'/><geom size='.1'/></body>"
           "<body pos='0 1 0'><joint name='b' type='slide' axis='1 0 0' ref='.1' stiffness='2000' "
           "damping='300' springref='.6'/><geom size='.1'/></body></worldbody>"
           "<tendon><fixed name='s'><joint joint='a' coef='2'/></fixed>"
           "<fixed name='t'><joint joint='b' coef='3'/></fixed></tendon>"
           "<equality>" +
           equality + "</equality></mujoco>";
  };
  const auto after = [&](const std::string& equality) { return motion(slides(equality), 1200); };
  const Motion joint = after("<joint joint1='a' joint2='b' polycoef='.2 .5 -1 2 3'/>");
  const double x = joint.q(1) - 0.1;
  EXPECT_NEAR(x, 0.5, 1e-6);  // nothing else holds a
  EXPECT_NEAR(joint.q(0) - 0.3, 0.2 + 0.5 * x - x * x + 2.0 * x * x * x + 3.0 * x * x * x * x,
              1e-9);
  const Motion tendon = after("<tendon tendon1='s' tendon2='t' polycoef='.2 .5 -1'/>");
  const double y = 3.0 * (tendon.q(1) - 0.1);
  EXPECT_NEAR(2.0 * (tendon.q(0) - 0.3), 0.2 + 0.5 * y - y * y, 1e-9);
  EXPECT_NEAR(after("<joint joint1='a' polycoef='.25'/>").q(0), 0.3 + 0.25, 1e-9);
}

// ---- connect, weld ----

TEST(Hold, PointOfAFallingBoxStaysWhereItIs) {
  const Motion swung = motion(R"(<mujoco><worldbody><body name="box" pos="1 0 1"><freejoint/>
      <geom type="box" size=".5 .1 .1" mass="1"/></body></worldbody>
      <equality><connect body1="box" anchor="-0.5 0 0"/></equality></mujoco>)",
                              60);
  const RigidFrame box = swung.link(0);
  EXPECT_LT(norm(box.point({-0.5, 0.0, 0.0}) - Vec3{0.5, 0.0, 1.0}), 1e-8);
  EXPECT_LT(box.position[2], 0.8);  // and it swings
}

/// Two boxes side by side, the first turned a quarter about z.
std::string boxes(const std::string& equality) {
  return R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body name="a" pos="0 0 1" euler="0 0 90"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <site name="sa" pos=".1 .2 .3"/></body>
    <body name="b" pos=".4 0 1"><freejoint/><geom type="box" size=".1 .1 .1" contype="0"/>
      <site name="sb" pos="0 0 .1" euler="0 0 90"/></body></worldbody>
    <equality>)" +
         equality + "</equality></mujoco>";
}

/// Places of b's centre and x axis in a.
std::pair<Vec3, Vec3> of_b_in_a(const Motion& motion) {
  const RigidFrame b = inverse(motion.link(0)) * motion.link(1);
  return {b.position, b.direction({1, 0, 0})};
}

TEST(Hold, WeldKeepsThePoseItStartsWithOrTakesTheOneItIsTold) {
  const auto [kept, x] = of_b_in_a(motion(boxes("<weld body1='a' body2='b'/>"), 5));
  EXPECT_LT(norm(kept - Vec3{0.0, -0.4, 0.0}), 1e-8);
  EXPECT_LT(norm(x - Vec3{0.0, -1.0, 0.0}), 1e-8);
  // MuJoCo: the anchor, a point of b, is at the position of relpose in a.
  const auto [told, y] = of_b_in_a(
      motion(boxes("<weld body1='a' body2='b' relpose='.3 0 .1 1 0 0 0' anchor='0 0 .2'/>"), 60));
  EXPECT_LT(norm(told - Vec3{0.3, 0.0, -0.1}), 1e-8);
  EXPECT_LT(norm(y - Vec3{1.0, 0.0, 0.0}), 1e-8);
  const auto [sites, z] = of_b_in_a(motion(boxes("<weld site1='sa' site2='sb'/>"), 60));
  EXPECT_LT(norm(sites - Vec3{0.1, 0.2, 0.2}), 1e-8);
  EXPECT_LT(norm(z - Vec3{0.0, -1.0, 0.0}), 1e-8);
}

TEST(Hold, ConnectLeavesTheTurnFreeAndWhatIsNotActiveAll) {
  const Motion held = motion(boxes("<connect site1='sa' site2='sb'/>"), 60);
  EXPECT_LT(norm(held.link(0).point({0.1, 0.2, 0.3}) - held.link(1).point({0.0, 0.0, 0.1})), 1e-8);
  const Motion off = motion(boxes("<connect site1='sa' site2='sb' active='false'/>"), 60);
  EXPECT_EQ(off.link(1).position[0], 0.4);
  EXPECT_EQ(off.robot.description->unsupported.at(0).name, "equality that is not active");
}

TEST(Hold, FourBarsMoveAsOneDegreeOfFreedom) {
  // Bars of 4 m close a square: link 3 stays upright while link 1 turns under a spring.
  const Motion bars = motion(R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="l1">
    <geom size=".1"/><body name="l2" pos=".5 0 0"><joint axis="1 0 0" springref="30" stiffness="1e4"
      damping="2e3"/><geom size=".2" pos="0 2 0"/>
      <body name="l3" pos="-.5 4 0"><joint axis="1 0 0"/><geom size=".2" pos="0 0 2"/>
        <body name="l4" pos=".5 0 4"><joint axis="1 0 0"/><geom size=".2" pos="0 -2 0"/></body>
      </body></body></body></worldbody>
    <equality><connect body1="l1" body2="l4" anchor="0 0 4"/></equality></mujoco>)",
                             1200);
  const double q = bars.q(0);
  EXPECT_NEAR(q, 3.14159265358979 / 6.0, 1e-5);
  EXPECT_NEAR(bars.q(1), -q, 1e-8);
  EXPECT_NEAR(bars.q(2), q, 1e-8);
}

TEST(Carried, BodiesHangInTheAirByTheShareThatIsCarried) {
  const auto drop = [](const std::string& share) {
    const std::string text = "<mujoco><worldbody><body gravcomp='" + share +
                             "'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    return motion(text, 10).link(0).position[2];
  };
  const double h = 1.0 / 120.0;
  const double fall = -9.81 * h * h * 55.0;  // 1 + 2 + ... + 10
  EXPECT_NEAR(drop("0"), fall, 1e-12);
  EXPECT_NEAR(drop("1"), 0.0, 1e-12);
  EXPECT_NEAR(drop("3"), -2.0 * fall, 1e-12);
}

TEST(BallServo, HoldsATurnAboutItsAxis) {
  const Motion held = motion(R"(<mujoco><option gravity="0 0 -10"/><worldbody><body>
      <joint name="b" type="ball" damping="5"/><geom size=".01" mass="2" pos=".5 0 0"/></body></worldbody>
    <actuator><position joint="b" kp="4" gear="0 10 0"/></actuator></mujoco>)",
                             1200);
  // 400 a = m g l cos a
  const Vec3 bob = held.link(0).direction({1, 0, 0});
  const double a = std::asin(-bob[2]);
  EXPECT_NEAR(400.0 * a, 10.0 * std::cos(a), 1e-5);
}

}  // namespace
}  // namespace nsn
