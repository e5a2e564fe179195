// Studies of the functions themselves: no simulation.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/core.h>

#include "bench/study/study.h"
#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"

namespace nsn::study {
namespace {

// The paper's example: c(lambda) = lambda / 4 - 1 / 8, solved by lambda = 1/2.
constexpr double kSlope = 0.25;
constexpr double kOffset = -0.125;

struct Residual {
  double value = 0.0;
  double slope = 0.0;  ///< by lambda
};

template <class Ncp>
Residual residual(const Ncp& ncp, double lambda, double r) {
  const auto phi = ncp(kSlope * lambda + kOffset, r * lambda);
  return {phi.phi, phi.d_a * kSlope + phi.d_b * r};
}

/// Newton iterations from lambda until |phi| <= 1e-12; 50: not reached.
template <class Ncp>
int iterations_from(const Ncp& ncp, double lambda, double r) {
  constexpr int kMost = 50;
  for (int k = 0; k < kMost; ++k) {
    const Residual at = residual(ncp, lambda, r);
    if (std::abs(at.value) <= 1e-12) return k;
    lambda -= at.value / at.slope;
  }
  return kMost;
}

template <class Ncp>
int most_iterations(const Ncp& ncp, double r) {
  int most = 0;
  for (int k = -200; k <= 200; ++k) most = std::max(most, iterations_from(ncp, 0.01 * k, r));
  return most;
}

report::Series curve(const std::string& name, const std::function<double(double)>& f, double from,
                     double to) {
  report::Series series;
  series.name = name;
  constexpr int kPoints = 240;
  for (int k = 0; k <= kPoints; ++k) {
    series.x.push_back(from + (to - from) * k / kPoints);
    series.y.push_back(f(series.x.back()));
  }
  return series;
}

}  // namespace

StudyOutcome kink_study(const StudyOptions& options) {
  options.progress("kink");
  StudyOutcome out{.name = "kink",
                   .title = "A preconditioner that straightens the minimum map",
                   .question = "What does r do to the error function of one unilateral constraint?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const ncp::MinimumMap minimum;
  const ncp::FischerBurmeister fischer;
  report::Chart chart;
  chart.title = "phi(c, r lambda) for c = lambda/4 - 1/8";
  chart.x.label = "lambda";
  chart.y.label = "phi";
  for (const double r : {1.0, kSlope}) {
    const std::string with = fmt::format(", r = {:g}", r);
    chart.series.push_back(curve(
        "minimum map" + with, [&](double x) { return residual(minimum, x, r).value; }, -0.5, 1.5));
    chart.series.push_back(curve(
        "Fischer-Burmeister" + with, [&](double x) { return residual(fischer, x, r).value; }, -0.5,
        1.5));
  }
  out.charts.push_back(chart);
  for (const double r : {4.0, 1.0, kSlope, 0.1, 0.01}) {
    options.add(out, {{"r", r},
                      {"minimum_map_most_iterations", most_iterations(minimum, r)},
                      {"fischer_burmeister_most_iterations", most_iterations(fischer, r)}});
  }
  out.findings.push_back(
      fmt::format("With r = dc/dlambda the minimum map is solved in at most {} Newton iterations "
                  "from any start in "
                  "[-2, 2], with r = 1 in at most {}; Fischer-Burmeister takes at most {} and {}.",
                  most_iterations(minimum, kSlope), most_iterations(minimum, 1.0),
                  most_iterations(fischer, kSlope), most_iterations(fischer, 1.0)));
  return out;
}

StudyOutcome friction_functions_study(const StudyOptions& options) {
  options.progress("friction-functions");
  StudyOutcome out{
      .name = "friction-functions",
      .title = "Friction as a fixed point",
      .question =
          "How do W and the friction error of the two NCP functions depend on the friction "
          "force of a particle that slides at 0.5 m/s under 10 N with mu = 0.5?",
      .findings = {},
      .charts = {},
      .rows = {}};
  constexpr double kSlip = 0.5;   // m/s
  constexpr double kBound = 5.0;  // mu lambda_n, N
  constexpr double kMost = 8.0;   // N
  const ncp::MinimumMapFriction minimum;
  const ncp::FischerBurmeisterFriction fischer;
  report::Chart weight;
  weight.title = "W over the friction force";
  weight.x.label = "|lambda_f|, N";
  weight.y.label = "W, m/(s N)";
  report::Chart error = weight;
  error.title = "friction error |v| - W |lambda_f|";
  error.y.label = "phi_f, m/s";
  double least = 0.0;
  double at_limit = 0.0;
  for (const double r : {1.0, 0.1}) {  // m/(s N); the paper does not say which
    const auto of_minimum = [&](double l) { return minimum(kSlip, l, kBound, r); };
    const auto of_fischer = [&](double l) { return fischer(kSlip, l, kBound, r); };
    const std::string with = fmt::format(", r = {:g}", r);
    weight.series.push_back(curve("minimum map" + with, of_minimum, 0.0, kMost));
    weight.series.push_back(curve("Fischer-Burmeister" + with, of_fischer, 0.1, kMost));
    error.series.push_back(curve(
        "minimum map" + with, [&](double l) { return kSlip - of_minimum(l) * l; }, 0.0, kMost));
    error.series.push_back(curve(
        "Fischer-Burmeister" + with, [&](double l) { return kSlip - of_fischer(l) * l; }, 0.1,
        kMost));
    for (int k = 1; k <= 16; ++k) {
      const double l = 0.5 * k;
      least = std::min({least, of_minimum(l), of_fischer(l)});
      if (l == kBound) {
        at_limit = std::max(
            {at_limit, std::abs(kSlip - of_minimum(l) * l), std::abs(kSlip - of_fischer(l) * l)});
      }
      options.add(out, {{"r_mps_per_n", r},
                        {"slip_mps", kSlip},
                        {"force_n", l},
                        {"cone_limit_n", kBound},
                        {"w_minimum_map", of_minimum(l)},
                        {"w_fischer_burmeister", of_fischer(l)},
                        {"phi_minimum_map_mps", kSlip - of_minimum(l) * l},
                        {"phi_fischer_burmeister_mps", kSlip - of_fischer(l) * l}});
    }
  }
  for (report::Chart* chart : {&weight, &error}) {  // upright, over all curves
    double low = 0.0;
    double high = 0.0;
    for (const report::Series& series : chart->series) {
      low = std::min(low, *std::min_element(series.y.begin(), series.y.end()));
      high = std::max(high, *std::max_element(series.y.begin(), series.y.end()));
    }
    report::Series limit;
    limit.name = "cone limit, 5 N";
    limit.x = {kBound, kBound};
    limit.y = {low, high};
    chart->series.push_back(limit);
  }
  out.charts = {weight, error};
  out.findings.push_back(
      fmt::format("Both errors vanish at the cone limit (to {:.0e} m/s): sliding. W is {}negative "
                  "up to 1.6 times the limit.",
                  at_limit, least >= 0.0 ? "never " : ""));
  return out;
}

}  // namespace nsn::study
