#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/compare.h"
#include "kstar/compare_report.h"
#include "kstar/words.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/small_drawings.h"

namespace kstar {

namespace {

std::string range(const Estimate& estimate) {
  return is_bounded(estimate) ? range_cell(estimate, 3) : "";
}

void add_columns(const Subject& subject, Table& table) {
  const std::string name = name_of(subject);
  table.columns.push_back({.name = fmt::format("{}: T (s)", name), .new_group = true});
  table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "E"});
  table.columns.push_back({.name = "interval", .joined = true});
}

void add_cells(const ScalingPoint* point, std::vector<std::string>& row) {
  row.push_back(point == nullptr ? "" : significant(point->time.point, 4));
  row.push_back(point == nullptr ? "" : range(point->time));
  const bool known = point != nullptr && point->efficiency;
  row.push_back(known ? fixed(point->efficiency->point, 3) : "");
  row.push_back(known ? range(*point->efficiency) : "");
}

Table table_of(std::span<const Subject> subjects) {
  Table table;
  table.columns.push_back({.name = "K"});
  std::set<int> workers;
  for (const Subject& subject : subjects) {
    add_columns(subject, table);
    for (const ScalingPoint& point : subject.analysis.table.points) {
      if (point.role == Role::kParallel) workers.insert(point.workers);
    }
  }
  for (const int k : workers) {
    std::vector<std::string> row = {fmt::format("{}", k)};
    for (const Subject& subject : subjects)
      add_cells(point_at(subject.analysis.table, Role::kParallel, k), row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// That of the typical run where runs show their noise, as in the text of `kstar compare`; of E
/// where T is not compared.
const Estimate* ratio_of(const Comparison& comparison, const WorkersChange& point) {
  if (!comparison.times_compared) return point.efficiency ? &point.efficiency->ratio : nullptr;
  return point.typical ? &point.typical->ratio : &point.time.ratio;
}

/// As far from 1 as the axis goes: the farthest end of an interval, and never less than 10 %.
double reach_of(const Comparison& comparison) {
  double reach = 1.1;
  for (const WorkersChange& point : comparison.points) {
    const Estimate* ratio = ratio_of(comparison, point);
    if (ratio == nullptr) continue;
    for (const double value : {ratio->low, ratio->point, ratio->high}) {
      if (!(value > 0) || !std::isfinite(value)) continue;
      reach = std::max({reach, value, 1 / value});
    }
  }
  constexpr double kMost = 10;
  return std::min(reach, kMost);
}

std::string change_words(const WorkersChange& point, double smallest) {
  switch (point.verdict) {
    case ChangeVerdict::kBetter:
      return "better";
    case ChangeVerdict::kWorse:
      return "worse";
    case ChangeVerdict::kChangeOrSession:
      return "change or session";
    case ChangeVerdict::kNoEvidence:
      break;
  }
  return point.settled ? fmt::format("within {}", percent(smallest, smallest < 0.01 ? 1 : 0))
                       : "no evidence";
}

/// As far as the verdict goes, and no farther: an interval beside 1 may be the session's.
const char* mark_of(const WorkersChange& point) {
  if (point.verdict == ChangeVerdict::kBetter) return "small-better";
  return point.verdict == ChangeVerdict::kWorse ? "small-worse" : "small-open";
}

std::string ratio_row(const Comparison& comparison, const WorkersChange& point, double reach) {
  const Estimate* ratio = ratio_of(comparison, point);
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"group\">{}</td><td "
      "class=\"joined\">{}</td><td class=\"drawn\">{}</td><td class=\"words\">{}</td></tr>\n",
      point.workers, html(time_text(point.before.point)), html(time_text(point.after.point)),
      ratio == nullptr ? "" : fixed(ratio->point, 3),
      ratio == nullptr ? "" : html(interval_cell(*ratio, 3)),
      ratio == nullptr ? "" : ratio_mark(*ratio, reach, mark_of(point)),
      comparison.times_compared ? change_words(point, comparison.smallest) : "");
}

std::string ratio_table(const Comparison& comparison) {
  const double reach = reach_of(comparison);
  std::string rows;
  for (const WorkersChange& point : comparison.points) rows += ratio_row(comparison, point, reach);
  const std::string what = comparison.times_compared ? "T" : "E";
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Ratios of {0}\"><table "
      "class=\"ratios\"><caption>{0} of {1} over {0} of {2}, with {3} intervals</caption><thead>"
      "<tr><th scope=\"col\">K</th><th scope=\"col\">T of {2}</th><th scope=\"col\">T of {1}</th>"
      "<th scope=\"col\" class=\"group\">ratio</th><th scope=\"col\" class=\"joined\">interval</th>"
      "<td class=\"drawn\">{4}..{5}</td><th scope=\"col\" class=\"words\">verdict</th></tr></thead>"
      "<tbody>\n{6}</tbody></table></div>\n",
      what, html(comparison.after), html(comparison.before), percent(comparison.confidence, 0),
      significant(1 / reach, 2), significant(reach, 2), rows);
}

/// The first paragraph of the text of `kstar compare`: its verdict.
std::string verdict_of(const Document& document) {
  for (const Block& block : document.blocks) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) return paragraph->text;
  }
  return "";
}

/// All that `kstar compare --full` says, behind what is seen at once.
std::string more_of(const Comparison& comparison) {
  Document document = to_document(comparison);
  const auto first =
      std::find_if(document.blocks.begin(), document.blocks.end(),
                   [](const Block& block) { return std::holds_alternative<Paragraph>(block); });
  if (first != document.blocks.end()) document.blocks.erase(document.blocks.begin(), first + 1);
  return "<details><summary>All that changed: efficiency, bend, model terms, causes</summary>\n" +
         to_html(document, 3) + "</details>\n";
}

std::string compared_html(const Comparison& comparison, const std::string& chart) {
  std::string verdict = verdict_of(to_document(comparison));
  const std::size_t end = verdict.find(". ");
  const std::string first = verdict.substr(0, end == verdict.npos ? end : end + 1);
  const std::string rest = end == verdict.npos ? "" : verdict.substr(end + 2);
  return fmt::format(
      "<div class=\"first\">\n<div class=\"say\">\n<p class=\"answer\">{}</p>\n{}{}</div>\n{}"
      "</div>\n{}{}",
      unbroken(html(first)), rest.empty() ? "" : fmt::format("<p>{}</p>\n", unbroken(html(rest))),
      comparison.next_command.empty()
          ? ""
          : "<h3>What to do next</h3>\n<p>Measure both interleaved:</p>\n" +
                command_html(comparison.next_command),
      chart, ratio_table(comparison), more_of(comparison));
}

std::string not_compared_html(const PageOptions& options, const std::string& chart) {
  return fmt::format(
      "<div class=\"first\">\n<div class=\"say\">\n<p class=\"answer\">These two are not compared."
      "</p>\n<p>{}</p>\n</div>\n{}</div>\n",
      html(options.incomparable.empty() ? "They are shown side by side."
                                        : capitalized(options.incomparable) + "."),
      chart);
}

}  // namespace

std::string comparison_part(std::span<const Subject> subjects, const PageOptions& options,
                            const std::string& chart) {
  if (subjects.size() != 2) return "";
  return "<section id=\"comparison\" aria-labelledby=\"comparison-title\">\n" +
         heading(2, "comparison-title",
                 fmt::format("{} to {}", name_of(subjects[0]), name_of(subjects[1]))) +
         (options.comparison ? compared_html(*options.comparison, chart)
                             : not_compared_html(options, chart)) +
         "</section>\n";
}

std::string side_by_side_part(std::span<const Subject> subjects) {
  if (subjects.size() < 2) return "";
  return to_html(table_of(subjects), "T(K) and E(K) of each study") +
         "<p>Each study is relative to its own base.</p>\n";
}

}  // namespace kstar
