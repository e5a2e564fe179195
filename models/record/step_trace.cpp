#include "nsn/models/record/step_trace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nsn {

StepTrace::StepTrace(const std::string& title) {
  const nlohmann::json name = {
      {"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", "nsn: " + title}}}};
  events_ = name.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void StepTrace::add_bar(const std::string& name, double seconds, const std::string& arguments) {
  events_ += fmt::format(
      ",\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{:.3f},\"dur\":{:.3f},"
      "\"args\":{{{}}}}}",
      name, now_, 1e6 * seconds, arguments);
}

void StepTrace::add(const StepReport& r) {
  const double whole = r.detect_seconds + r.assemble_seconds + r.solve_seconds;
  add_bar(
      fmt::format("step {}", ++step_), whole,
      fmt::format("\"contacts\":{},\"islands\":{},\"newton_iterations\":{},"
                  "\"factorizations\":{},\"linear_iterations\":{},\"relative_error\":{:.3g}",
                  r.contacts, r.islands, r.newton_iterations, r.factorizations, r.linear_iterations,
                  std::isfinite(r.error.relative) ? r.error.relative : -1.0));
  // Counters may not be infinite: an error of 0 is drawn as 1e-16.
  const double error = std::isfinite(r.error.relative) ? std::max(r.error.relative, 1e-16) : 1.0;
  events_ += fmt::format(
      ",\n{{\"name\":\"contacts\",\"ph\":\"C\",\"pid\":1,\"ts\":{:.3f},\"args\":{{\"contacts\":{}}}"
      "}}"
      ",\n{{\"name\":\"log10 of the relative error\",\"ph\":\"C\",\"pid\":1,\"ts\":{:.3f},"
      "\"args\":{{\"log10\":{:.3f}}}}}",
      now_, r.contacts, now_, std::log10(error));
  const double stages[] = {r.detect_seconds, r.assemble_seconds, r.solve_seconds};
  const char* const names[] = {"detect", "assemble", "solve"};
  for (int k = 0; k < 3; ++k) {
    add_bar(names[k], stages[k], "");
    now_ += 1e6 * stages[k];
  }
}

std::string StepTrace::text() const {
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events_ + "\n]}\n";
}

}  // namespace nsn
