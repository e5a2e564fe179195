/// What commands that step a scene leave to be looked at: a page, a run file, glTF, a trace.
///
///   RecordingFlags flags;
///   add_recording_flags(command, flags);
///   ...
///   RunRecording recording(flags, "arch", facts_of(simulation_flags), simulation);
///   for (...) { simulation.step(); recording.add(simulation); }
///   recording.write();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cli/command.h"
#include "bench/cli/simulation_options.h"
#include "nsn/models/record/run_recorder.h"
#include "nsn/models/record/step_trace.h"

namespace nsn::cli {

/// Files; empty: none.
struct RecordingFlags {
  std::string html;
  std::string glb;
  std::string trace;
  std::string run;  ///< of `nsn view`; commands set it to out/SCENE.run
};

void add_recording_flags(Command& command, RecordingFlags& flags);

/// What the flags say of method and scene, for the page.
std::vector<std::pair<std::string, std::string>> facts_of(const SimulationFlags& flags);

class RunRecording {
 public:
  RunRecording(RecordingFlags flags, const std::string& title,
               std::vector<std::pair<std::string, std::string>> facts,
               const Simulation& simulation);

  /// After every step.
  void add(const Simulation& simulation);
  /// The files; once, last. `stopped`: where an interrupt ended the run; empty: nowhere.
  void write(const std::string& stopped = "");

 private:
  RecordingFlags flags_;
  std::optional<RunRecorder> recorder_;
  std::optional<StepTrace> trace_;
};

}  // namespace nsn::cli
