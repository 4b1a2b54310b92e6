#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

// From 100% down to E(K), a step for each cause. Factors of efficiency multiply: a cause takes its
// share of -log E, and that share of 1 - E is the height of its step, as everywhere else where
// kstar says "34% of the loss". What no evidence explains is a step of its own. A guess from the
// shape of T(K) has no share, and no step.
namespace kstar::view {

namespace {

struct LossStep {
  std::string name;
  double share = 0;  ///< of the loss
  double least = std::numeric_limits<double>::quiet_NaN();
  double most = std::numeric_limits<double>::quiet_NaN();
  std::string factor;  ///< that it is of efficiency, in words; "": it is none
};

/// What is known of E at one K.
struct Fall {
  int workers = 1;
  Estimate efficiency;
  std::vector<LossStep> steps;  ///< the largest first
};

std::string plain_cause(CauseKind kind) {
  const std::string_view brief = about(kind).brief;
  for (const std::string_view article : {"the ", "a "}) {
    if (brief.starts_with(article)) return std::string(brief.substr(article.size()));
  }
  return std::string(brief);
}

/// A factor of efficiency against the base, and what it must take to be a step: what takes less, at
/// its confidence, is noise, as in the diagnosis.
struct NamedFactor {
  std::string name;
  Estimate factor;
  double least = 0.03;
};
constexpr double kBusyCores = 0.10;    ///< cores are slower when all of them are busy
constexpr double kCountedStep = 0.05;  ///< start and end of processes are in their time
constexpr double kPlainLoss = 0.10;    ///< of a single run, which has no interval

bool is_step(const NamedFactor& one) {
  if (!is_bounded(one.factor)) return one.factor.point < 1 - std::max(one.least, kPlainLoss);
  return one.factor.high < 1 - one.least;
}

/// Their shares of -log E or, where they take more than that, of all that they take.
std::vector<LossStep> steps_of(const std::vector<NamedFactor>& factors, double efficiency) {
  const auto lost = [](double factor) { return factor > 0 ? std::max(0.0, -std::log(factor)) : 0; };
  double all = 0;
  for (const NamedFactor& one : factors) all += lost(one.factor.point);
  const double whole = std::max(all, lost(efficiency));
  std::vector<LossStep> steps;
  for (const NamedFactor& one : factors) {
    if (!is_step(one) || !(whole > 0)) continue;
    LossStep step{one.name, lost(one.factor.point) / whole};
    if (is_bounded(one.factor)) {
      step.least = std::min(1.0, lost(one.factor.high) / whole);
      step.most = std::min(1.0, lost(one.factor.low) / whole);
    }
    step.factor = factor_words(one.factor);
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Against the base.
Estimate over(const Estimate& here, const Estimate& base) {
  return scaled(here, base.point > 0 ? 1 / base.point : 1);
}

std::vector<NamedFactor> pop_factors(const Diagnosis& diagnosis, int workers) {
  const std::vector<FactorPoint>& all = diagnosis.factors;
  const auto here = std::find_if(
      all.begin(), all.end(), [&](const FactorPoint& point) { return point.workers == workers; });
  if (here == all.end() || here == all.begin()) return {};
  const FactorPoint& base = all.front();
  std::vector<NamedFactor> factors = {
      {plain_cause(CauseKind::kLoadImbalance), over(here->load_balance, base.load_balance)}};
  if (here->transfer && here->serialization && base.transfer && base.serialization) {
    factors.push_back({"transfer", over(*here->transfer, *base.transfer)});
    factors.push_back({"waiting", over(*here->serialization, *base.serialization)});
  } else {
    factors.push_back(
        {plain_cause(CauseKind::kCommunication), over(here->communication, base.communication)});
  }
  if (here->computation) {
    factors.push_back(
        {plain_cause(CauseKind::kComputationScaling), *here->computation, kBusyCores});
  }
  return factors;
}

std::vector<NamedFactor> processor_factors(const Diagnosis& diagnosis, int workers) {
  if (!diagnosis.cpu || !diagnosis.cpu->not_usable.empty()) return {};
  const std::vector<CpuPoint>& all = diagnosis.cpu->points;
  const auto here = std::find_if(all.begin(), all.end(),
                                 [&](const CpuPoint& point) { return point.workers == workers; });
  if (here == all.end() || here == all.begin()) return {};
  return {{plain_cause(CauseKind::kCpuWait), here->got, kCountedStep},
          {plain_cause(CauseKind::kIdle), here->wanted, kCountedStep},
          {plain_cause(CauseKind::kCpuGrowth), here->growth, kCountedStep}};
}

/// What each phase takes beyond its ideal, of all that is lost. Times add up; no factors are known.
std::vector<LossStep> phase_steps(const Subject& subject, int workers, double efficiency) {
  const bool weak = subject.analysis.table.regime == Regime::kWeak;
  std::vector<LossStep> steps;
  double all = 0;
  for (const PhaseScaling& phase : subject.analysis.phases.phases) {
    if (phase.calls) continue;
    for (const PhasePoint& at : phase.points) {
      if (at.workers != workers || !(at.time.point > 0)) continue;
      const PhasePoint& base = phase.points.front();
      const double growth = weak ? 1 : static_cast<double>(base.workers) / workers;
      const double beyond = at.share * std::max(0.0, 1 - base.time.point * growth / at.time.point);
      if (beyond > 0) steps.push_back({phase.name, beyond});
      all += beyond;
    }
  }
  const double whole = std::max(all, 1 - efficiency);
  for (LossStep& step : steps) step.share = whole > 0 ? step.share / whole : 0;
  return steps;
}

/// As the answer names them.
std::vector<LossStep> diagnosed_steps(const Diagnosis& diagnosis) {
  std::vector<LossStep> steps;
  for (const Cause& cause : diagnosis.causes) {
    if (is_guess(cause) || cause.kind == CauseKind::kNone) continue;
    LossStep step{plain_cause(cause.kind), std::clamp(cause.share.point, 0.0, 1.0)};
    if (is_bounded(cause.share)) {
      step.least = std::clamp(cause.share.low, 0.0, 1.0);
      step.most = std::clamp(cause.share.high, 0.0, 1.0);
    }
    step.factor = factor_words(cause.factor);
    steps.push_back(std::move(step));
  }
  return steps;
}

/// By the best evidence at that K, which is what the diagnosis rests on.
std::vector<LossStep> steps_at(const Subject& subject, int workers, double efficiency) {
  const Diagnosis& diagnosis = subject.analysis.diagnosis;
  if (diagnosis.causes.empty() || subject.analysis.verdict.reading_in_question) return {};
  if (workers == diagnosis.workers) return diagnosed_steps(diagnosis);
  switch (diagnosis.causes.front().confidence) {
    case Confidence::kMeasured:
    case Confidence::kReported: {
      const std::vector<NamedFactor> factors = pop_factors(diagnosis, workers);
      return factors.empty() ? phase_steps(subject, workers, efficiency)
                             : steps_of(factors, efficiency);
    }
    case Confidence::kCounted:
      return steps_of(processor_factors(diagnosis, workers), efficiency);
    case Confidence::kShape:
      break;
  }
  return {};
}

/// Shares of more than the whole are cut to it; the rest is unexplained.
void close(std::vector<LossStep>& steps) {
  constexpr double kUnseen = 0.005;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const LossStep& a, const LossStep& b) { return a.share > b.share; });
  double left = 1;
  for (LossStep& step : steps) {
    step.share = std::min(step.share, left);
    left -= step.share;
  }
  std::erase_if(steps, [](const LossStep& step) { return step.share < kUnseen; });
  if (left >= kUnseen) steps.push_back({"unexplained", left});
}

std::optional<Fall> fall_at(const Subject& subject, int workers) {
  const ScalingPoint* point = point_at(subject.analysis.table, Role::kParallel, workers);
  if (point == nullptr || !point->efficiency) return std::nullopt;
  Fall fall{workers, *point->efficiency, steps_at(subject, workers, point->efficiency->point)};
  if (fall.steps.empty() || !(fall.efficiency.point < 1)) return std::nullopt;
  close(fall.steps);
  return fall;
}

std::vector<Fall> falls_of(const Subject& subject) {
  std::vector<Fall> falls;
  for (const ScalingPoint& point : subject.analysis.table.points) {
    if (point.role != Role::kParallel) continue;
    if (std::optional<Fall> fall = fall_at(subject, point.workers)) {
      falls.push_back(std::move(*fall));
    }
  }
  return falls;
}

/// One colour for one name at every K; those of the largest K come first, as on the bar of the
/// loss.
int color_of(const std::vector<Fall>& falls, const std::string& name) {
  constexpr int kColors = 7;
  std::vector<std::string> names;
  for (auto fall = falls.rbegin(); fall != falls.rend(); ++fall) {
    for (const LossStep& step : fall->steps) {
      if (std::find(names.begin(), names.end(), step.name) == names.end()) {
        names.push_back(step.name);
      }
    }
  }
  std::erase(names, "unexplained");
  const auto place = std::find(names.begin(), names.end(), name) - names.begin();
  return 1 + static_cast<int>(place) % kColors;
}

std::string step_tip(const Fall& fall, const LossStep& step, double height) {
  TipLines tip(fmt::format("K = {}, {}", fall.workers, step.name));
  tip.add("takes", percent(height, 1));
  std::string share = percent(step.share, 0);
  if (step.least < step.most) {
    share += fmt::format(" ({} to {})", percent(step.least, 0), percent(step.most, 0));
  }
  tip.add("of the loss", share);
  if (!step.factor.empty()) tip.add("factor of E", step.factor);
  return tip.take();
}

ChartSeries bar_series(std::string name, ChartSpan span, int color) {
  ChartSeries series;
  series.name = std::move(name);
  series.color = color;
  if (color < 0) series.role = SeriesRole::kBound;  // grey: nothing is known of it
  series.stack.push_back(std::move(span));
  return series;
}

void add_steps(const Fall& fall, const std::vector<Fall>& falls, Chart& chart) {
  const double loss = 1 - fall.efficiency.point;
  double level = 1, place = 0;
  for (const LossStep& step : fall.steps) {
    const double height = step.share * loss;
    ChartSpan span{.x = place++, .low = level - height, .high = level};
    span.tip = step_tip(fall, step, height);
    constexpr double kSmall = 0.01;
    span.label = fmt::format("-{}", percent(height, height < kSmall ? 1 : 0));
    const bool known = step.name != "unexplained";
    chart.series.push_back(
        bar_series(step.name, std::move(span), known ? color_of(falls, step.name) : -1));
    chart.x.names.push_back(step.name);
    level -= height;
  }
  ChartSpan end{.x = place, .low = 0, .high = fall.efficiency.point};
  if (is_bounded(fall.efficiency)) {
    end.least = std::clamp(fall.efficiency.low, 0.0, 1.0);
    end.most = std::clamp(fall.efficiency.high, 0.0, 1.0);
  }
  end.tip = TipLines(fmt::format("K = {}", fall.workers))
                .add("E", efficiency_words(fall.efficiency))
                .take();
  end.label = percent(fall.efficiency.point, 0);
  chart.series.push_back(bar_series("efficiency", std::move(end), 0));
  chart.x.names.push_back(fmt::format("E({})", fall.workers));
}

std::string fall_summary(const Fall& fall) {
  std::string text =
      fmt::format("At K = {} efficiency is {}", fall.workers, percent(fall.efficiency.point, 0));
  std::string parts;
  for (const LossStep& step : fall.steps) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", step.name, percent(step.share, 0));
  }
  return text + fmt::format("; of the loss: {}.", parts);
}

Chart chart_of_fall(const Subject& subject, const Fall& fall, const std::vector<Fall>& falls) {
  Chart chart;
  chart.kind = "waterfall";
  chart.title = fmt::format("Where the efficiency goes at K = {}", fall.workers);
  add_steps(fall, falls, chart);
  chart.x.low = -0.5;
  chart.x.high = static_cast<double>(chart.x.names.size()) - 0.5;
  chart.y.label = "efficiency";
  chart.y.low = 0;
  chart.y.high = 1;
  chart.at_workers = fall.workers;
  chart.summary = fall_summary(fall);
  chart.caption = caption_of({&subject, 1}, chart,
                             "Causes multiply: each takes its share of -log E, drawn as that "
                             "share of 1 - E.");
  return chart;
}

Error no_shares(const Subject& subject) {
  const bool guess = !subject.analysis.diagnosis.causes.empty() &&
                     subject.analysis.diagnosis.causes.front().confidence == Confidence::kShape;
  return {.where = subject.name,
          .message = guess ? "causes are guesses from T(K), and have no shares to draw"
                           : "no cause of a loss is known at any K",
          .hint = "measure per-worker times: kstar measure --time marks, or --inside"};
}

/// At the K that the diagnosis is about, where it has shares there.
Result<Chart> waterfall_chart(std::span<const Subject> subjects) {
  if (subjects.size() > 1) {
    return fail({.where = subjects[0].name, .message = "a waterfall shows one study", .hint = {}});
  }
  const std::vector<Fall> falls = falls_of(subjects[0]);
  if (falls.empty()) return fail(no_shares(subjects[0]));
  const int workers = subjects[0].analysis.diagnosis.workers;
  const auto found = std::find_if(falls.begin(), falls.end(),
                                  [&](const Fall& fall) { return fall.workers == workers; });
  return chart_of_fall(subjects[0], found != falls.end() ? *found : falls.back(), falls);
}

}  // namespace

const ChartKind kWaterfallChart = {
    .name = "waterfall",
    .help = "from 100% to E(K) by cause, at one K",
    .needs = "one study with per-worker times, POP factors or processor time",
    .make = waterfall_chart};

}  // namespace kstar::view

namespace kstar {

std::vector<Chart> waterfalls_of(const Subject& subject) {
  const std::vector<view::Fall> falls = view::falls_of(subject);
  std::vector<Chart> charts;
  for (const view::Fall& fall : falls) charts.push_back(view::chart_of_fall(subject, fall, falls));
  return charts;
}

Result<Chart> waterfall_at(const Subject& subject, int workers) {
  const std::vector<view::Fall> falls = view::falls_of(subject);
  if (falls.empty()) return fail(view::no_shares(subject));
  std::string known;
  for (const view::Fall& fall : falls) {
    if (fall.workers == workers) return view::chart_of_fall(subject, fall, falls);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", fall.workers);
  }
  return fail(expected("--at", fmt::format("a K with a loss and its causes: {}", known),
                       fmt::format("{}", workers)));
}

}  // namespace kstar
