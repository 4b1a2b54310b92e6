#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/words.h"
#include "report/analysis/headline.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/small_drawings.h"

namespace kstar {

namespace {

/// A cell with what it is sorted by; NaN comes last.
std::string sorted_cell(double value, const std::string& text) {
  return fmt::format("<td{}>{}</td>",
                     std::isfinite(value) ? fmt::format(" data-sort=\"{}\"", shortest(value)) : "",
                     text);
}

const ScalingPoint* advised_point(const Analysis& analysis) {
  const std::optional<int> workers = analysis.verdict.workers;
  return workers ? point_at(analysis.table, Role::kParallel, *workers) : nullptr;
}

std::string advised_cell(const Analysis& analysis) {
  const std::optional<int> workers = analysis.verdict.workers;
  const Verdict& verdict = analysis.verdict;
  if (!workers) return sorted_cell(NAN, "undecided");
  std::string text = fmt::format("<b>{}{}</b>", *workers, verdict.high ? "" : "+");
  if (verdict.high && verdict.low < verdict.high) {
    text += fmt::format(" <span class=\"faint\">{}..{}</span>", *verdict.low, *verdict.high);
  }
  return sorted_cell(*workers, text);
}

std::string efficiency_cell(const Analysis& analysis) {
  const std::optional<int> workers = analysis.verdict.workers;
  const Estimate* efficiency = workers ? efficiency_at(analysis, *workers) : nullptr;
  if (efficiency == nullptr) return sorted_cell(NAN, "");
  return sorted_cell(efficiency->point, percent(efficiency->point, 0));
}

std::string time_cell(const Analysis& analysis) {
  const ScalingPoint* point = advised_point(analysis);
  if (point == nullptr || analysis.table.relative_times) return sorted_cell(NAN, "");
  return sorted_cell(point->time.point, html(time_text(point->time.point)));
}

/// E at the largest K that all have: where the curves can be told apart on equal terms. At a base
/// it is 1.
std::optional<int> common_workers(std::span<const Subject> subjects) {
  std::optional<int> largest;
  for (const ChartPoint& point : efficiency_points(subjects[0].analysis)) {
    const int workers = static_cast<int>(point.x);
    const bool all = std::all_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
      return workers != subject.analysis.table.base_workers &&
             efficiency_at(subject.analysis, workers) != nullptr;
    });
    if (all) largest = std::max(largest.value_or(0), workers);
  }
  return largest;
}

std::string common_cell(const Analysis& analysis, int workers) {
  const Estimate* efficiency = efficiency_at(analysis, workers);
  if (efficiency == nullptr) return sorted_cell(NAN, "");
  return sorted_cell(
      efficiency->point,
      is_bounded(*efficiency)
          ? fmt::format("{} <span class=\"faint\">{}..{}</span>", percent(efficiency->point, 0),
                        percent(efficiency->low, 0), percent(efficiency->high, 0))
          : percent(efficiency->point, 0));
}

/// A cause that was measured; of a guess the page says no more than that.
std::string cause_cell(const Analysis& analysis) {
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  if (causes.empty() || analysis.verdict.reading_in_question || !analysis.diagnosis.efficiency)
    return "";
  const Cause& first = causes.front();
  if (first.kind == CauseKind::kNone) return "";
  return is_guess(first)
             ? fmt::format("{}?", about(first.kind).brief)
             : fmt::format("{} {}", about(first.kind).brief, percent(first.share.point, 0));
}

/// The most workers first, of equals the more efficient; then what is undecided.
std::vector<std::size_t> ranked(std::span<const Subject> subjects, std::optional<int> common) {
  std::vector<std::size_t> order(subjects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const Analysis& analysis = subjects[i].analysis;
    const Estimate* efficiency = common ? efficiency_at(analysis, *common) : nullptr;
    return std::pair(analysis.verdict.workers.value_or(0),
                     efficiency != nullptr ? efficiency->point : 0.0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

/// The columns that not every page has.
struct RankingColumns {
  std::optional<int> common;  ///< the K of E(K)
  bool check = false;         ///< what to know of a study before its answer is believed
};

std::string ranking_row(const Subject& subject, std::size_t number, std::size_t rank,
                        const SmallAxes& axes, const RankingColumns& columns) {
  const Analysis& analysis = subject.analysis;
  return fmt::format(
      "<tr data-verdict=\"{10}\"><td data-sort=\"{0}\">{0}</td><th scope=\"row\" "
      "class=\"words\"><a "
      "href=\"#study-{1}\"><bdi>{2}</bdi></a></th>{3}{4}{5}{6}<td class=\"words\">{7}</td>{8}<td "
      "class=\"drawn\">{9}</td></tr>\n",
      rank, number, html(name_of(subject)), advised_cell(analysis), efficiency_cell(analysis),
      time_cell(analysis), columns.common ? common_cell(analysis, *columns.common) : "",
      html(cause_cell(analysis)),
      columns.check ? fmt::format("<td class=\"words\">{}</td>", html(strip_names(subject))) : "",
      sparkline(analysis, axes), name_of(analysis.verdict.state));
}

std::string ranking_table(std::span<const Subject> subjects, const std::vector<std::size_t>& order,
                          const SmallAxes& axes, const RankingColumns& columns) {
  std::string rows;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    rows += ranking_row(subjects[order[rank]], order[rank] + 1, rank + 1, axes, columns);
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"The studies, ranked\">"
      "<table class=\"ranking sortable\"><caption>By K*, the most workers first; then by efficiency"
      "</caption>\n<thead><tr><th scope=\"col\">#</th><th scope=\"col\" class=\"words\">study</th>"
      "<th scope=\"col\">K*</th><th scope=\"col\">E(K*)</th><th scope=\"col\">T(K*)</th>{}<th "
      "scope=\"col\" class=\"words\">largest cause</th>{}<td class=\"drawn\">E(K)</td></tr></thead>"
      "\n<tbody>\n{}</tbody></table></div>\n",
      columns.common ? fmt::format("<th scope=\"col\">E({})</th>", *columns.common) : "",
      columns.check ? "<th scope=\"col\" class=\"words\">to check</th>" : "", rows);
}

/// One drawing for each study, on the same axes.
std::string multiples(std::span<const Subject> subjects, const std::vector<std::size_t>& order,
                      const SmallAxes& axes) {
  std::string items;
  for (const std::size_t i : order) {
    const std::string drawing = stamp(subjects[i].analysis, axes);
    if (drawing.empty()) continue;
    const std::optional<int> workers = subjects[i].analysis.verdict.workers;
    const bool open = subjects[i].analysis.verdict.state == VerdictState::kOrMore;
    items += fmt::format(
        "<li><a href=\"#study-{}\"><bdi>{}</bdi> <span class=\"faint\">{}</span>{}</a></li>\n",
        i + 1, html(name_of(subjects[i])),
        workers ? fmt::format("K* = {}{}", *workers, open ? "+" : "") : "undecided", drawing);
  }
  if (items.empty()) return "";
  return heading(3, "", "Efficiency of each, on the same axes") +
         fmt::format("<ul class=\"multiples\">\n{}</ul>\n", items);
}

}  // namespace

std::string ranking_part(std::span<const Subject> subjects) {
  const SmallAxes axes = small_axes(subjects);
  const std::optional<int> common = common_workers(subjects);
  const std::vector<std::size_t> order = ranked(subjects, common);
  const bool check = std::any_of(subjects.begin(), subjects.end(), [](const Subject& subject) {
    return !strip_names(subject).empty();
  });
  return "<section id=\"answer\" aria-labelledby=\"answer-title\">\n" +
         heading(2, "answer-title", fmt::format("{} studies, ranked", subjects.size())) +
         ranking_table(subjects, order, axes, {common, check}) + multiples(subjects, order, axes) +
         "</section>\n";
}

}  // namespace kstar
