#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/csv/name_workers.h"
#include "import/importer.h"
#include "import/json_reader.h"
#include "import/offers.h"
#include "import/samples.h"
#include "kstar/limits.h"

// The JSON of hyperfine --export-json, of a scan over a parameter (-P threads 1 8, -L threads 1,2):
//   {"results": [{"command": "...", "mean": s, "times": [s, ...], "exit_codes": [0, ...],
//                 "parameters": {"threads": "1"}}, ...]}
namespace kstar {

namespace {

struct HyperfineResult {
  const char* place = nullptr;
  std::string command;
  std::vector<double> times;
  std::vector<std::optional<int>> exit_codes;
  std::vector<double> memory;
  std::optional<double> mean;
  Labels parameters;
};

class HyperfineReader {
 public:
  explicit HyperfineReader(const Input& input) : input_(input), json_(input) {}

  Result<std::vector<HyperfineResult>> read() {
    std::vector<HyperfineResult> results;
    JsonObject root;
    JsonValue value;
    JsonArray list;
    const auto read_each = [&](JsonValue entry) {
      return read_result(entry, results.emplace_back());
    };
    if (json_.start(input_.text, root) && json_.member(root, "results", value) &&
        json_.array(value, list) && json_.each(list, read_each) && json_.finish()) {
      return results;
    }
    return fail(json_.take_error());
  }

 private:
  bool read_result(JsonValue entry, HyperfineResult& out) {
    constexpr std::string_view kTime = "a time of 0 or more";
    out.place = JsonReader::place(entry);
    JsonObject object;
    JsonValue value;
    bool found = false;
    if (!json_.object(entry, object)) return false;
    if (!json_.optional_member(object, "command", value, found)) return false;
    if (found && !json_.text(value, out.command)) return false;
    if (!json_.optional_member(object, "times", value, found)) return false;
    if (found && !json_.numbers(value, 0, kTime, out.times)) return false;
    if (!json_.optional_member(object, "mean", value, found)) return false;
    if (found && !json_.number(value, 0, kTime, out.mean.emplace())) return false;
    if (!json_.optional_member(object, "memory_usage_byte", value, found)) return false;
    if (found && !json_.numbers(value, 0, "bytes", out.memory)) return false;
    if (!json_.optional_member(object, "exit_codes", value, found)) return false;
    if (found && !read_exit_codes(value, out)) return false;
    if (!json_.optional_member(object, "parameters", value, found)) return false;
    return !found || read_parameters(value, out);
  }

  /// null where a signal ended it.
  bool read_exit_codes(JsonValue value, HyperfineResult& out) {
    JsonArray list;
    return json_.array(value, list) && json_.each(list, [&](JsonValue entry) {
      std::int64_t code = 0;
      bool null = false;
      if (const JsonFault fault = entry.get_null(null)) return json_.broken(fault);
      if (!null && entry.get(code)) return json_.expected(entry, "an exit status, or null");
      out.exit_codes.push_back(!null && code >= -255 && code <= 255
                                   ? std::optional(static_cast<int>(code))
                                   : std::nullopt);
      return true;
    });
  }

  bool read_parameters(JsonValue value, HyperfineResult& out) {
    JsonObject object;
    return json_.object(value, object) && json_.each(object, [&](const JsonMember& member) {
      std::string_view text;
      if (member.value.get(text)) text = trim(member.value.token());
      out.parameters.emplace_back(member.key, text);
      return true;
    });
  }

  Input input_;
  JsonReader json_;
};

class HyperfineImport {
 public:
  HyperfineImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(options), study_(start_study(input.name)) {}

  Result<Study> read() {
    const auto results = HyperfineReader(input_).read();
    if (!results) return fail(results.error());
    choose_parameter(*results);
    std::vector<Sample> samples;
    for (const HyperfineResult& result : *results) {
      KSTAR_CHECK(take(result, samples));
    }
    KSTAR_CHECK(take_series(input_, std::move(samples), options_.select, study_));
    study_.header.protocol.order = "all runs of one K, then those of the next";
    if (summaries_) {
      study_.header.source.summary = "mean";
      add_note(study_, Severity::kWarning, "summary");
    }
    return std::move(study_);
  }

 private:
  /// The parameter whose name names workers, else the only one there is.
  void choose_parameter(const std::vector<HyperfineResult>& results) {
    parameter_ = options_.worker_column;
    if (!parameter_.empty() || results.empty()) return;
    int best = 0;
    for (const auto& [name, value] : results[0].parameters) {
      const ColumnName says = column_named(name);
      if (says.kind != ColumnKind::kWorkers || (best != 0 && says.rank >= best)) continue;
      best = says.rank;
      parameter_ = name;
    }
  }

  Result<int> workers_of(const HyperfineResult& result) {
    for (const auto& [name, value] : result.parameters) {
      if (name != parameter_) continue;
      const auto number = parse_double(value);
      if (number && *number >= 1 && *number <= kMostWorkers && *number == std::floor(*number)) {
        return static_cast<int>(*number);
      }
      return fail(error_at(input_, result.place,
                           fmt::format("the parameter '{}' is used as K, but is '{}'",
                                       printable(name), shorten(printable(value), 60))));
    }
    if (options_.workers) return *options_.workers;
    Error error =
        error_at(input_, result.place, "no parameter of the scan is the number of workers",
                 "or scan over it: hyperfine -P threads 1 8 'prog -t {threads}'");
    std::vector<std::string> names;
    for (const auto& [name, value] : result.parameters) names.push_back(name);
    error.offers = k_columns(names);
    error.offers.push_back(offer("k", "N", "if all ran on N workers"));
    return fail(std::move(error));
  }

  /// The command with {K} where K stood, which is the same at every K.
  static std::string command_pattern(const std::string& command, int workers) {
    const std::string number = std::to_string(workers);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string pattern;
    for (std::size_t i = 0; i < command.size();) {
      const bool here =
          command.compare(i, number.size(), number) == 0 && (i == 0 || !is_digit(command[i - 1])) &&
          (i + number.size() >= command.size() || !is_digit(command[i + number.size()]));
      pattern += here ? "{K}" : std::string(1, command[i]);
      i += here ? number.size() : 1;
    }
    return pattern;
  }

  Result<void> take(const HyperfineResult& result, std::vector<Sample>& samples) {
    KSTAR_TRY(const auto workers, workers_of(result));
    Labels labels;
    for (const auto& parameter : result.parameters) {
      if (parameter.first != parameter_) labels.push_back(parameter);
    }
    labels.emplace_back("command", command_pattern(result.command, workers));
    std::vector<double> times = result.times;
    if (times.empty() && result.mean) {
      times.push_back(*result.mean);
      summaries_ = true;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      Run run;
      run.workers = workers;
      run.wall = times[i];
      if (times[i] <= 0) run.failure = "it took no time";
      if (i < result.exit_codes.size() && !summaries_) {
        run.exit_status = result.exit_codes[i];
        if (!run.exit_status) run.failure = "it was ended by a signal";
      }
      if (i < result.memory.size() && result.memory[i] < 9e18) {
        run.usage.peak_memory = static_cast<std::int64_t>(result.memory[i]);
      }
      samples.push_back({labels, std::move(run)});
    }
    return {};
  }

  Input input_;
  const ImportOptions& options_;
  Study study_;
  std::string parameter_;
  bool summaries_ = false;
};

bool sniff_hyperfine(std::string_view start) {
  return trim(start).starts_with('{') && start.find("\"results\"") != std::string_view::npos &&
         start.find("\"command\"") != std::string_view::npos;
}

Result<Study> read_hyperfine(const Input& input, const ImportOptions& options) {
  return HyperfineImport(input, options).read();
}

}  // namespace

const Importer& hyperfine_importer() {
  static const Importer kImporter = {
      {"hyperfine", "JSON of hyperfine: a scan over a parameter that counts workers"},
      &sniff_hyperfine,
      &read_whole<read_hyperfine>};
  return kImporter;
}

}  // namespace kstar
