/// Where the time of each step went, as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing show: a step and
/// its stages as bars, contacts and error as curves.
///
///   nsn::StepTrace trace("arch");
///   while (...) {
///     simulation.step();
///     trace.add(simulation.report());
///   }
///   nsn::write_file("trace.json", trace.text());
#pragma once

#include <string>

#include "nsn/models/step/simulation.h"

namespace nsn {

class StepTrace {
 public:
  explicit StepTrace(const std::string& title);

  /// After each step. Bars follow one another: what passes between steps is not shown.
  void add(const StepReport& report);
  /// JSON.
  std::string text() const;

 private:
  void add_bar(const std::string& name, double seconds, const std::string& arguments);

  std::string events_;
  double now_ = 0.0;  // microseconds
  int step_ = 0;
};

}  // namespace nsn
