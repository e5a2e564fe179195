// Every kind of row is evaluated on a device that is not the host's, and gives the host's bits over
// the steps of a simulation; so does geometric stiffness; what a soft body moves is counted.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/step/named_options.h"
#include "nsn/core/step/paper/rows_on_device.h"
#include "nsn/core/step/step_error.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/springs.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/rows/attachment_rows.h"
#include "nsn/models/rows/compliance_rows.h"
#include "nsn/models/rows/mimic_rows.h"
#include "tests/support/second_memory.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

SolverRegistry with_second_memory() {
  SolverRegistry registry = standard_backends();
  registry.add(test::second_memory());
  return registry;
}

SimulationOptions paper_on(const std::string& device, const Options::Assignments& options = {}) {
  SimulationOptions out = test::with_preset("paper");
  set_options(out.newton, options);
  out.newton.device = device;
  out.islands = test::kSecondHasTeams;  // small ones share a launch, as teams
  return out;
}

struct Motion {
  std::vector<double> numbers;  // positions and velocities after every step
  std::vector<std::string> evaluate_on;
  Traffic iterations;
  int newton_iterations = 0;
  int islands = 0;              // of the last step
  double up = 0.0, down = 0.0;  // of all steps
};

void add(const Vec3& v, std::vector<double>& to) {
  to.insert(to.end(), v.a, v.a + 3);
}

Motion move(World world, const SimulationOptions& options, int steps) {
  Simulation simulation(std::move(world), options, with_second_memory());
  Motion motion;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_NE(report.status, NewtonStatus::kDeviceFailure) << report.detail;
    motion.evaluate_on.push_back(report.evaluate_on);
    motion.iterations += report.iteration_traffic;
    motion.newton_iterations += report.factorizations;
    motion.islands = report.islands;
    motion.up += report.traffic.to_device;
    motion.down += report.traffic.from_device;
    for (const Body& body : simulation.world().bodies()) {
      add(body.position, motion.numbers);
      add(body.velocity, motion.numbers);
      add(body.angular_velocity, motion.numbers);
    }
    for (int p = 0; p < simulation.world().num_particles(); ++p) {
      add(simulation.world().particle(p).position, motion.numbers);
      add(simulation.world().particle(p).velocity, motion.numbers);
    }
  }
  return motion;
}

bool same_bits(const Motion& a, const Motion& b) {
  return a.numbers.size() == b.numbers.size() && !a.numbers.empty() &&
         std::memcmp(a.numbers.data(), b.numbers.data(), 8 * a.numbers.size()) == 0;
}

/// To 1e-12, for a device that rounds elements otherwise.
bool close(const Motion& a, const Motion& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    largest = std::max(
        largest, std::abs(a.numbers[i] - b.numbers[i]) / std::max(1.0, std::abs(a.numbers[i])));
  }
  return a.numbers.size() == b.numbers.size() && !a.numbers.empty() && largest <= 1e-12;
}

using MakeWorld = std::function<World()>;

/// The bits of serial on the host's threads and on the guarded device, whose rows are its own.
void expect_same(const std::string& name, const MakeWorld& make, int steps,
                 const Options::Assignments& options = {},
                 ForceDirections directions = ForceDirections::kEndOfStep) {
  const auto on = [&](const std::string& device) {
    SimulationOptions all = paper_on(device, options);
    all.joint_directions = directions;
    return move(make(), all, steps);
  };
  const Motion serial = on("serial");
  for (const double x : serial.numbers) ASSERT_TRUE(std::isfinite(x)) << name;
  EXPECT_TRUE(same_bits(serial, on(std::string(kHostDevice)))) << name;
  if (!test::has_second_memory()) return;
  const Motion guarded = on(test::kSecondMemory);
  EXPECT_TRUE(test::kSecondRoundsAlike ? same_bits(serial, guarded) : close(serial, guarded))
      << name;
  for (const std::string& where : guarded.evaluate_on) EXPECT_EQ(where, "device") << name;
}

MakeWorld scene(const std::string& name, const Options::Assignments& parameters = {}) {
  return [=] { return make_scene(name, parameters); };
}

/// A bar between what holds still and what moves as given, with damping and an activation.
World bar(MaterialModel model, ElementRows rows, ComplianceKind compliance) {
  World world;
  DeformableOptions options;
  options.model = model;
  options.elements.rows = rows;
  options.elements.compliance = compliance;
  options.damping = 0.002;
  const int d = world.add_deformable(bar_mesh({0.3, 0.1, 0.1}, {3, 1, 1}), options);
  for (int n = 0; n < world.deformable(d).num_nodes(); ++n) {
    const ParticleRef particle = world.particle(world.deformable(d).particle(n));
    const double x = particle.position[0];
    if (x < 0.01) particle.kind = BodyKind::kStatic;
    if (x > 0.29) {
      particle.kind = BodyKind::kKinematic;
      particle.velocity = {0.3, 0.1 * particle.position[1], 0.2};
    }
  }
  world.deformable(d).elements->set_activation(1, 500.0);
  return world;
}

/// A net of springs of both kinds under a body that is attached to it.
World net() {
  World world;
  std::vector<int> nodes;
  for (int i = 0; i < 4; ++i) {
    Particle particle;
    particle.mass = 0.1;
    particle.position = {0.5 * i, 0.1 * i * i, 0.0};
    particle.velocity = {0.0, 0.3, 1.0 - 0.5 * i};
    if (i == 0) particle.kind = BodyKind::kStatic;
    nodes.push_back(world.add_particle(particle));
  }
  world.add_rows(std::make_unique<ComplianceRowSet>(
      std::make_unique<Springs>(4, std::vector<Spring>{{0, 1, 0.4, 200.0, 1.0},
                                                       {1, 2, 0.7, 100.0, 0.0},
                                                       {2, 3, 0.0, 50.0, 2.0},
                                                       {0, 3, 1.0, 30.0, 0.5}}),
      nodes, 0));
  Body body;
  body.mass = 1.0;
  body.inertia = identity<3>();
  body.position = {1.6, 1.0, 0.1};
  body.angular_velocity = {1.0, 2.0, 0.5};
  const int b = world.add_body(body);
  auto rows = std::make_unique<AttachmentRowSet>();
  Attachment attachment = attach_in_place(world, nodes[3], b);
  attachment.axes = {true, false, true};
  rows->add(attachment, world);
  world.add_rows(std::move(rows));
  return world;
}

/// Two doors of one frame that follow each other, one with a limit, a drive and friction.
World coupled_doors() {
  World world;
  Body frame;
  frame.mass = 1.0;
  frame.inertia = diagonal(vec3(2.0, 1.5, 1.0));
  const int wall = world.add_body(frame);
  MimicRowSet::Side sides[2];
  for (int k = 0; k < 2; ++k) {
    Body door;
    door.mass = 1.0;
    door.inertia = identity<3>();
    door.position = {k == 0 ? 0.5 : -0.5, 0.1, 0.0};
    door.angular_velocity = {0.0, 0.0, k == 0 ? 1.0 : 0.4};
    const int b = world.add_body(door);
    Joint hinge = revolute_joint(b, wall);
    hinge.axes[0].limit = {-0.01, 0.5};
    if (k == 0) hinge.axes[0].drive = position_drive(0.3, 20.0, 1.0);
    hinge.axes[0].friction = 0.05;
    const int j = world.add_joint(hinge, {.point = {0.0, 0.1 * k, 0.0}, .axis = {0.1 * k, 0, 1}});
    sides[k] = {world.joint(j), 0, k == 0 ? 1.0 : -2.0};
  }
  auto rows = std::make_unique<MimicRowSet>();
  rows->add(sides[0], sides[1], 0.02);
  world.add_rows(std::move(rows));
  return world;
}

struct Bar {
  const char* name;
  MaterialModel model;
  ElementRows rows;
  ComplianceKind compliance = ComplianceKind::kProjected;
};
const Bar kBars[] = {
    {"linear", MaterialModel::kLinear, ElementRows::kStrains},
    {"linear, diagonal", MaterialModel::kLinear, ElementRows::kStrains, ComplianceKind::kDiagonal},
    {"corotational strains", MaterialModel::kCorotational, ElementRows::kStrains},
    {"corotational stretches", MaterialModel::kCorotational, ElementRows::kStretches},
    {"neo-hookean", MaterialModel::kNeoHookean, ElementRows::kStretches},
    {"neo-hookean, diagonal", MaterialModel::kNeoHookean, ElementRows::kStretches,
     ComplianceKind::kDiagonal},
    {"neo-hookean-log", MaterialModel::kNeoHookeanLog, ElementRows::kStretches}};

TEST(DeviceRows, OfEveryMaterialGiveTheBitsOfTheHost) {
  for (const Bar& one : kBars) {
    const auto make = [&] { return bar(one.model, one.rows, one.compliance); };
    for (const char* stiffness : {"diagonal", "exact"}) {
      expect_same(std::string(one.name) + ", " + stiffness, make, 3,
                  {{"geometric-stiffness", stiffness}});
    }
  }
}

TEST(DeviceRows, OfSpringsAttachmentsAndCoupledJointsGiveTheBitsOfTheHost) {
  for (const char* stiffness : {"diagonal-all", "exact"}) {
    const Options::Assignments options{{"geometric-stiffness", stiffness}};
    expect_same("net", net, 3, options);
    expect_same("doors", coupled_doors, 3, options);
    expect_same("doors, directions of the start", coupled_doors, 3, options,
                ForceDirections::kStartOfStep);
  }
}

TEST(DeviceRows, OfScenesGiveTheBitsOfTheHost) {
  // Truncated linear solves of soft bodies make 1e-2 of a last place.
  if (!test::kSecondRoundsAlike) GTEST_SKIP() << "this device rounds elements otherwise";
  for (const char* name : {"rolling-resistance", "soft-grasp", "squeeze", "beam-insertion"}) {
    for (const char* stiffness : {"diagonal-all", "exact"}) {
      expect_same(std::string(name) + ", " + stiffness, scene(name), 2,
                  {{"geometric-stiffness", stiffness}, {"newton-iterations", "3"}});
    }
  }
  expect_same("soft-ball-drop", scene("soft-ball-drop", {{"tets", "80"}, {"height", "0.001"}}), 10);
  expect_same("heavy-stack, exact", scene("heavy-stack"), 3, {{"geometric-stiffness", "exact"}});
  expect_same("ragdolls, exact", scene("ragdolls", {{"count", "1"}}), 2,
              {{"geometric-stiffness", "exact"}});
}

/// Of the scenes of the golden runs: rows are the device's, whatever their kind.
TEST(DeviceRows, OfEverySceneAreEvaluatedOnTheDevice) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  std::ifstream file(NSN_GOLDEN_SCENES);
  std::string line;
  int scenes = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name, parameters, preset;
    std::getline(fields, name, ',');
    std::getline(fields, parameters, ',');
    std::getline(fields, preset, ',');
    if (preset != "paper") continue;
    Options::Assignments assignments;
    if (!parameters.empty()) {
      const std::size_t at = parameters.find('=');
      assignments.emplace_back(parameters.substr(0, at), parameters.substr(at + 1));
    }
    std::unique_ptr<World> world;
    try {
      world = std::make_unique<World>(make_scene(name, assignments));
    } catch (const std::exception& error) {
      RecordProperty(name, error.what());  // its robot is not there
      continue;
    }
    const Motion motion = move(
        std::move(*world),
        paper_on(test::kSecondMemory, {{"newton-iterations", "1"}, {"linear-iterations", "1"}}), 1);
    if (motion.islands == 0) continue;  // nothing touches anything yet
    EXPECT_EQ(motion.evaluate_on[0], "device") << name;
    ++scenes;
  }
  EXPECT_GE(scenes, 30);
  RecordProperty("scenes", scenes);
}

TEST(DeviceRows, ASoftBodyMovesAtMost128BytesANewtonIteration) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* stiffness : {"diagonal", "exact"}) {
    for (const auto& make : {scene("soft-ball-drop", {{"tets", "300"}}), scene("heavy-stack")}) {
      const auto before = test::hooked_bytes();
      const Motion asked = move(make(),
                                paper_on(test::kSecondMemory, {{"tolerance", "1e-12"},
                                                               {"geometric-stiffness", stiffness}}),
                                2);
      const auto after = test::hooked_bytes();
      ASSERT_GT(asked.newton_iterations, 0);
      const double bytes = asked.iterations.to_device + asked.iterations.from_device;
      EXPECT_GT(bytes, 0.0);
      EXPECT_LE(bytes / asked.newton_iterations, 128.0) << stiffness;
      EXPECT_EQ(asked.up, after.first - before.first);
      EXPECT_EQ(asked.down, after.second - before.second);
      const Motion fixed =
          move(make(), paper_on(test::kSecondMemory, {{"geometric-stiffness", stiffness}}), 1);
      EXPECT_EQ(fixed.iterations.to_device + fixed.iterations.from_device, 0.0) << stiffness;
    }
  }
}

/// Elements are copied once; then where particles are.
TEST(DeviceRows, ElementsAreCopiedOnce) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  Simulation simulation(make_scene("soft-ball-drop", {{"tets", "300"}, {"height", "0.1"}}),
                        paper_on(test::kSecondMemory), with_second_memory());
  const double first = simulation.step().traffic.to_device;
  const int tets = simulation.world().deformable(0).elements->num_tets();
  const double second = simulation.step().traffic.to_device;
  EXPECT_LE(second, first - static_cast<double>(sizeof(TetElement)) * tets);
}

/// Run with 1, 2 and 4 threads; in one island the kernels are spread.
TEST(Threads, GiveTheBitsOfOneOnEveryKindOfRow) {
  for (const char* stiffness : {"diagonal-all", "exact"}) {
    for (const char* name : {"soft-grasp", "rolling-resistance", "squeeze"}) {
      const auto on = [&](const std::string& device) {
        SimulationOptions options =
            paper_on(device, {{"geometric-stiffness", stiffness}, {"newton-iterations", "3"}});
        options.islands = false;
        return move(make_scene(name, {}), options, 2);
      };
      EXPECT_TRUE(same_bits(on("serial"), on(std::string(kHostDevice))))
          << name << ", " << concurrency() << " threads";
    }
  }
}

/// J against differences of the values around u = 0, of rows that are no elements.
void expect_derivatives(const std::string& name, World world, int step = 0) {
  int rows = 0;
  Simulation simulation(std::move(world), test::with_preset("paper"), standard_backends());
  for (int k = 0; k < step; ++k) simulation.step();
  simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) {
    const System& system = equations.system();
    StepEvaluation at, up, down;
    for (StepEvaluation* one : {&at, &up, &down}) one->fit(system);
    Vector u("u", to_size(system.dofs()));
    at.evaluate(equations, u);
    constexpr double kSmall = 1e-5;
    for (Index dof = 0; dof < system.dofs(); ++dof) {
      u(dof) = kSmall;
      up.evaluate(equations, u);
      u(dof) = -kSmall;
      down.evaluate(equations, u);
      u(dof) = 0.0;
      for (Index i = 0; i < system.blocks(); ++i) {
        if (system.laws[to_size(i)].elastic) continue;
        for (Index k = system.row_begin(i); k < system.row_begin(i + 1); ++k) {
          if (system.column(k) != dof / kBlock) continue;
          for (Index d = 0; d < kBlock; ++d) {
            const double slope =
                (up.value(kBlock * i + d) - down.value(kBlock * i + d)) / (2.0 * kSmall);
            EXPECT_NEAR(at.J.value(kBlockSize * k + kBlock * d + dof % kBlock), slope, 1e-6)
                << name << ", row " << i << ", dof " << dof;
            ++rows;
          }
        }
      }
    }
  });
  simulation.step();
  EXPECT_GT(rows, 0) << name;
}

TEST(Rows, DerivativesOfSoftContactsResistancesAndCoupledJoints) {
  expect_derivatives("doors", coupled_doors());
  expect_derivatives("net", net());
  expect_derivatives("rolling", make_scene("rolling-resistance", {}));
  expect_derivatives("ball", make_scene("soft-ball-drop", {{"tets", "80"}, {"height", "0.001"}}),
                     8);
}

}  // namespace
}  // namespace nsn
