/// A recorded run as Python holds it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core.h"
#include "nsn/models/record/run_recorder.h"
#include "nsn/models/record/step_trace.h"

namespace nsn::python {

class RunHandle {
 public:
  RunHandle(SharedWorld world, const Simulation& simulation, RecordOptions options, bool trace);

  /// After each step, by the thread that makes it.
  void add(const Simulation& simulation);

  // What Python asks throws RuntimeError while another thread steps the simulation.
  const RecordedRun& run() const;
  bool recording() const { return recording_; }
  void stop();
  /// beside: a second run in the same page, or null.
  std::string page(const std::shared_ptr<RunHandle>& beside) const;
  std::string trace() const;

 private:
  SharedWorld world_;
  RunRecorder recorder_;
  std::optional<StepTrace> trace_;
  bool recording_ = true;
};

}  // namespace nsn::python
