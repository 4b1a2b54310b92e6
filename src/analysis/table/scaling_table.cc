#include "kstar/scaling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/fit/few_runs.h"
#include "analysis/table/regime_found.h"
#include "analysis/table/samples.h"
#include "analysis/table/session_noise.h"
#include "base/try.h"
#include "kstar/noise_pool.h"
#include "kstar/stopping.h"

namespace kstar {

namespace {

/// Whether T(K) rests on runs that S and E do not.
bool left_out(const Estimate& ratio, const Samples& base, const Samples& at) {
  return ratio.method == IntervalMethod::kPairedEffective &&
         ratio.n < std::max(base.times.size(), at.times.size());
}

Note unpaired_note(const SampleKey& key, const Estimate& ratio) {
  return {.severity = Severity::kInfo,
          .what = "unpaired",
          .where = fmt::format("{} workers", key.second),
          .values = {{"blocks", ratio.n}}};
}

/// An interval between two of the runs has steps, and with few runs not the confidence asked for;
/// this one has it, from the standard error. One run is its own median, and has no interval.
void set_medians(SampleGroups& groups, double confidence, Scope scope) {
  for (auto& [key, samples] : groups) {
    if (samples.times.size() < 2) continue;
    Result<Estimate> median = estimate_median(samples.times, confidence, scope);
    if (!median) continue;
    median->degrees = static_cast<double>(samples.times.size()) - 1;
    Estimate unit = scaled(*median, 1 / median->point);
    unit.standard_error = 0;
    if (const auto time = estimate_ratio(*median, unit, confidence)) samples.known = *time;
  }
}

Note median_note() {
  return {.severity = Severity::kInfo, .what = "median", .where = "every K"};
}

/// S and E of a point from the ratio of times.
void set_speedup(ScalingPoint& point, const Estimate& times_ratio, const ScalingTable& table) {
  if (table.regime == Regime::kMixed) return;
  point.speedup = scaled(times_ratio, point.work);
  point.efficiency = scaled(times_ratio, point.work * table.base_workers / point.workers);
}

/// The work of each K over the base's.
void set_work(const std::map<int, double>& works, const ScalingTable& table, ScalingPoint& point) {
  if (table.regime != Regime::kWeak) return;
  point.work = static_cast<double>(point.workers) / table.base_workers;
  const auto own = works.find(point.workers), base = works.find(table.base_workers);
  if (own != works.end() && base != works.end()) point.work = own->second / base->second;
}

/// What only some runs know says nothing about all of them.
std::optional<double> mean_of_all(const std::vector<double>& values, const Samples& samples) {
  if (values.empty() || values.size() != samples.times.size()) return std::nullopt;
  const Result<Summary> summary = summarize(values);
  return summary ? std::optional(summary->mean) : std::nullopt;
}

/// The noise that all K share.
struct StudyNoise {
  NoisePool noise;
  bool judged = false;  ///< kstar itself ended the study
};

/// So that T carries the interval that measuring stopped at. Where somebody else said how many runs
/// there are, few of them tell too little of it: then each K speaks for itself.
std::optional<StudyNoise> pool_of(const Study& study, const SampleGroups& groups) {
  constexpr std::size_t kFewest = 10;
  const bool judged = study.header.source.kind == SourceKind::kMeasured &&
                      !study.header.protocol.stopping.empty() && !study.header.protocol.runs;
  const std::size_t fewest = judged ? StoppingRule{}.min_runs : kFewest;
  std::vector<std::vector<double>> times;
  for (const auto& [key, samples] : groups) {
    if (samples.times.empty()) continue;
    if (samples.times.size() < fewest) return std::nullopt;
    times.push_back(samples.times);
  }
  const Result<NoisePool> pool = pool_noise(times);
  return pool ? std::optional<StudyNoise>({*pool, judged}) : std::nullopt;
}

Result<ScalingPoint> point_of(const SampleKey& key, const Samples& samples,
                              const TableOptions& options, const std::optional<StudyNoise>& pool,
                              Scope scope) {
  ScalingPoint point;
  point.workers = key.second;
  point.role = key.first ? Role::kParallel : Role::kBaseline;
  if (samples.shapes.size() == 1) point.shape = samples.shapes[0];
  point.failed = samples.failed;
  point.warm_up = samples.warm_up;
  KSTAR_TRY(point.times, summarize(samples.times));
  KSTAR_TRY(point.time,
            samples.known ? *samples.known
            : pool && pool->judged
                ? estimate_judged_mean(samples.times, pool->noise, options.confidence, scope)
            : pool
                ? estimate_pooled_mean(samples.times, pool->noise, options.confidence, scope)
                : estimate_mean(samples.times, {.confidence = options.confidence, .scope = scope}));
  if (!samples.setups.empty()) point.setup = summarize(samples.setups)->mean;
  point.cpu_use = mean_of_all(samples.cpu_use, samples);
  point.peak_memory = mean_of_all(samples.peak_memory, samples);
  return point;
}

/// Throughput: what kstar measured is the time of a size or, of a step, of a batch. Times that
/// others made from rates are those of one unit.
void set_rate_work(const Study& study, ScalingTable& table) {
  if (table.regime != Regime::kThroughput || study.header.source.kind != SourceKind::kMeasured) {
    return;
  }
  const bool steps = std::any_of(study.runs.begin(), study.runs.end(),
                                 [](const Run& run) { return !run.steps.empty(); });
  std::set<double> works;
  for (const Workload& load : study.header.workload) {
    const std::optional<double> work = steps && load.batch ? load.batch
                                       : load.size         ? load.size
                                                           : load.batch;
    works.insert(work.value_or(0));
    table.rate_unit = load.unit;
  }
  if (works.size() == 1 && *works.begin() > 0) table.rate_work = *works.begin();
}

/// What the interval of T(K) over several sessions contains, where they evidently differ.
void note_sessions(const SessionNoise& sessions, ScalingTable& table) {
  if (!sessions.evident) return;
  table.notes.push_back({.severity = Severity::kInfo,
                         .what = "sessions-differ",
                         .where = "every K",
                         .values = {{"sessions", sessions.degrees + 1},
                                    {"deviation", std::sqrt(sessions.variance)}}});
}

NodeGrowth growth_between(const Shape& from, const Shape& to) {
  if (from.nodes == to.nodes) return NodeGrowth::kInsideNode;
  return from.on_a_node() == to.on_a_node() ? NodeGrowth::kMoreNodes : NodeGrowth::kBoth;
}

/// E(to) / E(from) needs no base: T(from) / T(to), and in proportion to K where the work is fixed.
void find_steps(const SampleGroups& groups, const RatioOptions& options, ScalingTable& table) {
  if (!table.regime || *table.regime == Regime::kMixed) return;
  const ScalingPoint* last = nullptr;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || !point.shape) continue;
    if (const ScalingPoint* from = std::exchange(last, &point)) {
      const Result<Estimate> times = ratio_of_times(groups.at({true, from->workers}),
                                                    groups.at({true, point.workers}), options);
      if (!times) continue;
      const double share = point.work / from->work * from->workers / point.workers;
      table.steps.push_back({.from = from->workers,
                             .to = point.workers,
                             .growth = growth_between(*from->shape, *point.shape),
                             .kept = scaled(*times, share)});
    }
  }
}

/// Runs of two shapes are two curves: a mean over both answers no question.
void note_mixed_shapes(const SampleKey& key, const Samples& samples, ScalingTable& table) {
  if (samples.shapes.size() < 2) return;
  std::vector<std::string> layouts;
  for (const Shape& shape : samples.shapes) layouts.push_back(shape_text(shape));
  table.notes.push_back({.severity = Severity::kWarning,
                         .what = "mixed-shapes",
                         .where = fmt::format("{} workers", key.second),
                         .values = {{"layouts", std::move(layouts)}}});
}

void find_verdicts(ScalingTable& table) {
  for (ScalingPoint& point : table.points) {
    if (!point.efficiency || point.role == Role::kBaseline) continue;
    point.good = point.efficiency->point >= table.threshold;
    point.clear = point.good ? point.efficiency->low >= table.threshold
                             : point.efficiency->high < table.threshold;
    if (!point.good && !table.first_bad) table.first_bad = point.workers;
    if (point.good && !table.first_bad) table.last_good = point.workers;
  }
}

/// The base is what the study says it is: its baseline program, or the smallest K it has. When that
/// one has no time that counts there is no speedup; another base would answer another question.
const Samples* base_of(const Study& study, const SampleGroups& groups, ScalingTable& table) {
  SampleKey key{true, groups.empty() ? 1 : groups.rbegin()->first.second};
  for (const auto& [other, samples] : groups) {
    if (other.first) key.second = std::min(key.second, other.second);
  }
  for (const Workload& workload : study.header.workload) {
    if (workload.workers) key.second = std::min(key.second, *workload.workers);
  }
  const bool own_program = study.header.baseline.kind == BaselineKind::kFastestSingle ||
                           (!groups.empty() && !groups.begin()->first.first);
  if (own_program) key = {false, 1};
  table.base_workers = key.second;
  table.base_role = own_program ? Role::kBaseline : Role::kParallel;
  const auto found = groups.find(key);
  const bool usable = found != groups.end() && !found->second.times.empty();
  return usable ? &found->second : nullptr;
}

/// e of the parallel program against its own single worker; the base's ratio where that is it.
void set_karp_flatt(const SampleGroups& groups, const Samples& samples, const RatioOptions& options,
                    Regime regime, ScalingPoint& point) {
  const bool fixed_work = regime == Regime::kStrong || regime == Regime::kThroughput;
  const auto own = groups.find({true, 1});
  if (!fixed_work || point.workers == 1 || own == groups.end() || own->second.times.empty()) return;
  const Result<Estimate> speedup = ratio_of_times(own->second, samples, options);
  if (!speedup) return;
  if (const Result<Estimate> fraction = karp_flatt(*speedup, point.workers)) {
    point.karp_flatt = *fraction;
  }
}

/// Everything about one K that is relative to another.
void set_relative(const SampleGroups& groups, const Samples* base, const SampleKey& key,
                  const RatioOptions& options, ScalingPoint& point, ScalingTable& table) {
  const Samples& samples = groups.at(key);
  if (key.first) set_karp_flatt(groups, samples, options, *table.regime, point);
  if (base == nullptr) return;
  const Result<Estimate> times = ratio_of_times(*base, samples, options);
  if (!times) return;
  set_speedup(point, *times, table);
  if (left_out(*times, *base, samples)) table.notes.push_back(unpaired_note(key, *times));
}

Note no_times_note(const SampleKey& key, const Samples& samples) {
  return {.severity = Severity::kWarning,
          .what = "no-times",
          .where = !key.first ? "baseline" : fmt::format("K = {}", key.second),
          .values = {{"runs", samples.failed + samples.warm_up}}};
}

/// Where all of them failed, the first says why.
Error no_times(const Study& study) {
  Error error{.where = study.name,
              .message = fmt::format("no run has a usable time ({} runs)", study.runs.size())};
  for (const Run& run : study.runs) {
    if (!failed(run)) continue;
    error.hint = fmt::format("the first failed at K = {}: {}", run.workers, failure_text(run));
    if (!run.output.empty()) error.hint += "; its output is in the study, key \"output\"";
    break;
  }
  return error;
}

}  // namespace

const ScalingPoint* point_at(const ScalingTable& table, Role role, int workers) {
  for (const ScalingPoint& point : table.points) {
    if (point.role == role && point.workers == workers) return &point;
  }
  return nullptr;
}

bool has_repeats(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.times.n > 1; });
}

std::size_t points_besides_base(const ScalingTable& table) {
  return static_cast<std::size_t>(
      std::count_if(table.points.begin(), table.points.end(), [&](const ScalingPoint& point) {
        return point.role != Role::kBaseline && point.workers != table.base_workers;
      }));
}

bool is_failing(const ScalingPoint& point) {
  return point.failed > 0 && point.failed >= point.times.n;
}

bool has_efficiency(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.efficiency.has_value(); });
}

Result<ScalingTable> scaling_table(const Study& study, const TableOptions& options) {
  SampleGroups groups = group_runs(study);
  const RatioOptions ratios{.confidence = options.confidence, .scope = scope_of(study)};
  if (options.statistic == Statistic::kMedian) {
    set_medians(groups, options.confidence, ratios.scope);
  } else {
    for (const auto& [key, time] :
         estimate_few_runs(study, groups, options.confidence, ratios.scope)) {
      groups[key].known = time;
    }
  }
  const std::optional<StudyNoise> pool = pool_of(study, groups);
  ScalingTable table;
  FoundRegime found = find_regime(study, options.regime);
  table.regime = found.regime;
  table.regime_source = found.source;
  table.problem_grows = found.problem_grows;
  table.notes = std::move(found.notes);
  if (options.statistic == Statistic::kMedian) table.notes.push_back(median_note());
  table.threshold = options.threshold;
  table.confidence = options.confidence;
  table.relative_times = is_relative(study.header.time);
  set_rate_work(study, table);
  const Samples* base = base_of(study, groups, table);
  const std::map<int, double> works = grown_work(study);
  const SessionNoise sessions = session_noise(study);
  note_sessions(sessions, table);
  for (const auto& [key, samples] : groups) {
    if (samples.times.empty()) {
      table.notes.push_back(no_times_note(key, samples));
      continue;
    }
    note_mixed_shapes(key, samples, table);
    KSTAR_TRY(ScalingPoint point, point_of(key, samples, options, pool, ratios.scope));
    point.time = over_sessions(point.time, sessions, key);
    set_work(works, table, point);
    set_relative(groups, base, key, ratios, point, table);
    table.points.push_back(std::move(point));
  }
  if (table.points.empty()) {
    return fail(no_times(study));
  }
  find_verdicts(table);
  find_steps(groups, ratios, table);
  return table;
}

}  // namespace kstar
