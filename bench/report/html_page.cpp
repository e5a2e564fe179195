#include "bench/report/html_page.h"

#include <algorithm>

#include <fmt/format.h>

namespace nsn::report {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--fg:#1b1f24;--muted:#5a646f;--grid:#e8ebee;--line:#d5dae0;--link:#0060a8;--good:#0b7a4b;--bad:#b3261e;--best:#e9f6ef;--head:#eef1f4}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--card:#1c2025;--fg:#e6e9ed;--muted:#9aa5b1;--grid:#2b3138;--line:#39414a;--link:#7cc0ff;--good:#5fd39b;--bad:#ff8a80;--best:#1d3a2c;--head:#252b32}}
@media print{:root{--bg:#fff;--card:#fff;--fg:#000;--muted:#444;--grid:#e4e4e4;--line:#bbb;--head:#f0f0f0}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:19px;margin:38px 0 8px;padding-top:10px;border-top:1px solid var(--line)}
p,ul{margin:6px 0 10px;max-width:110ch}
ul{padding-left:20px}
.subtitle{color:var(--muted);margin:0 0 16px}
.note{color:var(--muted);font-size:13px}
a{color:var(--link)}
nav{font-size:13.5px;margin:14px 0}
nav a{margin-right:12px;white-space:nowrap;text-decoration:none}
nav a:hover{text-decoration:underline}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;font-size:13px;margin:10px 0 14px}
dt{color:var(--muted)}
dd{margin:0;overflow-wrap:anywhere;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px;margin:10px 0}
table{border-collapse:collapse;width:100%;font-size:13px}
th{background:var(--head);text-align:left;font-weight:600}
th,td{padding:5px 9px;border-bottom:1px solid var(--grid);white-space:nowrap}
th.w,td.w{white-space:normal;min-width:22ch}
th.n.w,td.n.w{min-width:9ch}
td small{display:block;font-size:11.5px;font-weight:400;color:var(--muted);line-height:1.2}
tr:last-child td{border-bottom:0}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
td.good{color:var(--good)}td.bad{color:var(--bad)}td.quiet{color:var(--muted)}
td.best{background:var(--best);font-weight:600}
td a{text-decoration:none}td a:hover{text-decoration:underline}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(460px,100%),1fr));gap:14px;margin:12px 0}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 8px 4px;break-inside:avoid}
figcaption{font-size:13px;color:var(--muted);padding:2px 6px 4px}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:12px;margin:12px 0}
.pictures img{width:100%;height:auto;display:block;border-radius:4px}
details{margin:8px 0}summary{cursor:pointer;color:var(--link);font-size:13.5px}
.download{font-size:13.5px;margin-right:14px}
@media print{nav,.download{display:none}.scroll{overflow:visible}table{font-size:11px}}
)css";

std::string_view css_class(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "good";
    case Tone::kBad:
      return "bad";
    case Tone::kQuiet:
      return "quiet";
    case Tone::kBest:
      return "best";
  }
  return "";
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, escaped(value));
}

std::string classes(const HtmlColumn& column, Tone tone) {
  std::string out(css_class(tone));
  if (column.number) out += out.empty() ? "n" : " n";
  if (column.wraps) out += out.empty() ? "w" : " w";
  return out;
}

std::string inside(const HtmlCell& cell) {
  std::string words = escaped(cell.text);
  if (!cell.link.empty()) words = fmt::format("<a href=\"#{}\">{}</a>", escaped(cell.link), words);
  if (!cell.second.empty()) words += fmt::format("<small>{}</small>", escaped(cell.second));
  return words;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~,+:()").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8U | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::string figures(const std::vector<Chart>& charts) {
  std::string out = "<div class=\"charts\">";
  for (const Chart& chart : charts) {
    out += fmt::format("<figure>{}", to_svg(chart));
    if (!chart.finding.empty()) {
      out += fmt::format("<figcaption>{}</figcaption>", escaped(chart.finding));
    }
    out += "</figure>\n";
  }
  return out + "</div>\n";
}

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlPage::section(std::string_view heading, std::string_view id) {
  body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", escaped(id), escaped(heading));
  contents_ += fmt::format("<a href=\"#{}\">{}</a> ", escaped(id), escaped(heading));
}

void HtmlPage::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void HtmlPage::note(std::string_view text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", escaped(text));
}

void HtmlPage::list(const std::vector<std::string>& items) {
  body_ += "<ul>";
  for (const std::string& item : items) body_ += fmt::format("<li>{}</li>", escaped(item));
  body_ += "</ul>\n";
}

void HtmlPage::table(const HtmlTable& table) {
  body_ += "<div class=\"scroll\"><table><thead><tr>";
  for (const HtmlColumn& column : table.columns) {
    body_ += fmt::format("<th{}{}>{}</th>", attribute("class", classes(column, Tone::kPlain)),
                         attribute("title", column.hover), escaped(column.head));
  }
  body_ += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < std::min(row.size(), table.columns.size()); ++c) {
      body_ +=
          fmt::format("<td{}{}>{}</td>", attribute("class", classes(table.columns[c], row[c].tone)),
                      attribute("title", row[c].hover), inside(row[c]));
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void HtmlPage::folded_table(std::string_view summary, const HtmlTable& table_of) {
  body_ += fmt::format("<details><summary>{}</summary>", escaped(summary));
  table(table_of);
  body_ += "</details>\n";
}

void HtmlPage::charts(const std::vector<Chart>& charts) {
  body_ += figures(charts);
}

void HtmlPage::folded_charts(std::string_view summary, const std::vector<Chart>& charts) {
  body_ += fmt::format("<details><summary>{}</summary>{}</details>\n", escaped(summary),
                       figures(charts));
}

void HtmlPage::pictures(
    const std::vector<std::pair<std::string, std::vector<std::uint8_t>>>& named) {
  body_ += "<div class=\"pictures\">";
  for (const auto& [name, png] : named) {
    body_ += fmt::format(
        "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"/>"
        "<figcaption>{0}</figcaption></figure>\n",
        escaped(name), base64(png));
  }
  body_ += "</div>\n";
}

void HtmlPage::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl>";
  for (const auto& [name, value] : facts) {
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
  }
  body_ += "</dl>\n";
}

void HtmlPage::download(std::string_view file_name, std::string_view content) {
  body_ += fmt::format(
      "<a class=\"download\" download=\"{}\" href=\"data:text/plain;charset=utf-8,{}\">Save "
      "{}</a>\n",
      escaped(file_name), percent_encoded(content), escaped(file_name));
}

std::string HtmlPage::text() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>"
      "<title>{}</title><style>{}{}</style></head>\n<body><main><h1>{}</h1>"
      "<p class=\"subtitle\">{}</p><nav>{}</nav>\n{}</main>\n<script>{}</script></body></html>\n",
      escaped(title_), kStyle, chart_style(), escaped(title_), escaped(subtitle_), contents_, body_,
      chart_script());
}

}  // namespace nsn::report
