#include "compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "kstar/noise_pool.h"
#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

double written(double time, const Digits& digits) {
  return digits.inverse ? 1 / time : time;
}

constexpr std::size_t kFewestPooled = 4;

/// A K that lost a run learns the correlation from the others.
bool can_be_pooled(const Times& times) {
  const auto often = std::count_if(
      times.begin(), times.end(), [](const auto& at) { return at.second.size() >= kFewestPooled; });
  return 2 * static_cast<std::size_t>(often) >= times.size();
}

Result<std::vector<Estimate>> pooled_means(const Times& times, double confidence, Scope scope) {
  std::vector<std::vector<double>> groups;
  for (const auto& [workers, samples] : times) groups.push_back(samples);
  KSTAR_TRY(const NoisePool pool, pool_noise(groups));
  std::vector<Estimate> means;
  for (const std::vector<double>& samples : groups) {
    KSTAR_TRY(const Estimate mean, estimate_pooled_mean(samples, pool, confidence, scope));
    means.push_back(mean);
  }
  return means;
}

Result<std::vector<Estimate>> pooled_ratios(const Times& before, const Times& after,
                                            double confidence, Scope before_scope,
                                            Scope after_scope) {
  KSTAR_TRY(const auto denominators, pooled_means(before, confidence, before_scope));
  KSTAR_TRY(const auto numerators, pooled_means(after, confidence, after_scope));
  std::vector<Estimate> ratios;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    KSTAR_TRY(const Estimate ratio, estimate_ratio(numerators[i], denominators[i], confidence));
    ratios.push_back(ratio);
  }
  return ratios;
}

Scope common_scope(Scope before, Scope after) {
  return before == after ? before : Scope::kOneSession;
}

void set_hidden(Side& side) {
  const Digits digits = digits_of(side.study, side.kind);
  for (const auto& [workers, samples] : side.times) {
    side.hidden[workers] = hidden_by_rounding(samples, digits);
  }
  const ScalingTable& table = side.analysis.table;
  std::vector<double> base;
  for (const Run& run : side.study.runs) {
    const bool own = run.role == Role::kBaseline || run.workers == table.base_workers;
    if (run.role == table.base_role && own && counts(run)) base.push_back(*steady_time(run));
  }
  side.hidden_of_base = hidden_by_rounding(base, digits);
}

}  // namespace

TimeKind time_kind(const Study& study) {
  // An efficiency says what a speedup says.
  if (is_relative(study.header.time)) return TimeKind::kSpeedup;
  if (study.header.time != TimeKind::kRun) return study.header.time;
  const bool steps = std::any_of(study.runs.begin(), study.runs.end(),
                                 [](const Run& run) { return counts(run) && !run.steps.empty(); });
  return steps ? TimeKind::kStep : TimeKind::kRun;
}

std::string_view words_of(TimeKind kind) {
  switch (kind) {
    case TimeKind::kRun:
      return "a whole run";
    case TimeKind::kStep:
      return "one step";
    case TimeKind::kRate:
      return "one unit of work (a rate)";
    case TimeKind::kSpeedup:
    case TimeKind::kEfficiency:
      return "a fraction of the base's own time (a speedup)";
  }
  return "";
}

Digits digits_of(const Study& study, TimeKind kind) {
  Digits digits;
  digits.inverse = kind == TimeKind::kRate || is_relative(kind);
  for (const Run& run : study.runs) {
    if (!counts(run) || !(*steady_time(run) > 0)) continue;
    digits.written.see(written(*steady_time(run), digits));
  }
  return digits;
}

Hidden hidden_by_rounding(std::span<const double> times, const Digits& digits) {
  const bool equal =
      std::all_of(times.begin(), times.end(), [&](double time) { return time == times.front(); });
  if (times.size() < 2 || !equal) return {};
  if (digits.written.significant() >= WrittenDigits::kMeant) return {};
  const double value = written(times.front(), digits);
  const double step = digits.written.step(value);
  return {.error = step / std::sqrt(12.0) / value,
          .degrees = static_cast<double>(times.size() - 1)};
}

Estimate with_hidden(const Estimate& ratio, std::span<const Hidden> parts) {
  const double error = ratio.standard_error / ratio.point;
  if (ratio.method == IntervalMethod::kNone || !std::isfinite(error)) return ratio;
  double variance = error * error;
  double doubt = variance * variance / std::max(ratio.degrees, 1.0);
  bool any = false;
  for (const Hidden& part : parts) {
    if (part.error <= 0) continue;
    any = true;
    const double own = part.error * part.error;
    variance += own;
    doubt += own * own / part.degrees;
  }
  if (!any) return ratio;
  Estimate wider = ratio;
  wider.degrees = variance * variance / doubt;
  wider.standard_error = std::sqrt(variance) * ratio.point;
  const double reach =
      std::exp(student_t_reach(ratio.confidence, wider.degrees) * std::sqrt(variance));
  wider.low = ratio.point / reach;
  wider.high = ratio.point * reach;
  return wider;
}

Times times_of(const Study& study) {
  Times times;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && counts(run)) times[run.workers].push_back(*steady_time(run));
  }
  return times;
}

std::set<int> common_workers(const Times& before, const Times& after) {
  std::set<int> workers;
  for (const auto& [k, samples] : before) {
    if (after.contains(k)) workers.insert(k);
  }
  return workers;
}

Study restricted(Study study, const std::set<int>& workers) {
  std::erase_if(study.runs, [&](const Run& run) {
    return run.role == Role::kParallel && !workers.contains(run.workers);
  });
  std::erase_if(study.header.workload, [&](const Workload& workload) {
    return workload.workers && !workers.contains(*workload.workers);
  });
  return study;
}

Result<std::vector<Estimate>> time_ratios(const Times& before, const Times& after,
                                          double confidence, Scope before_scope,
                                          Scope after_scope) {
  if (can_be_pooled(before) && can_be_pooled(after)) {
    return pooled_ratios(before, after, confidence, before_scope, after_scope);
  }
  const RatioOptions options{.method = IntervalMethod::kWelchLogEffective,
                             .confidence = confidence,
                             .scope = common_scope(before_scope, after_scope)};
  std::vector<Estimate> ratios;
  for (const auto& [workers, samples] : before) {
    KSTAR_TRY(const Estimate ratio, estimate_ratio(after.at(workers), samples, options));
    ratios.push_back(ratio);
  }
  return ratios;
}

Result<Side> side_of(Study study, const std::set<int>& workers, const CompareOptions& options) {
  Side side;
  side.study = restricted(std::move(study), workers);
  side.times = times_of(side.study);
  side.kind = time_kind(side.study);
  KSTAR_TRY(Analysis analysis, analyze(side.study, {.threshold = options.threshold,
                                                    .confidence = options.confidence,
                                                    .regime = options.regime,
                                                    .model = options.model,
                                                    .resamples = options.resamples,
                                                    .seed = options.seed}));
  side.analysis = std::move(analysis);
  set_hidden(side);
  return side;
}

const ScalingPoint& point_at(const Side& side, int workers) {
  return *kstar::point_at(side.analysis.table, Role::kParallel, workers);
}

bool same_seconds(const Side& before, const Side& after) {
  return before.kind == after.kind && !is_relative(before.kind);
}

bool same_base(const Side& before, const Side& after) {
  const ScalingTable &a = before.analysis.table, &b = after.analysis.table;
  const auto fixed_work = [](const ScalingTable& table) {
    return table.regime == Regime::kStrong || table.regime == Regime::kThroughput;
  };
  const bool same_formula = a.regime == b.regime || (fixed_work(a) && fixed_work(b));
  return same_formula && a.base_workers == b.base_workers && a.base_role == b.base_role;
}

Scope scope_of(const Side& side) {
  return side.analysis.table.points.front().time.scope;
}

std::set<int> workers_in(const Times& times) {
  std::set<int> workers;
  for (const auto& [k, samples] : times) workers.insert(k);
  return workers;
}

std::string list_text(const std::set<int>& workers) {
  std::string text;
  for (const int k : workers) text += fmt::format("{}{}", text.empty() ? "" : ", ", k);
  return text.empty() ? "none" : text;
}

}  // namespace kstar::comparing
