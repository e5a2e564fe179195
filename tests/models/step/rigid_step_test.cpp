// What must hold for any step: invariances, islands, repeatability, memory, bad input, collision.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/problems/linearised_problem.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/broad_phase.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/rows/contact_rows.h"
#include "nsn/models/scenes/parts.h"
#include "tests/support/count_allocations.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::advance;
using test::simulate;

/// Two groups of three balls, one on top of two others, apart from each other: two islands. Each
/// pair touches in one point, so the velocities of a step are unique (a box on four points has
/// forces that are not, and with them its spin).
World two_groups(const std::vector<int>& order, const Mat3& turn = identity<3>(),
                 double length = 1.0, double mass = 1.0) {
  World world;
  world.gravity = length * (turn * Vec3{0.0, 0.0, -9.81});
  world.margin = 0.005 * length;
  const double angle = std::atan2(turn(0, 2), turn(0, 0));  // `turn` is a rotation about y
  Body ground;
  ground.kind = BodyKind::kStatic;
  ground.orientation = rotation_about({0, 1, 0}, angle);
  world.add_shape(world.add_body(ground), std::make_shared<Plane>(), {.mu = 0.5});
  const Vec3 place[3] = {{0.0, 0.0, 0.5}, {0.0, 1.0, 0.5}, {0.0, 0.5, 0.5 + std::sqrt(0.75)}};
  for (const int k : order) {
    const Vec3 at = place[k / 2] + Vec3{5.0 * (k % 2), 0.0, 0.0};
    const int ball =
        add_ball(world, 0.5 * length, mass * (1.0 + 7.0 * k), length * (turn * at), 0.5);
    world.body(ball).velocity = length * (turn * Vec3{1.0 + 0.3 * k, 0.2 * k, 0.0});
  }
  return world;
}

/// Velocities after one step, by ball 0 ... 5.
std::vector<Vec3> velocities(World world, const std::vector<int>& order, bool islands = true) {
  SimulationOptions options;
  options.islands = islands;
  options.newton.tolerance = 1e-13;  // see kTolerance
  Simulation simulation(std::move(world), options, standard_backends());
  EXPECT_LT(simulation.step().error.relative, 1e-12);
  std::vector<Vec3> v(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    v[static_cast<std::size_t>(order[i])] =
        simulation.world().body(static_cast<int>(i) + 1).velocity;
  }
  return v;
}

const std::vector<int> kOrder{0, 1, 2, 3, 4, 5};
// Steps are solved to 1e-13 of about 3 m/s. A light box between heavy ones amplifies what is left:
// at the default 1e-9 two answers differ by up to 1e-4 m/s.
constexpr double kTolerance = 1e-7;

void expect_near(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double scale = 1.0) {
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(norm(a[i] - b[i]), scale * kTolerance) << i;
}

TEST(Islands, GiveTheVelocitiesOfTheWholeSystem) {
  expect_near(velocities(two_groups(kOrder), kOrder, true),
              velocities(two_groups(kOrder), kOrder, false));
}

TEST(Islands, AreFoundApart) {
  Simulation simulation(two_groups(kOrder), {}, standard_backends());
  EXPECT_EQ(simulation.step().islands, 2);
}

/// Balls that roll and spin against resistance, apart from each other.
World rolling_balls(int first, int count) {
  World world;
  Body ground;
  ground.kind = BodyKind::kStatic;
  world.add_shape(world.add_body(ground), std::make_shared<Plane>(), {.mu = 0.5});
  for (int i = first; i < first + count; ++i) {
    const double mass = 1.0 + 0.01 * i;
    Body ball;
    ball.mass = mass;
    ball.inertia = sphere_inertia(mass, 0.5);
    ball.position = {2.0 * i, 0.0, 0.5};
    ball.velocity = {0.0, 1.0 + 0.02 * i, 0.0};
    ball.angular_velocity = {-0.5 * i, 0.0, 3.0};
    world.add_shape(world.add_body(ball), std::make_shared<Sphere>(0.5),
                    {.mu = 0.5, .rolling = 0.02, .spinning = 0.01});
  }
  return world;
}

TEST(Islands, OfManyBallsWithResistanceMoveAsEachAlone) {
  constexpr int kBalls = 100;  // three blocks each: enough for islands on several threads
  Simulation all(rolling_balls(0, kBalls), {}, standard_backends());
  for (int step = 0; step < 10; ++step) EXPECT_EQ(all.step().islands, kBalls);
  for (const int i : {0, 37, kBalls - 1}) {
    Simulation alone(rolling_balls(i, 1), {}, standard_backends());
    for (int step = 0; step < 10; ++step) alone.step();
    const ConstBodyRef a = all.world().body(1 + i);
    const ConstBodyRef b = alone.world().body(1);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(a.velocity[k], b.velocity[k]) << i;
      EXPECT_EQ(a.angular_velocity[k], b.angular_velocity[k]) << i;
    }
  }
}

TEST(Islands, DivideTheTimeOfAStepBetweenAssemblyAndSolve) {
  Simulation simulation(rolling_balls(0, 100), {}, standard_backends());
  const auto start = std::chrono::steady_clock::now();
  const StepReport& report = simulation.step();
  const double all =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(report.assemble_seconds, 0.0);
  EXPECT_GT(report.solve_seconds, 0.0);
  EXPECT_LE(report.detect_seconds + report.assemble_seconds + report.solve_seconds, all);
}

TEST(Islands, ThatCannotBeAssembledThrowFromTheStep) {
  Simulation wrong(rolling_balls(0, 100),
                   {.newton = newton_preset("paper"),
                    .complementarity = {.scaling = ComplementarityScaling::kUser, .user = {0.0}}},
                   standard_backends());
  EXPECT_THROW(wrong.step(), std::invalid_argument);
}

TEST(Invariance, OrderOfBodiesDoesNotMatter) {
  const std::vector<int> shuffled{4, 1, 5, 0, 3, 2};
  expect_near(velocities(two_groups(kOrder), kOrder), velocities(two_groups(shuffled), shuffled));
}

TEST(Invariance, TurningTheWorldTurnsTheVelocities) {
  const Mat3 turn = rotation_matrix(rotation_about({0, 1, 0}, 0.7));
  std::vector<Vec3> turned = velocities(two_groups(kOrder, turn), kOrder);
  for (Vec3& v : turned) v = transpose(turn) * v;
  expect_near(velocities(two_groups(kOrder), kOrder), turned);
}

TEST(Invariance, MillimetresAndGramsGiveTheSameMotion) {
  std::vector<Vec3> small = velocities(two_groups(kOrder, identity<3>(), 1e3, 1e3), kOrder);
  for (Vec3& v : small) v = 1e-3 * v;
  expect_near(velocities(two_groups(kOrder), kOrder), small);
}

/// Two stacks of two boxes, the upper one heavier, apart from each other; every contact sticks in
/// the step (pushed by less than mu g h), so that the velocities are unique although the forces of
/// a box on four points are not.
World two_stacks(const std::vector<int>& order, const Mat3& turn = identity<3>(),
                 double length = 1.0, double mass = 1.0) {
  World world;
  world.gravity = length * (turn * Vec3{0.0, 0.0, -9.81});
  world.margin = 0.005 * length;
  Body ground;
  ground.kind = BodyKind::kStatic;
  const Quaternion turned = rotation_about({0, 1, 0}, std::atan2(turn(0, 2), turn(0, 0)));
  ground.orientation = turned;
  world.add_shape(world.add_body(ground), std::make_shared<Plane>(), {.mu = 0.9});
  for (const int k : order) {
    const Vec3 at{5.0 * (k % 2), 0.0, 0.5 + k / 2};
    const int box =
        add_box(world, length * Vec3{1, 1, 1}, mass * (1.0 + 9.0 * k), length * (turn * at), 0.9);
    world.body(box).orientation = turned;
    world.body(box).velocity = length * (turn * Vec3{0.01 + 0.003 * k, 0.004 * k, 0.0});
    world.body(box).angular_velocity = turn * Vec3{0.002 * k, 0.0, 0.003};
  }
  return world;
}
const std::vector<int> kBoxes{0, 1, 2, 3};

TEST(Islands, GiveTheVelocitiesOfTheWholeSystemOfBoxes) {
  expect_near(velocities(two_stacks(kBoxes), kBoxes, true),
              velocities(two_stacks(kBoxes), kBoxes, false));
}

TEST(Invariance, OrderOfBoxesDoesNotMatter) {
  const std::vector<int> shuffled{3, 0, 2, 1};
  expect_near(velocities(two_stacks(kBoxes), kBoxes), velocities(two_stacks(shuffled), shuffled));
}

TEST(Invariance, TurningBoxesTurnsTheVelocities) {
  const Mat3 turn = rotation_matrix(rotation_about({0, 1, 0}, 0.7));
  std::vector<Vec3> turned = velocities(two_stacks(kBoxes, turn), kBoxes);
  for (Vec3& v : turned) v = transpose(turn) * v;
  expect_near(velocities(two_stacks(kBoxes), kBoxes), turned);
}

TEST(Invariance, BoxesInMillimetresAndGramsMoveTheSame) {
  std::vector<Vec3> small = velocities(two_stacks(kBoxes, identity<3>(), 1e3, 1e3), kBoxes);
  for (Vec3& v : small) v = 1e-3 * v;
  expect_near(velocities(two_stacks(kBoxes), kBoxes), small);
}

TEST(WarmStart, ExactGuessTakesNoIteration) {
  // A ball at rest: the impulse m g h of the first step is the exact answer of the next.
  auto simulation = simulate("rolling-ball", {{"speed", "0"}});
  EXPECT_GT(simulation.step().factorizations, 0);
  EXPECT_EQ(simulation.step().factorizations, 0);
}

/// FNV-1a over the bits of numbers.
void add_to_hash(std::uint64_t& hash, const double* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, values + k, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ (bits >> (8 * byte) & 0xffU)) * 1099511628211ULL;
    }
  }
}
constexpr std::uint64_t kHashStart = 14695981039346656037ULL;

std::uint64_t hash_of_run(const std::string& scene, int steps) {
  SimulationOptions options;
  options.newton.linear = {"contact-lu"};
  auto simulation = simulate(scene, {}, options);
  advance(simulation, steps);
  std::uint64_t hash = kHashStart;
  for (const ConstBodyRef body : simulation.world().bodies()) {
    for (const Vec3& v : {body.position, body.velocity, body.angular_velocity}) {
      add_to_hash(hash, v.a, 3);
    }
  }
  return hash;
}

TEST(Determinism, RunsRepeatBitForBit) {
  for (const auto* scene : {"sliding-stack", "arch", "capstan"}) {
    EXPECT_EQ(hash_of_run(scene, 20), hash_of_run(scene, 20)) << scene;
  }
}

TEST(Determinism, GoldenHashOfAnAssembledWall) {
  // Collision, rows and Delassus operator: our own kernels, no library function but sqrt, compiled
  // without fused operations. A change here means that results changed.
  auto simulation = simulate("wall", {{"rows", "3"}, {"columns", "3"}});
  std::uint64_t hash = kHashStart;
  simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) {
    const FrictionProblem problem = linearised_friction_problem(equations);
    add_to_hash(hash, problem.W.value.data(), problem.W.value.extent(0));
    add_to_hash(hash, problem.q.data(), problem.q.extent(0));
  });
  simulation.step();
#if defined(__FMA__)
  GTEST_SKIP() << "compiled with fused multiply-add";
#else
  EXPECT_EQ(hash, 17390130298586603205ULL);
#endif
}

TEST(Failure, AStepThatDoesNotConvergeSaysSoAndStaysFinite) {
  SimulationOptions options;
  options.newton.max_iterations = 1;
  options.newton.tolerance = 1e-14;
  auto simulation = simulate("sliding-stack", {}, options);
  const StepReport& report = simulation.step();
  EXPECT_FALSE(report.converged());
  EXPECT_TRUE(std::isfinite(report.error.total));
  EXPECT_GE(report.worst_row, 0);
  EXPECT_TRUE(std::isfinite(report.energy));
}

TEST(Failure, CancelEndsAStep) {
  SimulationOptions options;
  options.newton.cancel = [] { return true; };
  auto simulation = simulate("sliding-stack", {}, options);
  EXPECT_EQ(simulation.step().status, NewtonStatus::kCancelled);
}

TEST(Failure, WhatCancelThrowsArrivesAndNothingHasMoved) {
  struct Stop {};
  for (const char* const preset : {"accurate", "realtime", "paper"}) {
    SimulationOptions options;
    options.newton = newton_preset(preset);
    int left = 1000000;
    options.newton.cancel = [&left]() -> bool {
      if (--left < 0) throw Stop{};
      return false;
    };
    auto simulation = simulate("sliding-stack", {}, options);
    advance(simulation, 5);
    const std::string before = simulation.state();
    left = 1;
    EXPECT_THROW(static_cast<void>(simulation.step()), Stop) << preset;
    EXPECT_EQ(simulation.state(), before) << preset;
    left = 1000000;
    simulation.step();
    auto uninterrupted = simulate("sliding-stack", {}, options);
    advance(uninterrupted, 6);
    EXPECT_EQ(simulation.state(), uninterrupted.state()) << preset;
  }
}

TEST(Memory, AStepOfTheSamePatternAllocatesNothing) {
  SimulationOptions options;
  options.newton.linear = {"contact-lu"};
  auto simulation = simulate("arch", {}, options);
  advance(simulation, 20);
  simulation.forget_impulses();  // a cold step: factorisations are needed
  const long before = testing_support::allocations();

  const int factorizations = simulation.step().factorizations;

  EXPECT_GT(factorizations, 0);
  EXPECT_EQ(testing_support::allocations() - before, 0);
}

TEST(Memory, ARealtimeStepOfTheSamePatternAllocatesNothing) {
  // A cold step: Anderson-ADMM, factorisations and sweeps all take part.
  SimulationOptions options = test::with_preset("realtime");
  options.newton.linear = {"contact-lu"};
  auto simulation = simulate("arch", {}, options);
  advance(simulation, 20);
  simulation.forget_impulses();
  advance(simulation, 5);
  simulation.forget_impulses();
  const long before = testing_support::allocations();

  const int factorizations = simulation.step().factorizations;

  EXPECT_GT(factorizations, 0);
  EXPECT_EQ(testing_support::allocations() - before, 0);
}

TEST(EmptyInput, IsValid) {
  Simulation nothing(World{}, {}, standard_backends());
  EXPECT_TRUE(nothing.step().converged());
  World all_static;
  add_ground(all_static, 0.5);
  Simulation still(std::move(all_static), {}, standard_backends());
  EXPECT_TRUE(still.step().converged());
  auto frictionless = simulate("sliding-box", {{"mu", "0"}});
  advance(frictionless, 10);
  EXPECT_NEAR(frictionless.world().body(1).velocity[0], 3.0, 1e-8);
}

TEST(BadInput, NamesTheItem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const std::function<void(World&)>& act) -> std::string {
    World world;
    world.add_body({});
    world.add_body({});
    try {
      act(world);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto body = [](auto change) {
    return [change](World& world) {
      Body b;
      b.name = "culprit";
      change(b);
      world.add_body(b);
    };
  };
  EXPECT_NE(message(body([](Body& b) { b.mass = -1.0; })).find("culprit"), std::string::npos);
  EXPECT_NE(message(body([](Body& b) { b.mass = -1.0; })).find("mass"), std::string::npos);
  EXPECT_NE(message(body([](Body& b) {
              b.inertia = diagonal(Vec3{1, -1, 1});
            })).find("inertia"),
            std::string::npos);
  EXPECT_NE(message(body([&](Body& b) {
              b.position = {nan, 0, 0};
            })).find("finite"),
            std::string::npos);
  EXPECT_NE(message(body([&](Body& b) {
              b.force = {0, nan, 0};
            })).find("force"),
            std::string::npos);
  const auto contact = [](auto change) {
    return [change](World& world) {
      PointOnPlane c;
      c.body_a = 0;
      c.body_b = 1;
      change(c);
      world.add_contact(c);
    };
  };
  EXPECT_NE(message(contact([](PointOnPlane& c) { c.normal = {}; })).find("contact 0"),
            std::string::npos);
  EXPECT_NE(message(contact([](PointOnPlane& c) { c.mu = -0.1; })).find("friction"),
            std::string::npos);
  EXPECT_NE(message(contact([](PointOnPlane& c) { c.body_b = 7; })).find("body 7"),
            std::string::npos);
  EXPECT_THROW(make_scene("heavy-stak"), std::invalid_argument);
  EXPECT_THROW(make_scene("arch", {{"blokcs", "3"}}), std::invalid_argument);
  EXPECT_THROW(newton_preset("fast"), std::invalid_argument);
  SimulationOptions options;
  options.h = 0.0;
  EXPECT_THROW(simulate("arch", {}, options), std::invalid_argument);
  options = {};
  options.newton.linear = {"no-such-solver"};
  EXPECT_THROW(simulate("arch", {}, options), std::invalid_argument);
}

std::vector<BroadPhase::Pair> all_pairs(const std::vector<Aabb>& boxes) {
  std::vector<BroadPhase::Pair> pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if (overlap(boxes[i], boxes[j])) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

std::vector<Aabb> scattered_boxes(int count, SceneRandom& random) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vec3 centre{random.uniform(), random.uniform(), random.uniform()};
    const double r = i % 17 == 0 ? 0.3 : 0.04;
    boxes.push_back({centre - Vec3{r, r, r}, centre + Vec3{r, r, r}});
  }
  return boxes;
}

TEST(BroadPhase, FindsWhatAllPairsFind) {
  SceneRandom random(5);
  for (const int count : {0, 1, 2, 9, 300}) {
    std::vector<Aabb> boxes = scattered_boxes(count, random);
    boxes.push_back({{}, {}, false});
    BroadPhase broad_phase;
    EXPECT_EQ(broad_phase.find(boxes), all_pairs(boxes)) << count;
  }
}

TEST(BroadPhase, KeepsUpWithBoxesThatMoveComeAndGo) {
  SceneRandom random(6);
  BroadPhase broad_phase;
  std::vector<Aabb> boxes = scattered_boxes(200, random);
  for (int step = 0; step < 60; ++step) {
    for (Aabb& box : boxes) {
      const Vec3 shift{random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.0};
      box.lower += shift;
      box.upper += shift;
    }
    if (step % 10 == 5) boxes[static_cast<std::size_t>(step)].bounded = false;
    if (step % 10 == 7) boxes.resize(boxes.size() - 3);
    if (step % 10 == 9) boxes.push_back({{0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}});
    const auto bounded = [&](const BroadPhase::Pair& pair) {
      return boxes[static_cast<std::size_t>(pair.first)].bounded ||
             boxes[static_cast<std::size_t>(pair.second)].bounded;
    };
    std::vector<BroadPhase::Pair> expected;  // two half-spaces meet nowhere
    for (const auto& pair : all_pairs(boxes)) {
      if (bounded(pair)) expected.push_back(pair);
    }
    ASSERT_EQ(broad_phase.find(boxes), expected) << step;
  }
}

Manifold collide(const Shape& a, const Pose& p, const Shape& b, const Pose& q, double margin) {
  Manifold out;
  standard_pairs().find(a.type(), b.type()).collide(a, p, b, q, margin, out);
  return out;
}

TEST(Collision, StackedBoxesTouchAtFourCorners) {
  const Box box({1, 1, 1});
  const Manifold m = collide(box, {{0.1, 0, 1.0}}, box, {{0, 0, 0}}, 0.01);
  ASSERT_EQ(m.size(), 4U);
  for (const ContactPoint& p : m) {
    EXPECT_NEAR(p.normal[2], 1.0, 1e-12);
    EXPECT_NEAR(dot(p.normal, p.on_a - p.on_b), 0.0, 1e-12);
    EXPECT_NEAR(p.on_b[2], 0.5, 1e-12);
  }
}

TEST(Collision, CrossedEdgesTouchInOnePoint) {
  const Box rod({2.0, 0.2, 0.2});
  const Mat3 quarter = rotation_matrix(rotation_about({0, 0, 1}, 0.5 * std::numbers::pi));
  const Mat3 eighth = rotation_matrix(rotation_about({1, 0, 0}, 0.25 * std::numbers::pi));
  const double reach = 0.1 * std::sqrt(2.0);
  const Manifold m =
      collide(rod, {{0, 0, 2.0 * reach - 0.01}, quarter * eighth}, rod, {{}, eighth}, 0.01);
  ASSERT_EQ(m.size(), 1U);
  EXPECT_NEAR(m[0].normal[2], 1.0, 1e-9);
  EXPECT_NEAR(dot(m[0].normal, m[0].on_a - m[0].on_b), -0.01, 1e-9);
}

TEST(Collision, SphereMeetsFaceEdgeAndInsideOfABox) {
  const Sphere ball(0.5);
  const Box box({2, 2, 2});
  EXPECT_NEAR(collide(ball, {{0, 0, 1.4}}, box, {}, 0.1)[0].normal[2], 1.0, 1e-12);
  const Manifold edge = collide(ball, {{1.3, 0, 1.3}}, box, {}, 0.1);
  EXPECT_NEAR(edge[0].normal[0], std::sqrt(0.5), 1e-12);
  const Manifold inside = collide(ball, {{0, 0, 0.9}}, box, {}, 0.1);
  EXPECT_NEAR(inside[0].normal[2], 1.0, 1e-12);
  EXPECT_NEAR(dot(inside[0].normal, inside[0].on_a - inside[0].on_b), -0.6, 1e-12);
  EXPECT_TRUE(collide(ball, {{0, 0, 1.7}}, box, {}, 0.1).empty());
}

}  // namespace
}  // namespace nsn
