#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "report/analysis/explanation.h"
#include "report/analysis/headline.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/scaling_blocks.h"
#include "report/sections.h"

namespace kstar {

namespace {

/// More curves than these in one chart cannot be told apart: then it is folded.
constexpr std::size_t kMostCurves = 8;

std::string in_grid(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"charts\">\n" + figures + "</div>\n";
}

/// Nothing where one K leaves nothing to explain.
std::string causes_text(const Subject& subject, int level) {
  if (points_besides_base(subject.analysis.table) == 0) return "";
  Document causes;
  add_causes(subject.analysis, causes);
  return to_html(causes, level);
}

/// What a study rests on, from the table down to the study itself.
struct Detail {
  std::string id;
  const char* title;
  std::string about;
  std::string content;
};

Result<std::vector<Detail>> details_of(const Subject& subject, std::size_t number,
                                       const PageOptions& options, int level) {
  KSTAR_TRY(std::string data, data_part(subject, number, options));
  Document measured, outlook, audit, provenance;
  if (!subject.analysis.table.points.empty()) {
    add_measured(subject, measured);
    add_outlook(subject, outlook);
  }
  if (subject.audit && !subject.audit->findings.empty()) add_audit(*subject.audit, true, audit);
  add_provenance(subject.study, true, provenance);
  const auto id = [&](const char* name) { return fmt::format("{}-{}", name, number); };
  return std::vector<Detail>{
      {id("numbers"), "Numbers", "T, S and E at each K", to_html(measured, level + 1)},
      {id("models"), "Models", "what more workers would give, what to measure next",
       to_html(outlook, level + 1)},
      {id("audit"), "Findings", "how far the numbers can be trusted", to_html(audit, level + 1)},
      {id("provenance"), "Where the numbers come from", "machine, program, protocol",
       to_html(provenance, level + 1)},
      {id("notes"), "Notes", "what was lost, skipped or guessed", notes_part(subject, level + 1)},
      {id("runs"), "Every run", count_text(subject.study.runs.size(), "run"),
       runs_part(subject, number)},
      {id("data"), "Downloads", "tables as CSV, the study itself", std::move(data)}};
}

Result<void> add_details(const Subject& subject, const PageOptions& options, PageBody& body) {
  KSTAR_TRY(const std::vector<Detail> details, details_of(subject, 1, options, 2));
  for (const Detail& one : details) {
    body.add(one.id, one.title, fold(one.id, 2, one.title, one.about, one.content));
  }
  return {};
}

/// One of several: all of it behind its name and its answer.
Result<void> add_study(const Subject& subject, std::size_t number, std::size_t of,
                       const PageOptions& options, PageBody& body) {
  KSTAR_TRY(const std::vector<Detail> details, details_of(subject, number, options, 3));
  const bool any = !subject.analysis.table.points.empty();
  std::string text;
  if (of > 2) text += answer_block(subject, "");
  if (any) text += causes_text(subject, 3);
  for (const Detail& one : details) text += fold(one.id, 3, one.title, one.about, one.content);
  const std::string id = fmt::format("study-{}", number);
  body.add(id, name_of(subject),
           fold(id, 2, name_of(subject), any ? headline_text(subject.analysis) : "", text));
  return {};
}

/// Seen at once where they can be told apart.
void add_charts(std::span<const Subject> subjects, const PageCharts& charts, PageBody& body) {
  const bool many = subjects.size() > kMostCurves, few = subjects.size() <= 2;
  const std::string curves = (few ? "" : charts.main) + charts.curves;
  const std::string causes =
      in_grid(charts.causes) + (subjects.size() == 1 ? causes_text(subjects[0], 3) : "");
  const auto place = [&](const char* id, const char* title, std::string_view about,
                         const std::string& content, bool folded) {
    body.add(id, title,
             folded ? fold(id, 2, title, about, content) : page_section(id, title, content));
  };
  place("curves", "Curves", "all studies in one chart",
        (few ? "" : charts.threshold) + in_grid(curves), many);
  place("causes", "Causes", "where the time goes", causes, !few);
  place("charts", "More charts", charts.more_kinds, in_grid(charts.more), true);
}

}  // namespace

void PageBody::add(std::string_view id, std::string_view title, const std::string& html_text) {
  if (html_text.empty()) return;
  text_ += html_text;
  entries_ += fmt::format("<li><a href=\"#{}\"><bdi>{}</bdi></a></li>\n", id, html(title));
  if (count_++ == 0) contents_at_ = text_.size();
}

std::string PageBody::take() {
  if (count_ < 2) return std::move(text_);
  const std::string contents = fmt::format(
      "<nav class=\"contents\" aria-label=\"Contents\"><details open><summary>Contents</summary>"
      "<ul>\n{}</ul></details></nav>\n",
      entries_);
  text_.insert(contents_at_, contents);
  return std::move(text_);
}

std::string page_section(std::string_view id, std::string_view title, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n{1}{2}</section>\n", id,
                     heading(2, fmt::format("{}-title", id), title), content);
}

Result<std::string> body_part(std::span<const Subject> subjects, const PageOptions& options) {
  const PageCharts charts = charts_part(subjects);
  const std::string seen = charts.main.empty() ? ""
                                               : fmt::format("<div class=\"seen\">\n{}{}</div>\n",
                                                             charts.main, charts.threshold);
  PageBody body;
  body.add("comparison", "Comparison", comparison_part(subjects, options, seen));
  body.add("answer", "Answer", answer_part(subjects, options, seen));
  add_charts(subjects, charts, body);
  body.add("side-by-side", "Side by side",
           fold("side-by-side", 2, "Side by side", "T and E of every study at each K",
                side_by_side_part(subjects)));
  if (subjects.size() == 1) {
    KSTAR_CHECK(add_details(subjects[0], options, body));
    return body.take();
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    KSTAR_CHECK(add_study(subjects[i], i + 1, subjects.size(), options, body));
  }
  return body.take();
}

}  // namespace kstar
