#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_table.h"
#include "import/csv/name_workers.h"
#include "import/csv/runs.h"
#include "import/importer.h"
#include "import/json_tree.h"
#include "import/offers.h"
#include "import/registry.h"
#include "import/samples.h"

// JSON of benchmark tools and trainers, each as a table of its results.
namespace kstar {

namespace {

bool has_all(std::string_view start, std::initializer_list<std::string_view> marks) {
  return std::all_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return start.find(mark) != std::string_view::npos;
  });
}

TableMaker maker_of(const JsonTree& tree) {
  TableMaker rows(tree.input);
  rows.keep(tree.texts);
  return rows;
}

void add_scalars(const JsonNode* node, TableMaker::Fields& fields) {
  if (node == nullptr) return;
  for (const auto& [name, value] : node->members) {
    if (value.is_scalar() && !value.scalar.empty()) fields.emplace_back(name, value.scalar);
  }
}

Error no_results(const Input& input, std::string_view tool) {
  return refusal(input, fmt::format("the file of {} has no results with times", tool));
}

// pytest-benchmark: benchmarks[] with params, extra_info, and stats in seconds.

bool sniff_pytest(std::string_view start) {
  return has_all(start, {"\"machine_info\"", "\"commit_info\""});
}

Result<TextTable> pytest_table(const Input& input, const ImportOptions&) {
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  TableMaker rows = maker_of(tree);
  const JsonNode* const list = tree.root.find("benchmarks");
  for (std::size_t i = 0; list != nullptr && i < list->members.size(); ++i) {
    const JsonNode& one = list->members[i].second;
    TableMaker::Fields fields;
    if (const JsonNode* const name = one.find("name"); name != nullptr) {
      fields.emplace_back("benchmark", name->scalar.substr(0, name->scalar.find('[')));
    }
    add_scalars(one.find("params"), fields);
    add_scalars(one.find("extra_info"), fields);
    const JsonNode* const data = one.find_path("stats.data");
    const JsonNode* const mean = one.find_path("stats.mean");
    if (data != nullptr && !data->members.empty()) {
      for (const auto& [name, value] : data->members) {
        fields.emplace_back("time_s", value.scalar);
        rows.add(fields);
        fields.pop_back();
      }
    } else if (mean != nullptr) {
      fields.emplace_back("mean time_s", mean->scalar);
      rows.add(fields);
    }
  }
  if (rows.empty()) return fail(no_results(input, "pytest-benchmark"));
  return rows.table();
}

// JMH: the score is of each thread in the modes that measure time, and of all in thrpt.

bool sniff_jmh(std::string_view start) {
  return has_all(start, {"\"primaryMetric\"", "\"scoreUnit\"", "\"threads\""}) ||
         trim(start).starts_with("\"Benchmark\",\"Mode\",\"Threads\"");
}

/// The seconds of the unit before or behind "/op".
std::optional<double> jmh_unit(std::string_view unit, bool rate) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view name = rate ? unit.substr(slash + 1) : unit.substr(0, slash);
  if (name == "s") return 1;
  if (name == "ms") return 1e-3;
  if (name == "us") return 1e-6;
  if (name == "ns") return 1e-9;
  if (name == "min") return 60;
  return {};
}

/// One result of JMH: its labels, and how its scores are read.
struct JmhResult {
  JmhResult(std::string_view name, std::string_view mode, std::string_view unit,
            std::string_view threads)
      : fields{{"benchmark", name}, {"mode", mode}, {"threads", threads}},
        rate(mode == "thrpt"),
        seconds(jmh_unit(unit, rate)),
        count(parse_double(threads)) {}

  bool is_read() const { return seconds && count && *count >= 1; }
  void add(std::string_view score, TableMaker& rows) const {
    const auto value = parse_double(score);
    if (!value || !(*value > 0)) return;
    const double per_second = rate ? *value / *seconds : *count / (*value * *seconds);
    TableMaker::Fields all = fields;
    all.emplace_back("ops/s", rows.own(shortest(per_second)));
    rows.add(all);
  }

  TableMaker::Fields fields;
  bool rate;
  std::optional<double> seconds, count;
};

/// "Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit","Param: size"
Result<TextTable> jmh_csv_table(const Input& input) {
  KSTAR_TRY(const std::vector<TextTable> tables, tables_in(input, {}));
  const TextTable& table = tables.at(0);
  TableMaker rows(input);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view name) {
      const std::size_t column = column_index(table.names, name);
      return column == std::string::npos ? Cell() : table.at(row, column);
    };
    JmhResult result(cell("Benchmark"), cell("Mode"), cell("Unit"), cell("Threads"));
    if (!result.is_read()) continue;
    constexpr std::string_view kParameter = "Param: ";
    for (std::size_t i = 0; i < table.width(); ++i) {
      if (!table.names[i].starts_with(kParameter)) continue;
      result.fields.emplace_back(table.names[i].substr(kParameter.size()), table.at(row, i));
    }
    result.add(cell("Score"), rows);
  }
  if (rows.empty()) return fail(no_results(input, "JMH"));
  return rows.table();
}

Result<TextTable> jmh_table(const Input& input, const ImportOptions&) {
  if (!begins_json(input.text)) return jmh_csv_table(input);
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  TableMaker rows = maker_of(tree);
  for (const auto& [ignored, one] : tree.root.members) {
    const auto text = [&](std::string_view path) {
      const JsonNode* const found = one.find_path(path);
      return found != nullptr ? found->scalar : std::string_view();
    };
    JmhResult result(text("benchmark"), text("mode"), text("primaryMetric.scoreUnit"),
                     text("threads"));
    if (!result.is_read()) continue;
    add_scalars(one.find("params"), result.fields);
    const JsonNode* const raw = one.find_path("primaryMetric.rawData");
    bool any = false;
    for (std::size_t fork = 0; raw != nullptr && fork < raw->members.size(); ++fork) {
      for (const auto& [name, value] : raw->members[fork].second.members) {
        if (!value.is_scalar()) continue;
        result.add(value.scalar, rows);
        any = true;
      }
    }
    if (!any) result.add(text("primaryMetric.score"), rows);
  }
  if (rows.empty()) return fail(no_results(input, "JMH"));
  return rows.table();
}

// Criterion.rs: estimates.json or sample.json of one benchmark, whose K is in its path; times in
// nanoseconds. A sample is the time of several iterations.

bool sniff_criterion(std::string_view start) {
  return has_all(start, {"\"point_estimate\"", "\"confidence_interval\"", "\"median_abs_dev\""}) ||
         has_all(start, {"\"sampling_mode\"", "\"iters\"", "\"times\""});
}

/// Nanoseconds of one iteration: of every sample, or their mean.
std::vector<double> criterion_times(const JsonTree& tree) {
  std::vector<double> found;
  const JsonNode* const times = tree.root.find("times");
  const JsonNode* const iterations = tree.root.find("iters");
  if (times != nullptr && iterations != nullptr &&
      times->members.size() == iterations->members.size()) {
    for (std::size_t i = 0; i < times->members.size(); ++i) {
      const auto time = parse_double(times->members[i].second.scalar);
      const auto count = parse_double(iterations->members[i].second.scalar);
      if (time && count && *count > 0) found.push_back(*time / *count);
    }
  } else if (const JsonNode* const mean = tree.root.find_path("mean.point_estimate")) {
    if (const auto time = parse_double(mean->scalar)) found.push_back(*time);
  }
  return found;
}

/// Whether a group or a function is named after workers: threads, sort_by_threads.
bool is_named_after_workers(std::string_view part) {
  const Words words = words_of(part);
  return !words.empty() &&
         (means(words.back(), Sense::kWorkers) || column_named(part).kind == ColumnKind::kWorkers);
}

/// GROUP/FUNCTION/8/new/estimates.json, where one of the two is named after workers.
std::optional<int> workers_in_path(std::string_view path) {
  const auto parts = split(path, '/');
  for (std::size_t i = parts.size(); i-- > 1;) {
    const auto number = parse_integer(parts[i]);
    if (!number || *number < 1 || *number > 1'000'000) continue;
    const bool named =
        is_named_after_workers(parts[i - 1]) || (i > 1 && is_named_after_workers(parts[i - 2]));
    return named ? std::optional(static_cast<int>(*number)) : std::nullopt;
  }
  return {};
}

Result<Study> read_criterion(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  const std::vector<double> times = criterion_times(tree);
  const bool good = std::all_of(times.begin(), times.end(), [](double time) { return time > 0; });
  if (times.empty() || !good) return fail(no_results(input, "Criterion"));
  Study study = start_study(input.name);
  Run run;
  const auto in_path = workers_in_path(input.name);
  if (in_path && !options.workers && options.worker_regex.empty()) {
    run.workers = *in_path;
    add_note(study, Severity::kWarning, "guessed", printable(input.name), {{"workers", *in_path}});
  } else {
    KSTAR_TRY(run.workers, workers_of_file(input, options, study));
  }
  for (const double time : times) {
    run.wall = time * 1e-9;
    study.runs.push_back(run);
  }
  if (tree.root.find("times") != nullptr) return study;
  study.header.source.summary = "mean";
  add_note(study, Severity::kWarning, "summary", {}, {{"column", "mean"}, {"statistic", "mean"}});
  return study;
}

// Extra-P: parameters and measurements[region][metric][] of points and values; or, before version
// 4, callpaths, coordinates, measurements by their numbers.

bool sniff_extrap_json(std::string_view start) {
  return has_all(start, {"\"parameters\"", "\"measurements\"", "\"point\""}) ||
         has_all(start, {"\"callpaths\"", "\"coordinates\""});
}

/// K by its name, or the only one.
std::string worker_parameter(const std::vector<std::string>& names, const ImportOptions& options) {
  for (const std::string& name : names) {
    if (name == options.worker_column) return name;
  }
  if (!options.worker_column.empty()) return "";
  for (const std::string& name : names) {
    if (name == "p" || column_named(name).kind == ColumnKind::kWorkers) return name;
  }
  return names.size() == 1 ? names[0] : "";
}

/// One value of an experiment.
struct ExtrapValue {
  Labels labels;
  std::string_view workers, value, metric;
};

Result<void> add_extrap_values(const JsonTree& tree, const std::vector<std::string>& names,
                               const std::string& worker, std::vector<ExtrapValue>& values) {
  const JsonNode* const regions = tree.root.find("measurements");
  for (const auto& [region, metrics] : regions->members) {
    for (const auto& [metric, points] : metrics.members) {
      for (const auto& [ignored, one] : points.members) {
        const JsonNode* const point = one.find("point");
        const JsonNode* const list = one.find("values");
        if (point == nullptr || list == nullptr) continue;
        ExtrapValue value;
        value.metric = metric;
        value.labels = {{"region", region}, {"metric", metric}};
        for (std::size_t i = 0; i < names.size(); ++i) {
          const bool scalar = point->is_scalar() && i == 0;
          if (!scalar && i >= point->members.size()) continue;
          const std::string_view at = scalar ? point->scalar : point->members[i].second.scalar;
          if (names[i] == worker) {
            value.workers = at;
          } else {
            value.labels.emplace_back(names[i], std::string(at));
          }
        }
        for (const auto& [name, each] : list->members) {
          value.value = each.scalar;
          values.push_back(value);
        }
      }
    }
  }
  return {};
}

/// Names by their numbers.
std::string name_by_id(const JsonNode* list, std::string_view id) {
  for (std::size_t i = 0; list != nullptr && i < list->members.size(); ++i) {
    const JsonNode* const each = list->members[i].second.find("id");
    const JsonNode* const name = list->members[i].second.find("name");
    if (each != nullptr && name != nullptr && each->scalar == id) return std::string(name->scalar);
  }
  return std::string(id);
}

void add_old_values(const JsonTree& tree, const std::string& worker,
                    std::vector<ExtrapValue>& values) {
  const JsonNode* const measurements = tree.root.find("measurements");
  const JsonNode* const coordinates = tree.root.find("coordinates");
  for (std::size_t i = 0; measurements != nullptr && i < measurements->members.size(); ++i) {
    const JsonNode& one = measurements->members[i].second;
    const auto text = [&](std::string_view name) {
      const JsonNode* const found = one.find(name);
      return found != nullptr ? found->scalar : std::string_view();
    };
    ExtrapValue value;
    value.value = text("value");
    const std::string metric = name_by_id(tree.root.find("metrics"), text("metric_id"));
    value.metric = tree.texts->emplace_back(metric);
    value.labels = {{"region", name_by_id(tree.root.find("callpaths"), text("callpath_id"))},
                    {"metric", metric}};
    for (std::size_t j = 0; coordinates != nullptr && j < coordinates->members.size(); ++j) {
      const JsonNode& place = coordinates->members[j].second;
      const JsonNode* const id = place.find("id");
      const JsonNode* const pairs = place.find("parameter_value_pairs");
      if (id == nullptr || pairs == nullptr || id->scalar != text("coordinate_id")) continue;
      for (const auto& [ignored, pair] : pairs->members) {
        const JsonNode* const parameter = pair.find("parameter_id");
        const JsonNode* const at = pair.find("parameter_value");
        if (parameter == nullptr || at == nullptr) continue;
        const std::string name = name_by_id(tree.root.find("parameters"), parameter->scalar);
        if (name == worker) {
          value.workers = at->scalar;
        } else {
          value.labels.emplace_back(name, std::string(at->scalar));
        }
      }
    }
    values.push_back(std::move(value));
  }
}

Result<Study> read_extrap_json(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  std::vector<std::string> names;
  const JsonNode* const parameters = tree.root.find("parameters");
  for (std::size_t i = 0; parameters != nullptr && i < parameters->members.size(); ++i) {
    const JsonNode& one = parameters->members[i].second;
    const JsonNode* const name = one.find("name");
    names.emplace_back(one.is_scalar() ? one.scalar : name != nullptr ? name->scalar : "");
  }
  const std::string worker = worker_parameter(names, options);
  if (worker.empty()) {
    return fail(refusal(input, "no parameter name means a number of workers", k_columns(names)));
  }
  Study study = start_study(input.name);
  if (worker != "p" && column_named(worker).kind != ColumnKind::kWorkers &&
      options.worker_column.empty()) {
    add_note(study, Severity::kWarning, "guessed", {}, {{"parameter", printable(worker)}});
  }
  std::vector<ExtrapValue> values;
  if (tree.root.find("coordinates") != nullptr) {
    add_old_values(tree, worker, values);
  } else if (tree.root.find("measurements") != nullptr) {
    KSTAR_CHECK(add_extrap_values(tree, names, worker, values));
  }
  std::vector<Sample> samples;
  for (const ExtrapValue& one : values) {
    const auto workers = parse_double(one.workers), value = parse_double(one.value);
    if (!workers || *workers < 1 || *workers > 1e9 || *workers != static_cast<int>(*workers) ||
        !value || *value < 0) {
      return fail(expected(printable(input.name),
                           "a whole number of workers from 1, and a value of 0 "
                           "or more",
                           fmt::format("{}: {}", one.workers, one.value)));
    }
    const ColumnName says = column_named(one.metric);
    Run run;
    run.workers = static_cast<int>(*workers);
    if (*value == 0) {
      run.failure = "its value is 0";
    } else {
      run.wall = is_rate(says.kind)
                     ? seconds_of_rate(*value * says.scale, run.workers, is_weak(options))
                     : *value * (says.kind == ColumnKind::kTime ? says.scale : 1);
    }
    samples.push_back({one.labels, std::move(run)});
  }
  const bool rates =
      !values.empty() && std::all_of(values.begin(), values.end(), [](const auto& one) {
        return is_rate(column_named(one.metric).kind);
      });
  if (!values.empty() && !is_measured(column_named(values[0].metric).kind)) {
    add_note(study, Severity::kWarning, "guessed", {},
             {{"metric", shorten(printable(values[0].metric), 60)}});
  }
  KSTAR_CHECK(take_series(input, std::move(samples), options.select, study));
  if (rates) say_work_of_rates(study, is_weak(options), Workload::kUnitOfRates);
  return study;
}

// Hugging Face: the last entry of log_history in trainer_state.json sums the training up, as
// train_results.json does.

bool sniff_trainer(std::string_view start) {
  return has_all(start, {"\"log_history\""}) ||
         has_all(start, {"\"best_metric\"", "\"global_step\""}) ||
         has_all(start, {"\"train_samples_per_second\"", "\"total_flos\""});
}

Result<Study> read_trainer(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  const JsonNode* const history = tree.root.find("log_history");
  const JsonNode* rate = tree.root.find("train_samples_per_second");
  for (std::size_t i = 0; history != nullptr && i < history->members.size(); ++i) {
    if (const JsonNode* const found = history->members[i].second.find("train_samples_per_second")) {
      rate = found;
    }
  }
  const auto value = rate != nullptr ? parse_double(rate->scalar) : std::nullopt;
  if (!value || !(*value > 0)) {
    return fail(refusal(input, "there is no train_samples_per_second: the training did not end"));
  }
  Study study = start_study(input.name);
  Run run;
  KSTAR_TRY(run.workers, workers_of_file(input, options, study));
  run.wall = seconds_of_rate(*value, run.workers, is_weak(options));
  study.runs.push_back(std::move(run));
  say_work_of_rates(study, is_weak(options), "samples");
  add_note(study, Severity::kInfo, "rate", {}, {{"column", "train_samples_per_second"}});
  return study;
}

}  // namespace

const Importer& pytest_importer() {
  static const Importer kImporter = table_importer<pytest_table>(
      {"pytest", "JSON of pytest-benchmark: a parameter or extra_info that counts workers is K"},
      &sniff_pytest);
  return kImporter;
}

const Importer& jmh_importer() {
  static const Importer kImporter = table_importer<jmh_table>(
      {"jmh", "JSON or CSV of JMH: operations per second of all threads"}, &sniff_jmh);
  return kImporter;
}

const Importer& criterion_importer() {
  static const Importer kImporter = {
      {"criterion", "sample.json or estimates.json of Criterion.rs: K in its path (threads/8/new)"},
      &sniff_criterion,
      &read_whole<read_criterion>};
  return kImporter;
}

const Importer& extrap_json_importer() {
  static const Importer kImporter = {{"extrap-json", "the JSON formats of Extra-P"},
                                     &sniff_extrap_json,
                                     &read_whole<read_extrap_json>};
  return kImporter;
}

const Importer& trainer_importer() {
  static const Importer kImporter = {
      {"trainer",
       "trainer_state.json or train_results.json of Hugging Face: samples per second; --k sets K"},
      &sniff_trainer,
      &read_whole<read_trainer>};
  return kImporter;
}

}  // namespace kstar
