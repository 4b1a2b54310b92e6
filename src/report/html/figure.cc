#include "report/html/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "kstar/chart_parts.h"
#include "report/html/html.h"

namespace kstar {

namespace {

/// Of a drawing: on a phone about as wide as the screen, in points.
constexpr double kWidth = 300;
constexpr double kFont = 9;
/// A table of more values is no help to who cannot see the chart.
constexpr std::size_t kMostValues = 200;

const char* scale_name(bool log) {
  return log ? "log" : "linear";
}

/// A tip as a JSON string: its lines and tabs are its own.
std::string json_tip(const std::string& tip) {
  std::string text;
  for (const std::string_view line : split(tip, '\n')) {
    if (!text.empty()) text += "\\n";
    const std::size_t tab = line.find('\t');
    const auto plain = [](std::string_view part) {
      const std::string quoted = json_text(part);
      return quoted.substr(1, quoted.size() - 2);
    };
    text += plain(line.substr(0, tab));
    if (tab != line.npos) text += "\\t" + plain(line.substr(tab + 1));
  }
  return '"' + text + '"';
}

/// The same chart on every scale that its axes allow; the first is the chart's own.
std::string drawings(const Chart& chart, const std::string& id) {
  std::string text;
  for (const bool other_x : {false, true}) {
    for (const bool other_y : {false, true}) {
      if ((other_x && !chart.x.either) || (other_y && !chart.y.either)) continue;
      const bool log_x = chart.x.log != other_x, log_y = chart.y.log != other_y;
      SvgStyle style = page_style(fmt::format("{}-{}{}", id, log_x ? 'l' : 'n', log_y ? 'l' : 'n'));
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

/// A series without values, or parts of nothing at every place, can be neither seen nor switched
/// off.
bool is_drawn(const ChartSeries& series) {
  const auto has_height = [](const ChartSpan& span) { return span.high != span.low; };
  return !series.line.empty() || !series.marks.empty() || !series.band.empty() ||
         std::any_of(series.stack.begin(), series.stack.end(), has_height);
}

/// Buttons that switch series on and off. A single one has nothing to be switched off from; those
/// of one name go together.
std::string legend(const Chart& chart) {
  std::vector<std::string> names;
  for (const ChartSeries& series : chart.series) {
    const bool known = std::find(names.begin(), names.end(), series.name) != names.end();
    if (!series.name.empty() && !known && is_drawn(series)) names.push_back(series.name);
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

/// At one place, every series that has values to step through says something.
std::string said_at(const Chart& chart, double place) {
  std::string said;
  for (const ChartSeries& series : chart.series) {
    if (!series.stepped) continue;
    const auto mark = std::find_if(series.marks.begin(), series.marks.end(),
                                   [&](const ChartMark& one) { return one.x == place; });
    const std::string words =
        mark != series.marks.end()
            ? mark->tip
            : fmt::format("{} at K = {}\nK is beyond four times its largest, or below its smallest",
                          series.name, significant(place, 9));
    said +=
        fmt::format("{}[{},{}]", said.empty() ? "" : ",", json_text(series.name), json_tip(words));
  }
  return said;
}

/// Steps through the values that are looked at one by one, place by place: all of them are in the
/// page.
std::string stepper(const Chart& chart, const std::string& id) {
  std::set<double> places;
  std::string first;
  for (const ChartSeries& series : chart.series) {
    if (!series.stepped) continue;
    for (const ChartMark& mark : series.marks) {
      if (places.empty()) first = one_line(mark.tip);
      places.insert(mark.x);
    }
  }
  if (places.empty()) return "";
  std::string steps;
  for (const double place : places) {
    steps += fmt::format("{}{{\"at\":{},\"values\":[{}]}}", steps.empty() ? "" : ",", place,
                         said_at(chart, place));
  }
  return to_html(
      Slider{"values", id + "-step", "Predict another K", places.size(), 0, first, steps});
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
  // What is said of many studies drowns them.
  constexpr std::size_t kLong = 320;
  const bool brief = chart.summary.size() <= kLong;
  if (brief) add("summary", chart.summary);
  for (const std::string& note : chart.notes) add("note", note);
  text += "<details><summary>Values and source</summary>\n";
  if (!brief) add("summary", chart.summary);
  add("source", chart.caption);
  return fmt::format("<figcaption>\n{}{}</details>\n</figcaption>\n", text, values(chart));
}

}  // namespace

std::string figure_id(const Chart& chart, std::size_t number) {
  return fmt::format("chart-{}-{}", number, plain_name(chart.kind.empty() ? "more" : chart.kind));
}

SvgStyle page_style(const std::string& id) {
  SvgStyle style{.width = kWidth, .font = kFont, .title = false};
  style.id = id;
  return style;
}

std::string to_html(const Slider& slider) {
  return fmt::format(
      "<div class=\"stepper {0}\"><label for=\"{1}\">{2}</label> <input type=\"range\" "
      "id=\"{1}\" min=\"0\" max=\"{3}\" value=\"{4}\"><output for=\"{1}\">{5}</output>"
      "<script type=\"application/json\">{6}</script></div>\n",
      slider.kind, slider.id, slider.label, slider.places - 1, slider.first, html(slider.words),
      script_json("[" + slider.json + "]"));
}

std::string drawn_html(const Chart& chart, const std::string& id) {
  return drawings(chart, id) + legend(chart) + stepper(chart, id);
}

std::string figure_html(const Chart& chart, const std::string& id, const std::string& drawn) {
  return fmt::format(
             "<figure class=\"chart\" id=\"{0}\" data-name=\"{1}\" "
             "aria-labelledby=\"{0}-title\">\n<div class=\"head\"><h3 id=\"{0}-title\">{2}</h3>\n",
             id, plain_name(chart.kind.empty() ? chart.title : chart.kind), html(chart.title)) +
         controls(chart) + "</div>\n" + drawn + caption(chart) + "</figure>\n";
}

}  // namespace kstar
