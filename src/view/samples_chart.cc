#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/chart_parts.h"
#include "kstar/stats.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// More marks than this are put together.
constexpr std::size_t kMostMarks = 3000;
constexpr std::size_t kBins = 250;

/// More K and kinds of runs than this have no colour each: dots have no other mark.
constexpr std::size_t kMostColors = 8;

enum Group : std::uint8_t { kCounted, kWarmUp, kFailed, kInside, kGroups };
constexpr std::array<const char*, kGroups> kGroupNames = {"counted", "warm-up", "failed",
                                                          "profiled: not in T(K)"};

using Key = std::pair<Role, int>;

Key key_of(const Run& run) {
  return {run.role, run.workers};
}

struct DrawnSample {
  double x = 0;  ///< its place, from 1 on
  double y = 0;  ///< over the median of its K
  std::size_t run = 0;
  std::size_t step = 0;
};

/// Neighbours in one.
struct SampleBin {
  double first = 0;  ///< place of the first and of the last
  double last = 0;
  std::size_t count = 0;
  double median = 0;
  DrawnSample lowest;
  DrawnSample highest;
};

/// The samples of one subject: its runs in order or, where no K was repeated, their steps.
struct DrawnRuns {
  std::string name;  ///< "" where it is alone
  int color = 0;
  std::vector<const Run*> runs;
  std::map<Key, double> medians;
  bool steps = false;
  std::array<std::vector<DrawnSample>, kGroups> groups;
  std::vector<DrawnSample> timeless;  ///< failed without a time
  double first = 1;  ///< place: runs that have numbers count from 0, as their numbers do
  double last = 1;

  /// Of K that were run once, every time is the median of its K.
  bool has_scatter() const {
    return std::any_of(groups.begin(), groups.end(), [](const std::vector<DrawnSample>& group) {
      return std::any_of(group.begin(), group.end(),
                         [](const DrawnSample& sample) { return sample.y != 1; });
    });
  }
};

/// As they were made: by their start where all of them know it, else as in the file.
std::vector<const Run*> ordered(const Study& study) {
  std::vector<const Run*> runs;
  bool timed = true;
  for (const Run& run : study.runs) {
    runs.push_back(&run);
    timed = timed && run.start;
  }
  if (timed) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Run* a, const Run* b) { return *a->start < *b->start; });
  }
  return runs;
}

Group group_of(const Run& run) {
  if (failed(run)) return kFailed;
  if (is_profiled(run)) return kInside;
  return run.warm_up ? kWarmUp : kCounted;
}

double median_or_nan(const std::map<Key, double>& medians, const Run& run) {
  const auto found = medians.find(key_of(run));
  return found == medians.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

void take_runs(DrawnRuns& samples) {
  if (!samples.runs.empty() && samples.runs[0]->order) samples.first = 0;
  for (std::size_t i = 0; i < samples.runs.size(); ++i) {
    const Run& run = *samples.runs[i];
    const double place = samples.last = samples.first + static_cast<double>(i);
    const std::optional<double> time = steady_time(run);
    const double y = time ? *time / median_or_nan(samples.medians, run)
                          : std::numeric_limits<double>::quiet_NaN();
    if (std::isfinite(y)) {
      samples.groups.at(group_of(run)).push_back({place, y, i, 0});
    } else if (failed(run)) {
      samples.timeless.push_back({place, y, i, 0});
    }
  }
}

/// The medians are those of steps, for the runs have none of their own.
void take_steps(DrawnRuns& samples) {
  for (std::size_t i = 0; i < samples.runs.size(); ++i) {
    const Run& run = *samples.runs[i];
    const auto warm = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
    if (run.steps.size() <= warm) continue;
    const Result<Summary> summary = summarize(std::span(run.steps).subspan(warm));
    for (std::size_t step = 0; summary && step < run.steps.size(); ++step) {
      const double y = run.steps[step] / summary->median;
      const Group group = step < warm && group_of(run) == kCounted ? kWarmUp : group_of(run);
      const double place = samples.last++;
      if (std::isfinite(y)) samples.groups.at(group).push_back({place, y, i, step + 1});
    }
  }
}

DrawnRuns samples_of(const Subject& subject) {
  DrawnRuns samples;
  samples.runs = ordered(subject.study);
  std::size_t most = 0;
  for (const ScalingPoint& point : subject.analysis.table.points) {
    samples.medians[{point.role, point.workers}] = point.times.median;
    most = std::max(most, point.times.n);
  }
  samples.steps = most < 2 && std::any_of(samples.runs.begin(), samples.runs.end(),
                                          [](const Run* run) { return run->steps.size() > 1; });
  samples.steps ? take_steps(samples) : take_runs(samples);
  return samples;
}

std::string sample_tip(const DrawnRuns& samples, const DrawnSample& sample) {
  const Run& run = *samples.runs[sample.run];
  // By its own number, where it has one: notes and tables name it so.
  std::string head = run.order ? fmt::format("{}run {}", owner(samples.name), *run.order)
                               : fmt::format("{}run {} of {}", owner(samples.name), sample.run + 1,
                                             samples.runs.size());
  if (sample.step > 0) head += fmt::format(", step {}", sample.step);
  TipLines tip(head + fmt::format(" at K = {}", run.workers));
  const std::optional<double> time =
      sample.step > 0 ? std::optional(run.steps[sample.step - 1]) : steady_time(run);
  if (time) tip.add("T", time_text(*time));
  if (std::isfinite(sample.y)) tip.add("over the median of its K", significant(sample.y, 4));
  if (run.role == Role::kBaseline) tip.note("the baseline program");
  if (failed(run)) return tip.note("failed: " + failure_text(run)).take();
  if (is_profiled(run)) return tip.note("profiled: not in T(K)").take();
  const bool warm = run.warm_up || (sample.step > 0 &&
                                    static_cast<int>(sample.step) <= run.warm_up_steps.value_or(0));
  return warm ? tip.note("warm-up: not in T(K)").take() : tip.take();
}

ChartMark mark_of(const DrawnRuns& samples, const DrawnSample& sample) {
  ChartMark mark{.x = sample.x, .y = sample.y};
  mark.tip = sample_tip(samples, sample);
  return mark;
}

ChartSeries dots(const DrawnRuns& samples, const std::string& name, int color) {
  ChartSeries series;
  series.name = samples.name.empty() ? name : samples.name + (name.empty() ? "" : ", " + name);
  series.color = color;
  series.small = true;
  return series;
}

std::string bin_text(const DrawnRuns& samples, const SampleBin& bin, const char* group) {
  return TipLines(fmt::format("{}{}", owner(samples.name),
                              count_text(bin.count, fmt::format("{} {}", group,
                                                                samples.steps ? "step" : "run"))))
      .add("position", fmt::format("{} to {}", bin.first, bin.last))
      .add("median", significant(bin.median, 4))
      .add("range",
           fmt::format("{} to {}", significant(bin.lowest.y, 4), significant(bin.highest.y, 4)))
      .note("over the median of its K")
      .take();
}

/// As many series as there are K, and kinds of runs that do not count.
std::size_t colors_wanted(const DrawnRuns& samples) {
  std::size_t wanted = samples.medians.size();
  if (!samples.timeless.empty()) ++wanted;
  for (const Group group : {kWarmUp, kFailed, kInside}) {
    if (!samples.groups.at(group).empty()) ++wanted;
  }
  return wanted;
}

/// One by one; where they are alone, a series a K.
void add_dots(const DrawnRuns& samples, Chart& chart) {
  if (!samples.name.empty() || colors_wanted(samples) > kMostColors) {
    ChartSeries series =
        dots(samples, samples.name.empty() ? kGroupNames[kCounted] : "", samples.color);
    for (const DrawnSample& sample : samples.groups[kCounted]) {
      series.marks.push_back(mark_of(samples, sample));
    }
    chart.series.push_back(std::move(series));
    return;
  }
  std::map<Key, ChartSeries> by_key;
  for (const DrawnSample& sample : samples.groups[kCounted]) {
    const Key key = key_of(*samples.runs[sample.run]);
    if (!by_key.contains(key)) {
      by_key[key] = dots(
          samples,
          key.first == Role::kBaseline ? "baseline program" : fmt::format("K = {}", key.second),
          -1);
    }
    by_key[key].marks.push_back(mark_of(samples, sample));
  }
  for (auto& [key, series] : by_key) chart.series.push_back(std::move(series));
}

/// At most `bins`, of equal width in x; those without samples are left out. The lowest and the
/// highest sample of all are those of some bin.
std::vector<SampleBin> binned(const std::vector<DrawnSample>& samples, std::size_t bins) {
  std::vector<SampleBin> all;
  if (samples.empty()) return all;
  const double start = samples.front().x;
  const double width = (samples.back().x - start + 1) / static_cast<double>(bins);
  std::vector<double> values;
  std::size_t at = 0;
  while (at < samples.size()) {
    const double bin = std::floor((samples[at].x - start) / width);
    SampleBin one;
    one.first = samples[at].x;
    one.lowest = one.highest = samples[at];
    values.clear();
    for (; at < samples.size() && std::floor((samples[at].x - start) / width) == bin; ++at) {
      const DrawnSample& sample = samples[at];
      values.push_back(sample.y);
      if (sample.y < one.lowest.y) one.lowest = sample;
      if (sample.y > one.highest.y) one.highest = sample;
      one.last = sample.x;
    }
    one.count = values.size();
    one.median = median_of(values);
    all.push_back(one);
  }
  return all;
}

/// Their medians, the band from the lowest to the highest, and those two as they are.
void add_bins(const DrawnRuns& samples, Chart& chart) {
  ChartSeries middle = dots(samples, "median and range", samples.color);
  ChartSeries ends = dots(samples, "lowest and highest", samples.color);
  for (const SampleBin& bin : binned(samples.groups[kCounted], kBins)) {
    const double x = (bin.first + bin.last) / 2;
    middle.line.push_back({x, bin.median});
    middle.band.push_back(
        {x, bin.lowest.y, bin.highest.y, bin_text(samples, bin, kGroupNames[kCounted])});
    ends.marks.push_back(mark_of(samples, bin.lowest));
    if (bin.count > 1) ends.marks.push_back(mark_of(samples, bin.highest));
  }
  chart.series.push_back(std::move(middle));
  chart.series.push_back(std::move(ends));
  chart.notes.push_back(fmt::format(
      "{}{} are grouped into at most {}: the band goes from the lowest to the highest, the line "
      "through the medians; the lowest and the highest of each are drawn.",
      owner(samples.name),
      count_text(samples.groups[kCounted].size(), samples.steps ? "step" : "run"), kBins));
}

void add_others(const DrawnRuns& samples, std::size_t most, Chart& chart) {
  for (const Group group : {kWarmUp, kFailed, kInside}) {
    const std::vector<DrawnSample>& all = samples.groups.at(group);
    if (all.empty()) continue;
    ChartSeries series = dots(samples, kGroupNames.at(group), -1);
    if (all.size() <= most) {
      for (const DrawnSample& sample : all) series.marks.push_back(mark_of(samples, sample));
    } else {
      for (const SampleBin& bin : binned(all, kBins)) {
        series.marks.push_back({(bin.first + bin.last) / 2, bin.median, bin.lowest.y, bin.highest.y,
                                bin_text(samples, bin, kGroupNames.at(group))});
      }
      chart.notes.push_back(fmt::format("{}{} {} are grouped: medians and ranges.",
                                        owner(samples.name), all.size(), kGroupNames.at(group)));
    }
    chart.series.push_back(std::move(series));
  }
}

/// Failed, with no time to place them by: at the lower border.
void add_timeless(const DrawnRuns& samples, std::size_t most, double y, Chart& chart) {
  if (samples.timeless.empty()) return;
  ChartSeries series = dots(samples, "failed without a time", -1);
  for (const DrawnSample& sample : samples.timeless) {
    if (series.marks.size() == most) break;
    series.marks.push_back(mark_of(samples, sample));
    series.marks.back().y = y;
  }
  if (series.marks.size() < samples.timeless.size()) {
    chart.notes.push_back(
        fmt::format("{}of {} runs that failed without a time, the first {} are "
                    "drawn.",
                    owner(samples.name), samples.timeless.size(), most));
  }
  chart.series.push_back(std::move(series));
}

void set_axes(const std::vector<DrawnRuns>& all, Chart& chart) {
  double first = 1, last = 1, low = 1, high = 1;
  bool steps = false;
  for (const DrawnRuns& samples : all) {
    first = std::min(first, samples.first);
    last = std::max(last, samples.last);
    steps = steps || samples.steps;
    for (const std::vector<DrawnSample>& group : samples.groups) {
      for (const DrawnSample& sample : group) {
        low = std::min(low, sample.y);
        high = std::max(high, sample.y);
      }
    }
  }
  chart.x = {.label = steps ? "step, in order of measurement" : "run, in order of measurement",
             .log = false,
             .whole = true,
             .low = first,
             .high = std::max(last, first + 1)};
  constexpr double kWide = 20;
  const bool log = low > 0 && high / low > kWide;
  const double room = 0.04 * (high - low) + 0.002;
  chart.y = {.label = steps ? "time / median of its run" : "time / median of its K",
             .log = log,
             .whole = false,
             .low = log ? low / 1.2 : std::max(0.0, low - room),
             .high = log ? high * 1.2 : high + room,
             .either = low > 0,
             .names = {}};
}

std::string samples_summary(const DrawnRuns& samples) {
  const std::vector<DrawnSample>& counted = samples.groups[kCounted];
  const DrawnSample* worst = nullptr;
  for (const DrawnSample& sample : counted) {
    if (worst == nullptr || sample.y > worst->y) worst = &sample;
  }
  std::string text = fmt::format("{}{} in order", owner(samples.name),
                                 count_text(counted.size(), samples.steps ? "step" : "run"));
  if (worst != nullptr)
    text += fmt::format("; the slowest: {}", one_line(sample_tip(samples, *worst)));
  const std::size_t lost = samples.groups[kFailed].size() + samples.timeless.size();
  if (lost > 0) text += fmt::format("; {} failed", lost);
  if (!samples.groups[kWarmUp].empty()) {
    const std::size_t warm = samples.groups[kWarmUp].size();
    text += fmt::format("; {} {} warm-up", warm, warm == 1 ? "is" : "are");
  }
  return text + ".";
}

Result<Chart> samples_chart(std::span<const Subject> subjects) {
  std::vector<DrawnRuns> all;
  for (const Subject& subject : subjects) {
    all.push_back(samples_of(subject));
    all.back().name = subjects.size() > 1 ? subject.name : "";
    all.back().color = static_cast<int>(all.size()) - 1;
  }
  const bool any = std::any_of(all.begin(), all.end(),
                               [](const DrawnRuns& samples) { return samples.has_scatter(); });
  if (!any) {
    return fail({.where = subjects[0].name,
                 .message = "no K was run more than once: there is no spread to show",
                 .hint = "repeat the runs with kstar measure"});
  }
  Chart chart;
  set_axes(all, chart);
  const std::size_t most = kMostMarks / all.size();
  for (const DrawnRuns& samples : all) {
    samples.groups[kCounted].size() > most ? add_bins(samples, chart) : add_dots(samples, chart);
    add_others(samples, most, chart);
    add_timeless(samples, most, chart.y.low, chart);
    chart.summary += (chart.summary.empty() ? "" : " ") + samples_summary(samples);
  }
  chart.series.push_back(
      straight("median", SeriesRole::kIdeal, {{chart.x.low, 1}, {chart.x.high, 1}}));
  chart.title =
      all[0].steps ? "Every step in order of measurement" : "Every run in order of measurement";
  chart.caption = caption_of(subjects, chart, "Each time is relative to the median of its K.");
  return chart;
}

}  // namespace

const ChartKind kSamplesChart = {.name = "samples",
                                 .help = "every run in order of measurement: drift and outliers",
                                 .needs = "K that were run more than once",
                                 .one_regime = false,
                                 .place_in_text = 3,
                                 .make = samples_chart};

}  // namespace kstar::view
