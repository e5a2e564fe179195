// Things that leave a world while it runs.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/rows/attachment_rows.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

/// A floor and boxes on each other.
World stack(int boxes) {
  World world;
  world.add_shape(world.add_body({.name = "floor", .kind = BodyKind::kStatic}),
                  std::make_shared<Plane>());
  for (int k = 0; k < boxes; ++k) {
    Body body;
    body.mass = 1.0;
    body.inertia = box_inertia(1.0, {1, 1, 1});
    body.position = {0, 0, 0.5 + k};
    world.add_shape(world.add_body(body), std::make_shared<Box>(Vec3{1, 1, 1}));
  }
  return world;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Removal, ABoxLeavesAndTheOneAboveFalls) {
  Simulation simulation(stack(3));
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(simulation.step().converged());
  EXPECT_NEAR(simulation.contact_force(1)[2], 9.81, 1e-6);  // 29.43 from below, 19.62 from above
  EXPECT_NEAR(simulation.contact_force(2, 3)[2], -9.81, 1e-6);
  EXPECT_NEAR(simulation.contact_force(1, 0)[2], 29.43, 1e-6);

  simulation.world().remove_body(2);
  EXPECT_FALSE(simulation.world().has_body(2));
  for (int k = 0; k < 120; ++k) EXPECT_TRUE(simulation.step().converged());
  EXPECT_NEAR(simulation.world().body(3).position[2], 1.5, 1e-3);
  EXPECT_NEAR(simulation.contact_force(1, 3)[2], -9.81, 1e-3);
  for (const ContactInfo& c : simulation.contacts()) {
    EXPECT_NE(c.body_a, 2);
    EXPECT_NE(c.body_b, 2);
  }
}

TEST(Removal, ThePlaceIsGivenToTheNext) {
  Simulation simulation(stack(2));
  for (int k = 0; k < 10; ++k) simulation.step();
  World& world = simulation.world();
  world.remove_body(2);
  Body ball;
  ball.mass = 1.0;
  ball.inertia = sphere_inertia(1.0, 0.5);
  ball.position = {0, 0, 1.5};
  EXPECT_EQ(world.add_body(ball), 2);
  EXPECT_EQ(world.add_shape(2, std::make_shared<Sphere>(0.5)), 2);
  EXPECT_EQ(world.num_bodies(), 3);
  for (int k = 0; k < 30; ++k) EXPECT_TRUE(simulation.step().converged());
  EXPECT_NEAR(world.body(2).position[2], 1.5, 1e-6);
  int touching = 0;
  for (const ContactInfo& c : simulation.contacts()) touching += c.body_a == 2 || c.body_b == 2;
  EXPECT_EQ(touching, 1);  // a ball, not a box
}

TEST(Removal, AJointLetsGo) {
  World world = stack(0);
  Body body;
  body.name = "pendulum";
  body.mass = 1.0;
  body.inertia = box_inertia(1.0, {0.1, 0.1, 1});
  body.position = {0, 0, 5};
  const int b = world.add_body(body);
  const int j = world.add_joint(revolute_joint(b, 0), {.point = {0, 0, 5.5}, .axis = {0, 1, 0}});
  Simulation simulation(std::move(world));
  for (int k = 0; k < 10; ++k) simulation.step();
  EXPECT_NEAR(simulation.world().body(b).position[2], 5.0, 1e-9);
  const std::string words = refusal([&] { simulation.world().remove_body(b); });
  EXPECT_NE(words.find("body 1 (pendulum) cannot be removed: joint 0 (revolute) holds it"),
            std::string::npos)
      << words;
  EXPECT_TRUE(simulation.world().has_body(b));
  simulation.world().remove_joint(j);
  simulation.step();
  EXPECT_LT(simulation.world().body(b).velocity[2], -0.05);
  simulation.world().remove_body(b);
  simulation.step();
  EXPECT_EQ(simulation.report().contacts, 0);
}

TEST(Removal, WhatIsAskedOfANumberThatIsNotThereIsRefused) {
  World world = stack(1);
  const int j = world.add_joint(revolute_joint(1, 0), {.point = {0, 0, 1}, .axis = {0, 1, 0}});
  Simulation simulation(std::move(world));
  simulation.step();
  EXPECT_EQ(refusal([&] { (void)simulation.joint_position(3, 0); }), "no joint 3 (there are 1)");
  EXPECT_EQ(refusal([&] { (void)simulation.joint_speed(j, 1); }),
            "joint 0: no axis 1 (there are 1)");
  EXPECT_EQ(refusal([&] { (void)simulation.joint_reaction(-1); }), "no joint -1 (there are 1)");
  EXPECT_EQ(refusal([&] { (void)simulation.contact_force(9, 0); }), "no body 9 (there are 2)");
  EXPECT_EQ(refusal([&] { (void)simulation.contact_force(0, 9); }), "no body 9 (there are 2)");
  EXPECT_EQ(refusal([&] { (void)simulation.contact_force_on_deformable(5); }),
            "no deformable 5 (there are 0)");
  EXPECT_EQ(refusal([&] { (void)simulation.world().joint(1); }), "no joint 1 (there are 1)");
}

TEST(Removal, OfASoftBodyAndItsParticles) {
  World world = stack(0);
  DeformableOptions rubber;
  rubber.position = {0, 0, 0.1};
  const int d = world.add_deformable(ball_mesh(0.1, 80), rubber);
  Simulation simulation(std::move(world));
  for (int k = 0; k < 20; ++k) simulation.step();
  EXPECT_GT(simulation.report().soft_contacts, 0);
  World& after = simulation.world();
  EXPECT_NE(refusal([&] { after.remove_particle(3); }).find("a node of deformable 0"),
            std::string::npos);
  after.remove_deformable(d);
  simulation.step();
  EXPECT_EQ(simulation.report().row_blocks, 0);
  EXPECT_EQ(simulation.report().contacts, 0);
  after.remove_particle(3);
  EXPECT_NE(refusal([&] { after.remove_deformable(d); }), "not refused");
}

TEST(Removal, WhatIsNotThereIsRefused) {
  World world = stack(1);
  for (const int index : {-1, 2}) {
    EXPECT_NE(refusal([&] { world.remove_body(index); }), "not refused");
    EXPECT_NE(refusal([&] { world.remove_shape(index); }), "not refused");
    EXPECT_NE(refusal([&] { world.remove_joint(index); }), "not refused");
    EXPECT_NE(refusal([&] { world.remove_particle(index); }), "not refused");
    EXPECT_NE(refusal([&] { world.remove_deformable(index); }), "not refused");
  }
  world.remove_body(1);
  EXPECT_NE(refusal([&] { world.remove_body(1); }), "not refused");
  EXPECT_NE(refusal([&] { world.remove_shape(1); }), "not refused");
  EXPECT_NE(refusal([&] { world.add_shape(1, std::make_shared<Sphere>(1.0)); }), "not refused");
}

}  // namespace
}  // namespace nsn
