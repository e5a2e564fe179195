/// Line charts as inline SVG: what every page of nsn draws its curves with.
///
///   Chart chart;
///   chart.title = "Residual over iterations";
///   chart.y.scale = Scale::kLog;
///   chart.series.push_back({.name = "pcr", .x = iterations, .y = residuals});
///   page.chart(chart);                       // bench/report/html_page.h
///
/// Colours are the page's CSS variables --c0 ... --c6 (colour-blind safe, one set for light and one
/// for dark); after seven colours the dash pattern changes, so that no two series of a chart look
/// alike. A long series is thinned to what its pixels can show: per two pixels its first, lowest,
/// highest and last point. A curve longer than the x axis ends at the edge, without an end dot.
/// Values under the pointer are shown by the page's script; without scripts each curve still
/// carries a <title>.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nsn::report {

enum class Scale { kLinear, kLog };

/// One axis. Without limits it covers the data; a log axis leaves out what is not positive.
struct Axis {
  std::string label;
  Scale scale = Scale::kLinear;
  std::optional<double> min;
  std::optional<double> max;
};

/// A curve; a series of one point is a diamond.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  int style = -1;         ///< colour and dash; -1: the place in the list of series
  bool markers = false;   ///< a dot on every point (short series)
  bool steps = false;     ///< stairs instead of straight lines (distribution functions)
  std::string note = {};  ///< beside the name where values are shown
};

/// A horizontal dashed line, e.g. a tolerance.
struct ReferenceLine {
  double y = 0.0;
  std::string label;
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<ReferenceLine> references;
  std::string finding = {};  ///< a sentence a page shows below the drawing
  int width = 560;           ///< px of the drawing; a page scales it to its column
  int height = 360;          ///< px
};

/// An <svg> element for a page with chart_style(). Points that are not finite are left out.
std::string to_svg(const Chart& chart);

/// CSS for light, dark and print; defines the variables --c0 ... and the classes of to_svg().
std::string_view chart_style();

/// JavaScript without dependencies: values under the pointer, a click on a name in a legend hides
/// its curve.
std::string_view chart_script();

/// Text for SVG and HTML: & < > " escaped, control characters dropped.
std::string escaped(std::string_view text);

/// "10⁻⁴", "2×10³", "0.5": a tick.
std::string tick_text(double value, Scale scale);

/// Round numbers that cover [min, max], about `count` of them; powers of ten on a log axis.
std::vector<double> ticks(double min, double max, Scale scale, int count);

}  // namespace nsn::report
