#include "kstar/card.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "kstar/report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/loss.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// What a single picture has room for.
constexpr std::size_t kMostAnswers = 4;

/// Why not more: as the page says it, or the best guess.
void add_loss(const Analysis& analysis, Card& card) {
  const std::optional<Loss> loss = loss_of(analysis);
  constexpr double kLittle = 0.03;
  if (!loss || !(1 - loss->efficiency >= kLittle)) return;
  const bool explained = std::any_of(loss->parts.begin(), loss->parts.end(),
                                     [](const LossPart& part) { return part.explained; });
  if (explained) {
    card.loss = fmt::format("Why not more: at K = {}, {} of the efficiency is lost", loss->workers,
                            lost_words(*loss));
    for (const LossPart& part : loss->parts) card.parts.push_back({part.name, part.share});
    return;
  }
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  if (causes.empty() || causes.front().kind == CauseKind::kNone || !is_guess(causes.front()))
    return;
  const Cause& first = causes.front();
  card.loss =
      fmt::format("Why not more: a guess from T(K) alone is {}{}", cause_words(first),
                  first.probability ? fmt::format(" ({})", percent(*first.probability, 0)) : "");
}

/// The gravest doubt goes wherever the answer goes.
std::string check_of(std::span<const Subject> subjects) {
  for (const Subject& subject : subjects) {
    const std::vector<std::string> doubts = doubts_of(subject.analysis);
    if (doubts.empty()) continue;
    return fmt::format("Check this first: {}{}", subjects.size() > 1 ? subject.name + ": " : "",
                       doubts.front());
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
    card.sentences.push_back(name + advice_text(subject.analysis));
  }
  card.check = check_of(subjects);
  if (subjects.size() > kMostAnswers) {
    card.sentences.push_back(fmt::format("and {} more", subjects.size() - kMostAnswers));
  }
  // Time to train is seen by what it is made of.
  const bool split = subjects.size() == 1 && is_by_training(subjects[0].analysis);
  const std::string kind(split ? "split" : natural_kind(subjects[0].analysis.table).name);
  if (Result<Chart> chart = chart_of(kind, subjects)) card.chart = std::move(*chart);
  if (subjects.size() == 1) add_loss(subjects[0].analysis, card);
  card.source = source_of(subjects);
  return card;
}

std::string badge_of(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  const WorkersAdvice& advice = analysis.recommendation;
  const bool known = has_efficiency(analysis.table) && points_besides_base(analysis.table) > 0 &&
                     !is_in_question(analysis) && !is_undecided(analysis) &&
                     !advice_text(analysis).starts_with("Undecided");
  if (!known) return badge_svg("kstar", "K* undecided", BadgeColor::kOpen);
  if (analysis.bend && !analysis.bend->last_good) {
    return badge_svg("kstar", "no efficient K", BadgeColor::kOpen);
  }
  const bool works = failing_text(analysis, advice.workers).empty();
  const BadgeColor color =
      analysis.suspicions.empty() && works ? BadgeColor::kGood : BadgeColor::kOpen;
  if (advice.open) {
    return badge_svg("kstar", fmt::format("K* {} or more", advice.workers), color);
  }
  const std::string range =
      advice.low < advice.high ? fmt::format(" ({} to {})", advice.low, advice.high) : "";
  return badge_svg("kstar", fmt::format("K* {}{}", advice.workers, range), color);
}

}  // namespace kstar
