#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "kstar/svg.h"
#include "kstar/view.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// Of a drawing: on a phone about as wide as the screen, in points.
constexpr double kWidth = 300;
constexpr double kFont = 9;
/// A table of more values is no help to who cannot see the chart.
constexpr std::size_t kMostValues = 200;

std::string id_of(const Chart& chart, std::size_t number) {
  return fmt::format("chart-{}-{}", number, plain_name(chart.kind.empty() ? "more" : chart.kind));
}

const char* scale_name(bool log) {
  return log ? "log" : "linear";
}

/// The same chart on every scale that its axes allow; the first is the chart's own.
std::string drawings(const Chart& chart, const std::string& id) {
  std::string text;
  for (const bool other_x : {false, true}) {
    for (const bool other_y : {false, true}) {
      if ((other_x && !chart.x.either) || (other_y && !chart.y.either)) continue;
      const bool log_x = chart.x.log != other_x, log_y = chart.y.log != other_y;
      SvgStyle style{.width = kWidth, .font = kFont, .title = false};
      style.id = fmt::format("{}-{}{}", id, log_x ? 'l' : 'n', log_y ? 'l' : 'n');
      style.log_x = log_x;
      style.log_y = log_y;
      text += fmt::format("<div class=\"drawing\" data-x=\"{}\" data-y=\"{}\"{}>\n{}</div>\n",
                          scale_name(log_x), scale_name(log_y), other_x || other_y ? " hidden" : "",
                          to_svg(chart, style));
    }
  }
  return text;
}

std::string scale_button(const char* axis, const ChartAxis& of) {
  if (!of.either) return "";
  return fmt::format(
      "<button type=\"button\" data-scale=\"{0}\" aria-pressed=\"{1}\">log {0}</button>\n", axis,
      of.log);
}

std::string controls(const Chart& chart) {
  return "<div class=\"controls\">" + scale_button("x", chart.x) + scale_button("y", chart.y) +
         "<button type=\"button\" data-picture=\"svg\">SVG</button>\n"
         "<button type=\"button\" data-picture=\"png\">PNG</button></div>\n";
}

/// Buttons that switch series on and off. A single one has nothing to be switched off from; those
/// of one name go together.
std::string legend(const Chart& chart) {
  std::vector<std::string> names;
  for (const ChartSeries& series : chart.series) {
    if (series.name.empty() || std::find(names.begin(), names.end(), series.name) != names.end()) {
      continue;
    }
    names.push_back(series.name);
  }
  if (names.size() < 2) return "";
  std::string text = "<ul class=\"legend\">\n";
  for (const std::string& name : names) {
    text += fmt::format(
        "<li><button type=\"button\" data-series=\"{0}\" aria-pressed=\"true\">"
        "<bdi>{0}</bdi></button></li>\n",
        html(name));
  }
  return text + "</ul>\n";
}

/// Steps through the values that are looked at one by one, place by place: all of them are in the
/// page.
std::string stepper(const Chart& chart, const std::string& id) {
  std::map<double, std::string> places;  // of each series there its name and its words
  std::string first;
  for (const ChartSeries& series : chart.series) {
    if (!series.stepped) continue;
    for (const ChartMark& mark : series.marks) {
      std::string& here = places[mark.x];
      here += fmt::format("{}[{},{}]", here.empty() ? "" : ",", json_text(series.name),
                          json_text(mark.tip));
      if (first.empty()) first = mark.tip;
    }
  }
  if (places.empty()) return "";
  std::string steps;
  for (const auto& [place, values] : places) {
    steps +=
        fmt::format("{}{{\"at\":{},\"values\":[{}]}}", steps.empty() ? "" : ",", place, values);
  }
  return fmt::format(
      "<div class=\"stepper\"><label for=\"{0}-step\">Predict another K</label> <input "
      "type=\"range\" id=\"{0}-step\" min=\"0\" max=\"{1}\" value=\"0\"><output "
      "for=\"{0}-step\">{2}</output><script type=\"application/json\">{3}</script></div>\n",
      id, places.size() - 1, html(first), script_json("[" + steps + "]"));
}

std::string number(double value) {
  return std::isfinite(value) ? significant(value, 4) : "";
}

std::string on_axis(const ChartAxis& axis, double value) {
  const auto place = static_cast<std::size_t>(std::max(value, 0.0));
  return place < axis.names.size() ? axis.names[place] : number(value);
}

/// What is drawn, as a table.
std::string values(const Chart& chart) {
  std::string rows;
  std::size_t count = 0;
  const auto add = [&](const std::string& name, double x, double y, double low, double high) {
    ++count;
    rows += fmt::format(
        "<tr><th scope=\"row\" class=\"words\">{}</th><td>{}</td><td>{}</td><td>{}"
        "</td><td>{}</td></tr>\n",
        html(name), html(on_axis(chart.x, x)), number(y), number(low), number(high));
  };
  for (const ChartSeries& series : chart.series) {
    for (const ChartMark& mark : series.marks)
      add(series.name, mark.x, mark.y, mark.low, mark.high);
    for (const ChartSpan& span : series.stack) {
      add(series.name, span.x, span.high - span.low, span.least, span.most);
    }
    if (count > kMostValues) return "";
  }
  if (count == 0) return "";
  const std::string y = html(chart.y.label.empty() ? "value" : chart.y.label);
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"The values of: {0}\">"
      "<table><caption class=\"unseen\">{0}</caption><thead><tr>"
      "<th scope=\"col\" class=\"words\">series</th><th scope=\"col\">{1}</th><th scope=\"col\">{2}"
      "</th><th scope=\"col\">from</th><th scope=\"col\">to</th></tr></thead><tbody>\n{3}</tbody>"
      "</table></div>\n",
      html(chart.title), html(chart.x.label), y, rows);
}

/// What it shows, then what was left out; the numbers and where they come from can be opened.
std::string caption(const Chart& chart) {
  std::string text;
  const auto add = [&](const char* kind, const std::string& words) {
    if (!words.empty()) text += fmt::format("<p class=\"{}\">{}</p>\n", kind, html(words));
  };
  add("summary", chart.summary);
  for (const std::string& note : chart.notes) add("note", note);
  text += "<details><summary>Values and source</summary>\n";
  add("source", chart.caption);
  return fmt::format("<figcaption>\n{}{}</details>\n</figcaption>\n", text, values(chart));
}

std::string figure(const Chart& chart, std::size_t number) {
  const std::string id = id_of(chart, number);
  return fmt::format(
             "<figure class=\"chart\" id=\"{0}\" data-name=\"{1}\" "
             "aria-labelledby=\"{0}-title\">\n<div class=\"head\"><h3 id=\"{0}-title\">{2}</h3>\n",
             id, plain_name(chart.kind.empty() ? chart.title : chart.kind), html(chart.title)) +
         controls(chart) + "</div>\n" + drawings(chart, id) + legend(chart) + stepper(chart, id) +
         caption(chart) + "</figure>\n";
}

}  // namespace

std::string charts_part(std::span<const Subject> subjects) {
  const std::vector<Chart> charts = charts_of(subjects);
  if (charts.empty()) return "";
  std::string text = "<section id=\"charts\" aria-labelledby=\"charts-title\">\n" +
                     heading(2, "charts-title", "Charts") + "<div class=\"charts\">\n";
  for (std::size_t i = 0; i < charts.size(); ++i) text += figure(charts[i], i + 1);
  return text + "</div>\n</section>\n";
}

}  // namespace kstar
