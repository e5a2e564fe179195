// Every option means something: for each method it changes a run, or it is refused.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/support/run_hash.h"
#include "nsn/core/step/named_options.h"
#include "tests/support/command.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using Assignments = Options::Assignments;

struct Scene {
  std::string name;
  Assignments parameters;
  int steps;
  double h = 1.0 / 120.0;  ///< s
};
const Scene kArch{"arch", {}, 3};
const Scene kChain{"chain", {}, 3};
const Scene kSlidingStack{"sliding-stack", {{"seed", "3"}}, 8};
const Scene kSlidingBox{"sliding-box", {}, 2};
const Scene kSoftBall{"soft-ball-drop", {{"tets", "80"}, {"height", "0.002"}}, 6};

const Scene kWall{"wall", {}, 2};
const Scene kSqueeze{"squeeze", {}, 5, 0.05};
const Scene kStretch{"material-extension", {{"material", "neo-hookean"}, {"grip", "clamped"}}, 4};
const Scene kBeam{"beam-insertion", {}, 20};
const Scene kRagdoll{"ragdolls", {{"count", "1"}}, 90};

/// A scene in which the option matters: a run with `given`, and one with the value besides.
struct Proof {
  std::string method;
  std::string option;
  std::string value;
  const Scene* scene;
  Assignments given = {};
};

const std::vector<Proof>& proofs() {
  static const std::vector<Proof> all{
      {"accurate", "tolerance", "1e-3", &kArch},
      {"accurate", "newton-iterations", "1", &kArch},
      {"accurate", "warm-start", "false", &kArch},
      {"accurate", "recovery-speed", "1e-6", &kRagdoll},
      {"accurate", "time-budget", "1e-9", &kArch},
      {"accurate", "linear", "gmres", &kArch},
      {"accurate", "ncp", "fischer-burmeister", &kArch},
      {"accurate", "geometric-stiffness", "none", &kChain},
      {"accurate", "eliminate", "never", &kSoftBall},
      {"accurate", "restart-after", "1", &kSlidingStack},
      {"accurate", "policy", "hardly_moved=0", &kSoftBall},
      {"realtime", "tolerance", "1e-1", &kSoftBall},
      {"realtime", "newton-iterations", "1", &kSlidingStack},
      {"realtime", "warm-start", "false", &kArch},
      {"realtime", "recovery-speed", "1e-6", &kSlidingStack},
      {"realtime", "time-budget", "1e-9", &kSoftBall},
      {"realtime", "linear", "gmres", &kSlidingStack},
      {"realtime", "ncp", "fischer-burmeister", &kSoftBall},
      {"realtime", "eliminate", "never", &kChain},
      {"realtime", "linear-iterations", "2", &kSlidingStack, {{"linear", "gmres"}}},
      {"realtime", "hand-over", "true", &kSlidingStack, {{"newton-iterations", "1"}}},
      {"realtime", "policy", "goal=0", &kArch},
      {"paper", "tolerance", "1", &kArch},
      {"paper", "newton-iterations", "2", &kArch},
      {"paper", "warm-start", "true", &kArch},
      {"paper", "recovery-speed", "1e-6", &kArch},
      {"paper", "time-budget", "1e-9", &kArch},
      {"paper", "linear", "gauss-seidel", &kArch},
      {"paper", "ncp", "minimum-map", &kArch},
      {"paper", "geometric-stiffness", "none", &kSoftBall},
      {"paper", "linear-iterations", "2", &kArch},
      {"paper", "friction", "smoothed", &kArch},
      {"paper", "precision", "single", &kArch},
      {"paper", "origin", "active", &kArch},
      {"paper", "form", "row", &kArch},
      {"paper", "formulation", "stiffness", &kSlidingBox},
      {"paper", "operator", "assembled", &kSoftBall},
      {"paper", "start", "previous", &kArch},
      {"paper", "damping", "adaptive", &kArch},
      {"paper", "step-length", "1", &kArch},
      {"paper", "projection", "true", &kSlidingBox},
      {"paper", "best-iterate", "true", &kArch},
      {"paper", "regularization", "1e-3", &kArch},
      {"paper", "relative-regularization", "true", &kArch},
      {"paper", "linear-tolerance", "1e-1", &kArch},
      {"paper", "eisenstat-walker", "true", &kArch},
      {"paper", "smoothing", "1e-1", &kArch, {{"friction", "smoothed"}}},
  };
  return all;
}

std::string run(const std::string& method, const Scene& scene, const Assignments& options) {
  SimulationOptions choices = test::with_preset(method);
  choices.h = scene.h;
  set_options(choices.newton, options);
  Simulation simulation = test::simulate(scene.name, scene.parameters, choices);
  bench::RunHash hash;
  for (int k = 0; k < scene.steps; ++k) {
    simulation.step();
    hash.add(simulation);
  }
  return hash.text();
}

/// Runs, each done once.
class Runs {
 public:
  const std::string& hash(const std::string& method, const Scene& scene,
                          const Assignments& options) {
    std::string& found = known_[{method, scene.name, options}];
    if (found.empty()) found = run(method, scene, options);
    return found;
  }

 private:
  std::map<std::tuple<std::string, std::string, Assignments>, std::string> known_;
};

Assignments with(Assignments options, const std::string& name, const std::string& value) {
  options.emplace_back(name, value);
  return options;
}

bool has(const NamedOption& option, const std::string& method) {
  return std::find(option.methods.begin(), option.methods.end(), method) != option.methods.end();
}

/// A value that the option takes.
std::string some_value(const NamedOption& option) {
  if (option.spec.key == "policy") return "goal=1e-6";
  if (!option.spec.choices.empty()) return option.spec.choices.back();
  return option.spec.key == "linear" ? "pcr" : "1";
}

std::string refusal(const std::string& method, const Assignments& options) {
  NewtonOptions newton = newton_preset(method);
  try {
    set_options(newton, options, "--");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, EachChangesARunOfItsMethods) {
  Runs runs;
  for (const std::string& method : preset_names()) {
    for (const NamedOption& option : named_options()) {
      if (!has(option, method)) continue;
      // Devices give the same bits (tests/core/device); other methods refuse all but the host's.
      if (option.spec.key == "device") continue;
      SCOPED_TRACE(method + " " + option.spec.key);
      const auto proof = std::find_if(proofs().begin(), proofs().end(), [&](const Proof& p) {
        return p.method == method && p.option == option.spec.key;
      });
      ASSERT_NE(proof, proofs().end()) << "no proof that it means something";
      EXPECT_NE(runs.hash(method, *proof->scene, with(proof->given, proof->option, proof->value)),
                runs.hash(method, *proof->scene, proof->given));
    }
  }
}

TEST(Options, OthersAreRefusedWithTheMethodsThatHaveThem) {
  int refused = 0;
  for (const std::string& method : preset_names()) {
    for (const NamedOption& option : named_options()) {
      if (has(option, method)) continue;
      ++refused;
      const std::string text = refusal(method, {{option.spec.key, some_value(option)}});
      EXPECT_EQ(text.find(fmt::format("--{} is not an option of {}; it is one of {}",
                                      option.spec.key, method, option.methods[0])),
                0U)
          << text;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Options, WhatAnotherOneSwitchesOffIsRefused) {
  const std::vector<std::pair<Assignments, std::string>> cases{
      {{{"ncp", "minimum-map"}, {"origin", "active"}}, "--origin does nothing"},
      {{{"smoothing", "1e-3"}}, "--smoothing does nothing"},
      {{{"damping", "line-search"}, {"step-length", "0.5"}}, "--step-length does nothing"},
      {{{"eisenstat-walker", "true"}, {"linear-tolerance", "1e-3"}}, "--linear-tolerance does"},
      {{{"formulation", "stiffness"}, {"operator", "assembled"}}, "--operator does nothing"},
      {{{"regularization", "0"}, {"relative-regularization", "true"}}, "--relative-regularization"},
      {{{"geometric-stiffness", "full"}}, "stiffness full needs the formulation stiffness"}};
  for (const auto& [options, message] : cases) {
    EXPECT_NE(refusal("paper", options).find(message), std::string::npos)
        << refusal("paper", options);
  }
}

TEST(Options, FormerNamesAreRefusedWithThePresentOnes) {
  EXPECT_EQ(refusal("accurate", {{"friction", "proximal"}}),
            "friction 'proximal' is now --preset accurate");
  EXPECT_EQ(refusal("paper", {{"friction", "safeguarded"}}),
            "friction 'safeguarded' is now --preset realtime");
  EXPECT_EQ(refusal("paper", {{"friction", "alart-curnier-full"}}),
            "friction 'alart-curnier-full' is now --friction alart-curnier");
}

TEST(Options, MessagesNameTheFieldAndTheValue) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"accurate", "newton-iterations", "0"},
      {"accurate", "tolerance", "-1"},
      {"accurate", "time-budget", "-2"},
      {"accurate", "restart-after", "0"},
      {"accurate", "geometric-stiffness", "diagonal"},
      {"realtime", "linear-iterations", "-3"},
      {"paper", "step-length", "1.5"},
      {"paper", "regularization", "-1"},
      {"paper", "linear-tolerance", "-1"},
      {"paper", "linear-iterations", "-1"},
      {"paper", "damping", "strong"}};
  const std::map<std::string, std::string> fields{{"newton-iterations", "max_iterations"},
                                                  {"geometric-stiffness", "stiffness"}};
  for (const auto& [method, name, value] : cases) {
    std::string field = fields.contains(name) ? fields.at(name) : name;
    const std::string text = refusal(method, {{name, value}});
    std::string underscored = text;
    std::replace(underscored.begin(), underscored.end(), '-', '_');
    std::replace(field.begin(), field.end(), '-', '_');
    EXPECT_NE(underscored.find(field), std::string::npos) << text;
    EXPECT_NE(text.find(value), std::string::npos) << text;
  }
}

TEST(Options, TheMethodsOwnFieldsAreNotThereInOthers) {
  EXPECT_THROW(newton_preset("accurate").paper(), std::invalid_argument);
  EXPECT_THROW(newton_preset("paper").realtime(), std::invalid_argument);
  EXPECT_EQ(newton_preset("realtime").realtime().linear_iterations, 40);
  SimulationOptions scaled;
  scaled.complementarity.multiplier = 2.0;
  EXPECT_THROW(test::simulate("arch", {}, scaled), std::invalid_argument);
  scaled.newton = newton_preset("paper");
  EXPECT_NO_THROW(test::simulate("arch", {}, scaled));
}

/// A run that a field of a policy changes.
struct PolicyProof {
  std::string field;
  std::string value;
  const Scene* scene;
  Assignments given = {};
};

const std::vector<PolicyProof>& proofs_of_accurate() {
  static const std::vector<PolicyProof> all{
      {"fine", "0", &kSlidingStack},
      {"patience", "0", &kSlidingStack},
      {"sweeps_worth", "0", &kWall},
      {"hardly_moved", "0", &kSoftBall},
  };
  return all;
}

const std::vector<PolicyProof>& proofs_of_realtime() {
  const Assignments hand_over{{"newton-iterations", "1"}, {"hand-over", "true"}};
  static const std::vector<PolicyProof> all{
      {"goal", "0", &kArch},          {"hand_over_error", "1e9", &kSlidingStack, hand_over},
      {"sweeps", "0", &kArch},        {"worth_joints", "0", &kChain},
      {"worth_turn", "1e9", &kChain}, {"linear_share", "0", &kRagdoll},
      {"overtime", "1", &kRagdoll},   {"cheap_elimination", "0", &kChain},
      {"far_speed", "0", &kRagdoll},
  };
  return all;
}

/// Every field changes the run of its proof.
template <class Policy>
void expect_effects(const std::string& method, const std::vector<PolicyProof>& all) {
  Runs runs;
  for (const auto& field : policy_fields<Policy>()) {
    SCOPED_TRACE(method + " " + field.spec.key);
    const auto proof = std::find_if(
        all.begin(), all.end(), [&](const PolicyProof& p) { return p.field == field.spec.key; });
    ASSERT_NE(proof, all.end()) << "no proof that it means something";
    const Assignments changed = with(proof->given, "policy", proof->field + "=" + proof->value);
    EXPECT_NE(runs.hash(method, *proof->scene, changed),
              runs.hash(method, *proof->scene, proof->given));
  }
}

TEST(Policy, EveryFieldOfAccurateChangesARun) {
  expect_effects<AccuratePolicy>("accurate", proofs_of_accurate());
}

TEST(Policy, EveryFieldOfRealtimeChangesARun) {
  expect_effects<RealtimePolicy>("realtime", proofs_of_realtime());
}

TEST(Policy, NamesAndRangesAreChecked) {
  EXPECT_EQ(refusal("realtime", {{"policy", "gaol=1"}}),
            "the policy of realtime has no option 'gaol'; did you mean 'goal'?");
  EXPECT_NE(refusal("accurate", {{"policy", "fine=-1"}}).find("fine"), std::string::npos);
  NewtonOptions options = newton_preset("accurate");
  options.accurate().policy.sweeps_worth = -1.0;
  EXPECT_THROW(validate(options), std::invalid_argument);
  EXPECT_EQ(policy_fields<AccuratePolicy>().front().spec.default_value, "1e-08");
}

TEST(OptionsOnTheCommandLine, RefusedOnesEndWithTwoBeforeAnythingRuns) {
  const std::string nsn = NSN_BINARY;
  for (const std::string& method : preset_names()) {
    for (const NamedOption& option : named_options()) {
      if (has(option, method)) continue;
      const CommandResult result =
          run_command(fmt::format("{} run arch --steps 1 --preset {} --{} {}", nsn, method,
                                  option.spec.key, some_value(option)));
      EXPECT_EQ(result.exit_code, 2) << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_NE(result.err.find("is not an option of " + method), std::string::npos) << result.err;
    }
  }
  const std::vector<std::pair<std::string, std::string>> others{
      {"run arch --r identity", "--r is not an option of accurate; it is one of paper"},
      {"run arch --preset realtime --r-multiplier 2",
       "--r-multiplier is not an option of realtime"},
      {"export arch --damping adaptive --out x", "--damping is not an option of accurate"},
      {"sweep arch --over damping=constant,adaptive --out x", "--damping is not an option of"}};
  for (const auto& [command, message] : others) {
    const CommandResult result = run_command(nsn + " " + command);
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(OptionsOnTheCommandLine, TheSameValuesAsInTheApi) {
  const CommandResult result = run_command(
      std::string(NSN_BINARY) +
      " run arch --steps 3 --preset realtime --policy goal=0 --linear gmres --hash --quiet");
  const std::string hash = run("realtime", kArch, {{"policy", "goal=0"}, {"linear", "gmres"}});
  EXPECT_NE(result.out.find(hash), std::string::npos) << result.out << result.err;
}

}  // namespace
}  // namespace nsn
