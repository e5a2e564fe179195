// Drag of a fluid and of free joints: forces of MuJoCo, terminal velocities, decay.
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/named_options.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

/// A body after `steps` of h, from velocities of a free joint.
Body moved(const std::string& text, const std::vector<double>& v, int steps, double h) {
  const auto description = std::make_shared<const RobotDescription>(parse_robot(text, "robot.xml"));
  World world;
  world.gravity = description->gravity;
  build_robot(world, description, {.v = v});
  SimulationOptions options;
  options.h = h;
  options.newton = newton_preset("accurate");
  Simulation simulation(std::move(world), options, standard_backends());
  for (int step = 0; step < steps; ++step) EXPECT_TRUE(simulation.step().converged());
  return simulation.world().body(0);
}

std::string box(const std::string& option) {
  return "<mujoco><option " + option +
         " gravity='0 0 0'/><worldbody><body euler='30 40 50'><freejoint/><geom type='box' "
         "size='.1 .2 .3' density='800' pos='0 .5 0'/></body></worldbody></mujoco>";
}

struct Wrench {
  Vec3 force;   // world axes
  Vec3 torque;  // about the origin of the link, its axes
};

/// What the fluid adds to the momentum of a moving box within a very short step, per time.
Wrench fluid_on_box(const std::string& option) {
  const double h = 1e-7;
  const std::vector<double> v{1.0, -2.0, 3.0, 0.4, 0.5, -0.6};
  const Body with = moved(box(option), v, 1, h);
  const Body without = moved(box(""), v, 1, h);
  const Mat3 R = rotation_matrix(without.orientation);
  const Vec3 force = (with.mass / h) * (with.velocity - without.velocity);
  const Vec3 spin = (1.0 / h) * (with.angular_velocity - without.angular_velocity);
  const Vec3 about_centre = with.inertia * (transpose(R) * spin);
  return {force, about_centre + cross({0.0, 0.5, 0.0}, transpose(R) * force)};
}

TEST(Drag, IsThatOfMujoco) {
  // qfrc_passive of MuJoCo 3.17
  const Wrench water = fluid_on_box("density='1000'");
  EXPECT_LT(norm(water.force - Vec3{-250.350222, 257.857276, -389.570086}), 0.05);
  EXPECT_LT(norm(water.torque - Vec3{-259.144258, -0.205, -45.5307976}), 0.05);
  const Wrench honey = fluid_on_box("viscosity='2'");
  EXPECT_LT(norm(honey.force - Vec3{-9.62291458, 13.6893307, -23.67687596}), 1e-3);
  EXPECT_LT(norm(honey.torque - Vec3{-13.72903848, -0.20106193, -3.0460723}), 1e-3);
  const Wrench both = fluid_on_box("density='500' viscosity='1'");
  EXPECT_LT(norm(both.force - Vec3{-129.986568, 135.773304, -206.623481}), 0.03);
}

TEST(Drag, CarriesTheWeightAtTheTerminalVelocityWhateverTheStep) {
  const auto fall = [](const std::string& option, int steps, double h) {
    return -moved("<mujoco><option gravity='0 0 -10' " + option +
                      "/><worldbody><body><freejoint/><geom type='box' size='.1 .1 .1' mass='3'/>"
                      "</body></worldbody></mujoco>",
                  {}, steps, h)
                .velocity[2];
  };
  // 1/2 rho a^2 v^2 = m g and 3 pi a mu v = m g, a = 0.2 m
  EXPECT_NEAR(fall("density='50'", 200, 0.1), std::sqrt(30.0 / (0.5 * 50.0 * 0.04)), 1e-7);
  EXPECT_NEAR(fall("viscosity='9'", 400, 0.01), 30.0 / (3.0 * M_PI * 0.2 * 9.0), 1e-7);
  EXPECT_NEAR(fall("viscosity='9000'", 3, 1.0), 30.0 / (3.0 * M_PI * 0.2 * 9000.0), 1e-7);
}

TEST(Drag, DampingOfAFreeJointActsOnTheFrameOfItsLink) {
  const std::string centred =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='free' damping='3'/><geom "
      "type='box' size='.1 .1 .1' mass='6'/></body></worldbody></mujoco>";
  const double h = 0.01;
  const Body slow = moved(centred, {1.0, 2.0, 0.0, 0.0, 0.0, 0.5}, 10, h);
  const double decay = std::pow(1.0 + h * 3.0 / 6.0, -10.0);
  EXPECT_LT(norm(slow.velocity - decay * Vec3{1.0, 2.0, 0.0}), 1e-8);
  // The spin of a cube: I = m a^2 / 6 = 0.04.
  EXPECT_NEAR(slow.angular_velocity[2], 0.5 * std::pow(1.0 + h * 3.0 / 0.04, -10.0), 1e-8);
  // Turning about its frame, beside the centre of mass: no force, and a torque free to spin it.
  std::string beside = centred;
  beside.replace(beside.find("mass="), 0, "pos='.5 0 0' ");
  const Body turned = moved(beside, {0.0, 0.0, 0.0, 0.0, 0.0, 0.5}, 1, 1e-6);
  EXPECT_NEAR(turned.angular_velocity[2], 0.5 * (1.0 - 1e-6 * 3.0 / 0.04), 1e-8);
  EXPECT_NEAR(turned.velocity[1], 0.25, 1e-8);
}

/// 6 kg and 0.04 kg m^2 of a cube, and an armature of 3 that gravity does not pull.
TEST(FreeJoint, ArmatureIsInertiaWithoutWeight) {
  const auto cube = [](const std::string& gravity, const std::string& where) {
    return "<mujoco><option gravity='" + gravity +
           "'/><worldbody><body><joint type='free' armature='3'/><geom type='box' size='.1 .1 .1' "
           "mass='6' pos='" +
           where + "'/></body></worldbody></mujoco>";
  };
  const Body falls = moved(cube("0 0 -10", "0 0 0"), {}, 10, 0.01);
  EXPECT_NEAR(falls.velocity[2], -10.0 * 6.0 / 9.0 * 0.1, 1e-10);
  EXPECT_NEAR(falls.inertia(0, 0), 0.04 + 3.0, 1e-12);
  // Without gravity its frame may be anywhere: 9 kg about their common centre.
  const Body beside = moved(cube("0 0 0", ".3 0 0"), {}, 1, 0.01);
  EXPECT_NEAR(beside.position[0], 0.2, 1e-12);
  EXPECT_NEAR(beside.inertia(2, 2), 0.04 + 3.0 + 6.0 * 0.01 + 3.0 * 0.04, 1e-12);
  EXPECT_EQ(moved(cube("0 0 -10", ".3 0 0"), {}, 1, 0.01).mass, 6.0);  // left out, and said
}

}  // namespace
}  // namespace nsn
