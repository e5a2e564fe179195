#include "bench/report/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace nsn::report {
namespace {

constexpr int kColours = 7;
constexpr std::array<const char*, 4> kDashes = {"", "7 3", "2 3", "9 3 2 3"};
constexpr double kCharacter = 6.4;  // px, mean width of a character of the legend
constexpr double kLegendLine = 19.0;

struct Point {
  double px;
  double py;
  double x;
  double y;
};

struct Box {
  double left;
  double top;
  double right;
  double bottom;

  bool overlaps(const Box& o) const {
    return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
  }
  bool inside(const Box& o) const {
    return left >= o.left && right <= o.right && top >= o.top && bottom <= o.bottom;
  }
  bool contains(const Point& p) const {
    return p.px >= left && p.px <= right && p.py >= top && p.py <= bottom;
  }
};

/// Characters of a UTF-8 text.
double length_of(std::string_view text) {
  return static_cast<double>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool drawable(double value, Scale scale) {
  return std::isfinite(value) && (scale == Scale::kLinear || value > 0.0);
}

/// From values to pixels along one axis.
class Mapping {
 public:
  Mapping(const Axis& axis, const std::vector<Series>& series, bool is_x) : scale_(axis.scale) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Series& s : series) {
      for (const double value : is_x ? s.x : s.y) {
        if (!drawable(value, scale_)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    if (axis.min) low = *axis.min;
    if (axis.max) high = *axis.max;
    if (!(low <= high)) {  // nothing to draw
      low = scale_ == Scale::kLog ? 0.1 : 0.0;
      high = 1.0;
    }
    low_ = forward(low);
    high_ = forward(high);
    if (high_ - low_ < 1e-12 * std::max(1.0, std::abs(high_))) {
      low_ -= 0.5;
      high_ += 0.5;
    }
  }

  void to_pixels(double first, double last) {
    first_ = first;
    last_ = last;
  }
  double operator()(double value) const {
    return first_ + (last_ - first_) * (forward(value) - low_) / (high_ - low_);
  }
  double low() const { return backward(low_); }
  double high() const { return backward(high_); }
  Scale scale() const { return scale_; }

 private:
  double forward(double v) const { return scale_ == Scale::kLog ? std::log10(v) : v; }
  double backward(double v) const { return scale_ == Scale::kLog ? std::pow(10.0, v) : v; }

  Scale scale_;
  double low_ = 0.0;
  double high_ = 1.0;
  double first_ = 0.0;
  double last_ = 1.0;
};

/// Per two pixel columns the first, lowest, highest and last point.
std::vector<Point> thinned(const std::vector<Point>& points) {
  std::vector<Point> kept;
  const auto column = [](const Point& p) { return std::floor(p.px / 2.0); };
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first;
    std::size_t low = first;
    std::size_t high = first;
    while (last + 1 < points.size() && column(points[last + 1]) == column(points[first])) {
      ++last;
      if (points[last].py < points[low].py) low = last;
      if (points[last].py > points[high].py) high = last;
    }
    std::array<std::size_t, 4> picks = {first, std::min(low, high), std::max(low, high), last};
    for (std::size_t k = 0; k < picks.size(); ++k) {
      if (k == 0 || picks[k] != picks[k - 1]) kept.push_back(points[picks[k]]);
    }
    first = last + 1;
  }
  return kept;
}

/// Everything one drawing needs while it is made.
class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart), x_(chart.x, chart.series, true), y_(chart.y, chart.series, false) {
    lay_out_legend();
    plot_ = {62.0, 38.0 + kLegendLine * static_cast<double>(legend_rows_),
             static_cast<double>(chart.width) - 14.0, static_cast<double>(chart.height) - 46.0};
    x_.to_pixels(plot_.left, plot_.right);
    y_.to_pixels(plot_.bottom, plot_.top);
    for (const Series& s : chart.series) curves_.push_back(points_of(s));
  }

  std::string text() {
    put(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">)", chart_.width,
        chart_.height, escaped(chart_.title));
    put(R"(<text class="title" x="12" y="20">{}</text>)", escaped(chart_.title));
    draw_axes();
    draw_references();
    out_ += "<g class=\"curves\">";
    for (std::size_t k = 0; k < curves_.size(); ++k) draw_curve(k);
    out_ += "</g>";
    draw_end_labels();
    draw_legend();
    out_ += R"(<g class="tip"><circle r="4.5"/><rect rx="4" height="36"/><text/><text/></g></svg>)";
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  int style_of(std::size_t k) const {
    const int own = chart_.series[k].style;
    return own >= 0 ? own : static_cast<int>(k);
  }
  static const char* dash_of(int style) {
    return kDashes[static_cast<std::size_t>(style / kColours) % kDashes.size()];
  }

  void lay_out_legend() {
    double at = 12.0;
    for (const Series& s : chart_.series) {
      const double width = 34.0 + kCharacter * length_of(s.name);
      if (at + width > chart_.width && at > 12.0) {
        at = 12.0;
        ++legend_rows_;
      }
      legend_.push_back({at, 38.0 + kLegendLine * static_cast<double>(legend_rows_), 0.0, 0.0});
      at += width;
    }
    if (!chart_.series.empty()) ++legend_rows_;
  }

  std::vector<Point> points_of(const Series& s) const {
    std::vector<Point> points;
    const std::size_t n = std::min(s.x.size(), s.y.size());
    for (std::size_t k = 0; k < n; ++k) {
      if (!drawable(s.x[k], x_.scale()) || !drawable(s.y[k], y_.scale())) continue;
      points.push_back({x_(s.x[k]), y_(s.y[k]), s.x[k], s.y[k]});
      if (points.back().px > plot_.right + 0.5) break;  // one beyond the edge, to reach it
    }
    if (points.size() > 1 && goes_on(points)) {
      // Ends on the edge, between the last two.
      Point& last = points.back();
      const Point& before = points[points.size() - 2];
      const double share = (plot_.right - before.px) / (last.px - before.px);
      last.py = before.py + share * (last.py - before.py);
      last.px = plot_.right;
    } else if (goes_on(points)) {
      points.clear();
    }
    return points.size() > 200 ? thinned(points) : points;
  }

  /// Whether the axis ends before the curve does.
  bool goes_on(const std::vector<Point>& points) const {
    return !points.empty() && points.back().x > x_.high() * (1.0 + 1e-9);
  }

  void draw_axes() {
    const int rows = std::max(2, static_cast<int>((plot_.bottom - plot_.top) / 40.0));
    const int columns = std::max(2, static_cast<int>((plot_.right - plot_.left) / 80.0));
    for (const double t : ticks(y_.low(), y_.high(), y_.scale(), rows)) {
      put(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", plot_.left,
          plot_.right, y_(t), y_(t));
      put(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
          plot_.left - 7.0, y_(t) + 4.0, tick_text(t, y_.scale()));
    }
    for (const double t : ticks(x_.low(), x_.high(), x_.scale(), columns)) {
      put(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x_(t), x_(t),
          plot_.bottom, plot_.bottom + 4.0);
      put(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x_(t),
          plot_.bottom + 17.0, tick_text(t, x_.scale()));
    }
    put(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", plot_.left,
        plot_.right, plot_.bottom, plot_.bottom);
    put(R"(<text class="label" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)",
        0.5 * (plot_.left + plot_.right), chart_.height - 10, escaped(chart_.x.label));
    put(R"svg(<text class="label" transform="translate(15 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        0.5 * (plot_.top + plot_.bottom), escaped(chart_.y.label));
  }

  void draw_references() {
    for (const ReferenceLine& line : chart_.references) {
      if (!drawable(line.y, y_.scale()) || line.y < y_.low() || line.y > y_.high()) continue;
      put(R"(<line class="reference" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
          plot_.left, plot_.right, y_(line.y), y_(line.y));
      put(R"(<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>)", plot_.left + 4.0,
          y_(line.y) - 4.0, escaped(line.label));
      labels_.push_back({plot_.left, y_(line.y) - 16.0,
                         plot_.left + 8.0 + kCharacter * length_of(line.label), y_(line.y)});
    }
  }

  double visible(double py) const { return std::clamp(py, plot_.top - 6.0, plot_.bottom + 6.0); }

  void draw_curve(std::size_t k) {
    const Series& s = chart_.series[k];
    const std::vector<Point>& points = curves_[k];
    const int style = style_of(k);
    put(R"(<g class="series k{}" data-name="{}" data-note="{}")", style % kColours, escaped(s.name),
        escaped(s.note));
    out_ += " data-p=\"";
    for (const Point& p : points) {
      put("{:.1f} {:.1f} {:.4g} {:.3g} ", p.px, visible(p.py), p.x, p.y);
    }
    out_ += "\">";
    if (points.size() > 1) {
      put(R"(<path stroke-dasharray="{}" d=")", dash_of(style));
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (i > 0 && s.steps) put("H{:.1f}V{:.1f}", points[i].px, visible(points[i].py));
        if (i == 0 || !s.steps) {
          put("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', points[i].px, visible(points[i].py));
        }
      }
      put("\"><title>{}</title></path>", escaped(s.name));
    }
    draw_marks(s, points);
    out_ += "</g>";
  }

  void draw_marks(const Series& s, const std::vector<Point>& points) {
    if (points.empty()) return;
    const Point& end = points.back();
    if (points.size() == 1) {
      put(R"(<path class="mark" d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z"><title>{}: {:.4g}, {:.3g}</title></path>)",
          end.px, visible(end.py) - 5.0, escaped(s.name), end.x, end.y);
      return;
    }
    for (const Point& p : points) {
      if ((!s.markers && &p != &end) || (&p == &end && goes_on(points))) continue;
      put(R"(<circle class="mark" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", p.px, visible(p.py),
          s.markers ? 2.6 : 3.2);
    }
  }

  /// How much of the curves a label would cover.
  double covered(const Box& box) const {
    double points = 0.0;
    for (const auto& curve : curves_) {
      for (std::size_t i = 1; i < curve.size(); ++i) {
        const Point middle{0.5 * (curve[i].px + curve[i - 1].px),
                           0.5 * (curve[i].py + curve[i - 1].py), 0.0, 0.0};
        if (box.contains(curve[i]) || box.contains(middle)) points += 1.0;
      }
    }
    return points;
  }

  /// A name at the end of each curve, where it covers neither another name nor much of a curve; the
  /// legend has them all.
  void draw_end_labels() {
    for (std::size_t k = 0; k < curves_.size(); ++k) {
      if (curves_[k].empty()) continue;
      const Point end = curves_[k].back();
      const double w = kCharacter * length_of(chart_.series[k].name) + 2.0;
      const double x = end.px;
      const double y = visible(end.py);
      const std::array<Box, 6> places = {{{x + 7, y - 7, x + 7 + w, y + 7},
                                          {x + 4, y - 20, x + 4 + w, y - 6},
                                          {x - w / 2, y - 20, x + w / 2, y - 6},
                                          {x - 4 - w, y - 20, x - 4, y - 6},
                                          {x - 7 - w, y - 7, x - 7, y + 7},
                                          {x - 4 - w, y + 6, x - 4, y + 20}}};
      const Box* best = nullptr;
      double least = 4.0;  // more curve than this under a name makes both hard to read
      for (const Box& place : places) {
        const bool taken = std::any_of(labels_.begin(), labels_.end(),
                                       [&](const Box& other) { return place.overlaps(other); });
        if (taken || !place.inside(plot_)) continue;
        const double cost = covered(place);
        if (cost < least) {
          least = cost;
          best = &place;
        }
      }
      if (best == nullptr) continue;
      labels_.push_back(*best);
      put(R"(<text class="end k{}" x="{:.1f}" y="{:.1f}">{}</text>)", style_of(k) % kColours,
          best->left, best->bottom - 3.5, escaped(chart_.series[k].name));
    }
  }

  void draw_legend() {
    for (std::size_t k = 0; k < legend_.size(); ++k) {
      const double x = legend_[k].left;
      const double y = legend_[k].top;
      put(R"(<g class="key k{}" data-name="{}">)", style_of(k) % kColours,
          escaped(chart_.series[k].name));
      put(R"(<line x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}" stroke-dasharray="{}"/>)", x,
          x + 20.0, y, y, dash_of(style_of(k)));
      put(R"(<text x="{:.1f}" y="{:.1f}">{}</text></g>)", x + 25.0, y + 4.0,
          escaped(chart_.series[k].name));
    }
  }

  const Chart& chart_;
  Mapping x_;
  Mapping y_;
  Box plot_{};
  std::vector<std::vector<Point>> curves_;
  std::vector<Box> legend_;  // left and top of each name
  int legend_rows_ = 0;
  std::vector<Box> labels_;  // texts inside the plot so far
  std::string out_;
};

std::string superscript(int exponent) {
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (const char c : fmt::format("{}", std::abs(exponent))) {
    out += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

std::vector<double> linear_ticks(double min, double max, int count) {
  const double raw = (max - min) / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double mantissa = raw / power;
  const double step = power * (mantissa <= 1.0   ? 1
                               : mantissa <= 2.0 ? 2
                               : mantissa <= 5.0 ? 5
                                                 : 10);
  std::vector<double> out;
  for (double k = std::ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; k += 1.0) {
    out.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return out;
}

std::vector<double> log_ticks(double min, double max, int count) {
  const int first = static_cast<int>(std::ceil(std::log10(min) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(max) + 1e-9));
  std::vector<double> out;
  if (last - first < 2) {
    for (int e = first - 1; e <= last; ++e) {
      for (const double m : {1.0, 2.0, 5.0}) {
        const double value = m * std::pow(10.0, e);
        if (value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9)) out.push_back(value);
      }
    }
    return out;
  }
  const int stride = std::max(1, (last - first + count - 1) / count);
  // Multiples of the stride, so that 1 (10^0) is a tick whenever it is in the range.
  for (int e = first; e <= last; ++e) {
    if (e % stride == 0) out.push_back(std::pow(10.0, e));
  }
  return out;
}

}  // namespace

std::string to_svg(const Chart& chart) {
  return Drawing(chart).text();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string tick_text(double value, Scale scale) {
  const double size = std::abs(value);
  if (value == 0.0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const bool log = scale == Scale::kLog;
  const bool plain = exponent >= (log ? -1 : -3) && exponent <= (log ? 2 : 5);
  if (plain) return fmt::format("{:.6g}", value);
  const double mantissa = value / std::pow(10.0, exponent);
  if (std::abs(mantissa - 1.0) < 1e-9) return "10" + superscript(exponent);
  return fmt::format("{:.3g}×10{}", mantissa, superscript(exponent));
}

std::vector<double> ticks(double min, double max, Scale scale, int count) {
  return scale == Scale::kLog ? log_ticks(min, max, count) : linear_ticks(min, max, count);
}

std::string_view chart_style() {
  return R"css(
:root{--c0:#0067a5;--c1:#d1480b;--c2:#00805e;--c3:#9b3d85;--c4:#9a6a00;--c5:#4b5bd4;--c6:#5c6670}
@media (prefers-color-scheme:dark){:root{--c0:#63b5f0;--c1:#ff8d57;--c2:#3fd0a2;--c3:#e59ad0;--c4:#edc052;--c5:#a3adff;--c6:#b4bdc7}}
@media print{:root{--c0:#0067a5;--c1:#d1480b;--c2:#00805e;--c3:#9b3d85;--c4:#9a6a00;--c5:#4b5bd4;--c6:#5c6670}}
.k0{--s:var(--c0)}.k1{--s:var(--c1)}.k2{--s:var(--c2)}.k3{--s:var(--c3)}.k4{--s:var(--c4)}.k5{--s:var(--c5)}.k6{--s:var(--c6)}
svg.chart{width:100%;height:auto;display:block;font-family:inherit;font-size:11.5px;overflow:visible}
.chart text{fill:var(--fg)}
.chart .title{font-size:13.5px;font-weight:600}
.chart .tick,.chart .label{fill:var(--muted)}
.chart .grid{stroke:var(--grid);stroke-width:1}
.chart .axis{stroke:var(--muted);stroke-width:1}
.chart .reference{stroke:var(--muted);stroke-width:1;stroke-dasharray:3 4}
.chart .series path{fill:none;stroke:var(--s);stroke-width:1.7;stroke-linejoin:round}
.chart .series .mark{fill:var(--s);stroke:none}
.chart .key{cursor:pointer}
.chart .key line{stroke:var(--s);stroke-width:2.4}
.chart .key.off{opacity:.35}
.chart .series.off,.chart .end.off{display:none}
.chart .series.dim{opacity:.25}
.chart .end{fill:var(--s);font-weight:600;pointer-events:none;paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}
.chart .tip{display:none;pointer-events:none}
.chart .tip.on{display:inline}
.chart .tip circle{fill:none;stroke:var(--fg);stroke-width:1.5}
.chart .tip rect{fill:var(--card);stroke:var(--line)}
.chart .tip text:nth-of-type(1){font-weight:600}
)css";
}

std::string_view chart_script() {
  return R"js(
for (const svg of document.querySelectorAll('svg.chart')) {
  const all = [...svg.querySelectorAll('.series')].map(g => {
    const v = (g.dataset.p || '').trim().split(' '), p = [];
    for (let i = 0; i + 3 < v.length; i += 4) p.push([+v[i], +v[i + 1], v[i + 2], v[i + 3]]);
    return {g, p};
  });
  const tip = svg.querySelector('.tip'), [head, body] = tip.querySelectorAll('text');
  const ring = tip.querySelector('circle'), box = tip.querySelector('rect');
  const labels = [...svg.querySelectorAll('.label')].map(t => t.textContent);
  const hide = () => { tip.classList.remove('on'); for (const s of all) s.g.classList.remove('dim'); };
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('pointermove', e => {
    const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null, near = 900;
    for (const s of all) {
      if (s.g.classList.contains('off')) continue;
      for (const p of s.p) {
        const d = (p[0] - at.x) ** 2 + (p[1] - at.y) ** 2;
        if (d < near) { near = d; best = {s, p}; }
      }
    }
    if (!best) return hide();
    for (const s of all) s.g.classList.toggle('dim', s !== best.s);
    const [x, y, vx, vy] = best.p;
    head.textContent = best.s.g.dataset.name + (best.s.g.dataset.note ? ' · ' + best.s.g.dataset.note : '');
    body.textContent = labels[0] + ' ' + vx + ', ' + labels[1] + ' ' + vy;
    tip.classList.add('on');
    const w = Math.max(head.getComputedTextLength(), body.getComputedTextLength()) + 16;
    const view = svg.viewBox.baseVal;
    const left = Math.max(2, Math.min(view.width - w - 2, x + 10 + w > view.width ? x - w - 10 : x + 10));
    const top = y > 60 ? y - 46 : y + 10;
    ring.setAttribute('cx', x); ring.setAttribute('cy', y);
    box.setAttribute('x', left); box.setAttribute('y', top); box.setAttribute('width', w);
    head.setAttribute('x', left + 8); head.setAttribute('y', top + 15);
    body.setAttribute('x', left + 8); body.setAttribute('y', top + 30);
  });
  // Ctrl and the wheel zoom around the pointer, a double click shows all again.
  const whole = svg.getAttribute('viewBox');
  svg.addEventListener('wheel', e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const v = svg.viewBox.baseVal, [, , w0] = whole.split(' ').map(Number);
    const f = Math.min(e.deltaY > 0 ? 1.25 : 0.8, w0 / v.width);
    svg.setAttribute('viewBox', [at.x - (at.x - v.x) * f, at.y - (at.y - v.y) * f, v.width * f, v.height * f].join(' '));
  }, {passive: false});
  svg.addEventListener('dblclick', () => svg.setAttribute('viewBox', whole));
  for (const key of svg.querySelectorAll('.key')) key.addEventListener('click', () => {
    const off = key.classList.toggle('off');
    for (const s of all) if (s.g.dataset.name === key.dataset.name) s.g.classList.toggle('off', off);
    for (const t of svg.querySelectorAll('.end')) if (t.textContent === key.dataset.name) t.classList.toggle('off', off);
  });
}
)js";
}

}  // namespace nsn::report
