#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/headline.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

struct Fact {
  std::string name;
  std::string value;
  std::string more;
};

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
  return {"The cause", std::string(about(cause.kind).brief),
          cause.kind == CauseKind::kNone
              ? fmt::format("at K = {}", diagnosis.workers)
              : fmt::format("{} of the loss at K = {}", percent(cause.share.point, 0),
                            diagnosis.workers)};
}

Fact trust_fact(const Audit& audit) {
  const std::size_t against = audit.count(FindingStatus::kContradicted);
  const std::size_t missing = audit.count(FindingStatus::kMissing);
  return {
      "The audit",
      against > 0   ? fmt::format("{} contradicted", against)
      : missing > 0 ? fmt::format("{} missing", missing)
                    : "all shown",
      fmt::format("of {} checks; {} shown", against + missing + audit.count(FindingStatus::kShown),
                  audit.count(FindingStatus::kShown))};
}

/// A guess is none, and numbers in question have none.
bool has_cause(const Analysis& analysis) {
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  return !causes.empty() && !is_guess(causes.front()) && !analysis.verdict.reading_in_question;
}

/// Work that grows with K has no ceiling of the speedup.
bool has_ceiling(const Analysis& analysis) {
  return analysis.models && analysis.models->ceiling && !analysis.verdict.reading_in_question &&
         analysis.table.regime != Regime::kWeak && has_efficiency(analysis.table);
}

std::vector<Fact> facts_of(const Subject& subject) {
  std::vector<Fact> facts;
  const Analysis& analysis = subject.analysis;
  const Verdict& verdict = analysis.verdict;
  if (verdict.is_decided() || verdict.reason == VerdictReason::kNoneEfficient) {
    facts.push_back(bend_fact(analysis));
  }
  if (has_cause(analysis)) facts.push_back(cause_fact(analysis.diagnosis));
  if (has_ceiling(analysis)) facts.push_back(ceiling_fact(analysis));
  if (subject.audit && !subject.audit->findings.empty()) {
    facts.push_back(trust_fact(*subject.audit));
  }
  return facts;
}

std::string facts_html(const Subject& subject) {
  const std::vector<Fact> facts = facts_of(subject);
  if (facts.empty()) return "";
  std::string text = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts) {
    text += fmt::format("<div><dt>{}</dt><dd><b>{}</b> <span>{}</span></dd></div>\n",
                        html(fact.name), html(fact.value), html(fact.more));
  }
  return text + "</dl>\n";
}

/// All of it in one paragraph, and what else to check.
std::string words_html(const Subject& subject) {
  return fmt::format(
      "<details class=\"in-words\"><summary>In words</summary>\n<p>{}</p>\n{}</details>\n",
      unbroken(html(answer_of(subject))), more_doubts(subject));
}

std::string sure_html(const Subject& subject) {
  std::string text = sureness_text(subject.analysis);
  const std::size_t doubts = doubt_count(subject);
  if (doubts > 0) {
    text += fmt::format("{}{} more to check: see In words.", text.empty() ? "" : " ",
                        count_text(doubts, "point"));
  }
  if (text.empty()) return "";
  return fmt::format("<p class=\"sure\"><b>How sure</b> {}</p>\n", unbroken(html(text)));
}

const char* kNothingYet = "<p class=\"answer\">No run has a time yet.</p>\n";

}  // namespace

std::string answer_block(const Subject& subject, const std::string& chart) {
  if (subject.analysis.table.points.empty()) return kNothingYet;
  // A phone shows the answer before the strip, where the strip does not question it.
  const Verdict& verdict = subject.analysis.verdict;
  return fmt::format(
      "<div class=\"first{}\" data-verdict=\"{}\"{}>\n{}<div class=\"say\">\n<p "
      "class=\"answer\">{}</p>\n{}{}{}{}</div>\n{}</div>\n{}",
      verdict.reading_in_question ? " doubted" : "", name_of(verdict.state),
      verdict.workers ? fmt::format(" data-workers=\"{}\"", *verdict.workers) : "",
      strip_part(subject), unbroken(html(headline_text(subject.analysis))), sure_html(subject),
      loss_part(subject.analysis), next_part(subject), facts_html(subject), chart,
      words_html(subject));
}

std::string answer_part(std::span<const Subject> subjects, const PageOptions& options,
                        const std::string& chart) {
  if (subjects.size() > 2) return ranking_part(subjects);
  std::string text = "<section id=\"answer\" aria-labelledby=\"answer-title\">\n";
  text += fmt::format("<h2 id=\"answer-title\"{}>{}</h2>\n",
                      subjects.size() == 1 ? " class=\"unseen\"" : "",
                      subjects.size() == 1 ? "The answer" : "Each by itself");
  if (options.live) {
    text += "<p class=\"provisional\">Preliminary; it may still change:</p>\n";
  }
  if (subjects.size() == 1) return text + answer_block(subjects[0], chart) + "</section>\n";
  text += "<div class=\"pair\">\n";
  for (const Subject& subject : subjects) {
    text += "<div>\n" + heading(3, "", name_of(subject)) + answer_block(subject, "") + "</div>\n";
  }
  return text + "</div>\n</section>\n";
}

}  // namespace kstar
