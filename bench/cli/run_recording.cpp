#include "bench/cli/run_recording.h"

#include <fmt/format.h>

#include "nsn/core/io/atomic_file.h"
#include "nsn/models/record/glb.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"

namespace nsn::cli {

void add_recording_flags(Command& command, RecordingFlags& flags) {
  command.add_option("--html", flags.html, "page that shows the run in a browser, one file")
      .type_name("FILE");
  command.add_option("--glb", flags.glb, "the run as animated glTF, for Blender and others")
      .type_name("FILE");
  command.add_option("--trace", flags.trace, "time of every stage of every step, for Perfetto")
      .type_name("FILE");
}

std::vector<std::pair<std::string, std::string>> facts_of(const SimulationFlags& flags) {
  std::vector<std::pair<std::string, std::string>> facts{{"preset", flags.preset}};
  const auto add = [&](const char* name, const auto& value) {
    if (value) facts.emplace_back(name, fmt::format("{}", *value));
  };
  add("time step", flags.time_step);
  for (const auto& one : scene_parameters(flags)) facts.push_back(one);
  for (const auto& one : flags.newton) facts.push_back(one);
  add("r", flags.rho);
  add("r multiplier", flags.rho_multiplier);
  add("joint directions", flags.joint_directions);
  add("mesh features", flags.mesh_features);
  add("islands", flags.islands);
  return facts;
}

RunRecording::RunRecording(RecordingFlags flags, const std::string& title,
                           std::vector<std::pair<std::string, std::string>> facts,
                           const Simulation& simulation)
    : flags_(std::move(flags)) {
  if (!flags_.html.empty() || !flags_.glb.empty() || !flags_.run.empty()) {
    recorder_.emplace(simulation, RecordOptions{.title = title, .facts = std::move(facts)});
  }
  if (!flags_.trace.empty()) trace_.emplace(title);
}

void RunRecording::add(const Simulation& simulation) {
  if (recorder_) recorder_->add(simulation);
  if (trace_) trace_->add(simulation.report());
}

void RunRecording::write(const std::string& stopped) {
  if (recorder_ && !stopped.empty()) recorder_->add_fact("", stopped);
  if (!flags_.html.empty() || !flags_.run.empty()) {
    const std::string bytes = run_bytes(recorder_->run());
    if (!flags_.run.empty()) write_file(flags_.run, bytes);
    if (!flags_.html.empty()) write_file(flags_.html, run_page({bytes}));
  }
  if (!flags_.glb.empty()) write_glb(flags_.glb, recorder_->run());
  if (trace_) write_file(flags_.trace, trace_->text());
}

}  // namespace nsn::cli
