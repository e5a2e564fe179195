#include "bench/compare/outcome.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace nsn::bench {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they come back as NaN.
double number(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> out;
  for (const Json& value : json) out.push_back(number(value));
  return out;
}

}  // namespace

const char* to_string(SystemForm form) {
  switch (form) {
    case SystemForm::kAssembled:
      return "assembled";
    case SystemForm::kFactored:
      return "factored";
    case SystemForm::kPrimal:
      return "primal";
  }
  return "?";
}

std::string suffix(SystemForm form) {
  return form == SystemForm::kAssembled ? "" : fmt::format(" ({})", to_string(form));
}

SystemForm system_form_from(std::string_view word) {
  for (const SystemForm form : {SystemForm::kFactored, SystemForm::kPrimal}) {
    if (word == to_string(form)) return form;
  }
  return SystemForm::kAssembled;
}

std::vector<double> SolverOutcome::totals(bool by_cpu) const {
  std::vector<double> out;
  for (const RunTime& run : runs) out.push_back(by_cpu ? run.cpu() : run.total());
  std::sort(out.begin(), out.end());
  return out;
}

RunTime SolverOutcome::least(bool by_cpu) const {
  const auto total = [=](const RunTime& run) { return by_cpu ? run.cpu() : run.total(); };
  const auto found = std::min_element(
      runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return total(a) < total(b); });
  return found == runs.end() ? RunTime() : *found;
}

double SolverOutcome::seconds(bool by_cpu) const {
  const RunTime run = least(by_cpu);
  return by_cpu ? run.cpu() : run.total();
}

double SolverOutcome::spread(bool by_cpu) const {
  const std::vector<double> all = totals(by_cpu);
  return all.empty() || !(all.front() > 0.0) ? 1.0 : all[all.size() / 2] / all.front();
}

bool certainly_faster(const SolverOutcome& a, const SolverOutcome& b, bool by_cpu) {
  const std::vector<double> of_a = a.totals(by_cpu);
  const std::vector<double> of_b = b.totals(by_cpu);
  if (of_a.empty() || of_b.empty()) return false;
  return of_a[(of_a.size() - 1) / 2] < of_b.front();
}

bool SystemOutcome::ok() const {
  return fastest() != nullptr;
}

const SolverOutcome* SystemOutcome::fastest() const {
  const SolverOutcome* best = nullptr;
  for (const SolverOutcome& outcome : solvers) {
    if (!outcome.ok()) continue;
    if (best == nullptr || outcome.seconds(by_cpu) < best->seconds(by_cpu)) best = &outcome;
  }
  return best;
}

Json to_json(const RunTime& time) {
  return Json::array({time.setup, time.solve, time.setup_cpu, time.solve_cpu});
}

RunTime run_time_from(const Json& json) {
  return {number(json.at(0)), number(json.at(1)), number(json.at(2)), number(json.at(3))};
}

Json to_json(const History& history) {
  return {{"iteration", history.iteration},
          {"residual", history.residual},
          {"preconditioned", history.preconditioned},
          {"normal", history.normal}};
}

History history_from(const Json& json) {
  return {json.at("iteration").get<std::vector<int>>(), numbers(json.at("residual")),
          numbers(json.at("preconditioned")), numbers(json.at("normal"))};
}

Json to_json(const LinearReport& r) {
  return {{"status", static_cast<int>(r.status)},
          {"iterations", r.iterations},
          {"initial_residual", r.initial_residual},
          {"recurrence_residual", r.recurrence_residual},
          {"true_residual", r.true_residual},
          {"rhs_norm", r.rhs_norm},
          {"normal_residual", r.normal_residual},
          {"analyze_seconds", r.analyze_seconds},
          {"factorize_seconds", r.factorize_seconds},
          {"solve_seconds", r.solve_seconds},
          {"bytes_moved", r.bytes_moved},
          {"bytes_held", r.bytes_held},
          {"bytes_to_device", r.bytes_to_device},
          {"bytes_from_device", r.bytes_from_device},
          {"kernel_launches", r.kernel_launches},
          {"detail", r.detail}};
}

LinearReport linear_report_from(const Json& json) {
  LinearReport r;
  r.status = static_cast<LinearStatus>(json.at("status").get<int>());
  r.iterations = json.at("iterations").get<int>();
  r.initial_residual = number(json.at("initial_residual"));
  r.recurrence_residual = number(json.at("recurrence_residual"));
  r.true_residual = number(json.at("true_residual"));
  r.rhs_norm = number(json.at("rhs_norm"));
  r.normal_residual = number(json.at("normal_residual"));
  r.analyze_seconds = number(json.at("analyze_seconds"));
  r.factorize_seconds = number(json.at("factorize_seconds"));
  r.solve_seconds = number(json.at("solve_seconds"));
  r.bytes_moved = number(json.at("bytes_moved"));
  r.bytes_held = number(json.at("bytes_held"));
  r.bytes_to_device = number(json.at("bytes_to_device"));
  r.bytes_from_device = number(json.at("bytes_from_device"));
  r.kernel_launches = json.at("kernel_launches").get<std::int64_t>();
  r.detail = json.at("detail").get<std::string>();
  return r;
}

Json to_json(const SolverOutcome& o) {
  Json runs = Json::array();
  for (const RunTime& run : o.runs) runs.push_back(to_json(run));
  return {{"solver", o.label},
          {"form", to_string(o.form)},
          {"direct", o.direct},
          {"refusal", o.refusal},
          {"ended", o.ended},
          {"report", to_json(o.report)},
          {"cold", to_json(o.cold)},
          {"runs", std::move(runs)},
          {"bandwidth_fraction", o.bandwidth_fraction},
          {"history", to_json(o.history)}};
}

SolverOutcome solver_outcome_from(const Json& json) {
  SolverOutcome o;
  o.label = json.at("solver").get<std::string>();
  o.form = system_form_from(json.at("form").get<std::string>());
  o.direct = json.at("direct").get<bool>();
  o.refusal = json.at("refusal").get<std::string>();
  o.ended = json.at("ended").get<std::string>();
  o.report = linear_report_from(json.at("report"));
  o.cold = run_time_from(json.at("cold"));
  for (const Json& run : json.at("runs")) o.runs.push_back(run_time_from(run));
  o.bandwidth_fraction = number(json.at("bandwidth_fraction"));
  o.history = history_from(json.at("history"));
  return o;
}

}  // namespace nsn::bench
