// Humanoids: many of them under random torques and pushes, and a pile of limp ones.
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nsn/models/robots/build_robot.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/robot_files.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/world/state_bytes.h"

namespace nsn {
namespace {

constexpr int kColumns = 40;  // of the grid: a place does not depend on how many there are

/// One humanoid and what drives it: its own random numbers, whatever the others do.
struct Driven {
  Robot robot;
  SceneRandom random;
  std::vector<double> torque;  ///< per motor, N m
  Vec3 push;                   ///< on the torso, N
  int next_change = 0;         ///< step
  int push_end = 0;
  int next_push = 0;
};

struct Excitation {
  double torque = 0.0;  ///< of the motors' range
  double push = 0.0;    ///< N
};

void draw(Driven& d, const Excitation& how, int step) {
  const auto& actuators = d.robot.description->actuators;
  if (step >= d.next_change) {
    d.next_change = step + 12;
    for (std::size_t k = 0; k < actuators.size(); ++k) {
      const JointLimit& range = actuators[k].control;
      const double top = std::isfinite(range.upper) ? range.upper : 1.0;
      const double largest = how.torque * actuators[k].gear * actuators[k].gain * top;
      d.torque[k] = d.random.uniform(-largest, largest);
    }
  }
  if (step >= d.push_end) d.push = {};
  if (step >= d.next_push) {
    d.next_push = step + 60 + static_cast<int>(120.0 * d.random.uniform());
    d.push_end = step + 12;
    for (int i = 0; i < 3; ++i) d.push[i] = how.push * d.random.uniform(-1.0, 1.0);
  }
}

void drive(World& world, Driven& d, const Excitation& how, int step) {
  draw(d, how, step);
  clear_efforts(world, d.robot);
  const auto& actuators = d.robot.description->actuators;
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    add_effort(world, d.robot, d.robot.dof(actuators[k].joint), d.torque[k]);
  }
  world.body(d.robot.bodies[0]).force += d.push;
}

std::string saved(const std::vector<Driven>& all) {
  StateWriter out;
  for (const Driven& d : all) {
    out.number(d.random.state());
    for (const double torque : d.torque) out.number(torque);
    out.vector(d.push);
    for (const int step : {d.next_change, d.push_end, d.next_push}) {
      out.number(static_cast<std::uint64_t>(step));
    }
  }
  return out.bytes();
}

void restore(std::string_view bytes, std::vector<Driven>& all) {
  StateReader in(bytes);
  for (Driven& d : all) {
    d.random = SceneRandom(in.integer());
    for (double& torque : d.torque) torque = in.number();
    d.push = in.vector();
    for (int* const step : {&d.next_change, &d.push_end, &d.next_push}) {
      *step = static_cast<int>(in.integer());
    }
  }
}

World humanoids(const Options& options) {
  const auto description = read_scene_robot(options, "humanoids");
  World world;
  add_ground(world, 1.0, 0.5 * options.real("spacing") * kColumns);
  std::vector<Driven> all;
  const double spacing = options.real("spacing");
  for (int i = 0; i < static_cast<int>(options.integer("count")); ++i) {
    RobotBuildOptions build;
    const int line = i / kColumns;
    build.base.position = {spacing * (i % kColumns), spacing * line, 0.0};
    build.world_shapes = false;
    build.group = i + 1;
    const auto seed = static_cast<std::uint64_t>(options.integer("seed"));
    Driven d{build_robot(world, description, build),
             SceneRandom(1000003 * seed + static_cast<std::uint64_t>(i)),
             std::vector<double>(description->actuators.size(), 0.0),
             {}};
    all.push_back(std::move(d));
  }
  const Excitation how{options.real("torque"), options.real("push")};
  const auto driven = std::make_shared<std::vector<Driven>>(std::move(all));
  world.control = [driven, how](World& w, double h) {
    const int step = static_cast<int>(std::lround(w.time / h));
    for (Driven& d : *driven) drive(w, d, how, step);
  };
  world.control_state.save = [driven] { return saved(*driven); };
  world.control_state.load = [driven](std::string_view bytes) { restore(bytes, *driven); };
  return world;
}

World ragdolls(const Options& options) {
  const auto description = read_scene_robot(options, "ragdolls");
  World world;
  const double mu = options.real("mu");
  add_pit(world, options.real("half_width"), mu);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  for (int i = 0; i < static_cast<int>(options.integer("count")); ++i) {
    RobotBuildOptions build;
    build.world_shapes = false;
    build.mu = mu;
    build.q = reference_coordinates(*description);
    const Quaternion turn = random.orientation();
    const double out = 0.1 * options.real("half_width");
    const double start[] = {random.uniform(-out, out),
                            random.uniform(-out, out),
                            1.5 + 2.0 * i,
                            turn.w,
                            turn.x,
                            turn.y,
                            turn.z};
    std::copy(std::begin(start), std::end(start), build.q.begin());
    build_robot(world, description, build);
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> humanoid_scenes() {
  return {
      {"humanoids",
       "humanoids of our own under random torques and pushes, each an island of its own",
       {OptionSpec::integer("count", 400, 1, 100000, "number of humanoids"),
        OptionSpec::real("torque", 0.3, 0.0, 10.0, "random torques, of the motors' range"),
        OptionSpec::real("push", 200.0, 0.0, 1e4, "random pushes at the torso, N"),
        OptionSpec::real("spacing", 2.0, 0.0, 100.0, "of the grid, m"),
        OptionSpec::integer("seed", 1, 0, 1e6, "of the torques and pushes"),
        robot_file_option("humanoid")},
       240,
       humanoids},
      {"ragdolls",
       "limp humanoids of our own fall into a pit and come to rest on each other",
       {OptionSpec::integer("count", 8, 1, 1000, "number of humanoids"),
        OptionSpec::real("half_width", 2.0, 1.7, 100.0, "of the pit, m"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient"),
        OptionSpec::integer("seed", 1, 0, 1e6, "of the poses"), robot_file_option("humanoid")},
       600,
       ragdolls},
  };
}

}  // namespace nsn
