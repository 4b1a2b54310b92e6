#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/csv/name_table.h"
#include "import/importer.h"
#include "import/samples.h"
#include "kstar/limits.h"

// Performance logs of ReFrame, fields between bars. From version 4 on a first line names them:
//   result|job_completion_time|descr|...|num_tasks|...|run_time_value|run_time_unit|...
// Earlier ones name them in each line, K among them or among the tags at its end:
//   2019-10-23T13:46:27|reframe 2.20|Test on sys:part using
//   env|jobid=8|num_tasks=4|perf=1.5|ref=..|s
//   2020-09-30T16:28:34|reframe 3.2|Test on sys:part using
//   env|jobid=8|total_time=3.5|s|ref=..|Al3x3,num_nodes=2,num_procs=112
namespace kstar {

namespace {

using Fields = std::vector<std::string_view>;

class ReframeImport {
 public:
  ReframeImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(options), study_(start_study(input.name)) {}

  Result<Study> read() {
    std::string_view rest = input_.text;
    while (!rest.empty()) {
      const std::string_view line = next_line(rest);
      if (line.empty()) continue;
      KSTAR_CHECK(take_line(line));
      if (samples_.size() > kMostRuns) {
        return fail(error_at(input_, line.data(), "there are too many values"));
      }
    }
    KSTAR_CHECK(take_series(input_, std::move(samples_), options_.select, study_));
    return finish();
  }

 private:
  Result<void> take_line(std::string_view line) {
    const Fields fields = split(line, '|');
    const bool is_header = std::find(fields.begin(), fields.end(), "num_tasks") != fields.end() &&
                           std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
                             return field.ends_with("_value");
                           });
    if (is_header) {  // a log that was appended to may have several
      names_ = fields;
      return {};
    }
    return names_.empty() ? take_older(fields) : take_named(fields);
  }

  Result<int> workers_of(std::string_view text) const {
    const auto workers = parse_integer(trim(text));
    if (workers && *workers >= 1 && *workers <= kMostWorkers) return static_cast<int>(*workers);
    if (options_.workers) return *options_.workers;
    return fail(expected_at(input_, text, "a number of tasks from 1",
                            "use --k N if the log does not have it"));
  }

  Result<void> take_named(const Fields& fields) {
    // The last bar of a line ends it.
    if (fields.size() < names_.size() || fields.size() > names_.size() + 1) {
      return fail(error_at(input_, fields[0].data(),
                           fmt::format("expected {} fields as in the header, got {}", names_.size(),
                                       fields.size())));
    }
    const auto field = [&](std::string_view name) -> std::string_view {
      const auto place = std::find(names_.begin(), names_.end(), name);
      if (place == names_.end()) return {};
      return trim(fields[static_cast<std::size_t>(place - names_.begin())]);
    };
    KSTAR_TRY(
        const auto workers,
        workers_of(field(options_.worker_column.empty() ? "num_tasks" : options_.worker_column)));
    Labels labels;
    const bool parameters = add_parameters(
        field("display_name").empty() ? field("info") : field("display_name"), workers, labels);
    for (const std::string_view name :
         {"name", "display_name", "info", "descr", "system", "partition", "environ"}) {
      // Behind the parameters of a test stands a hash of its own.
      if (parameters && (name == "display_name" || name == "info" || name == "name")) continue;
      if (!field(name).empty()) labels.emplace_back(name, field(name));
    }
    const std::string_view result = field("result");
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].ends_with("_value")) continue;
      const std::string variable(names_[i].substr(0, names_[i].size() - 6));
      const std::string_view value = trim(fields[i]);
      if (value.empty() || value == "null" || value == "None") continue;
      if (is_no_speed(field(variable + "_unit"))) continue;
      KSTAR_TRY(auto run, run_of(workers, value, field(variable + "_unit"), variable));
      if (!result.empty() && result != "pass") {
        run.failure = fmt::format("result: {}", shorten(printable(result), 100));
      }
      add(labels, variable, std::move(run));
    }
    return {};
  }

  /// "Test %tasks=2 %size=8 /1a2b": a label each, but for the one that is K.
  static bool add_parameters(std::string_view name, int workers, Labels& labels) {
    const std::size_t first = name.find('%');
    if (first == std::string_view::npos) return false;
    labels.emplace_back("test", std::string(trim(name.substr(0, first))));
    for (const std::string_view piece : split(name.substr(first + 1), '%')) {
      const std::string_view bare = trim(piece.substr(0, piece.find(" /")));
      const std::size_t equals = bare.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view value = trim(bare.substr(equals + 1));
      const std::string_view key = trim(bare.substr(0, equals));
      const bool counts = column_named(key).kind == ColumnKind::kWorkers;
      if (counts && parse_integer(value) == workers) continue;
      labels.emplace_back(std::string(key), std::string(value));
    }
    return true;
  }

  Result<void> take_older(const Fields& fields) {
    std::string_view tasks, unit = trim(fields.back());
    Labels labels;
    std::vector<std::pair<std::string, std::string_view>> values;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::size_t equals = fields[i].find('=');
      if (equals == std::string_view::npos) {
        if (i == 2) labels.emplace_back("test", trim(fields[i]));
        continue;
      }
      const std::string_view name = trim(fields[i].substr(0, equals));
      const std::string_view value = fields[i].substr(equals + 1);
      if (name == "num_tasks" && parse_integer(trim(value))) tasks = value;
      if (name == "num_tasks" || name == "jobid" || name == "ref" || !parse_double(trim(value))) {
        continue;
      }
      values.emplace_back(name, trim(value));
      // Its unit stands behind it, or at the end of the line.
      const bool behind =
          i + 1 < fields.size() && fields[i + 1].find('=') == std::string_view::npos;
      if (behind) unit = trim(fields[i + 1]);
    }
    if (tasks.empty()) tasks = take_tags(fields.back(), labels);
    if (values.empty() || (tasks.empty() && !options_.workers)) {
      return fail(error_at(input_, fields[0].data(),
                           "expected num_tasks=N and a performance variable in a line of ReFrame"));
    }
    if (tasks.empty()) tasks = fields[0].substr(0, 0);
    KSTAR_TRY(const auto workers, workers_of(tasks));
    for (const auto& [name, value] : values) {
      if (is_no_speed(unit)) continue;
      KSTAR_TRY(auto run, run_of(workers, value, unit, name));
      add(labels, name, std::move(run));
    }
    return {};
  }

  /// "Al3x3,num_nodes=2,num_procs=112", in any order: K, and labels of the others.
  static std::string_view take_tags(std::string_view tags, Labels& labels) {
    std::string_view tasks;
    std::set<std::string> plain;
    for (const std::string_view tag : split(tags, ',')) {
      const std::size_t equals = tag.find('=');
      const std::string_view name = trim(tag.substr(0, equals));
      const ColumnName says = column_named(name);
      if (equals == std::string_view::npos) {
        plain.insert(std::string(name));
      } else if (says.kind == ColumnKind::kWorkers && says.rank == kRankOfRanks) {
        tasks = tag.substr(equals + 1);
      } else {
        labels.emplace_back(name, trim(tag.substr(equals + 1)));
      }
    }
    if (!plain.empty() && !tasks.empty()) {
      labels.emplace_back("tags", fmt::format("{}", fmt::join(plain, ",")));
    }
    return tasks;
  }

  /// Shares and amounts of memory.
  static bool is_no_speed(std::string_view unit) {
    return unit == "%" || unit == "B" || unit == "kB" || unit == "KB" || unit == "MB" ||
           unit == "GB" || unit == "KiB" || unit == "MiB" || unit == "GiB";
  }

  void add(Labels labels, const std::string& variable, Run run) {
    labels.emplace_back("variable", variable);
    samples_.push_back({std::move(labels), std::move(run)});
  }

  /// A unit of time, a unit with "/s", or a name that says one of them.
  Result<Run> run_of(int workers, std::string_view value, std::string_view unit,
                     const std::string& variable) {
    Run run;
    run.workers = workers;
    const auto number = parse_double(value);
    if (!number || *number < 0) return fail(expected_at(input_, value, "a value of 0 or more"));
    if (*number == 0) {
      run.failure = "its value is 0";
      return run;
    }
    const ColumnName says = column_named(variable);
    const ColumnName unit_says = column_named(fmt::format("value {}", unit));
    const auto seconds = seconds_in_unit(unit);
    const bool is_time = seconds || unit_says.kind == ColumnKind::kTime ||
                         (says.kind == ColumnKind::kTime && unit_says.kind != ColumnKind::kRate);
    if (is_time) {
      ++times_;
      run.wall = *number * (seconds                               ? *seconds
                            : unit_says.kind == ColumnKind::kTime ? unit_says.scale
                                                                  : 1);
    } else {
      run.wall = seconds_of_rate(*number, workers, is_weak(options_));
      rates_.push_back(variable);
    }
    if (!std::isfinite(*run.wall) || *run.wall <= 0) {
      return fail(expected_at(input_, value, "a value that can be converted to seconds"));
    }
    return run;
  }

  Result<Study> finish() {
    const bool rate = !rates_.empty() && is_chosen(rates_.front());
    if (rate) {
      say_work_of_rates(study_, is_weak(options_), Workload::kUnitOfRates);
      add_note(study_, Severity::kInfo, "rate", {}, {{"variable", printable(rates_.front())}});
    }
    const auto failures = std::count_if(study_.runs.begin(), study_.runs.end(), failed);
    if (failures > 0) {
      add_note(study_, Severity::kWarning, "run-failed", {},
               {{"not_passed", failures}, {"runs", study_.runs.size()}});
    }
    return std::move(study_);
  }

  bool is_chosen(const std::string& variable) const {
    const bool only = std::all_of(rates_.begin(), rates_.end(),
                                  [&](const std::string& rate) { return rate == variable; });
    return only && (times_ == 0 || options_.select.empty() ||
                    options_.select.find(variable) != std::string::npos);
  }

  Input input_;
  const ImportOptions& options_;
  Study study_;
  Fields names_;
  std::vector<Sample> samples_;
  std::vector<std::string> rates_;
  std::size_t times_ = 0;
};

bool sniff_reframe(std::string_view start) {
  const std::string_view line = start.substr(0, start.find('\n'));
  if (std::count(line.begin(), line.end(), '|') < 3) return false;
  return (line.find("num_tasks") != std::string_view::npos &&
          line.find("_value") != std::string_view::npos) ||
         line.find("|reframe ") != std::string_view::npos;
}

Result<Study> read_reframe(const Input& input, const ImportOptions& options) {
  return ReframeImport(input, options).read();
}

}  // namespace

const Importer& reframe_importer() {
  static const Importer kImporter = {
      {"reframe", "ReFrame performance logs: num_tasks is K, --select picks the variable"},
      &sniff_reframe,
      &read_whole<read_reframe>};
  return kImporter;
}

}  // namespace kstar
