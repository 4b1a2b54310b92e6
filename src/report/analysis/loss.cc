#include "report/analysis/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/headline.h"

namespace kstar {

namespace {

/// Less of the loss than this can be neither seen nor relied on.
constexpr double kLeastShare = 0.005;

std::string cause_details(const Cause& cause) {
  std::string text = is_bounded(cause.share) ? share_range_words(cause.share) : "";
  if (cause.worker) {
    text += fmt::format("{}always worker {}{}", text.empty() ? "" : "; ", *cause.worker,
                        cause.host.empty() ? "" : " on " + cause.host);
  }
  return text;
}

/// Of causes that were measured, reported or counted. A guess has no share.
Loss loss_by_causes(const Diagnosis& diagnosis) {
  Loss loss{.workers = diagnosis.workers, .efficiency = diagnosis.efficiency->point, .parts = {}};
  double rest = 1;
  for (const Cause& cause : diagnosis.causes) {
    if (cause.kind == CauseKind::kNone || is_guess(cause)) continue;
    if (!(cause.share.point >= kLeastShare)) continue;
    loss.parts.push_back({cause_words(cause), cause_details(cause), cause.share.point});
    rest -= cause.share.point;
  }
  if (rest >= kLeastShare) loss.parts.push_back({"unexplained", "", rest, false});
  return loss;
}

/// By the factors of time to train, of which E is the product. A factor above 1 loses nothing.
Loss loss_by_training(const TimeToTrain& train, int workers) {
  const TrainingPoint* at = &train.points.back();
  for (const TrainingPoint& point : train.points) {
    if (point.workers == workers) at = &point;
  }
  Loss loss{.workers = at->workers, .efficiency = at->efficiency.point, .parts = {}};
  double all = 0;
  const auto add = [&](const char* name, const char* more, const Estimate& factor) {
    const double lost = -std::log(factor.point);
    if (!(lost > 0) || !std::isfinite(lost)) return;
    loss.parts.push_back({name, more, lost});
    all += lost;
  };
  add("algorithm", "more work to converge", at->algorithm);
  add("system", "less work per second and worker", at->system);
  if (at->training) add("fixed time", "evaluation, checkpoints", *at->training);
  for (LossPart& part : loss.parts) part.share /= all;
  std::erase_if(loss.parts, [](const LossPart& part) { return part.share < kLeastShare; });
  return loss;
}

bool has_shares(const Diagnosis& diagnosis) {
  return std::any_of(diagnosis.causes.begin(), diagnosis.causes.end(), [](const Cause& cause) {
    return cause.kind != CauseKind::kNone && !is_guess(cause) && cause.share.point >= kLeastShare;
  });
}

/// Nothing that has a share: then what is lost where it bends, which is why not more.
std::optional<Loss> loss_at_bend(const Analysis& analysis) {
  const Estimate* efficiency =
      analysis.bend ? efficiency_at(analysis, analysis.bend->first_bad) : nullptr;
  if (efficiency == nullptr) return std::nullopt;
  return Loss{.workers = analysis.bend->first_bad,
              .efficiency = efficiency->point,
              .parts = {{"unexplained", "", 1, false}}};
}

}  // namespace

std::optional<Loss> loss_of(const Analysis& analysis) {
  if (analysis.verdict.reading_in_question) return std::nullopt;
  if (analysis.verdict.by_training) {
    return loss_by_training(*analysis.time_to_train, analysis.bend ? analysis.bend->first_bad : 0);
  }
  const Diagnosis& diagnosis = analysis.diagnosis;
  if (!diagnosis.efficiency || diagnosis.causes.empty()) return std::nullopt;
  if (!has_shares(diagnosis)) {
    if (std::optional<Loss> loss = loss_at_bend(analysis)) return loss;
  }
  return loss_by_causes(diagnosis);
}

std::string guess_words(const Diagnosis& diagnosis, int workers) {
  if (diagnosis.causes.empty()) return "";
  const Cause& first = diagnosis.causes.front();
  if (!is_guess(first)) return "";
  if (first.kind == CauseKind::kNone) {
    const bool here = diagnosis.workers == workers;
    return here && !first.evidence.empty() ? first.evidence[0] + "." : "";
  }
  return fmt::format("The cause was not measured; the shape of T(K) suggests {}{}: a guess.",
                     cause_words(first),
                     first.probability ? fmt::format(" ({})", percent(*first.probability, 0)) : "");
}

std::string noise_words(const Analysis& analysis, const Loss& loss) {
  const Estimate* efficiency = efficiency_at(analysis, loss.workers);
  const bool unexplained = !loss.parts.empty() && !loss.parts.front().explained;
  if (!unexplained || efficiency == nullptr || !is_bounded(*efficiency) || efficiency->high < 1) {
    return "";
  }
  const std::string guess = guess_words(analysis.diagnosis, loss.workers);
  return !guess.empty() ? guess
                        : fmt::format(
                              "E is {} at K = {}: too few runs to separate a loss from the "
                              "noise.",
                              interval_words(*efficiency, 2), loss.workers);
}

std::string lost_words(const Loss& loss) {
  return chance_words(1 - loss.efficiency);
}

}  // namespace kstar
