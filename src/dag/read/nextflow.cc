#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/source.h"

// trace.txt of Nextflow: a table with tabs, one line per task. It has the times, and not which task
// waited for which. `realtime` is what a task took, `duration` includes its waiting for a place.
namespace kstar::dag {

namespace {

/// "3m 19s", "110ms", "1h 2m"; a bare number is milliseconds. Nothing for "-".
std::optional<double> nextflow_duration(std::string_view text) {
  if (const std::optional<double> milliseconds = parse_double(text)) return *milliseconds / 1000;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  double seconds = 0;
  const std::vector<std::string_view> words = words_of(text);
  for (const std::string_view word : words) {
    const std::size_t end = std::min(word.find_first_not_of("0123456789."), word.size());
    const std::optional<double> value = parse_double(word.substr(0, end));
    const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& known) {
      return known.first == word.substr(end);
    });
    if (!value || unit == std::end(kUnits)) return std::nullopt;
    seconds += *value * unit->second;
  }
  return words.empty() ? std::nullopt : std::optional(seconds);
}

/// "2020-05-09 12:34:02.229" or milliseconds, as seconds; nothing for "-".
std::optional<double> nextflow_moment(std::string_view text) {
  if (const std::optional<double> milliseconds = parse_double(text)) return *milliseconds / 1000;
  constexpr std::size_t kWithSeconds = 19;
  if (text.size() < kWithSeconds) return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t count) {
    return parse_integer(text.substr(from, count));
  };
  const auto year = part(0, 4), month = part(5, 2), day = part(8, 2);
  const auto hour = part(11, 2), minute = part(14, 2);
  const std::optional<double> second = parse_double(text.substr(17));
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  namespace date = std::chrono;
  const date::year_month_day on(date::year(static_cast<int>(*year)),
                                date::month(static_cast<unsigned>(*month)),
                                date::day(static_cast<unsigned>(*day)));
  if (!on.ok()) return std::nullopt;
  const auto days = static_cast<double>(date::sys_days(on).time_since_epoch().count());
  return days * 86400 + static_cast<double>(*hour) * 3600 + static_cast<double>(*minute) * 60 +
         *second;
}

class NextflowReader {
 public:
  explicit NextflowReader(const Source& source) : source_(source) {}

  Result<TaskGraph> read() {
    std::string_view rest = source_.text;
    const std::vector<std::string_view> head = split(take_line(rest), '\t');
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto found = std::find(head.begin(), head.end(), kColumns[i]);
      column_[i] = found == head.end() ? kAbsent : static_cast<std::size_t>(found - head.begin());
    }
    if (column_[kRealtime] == kAbsent && column_[kDuration] == kAbsent) {
      return fail(error_at(source_, source_.text.data(),
                           "expected a column 'realtime' or 'duration'",
                           "run Nextflow with -with-trace"));
    }
    while (!rest.empty()) {
      const std::string_view line = take_line(rest);
      if (!trim(line).empty()) KSTAR_CHECK(read_row(line, head.size()));
    }
    return finish();
  }

 private:
  enum Column { kName, kProcess, kStatus, kSubmit, kStart, kComplete, kDuration, kRealtime, kCpu };
  static constexpr std::array<std::string_view, 9> kColumns = {
      "name", "process", "status", "submit", "start", "complete", "duration", "realtime", "%cpu"};
  static constexpr std::size_t kAbsent = std::string_view::npos;

  Result<void> read_row(std::string_view line, std::size_t columns) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() != columns) {
      return fail(error_at(source_, line.data(),
                           fmt::format("expected {} columns, got {}", columns, cells.size()),
                           "the file may be cut off"));
    }
    const auto cell = [&](Column column) {
      return column_[column] == kAbsent ? std::string_view() : trim(cells[column_[column]]);
    };
    const std::string_view status = cell(kStatus);
    if (!status.empty() && status != "COMPLETED" && status != "CACHED") {
      ++failed_;
      return {};
    }
    const std::optional<double> duration = nextflow_duration(cell(kDuration));
    const std::optional<double> time =
        cell(kRealtime).empty() ? duration : nextflow_duration(cell(kRealtime));
    if (!time) {
      ++untimed_;
      return {};
    }
    if (status == "CACHED") ++cached_;
    if (is_wide(cell(kCpu))) ++wide_;
    add(status == "CACHED", *time, duration, nextflow_moment(cell(kSubmit)),
        nextflow_moment(cell(kStart)), nextflow_moment(cell(kComplete)));
    const std::string_view name = cell(kName).empty() ? cell(kProcess) : cell(kName);
    graph_.names.emplace_back(name.empty() ? fmt::format("task {}", graph_.size()) : name);
    return {};
  }

  /// "566.0%": more than one core and a half.
  static bool is_wide(std::string_view share) {
    constexpr double kOneCore = 150;
    if (share.ends_with('%')) share.remove_suffix(1);
    return parse_double(share).value_or(0) > kOneCore;
  }

  void add(bool cached, double time, std::optional<double> duration, std::optional<double> submit,
           std::optional<double> start, std::optional<double> complete) {
    graph_.times.push_back(time);
    if (!complete && submit && duration) complete = *submit + *duration;
    if (complete) start = *complete - time;
    if (!complete && start) complete = *start + time;
    const bool known = !cached && start && complete;
    graph_.record.start.push_back(known ? *start : std::nan(""));
    graph_.record.end.push_back(known ? *complete : std::nan(""));
    if (!known) return;
    any_known_ = true;
    first_ = std::min(first_, submit ? std::min(*submit, *start) : *start);
    last_ = std::max(last_, *complete);
  }

  Result<TaskGraph> finish() {
    if (graph_.size() == 0) {
      return fail({.where = printable(source_.name),
                   .message = failed_ > 0 ? fmt::format("no task completed: {} failed", failed_)
                                          : "there is no task in it"});
    }
    if (any_known_) {
      for (double& start : graph_.record.start) start -= first_;
      for (double& end : graph_.record.end) end -= first_;
      graph_.record.makespan = last_ - first_;
    } else {
      graph_.record = {};
    }
    graph_.ordered = false;
    set_edges(graph_, {});
    if (cached_ > 0) {
      graph_.notes.push_back(
          fmt::format("CACHED, taken from an earlier run: {} of {} tasks", cached_, graph_.size()));
    }
    if (wide_ > 0) {
      graph_.wide = true;
      graph_.notes.push_back(fmt::format(
          "{} used several cores: K counts tasks at a time, not cores", count_text(wide_, "task")));
    }
    if (failed_ > 0) {
      graph_.notes.push_back(
          fmt::format("{} failed or aborted, left out", count_text(failed_, "task")));
    }
    if (untimed_ > 0) {
      graph_.notes.push_back(
          fmt::format("{} without a time, left out", count_text(untimed_, "task")));
    }
    return std::move(graph_);
  }

  const Source& source_;
  std::array<std::size_t, 9> column_{};
  TaskGraph graph_;
  std::size_t failed_ = 0, untimed_ = 0, cached_ = 0, wide_ = 0;
  bool any_known_ = false;
  double first_ = std::numeric_limits<double>::infinity();
  double last_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

Result<TaskGraph> read_nextflow(const Source& source, const GraphReadOptions&) {
  return NextflowReader(source).read();
}

}  // namespace kstar::dag
