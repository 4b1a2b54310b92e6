#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "kstar/report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// "K = 16" stays on one line.
std::string unbroken(std::string text) {
  constexpr std::string_view kBlank = "\xC2\xA0";
  for (std::size_t at = text.find(" = "); at != text.npos; at = text.find(" = ", at)) {
    text.replace(at, 3, fmt::format("{}={}", kBlank, kBlank));
  }
  return text;
}

struct Fact {
  std::string name;
  std::string value;
  std::string more;
};

Fact advice_fact(const Analysis& analysis) {
  const WorkersAdvice& advice = analysis.recommendation;
  if (is_in_question(analysis)) {
    return {"Workers to use", "in question", "the numbers may not be what they are read as"};
  }
  if (is_undecided(analysis)) {
    return {"Workers to use", "undecided", range_words(advice.low, advice.high, 3)};
  }
  const bool none = analysis.bend && !analysis.bend->last_good;
  return {"Workers to use",
          none ? "none" : fmt::format("{}{}", advice.workers, advice.open ? "+" : ""),
          none                       ? "every K is below the threshold"
          : advice.open              ? "efficient at every measured K"
          : advice.low < advice.high ? range_words(advice.low, advice.high, 3)
                                     : "efficiency above the threshold"};
}

Fact bend_fact(const Analysis& analysis) {
  if (!analysis.bend) return {"The bend", "not reached", "efficiency stays above the threshold"};
  const Bend& bend = *analysis.bend;
  return {"The bend", fmt::format("K = {}", bend.first_bad),
          !bend.high ? fmt::format("{} or later", bend.low)
          : bend.low < *bend.high
              ? fmt::format("{} to {}", bend.low, *bend.high)
              : fmt::format("efficiency below {}", significant(analysis.table.threshold, 3))};
}

Fact ceiling_fact(const Analysis& analysis) {
  const Estimate& most = *analysis.models->ceiling;
  return {"Ceiling of the speedup",
          std::isfinite(most.high) ? significant(most.point, 3) + "x" : "none found",
          range_words(most, 3)};
}

Fact cause_fact(const Diagnosis& diagnosis) {
  const Cause& cause = diagnosis.causes.front();
  const bool guess = cause.confidence == Confidence::kShape;
  const std::string likely =
      cause.probability ? fmt::format(", {}", percent(*cause.probability, 0)) : "";
  return {"The cause", std::string(about(cause.kind).brief),
          cause.kind == CauseKind::kNone ? fmt::format("at K = {}", diagnosis.workers)
          : guess                        ? "a guess from the shape of T(K)" + likely
                  : fmt::format("{} of the loss at K = {}", percent(cause.share.point, 0),
                                diagnosis.workers)};
}

Fact trust_fact(const Audit& audit) {
  const std::size_t against = audit.count(FindingStatus::kContradicted);
  const std::size_t missing = audit.count(FindingStatus::kMissing);
  return {"The audit",
          against > 0   ? fmt::format("{} contradicted", against)
          : missing > 0 ? fmt::format("{} missing", missing)
                        : "all shown",
          fmt::format("{} shown, {} missing", audit.count(FindingStatus::kShown), missing)};
}

/// A shape that suggests none has none, and so have numbers in question.
bool has_cause(const Analysis& analysis) {
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  if (causes.empty() || is_in_question(analysis)) return false;
  return causes.front().kind != CauseKind::kNone || causes.front().confidence != Confidence::kShape;
}

std::vector<Fact> facts_of(const Subject& subject) {
  std::vector<Fact> facts;
  const Analysis& analysis = subject.analysis;
  if (has_efficiency(analysis.table) && points_besides_base(analysis.table) > 0) {
    facts.push_back(advice_fact(analysis));
    if (!is_in_question(analysis)) facts.push_back(bend_fact(analysis));
  }
  if (has_cause(analysis)) facts.push_back(cause_fact(analysis.diagnosis));
  if (analysis.models && analysis.models->ceiling && !is_in_question(analysis))
    facts.push_back(ceiling_fact(analysis));
  if (subject.audit && !subject.audit->findings.empty()) {
    facts.push_back(trust_fact(*subject.audit));
  }
  return facts;
}

std::string facts_html(const Subject& subject) {
  std::string text = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts_of(subject)) {
    text += fmt::format("<div><dt>{}</dt><dd><b>{}</b> <span>{}</span></dd></div>\n",
                        html(fact.name), html(fact.value), html(fact.more));
  }
  return text + "</dl>\n";
}

std::string doubts_html(const Analysis& analysis) {
  std::string items;
  for (const std::string& doubt : doubts_of(analysis)) {
    items += fmt::format("<li>{}</li>\n", unbroken(html(doubt)));
  }
  if (items.empty()) return "";
  return fmt::format("<p class=\"check\">Check this first:</p>\n<ul class=\"check\">\n{}</ul>\n",
                     items);
}

/// What to check comes first where the numbers may not be what they are read as.
std::string answer_html(const Subject& subject) {
  const std::string answer =
      fmt::format("<p class=\"answer\">{}</p>\n", unbroken(html(answer_of(subject))));
  const std::string doubts = doubts_html(subject.analysis);
  return is_in_question(subject.analysis) ? doubts + answer : answer + doubts;
}

}  // namespace

std::string answer_part(std::span<const Subject> subjects, const PageOptions& options) {
  std::string text = "<section id=\"answer\" aria-labelledby=\"answer-title\">\n";
  text += "<h2 id=\"answer-title\">The answer</h2>\n";
  if (options.live) {
    text += "<p class=\"provisional\">Preliminary; it may still change:</p>\n";
  }
  for (const Subject& subject : subjects) {
    if (subjects.size() > 1) text += heading(3, "", name_of(subject));
    if (subject.analysis.table.points.empty()) {
      text += "<p class=\"answer\">No run has a time yet.</p>\n";
      continue;
    }
    text += answer_html(subject) + facts_html(subject);
  }
  return text + "</section>\n";
}

}  // namespace kstar
