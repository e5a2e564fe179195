// The paper's method on devices: serial, the host's threads and a memory of its own agree bit for
// bit; what crosses is counted; every choice runs on each.
#include "nsn/core/step/paper/device_step.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/named_options.h"
#include "nsn/core/step/paper/assembled_matrix.h"
#include "tests/support/second_memory.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

struct Answer {
  std::vector<double> u, r;
  NewtonResult result;
  std::vector<NewtonIteration> history;
};

std::vector<double> values(ConstVector v) {
  return {v.data(), v.data() + v.extent(0)};
}

Answer run(StepMethod& method, StepMonitor& monitor, StepEquations& equations) {
  const System& system = equations.system();
  State state{Vector("u", to_size(system.dofs())), Vector("r", to_size(system.rows()))};
  monitor.begin(std::numeric_limits<double>::infinity());
  Answer out;
  out.result = method.solve(equations, state, false);
  out.u = values(state.u);
  out.r = values(state.r);
  out.history = monitor.history();
  return out;
}

SolverRegistry with_second_memory() {
  SolverRegistry registry = standard_backends();
  registry.add(test::second_memory());
  return registry;
}

Answer run_on(const std::string& device, const NewtonOptions& options, StepEquations& equations) {
  StepMonitor monitor(0.0, {}, {});
  const SolverRegistry registry = with_second_memory();
  const auto method = find_device(device, registry).make(options, registry, monitor);
  return run(*method, monitor, equations);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

/// Every iterate's errors and merit, and the answer.
bool same(const Answer& a, const Answer& b) {
  bool equal = same_bits(a.u, b.u) && same_bits(a.r, b.r) && a.history.size() == b.history.size();
  for (std::size_t k = 0; equal && k < a.history.size(); ++k) {
    equal = a.history[k].merit == b.history[k].merit &&
            a.history[k].error.total == b.history[k].error.total &&
            a.history[k].step == b.history[k].step &&
            a.history[k].linear_iterations == b.history[k].linear_iterations;
  }
  return equal && a.result.iterations == b.result.iterations &&
         a.result.status == b.result.status && a.result.error.total == b.result.error.total;
}

/// Every island of a few steps of a scene.
template <class Body>
void for_islands(const std::string& scene, const Options::Assignments& parameters, int steps,
                 const Body& body) {
  auto simulation = test::simulate(scene, parameters, test::with_preset("paper"));
  simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) { body(equations); });
  for (int k = 0; k < steps; ++k) simulation.step();
}

NewtonOptions paper(const Options::Assignments& options = {}) {
  NewtonOptions out = newton_preset("paper");
  set_options(out, options);
  return out;
}

void expect_same_on_all(const std::string& scene, const NewtonOptions& options, int steps) {
  int islands = 0;
  for_islands(scene, {}, steps, [&](StepEquations& equations) {
    const Answer serial = run_on("serial", options, equations);
    EXPECT_TRUE(same(serial, run_on(std::string(kHostDevice), options, equations)))
        << scene << ", island " << islands;
    EXPECT_TRUE(same(serial, run_on(test::kSecondMemory, options, equations)))
        << scene << ", island " << islands;
    ++islands;
  });
  EXPECT_GT(islands, 0);
}

TEST(Devices, AgreeBitForBitOnAPileAnArchAMechanismAndASoftBody) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* scene :
       {"sphere-pile", "arch", "wall", "heavy-stack", "bridge", "four-bar", "beam-insertion"}) {
    expect_same_on_all(scene, paper(), 2);
  }
}

/// Run with 1, 2 and 4 threads (tests/models/CMakeLists.txt); in one island the kernels are spread.
TEST(Threads, GiveTheBitsOfOne) {
  SimulationOptions together = test::with_preset("paper");
  together.islands = false;
  for (const char* scene : {"sphere-pile", "wall", "arch", "four-bar", "beam-insertion"}) {
    for (const char* form : {"assembled", "factored"}) {
      auto simulation = test::simulate(scene, {}, together);
      simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) {
        const NewtonOptions options =
            paper({{"operator", form}, {"geometric-stiffness", "diagonal-all"}});
        EXPECT_TRUE(same(run_on("serial", options, equations),
                         run_on(std::string(kHostDevice), options, equations)))
            << scene << ", " << form << ", " << concurrency() << " threads";
      });
      for (int k = 0; k < 2; ++k) simulation.step();
    }
  }
}

TEST(Devices, AgreeWhereTheHostAsksAfterEveryIteration) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* scene : {"sphere-pile", "arch"}) {
    expect_same_on_all(scene, paper({{"tolerance", "1e-6"}, {"newton-iterations", "20"}}), 1);
    expect_same_on_all(scene, paper({{"damping", "line-search"}, {"best-iterate", "true"}}), 1);
    expect_same_on_all(scene, paper({{"damping", "adaptive"}, {"eisenstat-walker", "true"}}), 1);
  }
}

/// Bytes that cross in the Newton iterations of one step, and what Kokkos' hooks say of all.
struct Crossed {
  double per_iteration = 0.0;
  double own_up = 0.0, own_down = 0.0;
  double hooks_up = 0.0, hooks_down = 0.0;
  int contacts = 0;
  std::string evaluate_on;
};

/// A wall with four contacts between two bricks, in one island.
Crossed crossed(const NewtonOptions& options, const std::string& rows) {
  Crossed out;
  for_islands("wall", {{"rows", rows}, {"columns", "20"}}, 1, [&](StepEquations& equations) {
    out.contacts = equations.system().blocks();
    const auto before = test::hooked_bytes();
    const Answer answer = run_on(test::kSecondMemory, options, equations);
    const auto after = test::hooked_bytes();
    const Traffic& t = answer.result.iteration_traffic;
    out.per_iteration = (t.to_device + t.from_device) / answer.result.iterations;
    out.own_up = answer.result.traffic.to_device;
    out.own_down = answer.result.traffic.from_device;
    out.hooks_up = after.first - before.first;
    out.hooks_down = after.second - before.second;
    out.evaluate_on = answer.result.evaluate_on;
  });
  return out;
}

TEST(Devices, ANewtonIterationMoves128BytesWhateverTheSize) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  const NewtonOptions asking = paper({{"tolerance", "1e-12"}});
  for (const auto& [rows, contacts] : {std::pair{"4", 500}, std::pair{"65", 10000}}) {
    const Crossed asks = crossed(asking, rows);
    EXPECT_GE(asks.contacts, contacts);
    EXPECT_EQ(asks.evaluate_on, "device");
    EXPECT_GT(asks.per_iteration, 0.0);
    EXPECT_LE(asks.per_iteration, 128.0) << asks.contacts << " contacts";
    EXPECT_EQ(asks.own_up, asks.hooks_up);
    EXPECT_EQ(asks.own_down, asks.hooks_down);
    const Crossed fixed = crossed(paper(), rows);
    EXPECT_EQ(fixed.per_iteration, 0.0) << fixed.contacts << " contacts";
  }
}

/// What comes down: the pattern of S once, its entries and b per iteration, and a status.
double mirrored_bytes(const System& system, int iterations) {
  const BlockCsr J = paper::pattern_of_J(system);
  const auto S = paper::compliance_products(J, paper::node_lists(J));
  const double pattern = sizeof(Index) * static_cast<double>(S.row_begin.size() + S.column.size());
  const double values = 8.0 * (9.0 * static_cast<double>(S.column.size()) + system.rows());
  return pattern + iterations * (values + sizeof(paper::StepStatus)) + sizeof(paper::StepStatus);
}

TEST(Devices, ASolverOfTheHostWorksThroughAMirrorWhoseCopiesAreCounted) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* solver : {"cholmod", "eigen-ldlt", "amg"}) {
    if (!test::available(solver)) continue;
    const NewtonOptions options =
        paper({{"linear", solver}, {"linear-iterations", "0"}, {"operator", "assembled"}});
    for_islands("arch", {}, 1, [&](StepEquations& equations) {
      const Answer serial = run_on("serial", options, equations);
      const Answer guarded = run_on(test::kSecondMemory, options, equations);
      EXPECT_TRUE(same(serial, guarded)) << solver;
      EXPECT_EQ(serial.result.solve_on, "host");
      EXPECT_EQ(serial.result.traffic.to_device + serial.result.traffic.from_device, 0.0);
      EXPECT_EQ(guarded.result.solve_on, "host (mirrored)");
      EXPECT_EQ(guarded.result.iteration_traffic.from_device,
                mirrored_bytes(equations.system(), guarded.result.iterations));
    });
  }
}

TEST(Devices, EveryChoiceRunsOnEachOrNamesItsReason) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  int ran = 0;
  for_islands("heavy-stack", {}, 1, [&](StepEquations& equations) {
    if (ran > 0) return;
    for (const char* ncp : {"minimum-map", "fischer-burmeister"}) {
      for (const char* stiffness : {"none", "diagonal-all", "exact"}) {
        for (const char* linear :
             {"jacobi", "pcg", "pcr", "pcr:precond=block-jacobi", "pcr:precond=none", "cholmod"}) {
          for (const char* form : {"row", "alpha"}) {
            for (const char* op : {"assembled", "factored"}) {
              const bool direct = std::string(linear) == "cholmod";
              if (direct && (!test::available("cholmod") || std::string(op) == "factored"))
                continue;
              const NewtonOptions options = paper({{"ncp", ncp},
                                                   {"geometric-stiffness", stiffness},
                                                   {"linear", linear},
                                                   {"form", form},
                                                   {"operator", op},
                                                   {"newton-iterations", "3"}});
              const Answer serial = run_on("serial", options, equations);
              EXPECT_TRUE(same(serial, run_on(test::kSecondMemory, options, equations)))
                  << ncp << " " << stiffness << " " << linear << " " << form << " " << op;
              EXPECT_TRUE(same(serial, run_on(std::string(kHostDevice), options, equations)));
              ++ran;
            }
          }
        }
      }
    }
  });
  EXPECT_GE(ran, 120);
}

TEST(Devices, EveryRuleForRRunsWithEveryNcpFunctionStiffnessAndSolver) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  int ran = 0;
  for (const char* rule :
       {"identity", "time-step", "effective-mass", "effective-mass-compliance", "spectral-norm"}) {
    SimulationOptions options = test::with_preset("paper");
    options.complementarity.scaling = complementarity_scaling_from(rule);
    auto simulation = test::simulate("heavy-stack", {}, options);
    simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) {
      for (const char* ncp : {"minimum-map", "fischer-burmeister"}) {
        for (const char* stiffness : {"none", "diagonal-all", "exact"}) {
          for (const char* linear : {"jacobi", "pcg", "pcr", "cholmod"}) {
            if (!test::available(linear)) continue;
            const NewtonOptions newton = paper({{"ncp", ncp},
                                                {"geometric-stiffness", stiffness},
                                                {"linear", linear},
                                                {"newton-iterations", "3"}});
            const Answer serial = run_on("serial", newton, equations);
            for (const std::string& device :
                 {std::string(test::kSecondMemory), std::string(kHostDevice)}) {
              EXPECT_TRUE(same(serial, run_on(device, newton, equations)))
                  << rule << " " << ncp << " " << stiffness << " " << linear << " " << device;
            }
            ++ran;
          }
        }
      }
    });
    simulation.step();
  }
  EXPECT_GE(ran, 5 * 2 * 3 * 3);
}

TEST(Devices, TheStiffnessFormAndEveryFrictionLawAgree) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* friction : {"smoothed", "alart-curnier-symmetric"}) {
    expect_same_on_all("heavy-stack", paper({{"friction", friction}}), 2);
    expect_same_on_all("heavy-stack", paper({{"friction", friction}, {"formulation", "stiffness"}}),
                       2);
  }
  expect_same_on_all(
      "heavy-stack",
      paper({{"friction", "alart-curnier"}, {"linear", "gmres"}, {"linear-iterations", "0"}}), 2);
  expect_same_on_all("heavy-stack",
                     paper({{"formulation", "stiffness"}, {"geometric-stiffness", "full"}}), 2);
}

TEST(Devices, SinglePrecisionAgreesToItsDigits) {
  for_islands("sphere-pile", {{"balls", "60"}}, 1, [&](StepEquations& equations) {
    const Answer twice = run_on("serial", paper(), equations);
    const Answer once = run_on("serial", paper({{"precision", "single"}}), equations);
    for (std::size_t k = 0; k < twice.u.size(); ++k) EXPECT_NEAR(twice.u[k], once.u[k], 1e-3);
    EXPECT_NE(twice.u, once.u);
    if (!test::has_second_memory()) return;
  });
}

void expect_batch(const std::string& scene, bool entries) {
  const NewtonOptions options = paper({{"operator", entries ? "assembled" : "factored"}});
  ASSERT_TRUE(batch_takes(options, standard_backends()));
  auto simulation = test::simulate(scene, {}, test::with_preset("paper"));
  std::vector<StepEquations*> equations;
  std::vector<Answer> single;
  simulation.inspect([&](int, StepEquations& island, const NewtonResult&) {
    if (!batch_takes(island)) return;
    equations.push_back(&island);
    single.push_back(run_on("serial", options, island));
  });
  simulation.step();
  ASSERT_FALSE(equations.empty()) << scene;
  std::vector<State> states(equations.size());
  std::vector<IslandStep> islands(equations.size());
  std::vector<IslandStep*> all;
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const System& system = equations[k]->system();
    states[k] = {Vector("u", to_size(system.dofs())), Vector("r", to_size(system.rows()))};
    islands[k] = {equations[k], &states[k], false, {}};
    all.push_back(&islands[k]);
  }
  const auto expect_bits = [&](const char* device) {
    SCOPED_TRACE(scene + " " + device + (entries ? " assembled" : " factored"));
    for (std::size_t k = 0; k < islands.size(); ++k) {
      EXPECT_TRUE(same_bits(values(states[k].u), single[k].u)) << k;
      EXPECT_TRUE(same_bits(values(states[k].r), single[k].r)) << k;
      EXPECT_EQ(islands[k].result.error.total, single[k].result.error.total) << k;
      EXPECT_EQ(islands[k].result.error.worst, single[k].result.error.worst) << k;
      EXPECT_EQ(islands[k].result.iterations, single[k].result.iterations) << k;
      EXPECT_EQ(islands[k].result.linear_iterations, single[k].result.linear_iterations) << k;
      fill(states[k].r, 0.0);
    }
  };
  StepBatch<SerialDevice, double>(options, standard_backends()).solve(all, entries);
  expect_bits("serial");
  if (!test::has_second_memory() || !test::kSecondHasTeams) return;
  test::batch_on_second_memory(options, standard_backends(), all, entries);
  expect_bits(test::kSecondMemory);
  EXPECT_EQ(islands[0].result.traffic.launches, 1);
  EXPECT_EQ(islands[0].result.iteration_traffic.from_device, 0.0);
}

TEST(Devices, ABatchGivesTheBitsOfTheSingleSolvesInOneLaunch) {
  for (const char* scene : {"sphere-pile", "chain", "four-bar", "heavy-stack"}) {
    expect_batch(scene, false);
    expect_batch(scene, true);
  }
}

/// Everything that moves, after some steps.
std::vector<double> motion(const std::string& scene, const Options::Assignments& parameters,
                           const std::string& device, int steps) {
  SimulationOptions options = test::with_preset("paper");
  options.newton.device = device;
  options.islands = test::kSecondHasTeams;  // small ones share a launch, as teams
  Simulation simulation(make_scene(scene, parameters), options, with_second_memory());
  std::int64_t launches = 0;
  for (int k = 0; k < steps; ++k) launches += simulation.step().traffic.launches;
  EXPECT_EQ(launches > 0, device == test::kSecondMemory);
  std::vector<double> out;
  for (const ConstBodyRef body : simulation.world().bodies()) {
    for (int k = 0; k < 3; ++k) out.push_back(body.position[k]);
    for (int k = 0; k < 3; ++k) out.push_back(body.velocity[k]);
    for (int k = 0; k < 3; ++k) out.push_back(body.angular_velocity[k]);
  }
  return out;
}

TEST(Devices, ASimulationOnOneGivesTheBitsOfTheHost) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  for (const char* scene : {"table-pile", "sphere-pile", "chain", "heavy-stack"}) {
    const int steps = std::string(scene) == "table-pile" ? 60 : 3;  // until they have fallen
    const auto host = motion(scene, {}, "serial", steps);
    EXPECT_TRUE(same_bits(host, motion(scene, {}, test::kSecondMemory, steps))) << scene;
  }
}

TEST(Devices, OneThatFailsLeavesTheWorldAsItWas) {
  if (!test::has_second_memory()) GTEST_SKIP() << test::kNoSecondMemory;
  if (!test::fail_allocation(-1)) GTEST_SKIP() << "its memory cannot be made to fail";
  for (const char* scene : {"arch", "balls-on-plate"}) {  // one island, and many in a batch
    SimulationOptions options = test::with_preset("paper");
    options.newton.device = test::kSecondMemory;
    Simulation simulation(make_scene(scene, {}), options, with_second_memory());
    test::fail_allocation(7);
    const Vec3 position = simulation.world().body(1).position;
    const Vec3 velocity = simulation.world().body(1).velocity;
    EXPECT_EQ(simulation.step().status, NewtonStatus::kDeviceFailure) << scene;
    EXPECT_NE(simulation.report().detail.find("memory is full"), std::string::npos)
        << simulation.report().detail;
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(simulation.world().body(1).position[k], position[k]);
      EXPECT_EQ(simulation.world().body(1).velocity[k], velocity[k]);
    }
    EXPECT_EQ(simulation.world().time, 0.0);
    test::fail_allocation(-1);
    EXPECT_NE(simulation.step().status, NewtonStatus::kDeviceFailure) << "memory is back";
    EXPECT_GT(simulation.world().time, 0.0);
  }
}

TEST(Devices, WhatCannotBeIsSaid) {
  const SolverRegistry registry = standard_backends();
  EXPECT_THROW(static_cast<void>(find_device("gpu", registry)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(find_device("cuda", registry)), std::invalid_argument);
  NewtonOptions accurate = newton_preset("accurate");
  EXPECT_THROW(set_options(accurate, {{"device", "cuda"}}), std::invalid_argument);
  try {
    static_cast<void>(find_device("gpu", registry));
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("there are serial"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace nsn
