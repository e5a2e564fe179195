#include "bench/study/study.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"

namespace nsn::study {
namespace {

using Json = nlohmann::ordered_json;

Json axis_json(const report::Axis& axis) {
  return {{"label", axis.label}, {"log", axis.scale == report::Scale::kLog}};
}

report::Axis axis_from(const Json& json) {
  report::Axis axis;
  axis.label = json.at("label");
  axis.scale = json.at("log").get<bool>() ? report::Scale::kLog : report::Scale::kLinear;
  return axis;
}

Json chart_json(const report::Chart& chart) {
  Json series = Json::array();
  for (const report::Series& one : chart.series) {
    series.push_back({{"name", one.name},
                      {"x", one.x},
                      {"y", one.y},
                      {"markers", one.markers},
                      {"style", one.style}});
  }
  Json references = Json::array();
  for (const auto& line : chart.references) {
    references.push_back({{"y", line.y}, {"label", line.label}});
  }
  return {{"title", chart.title},
          {"x", axis_json(chart.x)},
          {"y", axis_json(chart.y)},
          {"series", series},
          {"references", references}};
}

/// JSON has no infinity: null stands for every number that is not finite, and is left out of a
/// curve.
std::vector<double> numbers_from(const Json& json) {
  std::vector<double> numbers;
  for (const Json& value : json) {
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

report::Chart chart_from(const Json& json) {
  report::Chart chart;
  chart.title = json.at("title");
  chart.x = axis_from(json.at("x"));
  chart.y = axis_from(json.at("y"));
  for (const Json& one : json.at("series")) {
    report::Series series;
    series.name = one.at("name");
    series.x = numbers_from(one.at("x"));
    series.y = numbers_from(one.at("y"));
    series.markers = one.at("markers");
    series.style = one.at("style");
    chart.series.push_back(std::move(series));
  }
  for (const Json& line : json.at("references")) {
    chart.references.push_back({line.at("y"), line.at("label")});
  }
  return chart;
}

}  // namespace

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      {"kink", "the minimum map with and without a complementarity preconditioner", kink_study},
      {"friction-functions", "W and the friction residual over the friction impulse",
       friction_functions_study},
      {"orderings", "orders of elimination: operations on the active rows of Newton matrices",
       orderings_study},
      {"rscaling", "complementarity preconditioners: error per Newton iteration", rscaling_study},
      {"quartile", "spread of convergence over the steps of a beam that is pushed into its socket",
       quartile_study},
      {"ncp", "minimum map against Fischer-Burmeister: convergence, evenness of forces", ncp_study},
      {"linear", "linear solvers at a fixed budget inside Newton", linear_study},
      {"subproblem", "iterative solvers on one Newton matrix", subproblem_study},
      {"precision", "matrices in single precision under a driver in double", precision_study},
      {"devices", "the same step on every device and linear solver", devices_study},
      {"warm", "cold and warm starts, constant and adaptive damping, in closed loop", warm_study},
      {"geometric", "geometric stiffness on stretched bodies: merit per Newton iteration",
       geometric_study},
      {"table", "times and errors of the paper's scenes beside its GPU", table_study},
      {"crowd", "cost of a humanoid among 1 ... 1600", crowd_study},
      {"scenes", "size, iterations and times of every scene", scenes_study},
      {"claims", "a verdict for every claim of the paper (long)", claims_study, true},
      {"additions", "what our options add to the paper's method, over two minutes (long)",
       additions_study, true},
  };
  return all;
}

const Study& study_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Study& study : studies()) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  throw std::invalid_argument(fmt::format("unknown study '{}'{}", name, suggestion(name, names)));
}

nlohmann::ordered_json to_json(const StudyOutcome& outcome) {
  Json charts = Json::array();
  for (const report::Chart& chart : outcome.charts) charts.push_back(chart_json(chart));
  return {{"name", outcome.name},         {"title", outcome.title}, {"question", outcome.question},
          {"findings", outcome.findings}, {"charts", charts},       {"results", outcome.rows}};
}

StudyOutcome from_json(const nlohmann::ordered_json& json) {
  StudyOutcome outcome;
  outcome.name = json.at("name");
  outcome.title = json.at("title");
  outcome.question = json.at("question");
  outcome.findings = json.at("findings").get<std::vector<std::string>>();
  for (const Json& chart : json.at("charts")) outcome.charts.push_back(chart_from(chart));
  outcome.rows = json.at("results").get<std::vector<Row>>();
  return outcome;
}

}  // namespace nsn::study
