#include "kstar/card.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "kstar/report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/headline.h"
#include "report/analysis/loss.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// What a single picture has room for.
constexpr std::size_t kMostAnswers = 4;

/// Why not more: as the page says it.
void add_loss(const Analysis& analysis, Card& card) {
  const std::optional<Loss> loss = loss_of(analysis);
  constexpr double kLittle = 0.03;
  if (!loss || !(1 - loss->efficiency >= kLittle)) return;
  const std::string guess =
      analysis.verdict.by_training ? "" : guess_words(analysis.diagnosis, loss->workers);
  if (const std::string noise = noise_words(analysis, *loss); !noise.empty()) {
    card.loss = "Why not more: " + noise;
    return;
  }
  card.loss = fmt::format("Why not more: at K = {}, {} of the efficiency is lost{}", loss->workers,
                          lost_words(*loss), guess.empty() ? "" : ". " + guess);
  const bool explained = std::any_of(loss->parts.begin(), loss->parts.end(),
                                     [](const LossPart& part) { return part.explained; });
  if (!explained) return;
  for (const LossPart& part : loss->parts) card.parts.push_back({part.name, part.share});
}

/// The gravest doubt goes wherever the answer goes.
std::string check_of(std::span<const Subject> subjects) {
  for (const Subject& subject : subjects) {
    for (const Doubt& doubt : subject.analysis.verdict.doubts) {
      // The sentence itself says it.
      if (doubt.note.what == "gap" && doubt.questions_verdict) continue;
      return fmt::format("Check this first: {}{}", subjects.size() > 1 ? subject.name + ": " : "",
                         doubt_words(doubt));
    }
  }
  return "";
}

std::string source_of(std::span<const Subject> subjects) {
  std::size_t runs = 0;
  for (const Subject& subject : subjects) {
    for (const ScalingPoint& point : subject.analysis.table.points) runs += point.times.n;
  }
  return fmt::format("{}; kstar {}", count_text(runs, "run"), KSTAR_VERSION);
}

}  // namespace

Card card_of(std::span<const Subject> subjects) {
  Card card;
  card.title = subjects.size() > 1                      ? fmt::format("{} studies", subjects.size())
               : subjects[0].study.header.title.empty() ? subjects[0].name
                                                        : subjects[0].study.header.title;
  for (const Subject& subject : subjects.first(std::min(subjects.size(), kMostAnswers))) {
    const std::string name = subjects.size() > 1 ? subject.name + ": " : "";
    card.sentences.push_back(name + headline_text(subject.analysis));
  }
  if (subjects.size() == 1) {
    const Verdict& verdict = subjects[0].analysis.verdict;
    card.verdict = name_of(verdict.state);
    card.workers = verdict.workers;
    card.sure = sureness_text(subjects[0].analysis);
  }
  card.check = check_of(subjects);
  if (subjects.size() > kMostAnswers) {
    card.sentences.push_back(fmt::format("and {} more", subjects.size() - kMostAnswers));
  }
  // Time to train is seen by what it is made of.
  const bool split = subjects.size() == 1 && subjects[0].analysis.verdict.by_training;
  const std::string kind(split ? "split" : natural_kind(subjects[0].analysis.table).name);
  if (Result<Chart> chart = chart_of(kind, subjects)) card.chart = std::move(*chart);
  if (subjects.size() == 1) add_loss(subjects[0].analysis, card);
  card.source = source_of(subjects);
  return card;
}

std::string badge_of(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  const Verdict& verdict = analysis.verdict;
  if (verdict.reason == VerdictReason::kNoneEfficient) {
    return badge_svg("kstar", "no efficient K", BadgeColor::kOpen);
  }
  if (!verdict.is_decided()) return badge_svg("kstar", "K* undecided", BadgeColor::kOpen);
  const bool works = failing_text(analysis, *verdict.workers).empty();
  const bool good = analysis.suspicions.empty() && works && verdict.state != VerdictState::kBetween;
  const BadgeColor color = good ? BadgeColor::kGood : BadgeColor::kOpen;
  if (!verdict.high)
    return badge_svg("kstar", fmt::format("K* {} or more", *verdict.workers), color);
  const std::string range =
      verdict.low < verdict.high ? fmt::format(" ({} to {})", *verdict.low, *verdict.high) : "";
  return badge_svg("kstar", fmt::format("K* {}{}", *verdict.workers, range), color);
}

}  // namespace kstar
