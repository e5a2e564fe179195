// What we add to the paper's method, each by its name, in closed loop over two minutes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/study/claims.h"

namespace nsn::study {
namespace {

/// An option, and what its command says.
struct Addition {
  std::string name;
  std::string options;
};

const std::vector<Addition>& additions() {
  static const std::vector<Addition> all = {
      {"paper", ""},
      {"projection", " --projection true"},
      {"exact stiffness", " --geometric-stiffness exact"},
      {"warm start", " --warm-start true --start previous"},
      {"row form", " --form row"},
      {"adaptive damping", " --damping adaptive"},
      {"best iterate", " --best-iterate true"},
      {"symmetric Alart-Curnier", " --friction alart-curnier-symmetric"}};
  return all;
}

/// A scene, and what of its run should be small.
struct Subject {
  std::string scene;
  std::string measure;  ///< of the row
  std::string what;     ///< with its unit
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"arch", "displacement_max_m", "displacement, m"},
      {"heavy-stack", "displacement_max_m", "displacement, m"},
      {"table-pile", "penetration_max_m", "penetration, m"},
      {"beam-insertion", "penetration_max_m", "penetration, m"},
      {"free-flight", "speed_lost_mps", "speed lost of 10 m/s, m/s"}};
  return all;
}

constexpr int kSteps = 14400;
constexpr double kDiffers = 2.0;  // a smaller factor is no effect

double value_of(const Subject& subject, const Row& row) {
  constexpr double kSpeed = 10.0;  // of the free flight, m/s
  if (subject.measure != "speed_lost_mps") return number_of(row, subject.measure);
  return std::abs(kSpeed - number_of(row, "speed_max_mps"));
}

/// Against the paper's method as published.
std::string effect_of(double value, double published) {
  if (value * kDiffers < published) return "help";
  if (value > kDiffers * published) return "harm";
  return "none";
}

}  // namespace

StudyOutcome additions_study(const StudyOptions& options) {
  StudyOutcome out{
      .name = "additions",
      .title = "What we add to the paper's method",
      .question = fmt::format("Does an option of ours help, harm or change nothing in {} steps of "
                              "the preset paper? (A factor below {:g} is nothing.)",
                              options.quick ? 60 : kSteps, kDiffers),
      .findings = {},
      .charts = {},
      .rows = {}};
  ClaimRuns runs(options.folder.empty() ? "" : options.folder + "/runs", options.progress);
  for (const std::string& name : options.again) {
    const bool known = std::any_of(additions().begin(), additions().end(),
                                   [&](const Addition& a) { return a.name == name; });
    if (!known) throw std::invalid_argument(fmt::format("unknown addition '{}'", name));
  }
  for (const Subject& subject : subjects()) {
    double published = 0.0;
    for (const Addition& addition : additions()) {
      const bool again = options.all_again || std::find(options.again.begin(), options.again.end(),
                                                        addition.name) != options.again.end();
      again ? runs.forget() : runs.keep();
      const std::string command =
          fmt::format("nsn run {} --steps {} --preset paper{}", subject.scene,
                      options.quick ? 60 : kSteps, addition.options);
      const Row row = runs.run(command);
      const double value = value_of(subject, row);
      const bool base = addition.options.empty();
      if (base) published = value;
      options.add(out, {{"run", subject.scene + ", " + addition.name},
                        {"scene", subject.scene},
                        {"option", addition.name},
                        {"what", subject.what},
                        {"value", std::isfinite(value) ? Row(value) : Row("not finite")},
                        {"effect", base ? "-" : effect_of(value, published)},
                        {"e_n_m", row.at("error_normal_median_m")},
                        {"e_f_mps", row.at("error_friction_median_mps")},
                        {"error_mps", row.at("error_median_mps")},
                        {"steps", row.at("steps")},
                        {"command", command}});
    }
  }
  for (const Addition& addition : additions()) {
    if (addition.options.empty()) continue;
    std::string text;
    for (const Row& row : out.rows) {
      if (row.at("option") != addition.name) continue;
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ",
                          row.at("effect").get<std::string>(), row.at("scene").get<std::string>());
    }
    out.findings.push_back(fmt::format("{}: {}.", addition.name, text));
  }
  return out;
}

}  // namespace nsn::study
