#include "view/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar::view {

namespace {

bool has_ends(const Estimate& estimate) {
  return std::isfinite(estimate.low) || std::isfinite(estimate.high);
}

std::string title_of(const Subject& subject) {
  const std::string& title = subject.study.header.title;
  if (title.empty()) return subject.name;
  return title;
}

/// "n1 (a processor, a GPU x 8)", "4 hosts (a processor)"; nothing where the study does not say.
std::string machine_of(const StudyHeader& header) {
  const std::vector<Host>& hosts = header.environment.hosts;
  if (hosts.empty()) return "";
  const std::string name = hosts.size() > 1 ? fmt::format("{} hosts", hosts.size()) : hosts[0].name;
  std::string what = hosts[0].cpu;
  if (!hosts[0].accelerators.empty()) {
    what += (what.empty() ? "" : ", ") + hosts[0].accelerators[0];
    if (hosts[0].accelerators.size() > 1) {
      what += fmt::format(" x {}", hosts[0].accelerators.size());
    }
  }
  if (name.empty() || what.empty()) return name + what;
  return fmt::format("{} ({})", name, what);
}

/// Of a time in seconds since 1970; nothing for what no calendar has.
std::string day_of(double start) {
  constexpr double kEnd = 253402300800;  // the year 10000
  if (!(start >= 0 && start < kEnd)) return "";
  const auto seconds = static_cast<std::time_t>(start);
  std::tm date{};
  if (gmtime_r(&seconds, &date) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

/// "2026-11-01", or from the first to the last day.
std::string days_of(const Study& study) {
  std::optional<double> first, last;
  for (const Run& run : study.runs) {
    if (!run.start) continue;
    first = std::min(first.value_or(*run.start), *run.start);
    last = std::max(last.value_or(*run.start), *run.start);
  }
  if (!first) return "";
  const std::string from = day_of(*first), to = day_of(*last);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string runs_of(const ScalingTable& table) {
  std::size_t runs = 0;
  for (const ScalingPoint& point : table.points) runs += point.times.n;
  return fmt::format("{} at {} K", count_text(runs, "run"), table.points.size());
}

std::string origin_of(const Subject& subject) {
  std::string text = title_of(subject);
  for (const std::string& part : {machine_of(subject.study.header), days_of(subject.study),
                                  runs_of(subject.analysis.table)}) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

bool has_intervals(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const ChartSeries& series) {
    return std::any_of(series.marks.begin(), series.marks.end(),
                       [](const ChartMark& mark) { return mark.low < mark.high; }) ||
           std::any_of(series.stack.begin(), series.stack.end(),
                       [](const ChartSpan& span) { return span.least < span.most; });
  });
}

}  // namespace

double mark_low(const Estimate& estimate) {
  return has_ends(estimate) ? estimate.low : std::numeric_limits<double>::quiet_NaN();
}

double mark_high(const Estimate& estimate) {
  return has_ends(estimate) ? estimate.high : std::numeric_limits<double>::quiet_NaN();
}

Estimate not_negative(Estimate seconds) {
  seconds.low = std::max(0.0, seconds.low);
  seconds.high = std::max(seconds.low, seconds.high);
  return seconds;
}

std::string without_workers(const std::vector<std::string>& names) {
  return fmt::format("No per-worker times: {}.", fmt::join(names, ", "));
}

std::string sentence(const std::string& name, std::string text) {
  return name.empty() ? capitalized(std::move(text)) : owner(name) + text;
}

std::string owner(const std::string& name) {
  return name.empty() ? "" : name + ", ";
}

std::string range_words(const Chart& chart) {
  std::string names;
  for (const ChartRule& rule : chart.rules) {
    if (!(rule.low < rule.high)) continue;
    names += (names.empty() ? "" : " and ") + (rule.name == "bend" ? "the bend" : rule.name);
  }
  if (names.empty()) return "";
  return fmt::format("Bars on the axis are the intervals of {}.", names);
}

std::string caption_of(std::span<const Subject> subjects, const Chart& chart,
                       const std::string& more) {
  std::string text;
  for (const Subject& subject : subjects) {
    const std::string name = subjects.size() > 1 ? subject.name + ": " : "";
    text += fmt::format("{}{}. ", name, origin_of(subject));
  }
  if (!more.empty()) text += more + " ";
  if (has_intervals(chart)) {
    text += percent(subjects[0].analysis.options.confidence, 0) + " intervals; ";
  }
  return text + fmt::format("kstar {}.", KSTAR_VERSION);
}

}  // namespace kstar::view
