#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/importer.h"
#include "import/json_reader.h"
#include "import/samples.h"
#include "kstar/limits.h"

// The JSON of Google Benchmark. With ->Threads(K) every one of K threads makes its own iterations:
// K/t iterations a second, where t is the real time of one. Before 1.9.0 the library itself divided
// the time by the threads (its pull request 1836 ended that), and printed 1/X.
namespace kstar {

namespace {

struct Entry {
  const char* place = nullptr;
  std::string name, run_name, run_type, aggregate, unit = "ns", error;
  std::int64_t threads = 1;
  double real_time = 0;
  bool failed = false;
};

/// What the file says of the library.
struct Context {
  std::string version, build;
};

class GbenchReader {
 public:
  explicit GbenchReader(const Input& input) : input_(input), json_(input) {}

  Result<std::vector<Entry>> read(Context& context) {
    std::vector<Entry> entries;
    if (read_all(context, entries) && json_.finish()) return entries;
    return fail(json_.take_error());
  }

 private:
  /// Member by member: looking a key up in an object inside of another one, and then in that one,
  /// is more than the reader promises for broken text.
  bool read_all(Context& context, std::vector<Entry>& entries) {
    JsonObject root;
    bool found = false;
    if (!json_.start(input_.text, root)) return false;
    const bool whole = json_.each(root, [&](const JsonMember& member) {
      if (member.key == "context") return read_context(member.value, context);
      if (member.key != "benchmarks") return true;
      found = true;
      return read_entries(member.value, entries);
    });
    if (!whole) return false;
    return found ||
           json_.refuse(input_.text.data(), "expected the key \"benchmarks\", which is missing");
  }

  bool read_context(JsonValue value, Context& context) {
    JsonObject object;
    return json_.object(value, object) && json_.each(object, [&](const JsonMember& member) {
      if (member.key == "library_version") return json_.text(member.value, context.version);
      if (member.key == "library_build_type") return json_.text(member.value, context.build);
      return true;
    });
  }

  bool read_entries(JsonValue value, std::vector<Entry>& entries) {
    JsonArray list;
    return json_.array(value, list) && json_.each(list, [&](JsonValue entry) {
      return read_entry(entry, entries.emplace_back());
    });
  }

  bool text_member(const JsonObject& object, std::string_view key, std::string& out) {
    JsonValue value;
    bool found = false;
    if (!json_.optional_member(object, key, value, found)) return false;
    return !found || json_.text(value, out);
  }

  bool read_entry(JsonValue entry, Entry& out) {
    out.place = JsonReader::place(entry);
    JsonObject object;
    JsonValue value;
    bool found = false;
    if (!json_.object(entry, object) || !json_.member(object, "name", value) ||
        !json_.text(value, out.name) || !text_member(object, "run_name", out.run_name) ||
        !text_member(object, "run_type", out.run_type) ||
        !text_member(object, "aggregate_name", out.aggregate) ||
        !text_member(object, "time_unit", out.unit) ||
        !text_member(object, "error_message", out.error)) {
      return false;
    }
    if (!json_.optional_member(object, "error_occurred", value, found)) return false;
    if (found && value.get(out.failed)) return json_.expected(value, "true or false");
    if (!json_.optional_member(object, "threads", value, found)) return false;
    if (found && !json_.whole(value, 1, kMostWorkers, "a number of threads from 1", out.threads)) {
      return false;
    }
    if (out.failed) return true;
    if (!json_.optional_member(object, "real_time", value, found)) return false;
    return !found || json_.number(value, 0, "a time of 0 or more", out.real_time);
  }

  Input input_;
  JsonReader json_;
};

/// Whether times of several threads are those of one, as from 1.9.0 on.
bool is_per_thread(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  const auto parts = split(version, '.');
  const auto major = parse_integer(parts[0]);
  const auto minor = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  return major && minor && (*major > 1 || (*major == 1 && *minor >= 9));
}

/// A name without the parts that say K: "BM_x/64/real_time/threads:4" is "BM_x/64".
struct TakenApart {
  std::string name;
  std::optional<int> workers;  ///< of an argument with such a name: "BM_x/ranks:4"
};

TakenApart take_apart(std::string_view name, const std::string& worker_argument) {
  TakenApart result;
  for (const std::string_view part : split(name, '/')) {
    if (part == "real_time" || part == "process_time" || part.starts_with("threads:") ||
        part.starts_with("repeats:") || part.starts_with("iterations:") ||
        part.starts_with("min_time:")) {
      continue;
    }
    const std::size_t colon = part.rfind(':');
    if (colon != std::string_view::npos && colon + 1 < part.size()) {
      const std::string_view argument = part.substr(0, colon);
      const bool named = worker_argument.empty()
                             ? column_named(argument).kind == ColumnKind::kWorkers
                             : argument == worker_argument;
      const auto number = parse_integer(part.substr(colon + 1));
      if (named && number && *number >= 1 && *number <= kMostWorkers) {
        result.workers = static_cast<int>(*number);
        continue;
      }
    }
    result.name += (result.name.empty() ? "" : "/") + std::string(part);
  }
  return result;
}

class GbenchImport {
 public:
  GbenchImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(options), study_(start_study(input.name)) {}

  Result<Study> read() {
    Context context;
    KSTAR_TRY(auto entries, GbenchReader(input_).read(context));
    by_threads_ = std::any_of(entries.begin(), entries.end(),
                              [](const Entry& entry) { return entry.threads > 1; });
    per_thread_ = is_per_thread(context.version);
    keep_runs_or_means(entries);
    std::vector<Sample> samples;
    for (const Entry& entry : entries) {
      KSTAR_CHECK(take(entry, samples));
    }
    KSTAR_CHECK(take_series(input_, std::move(samples), options_.select, study_));
    describe_build(context);
    describe(context.version);
    return std::move(study_);
  }

 private:
  /// Aggregates repeat what the runs say; where there are none, the mean is all there is.
  void keep_runs_or_means(std::vector<Entry>& entries) {
    const auto is_run = [](const Entry& entry) { return entry.run_type != "aggregate"; };
    const bool runs = std::any_of(entries.begin(), entries.end(), is_run);
    const std::size_t before = entries.size();
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) {
                                   return runs ? !is_run(entry) : entry.aggregate != "mean";
                                 }),
                  entries.end());
    if (!runs && !entries.empty()) {
      add_note(study_, Severity::kWarning, "summary", {},
               "the file has means of repetitions, not the repetitions: each counts as one run");
    } else if (before > entries.size()) {
      add_note(study_, Severity::kInfo, "skipped", {},
               fmt::format("{} aggregates of repetitions were skipped", before - entries.size()));
    }
  }

  Result<void> take(const Entry& entry, std::vector<Sample>& samples) {
    const TakenApart parts =
        take_apart(entry.run_name.empty() ? entry.name : entry.run_name, options_.worker_column);
    Run run;
    if (by_threads_) {
      run.workers = static_cast<int>(entry.threads);
    } else if (parts.workers || options_.workers) {
      run.workers = parts.workers ? *parts.workers : *options_.workers;
    } else {
      return fail(error_at(input_, entry.place, "the number of workers is not given",
                           "use ->Threads(K), or name the argument: ->ArgName(\"threads\")"));
    }
    const auto unit = seconds_in_unit(entry.unit);
    if (!unit) {
      return fail(error_at(input_, entry.place,
                           fmt::format("expected a time_unit, got '{}'", printable(entry.unit))));
    }
    if (entry.failed) {
      run.failure = entry.error.empty() ? "the benchmark failed" : shorten(entry.error, 200);
    } else {
      run.wall = seconds_of(entry.real_time * *unit, run.workers);
      if (!std::isfinite(*run.wall) || *run.wall <= 0) {
        return fail(error_at(input_, entry.place, "expected a real_time above 0"));
      }
    }
    samples.push_back({{{"name", parts.name}}, std::move(run)});
    return {};
  }

  double seconds_of(double real_time, int workers) const {
    if (!by_threads_) return real_time;
    const double rate = per_thread_ ? workers / real_time : 1 / real_time;
    return seconds_of_rate(rate, workers, is_weak(options_));
  }

  /// A library that was built for its own tests says how its program was built, as a rule.
  void describe_build(const Context& context) {
    auto& versions = study_.header.environment.versions;
    if (!context.version.empty()) versions["google-benchmark"] = context.version;
    if (context.build.empty()) return;
    versions["library_build_type"] = context.build;
    if (context.build != "debug") return;
    add_note(study_, Severity::kWarning, "debug-build", {},
             "library_build_type is debug: the benchmark library was built without optimisation, "
             "and so, usually, was the program");
  }

  void describe(const std::string& version) {
    if (!by_threads_) return;
    say_work_of_rates(study_, is_weak(options_), "iterations");
    add_note(
        study_, Severity::kInfo, "rate", {},
        fmt::format(
            "K threads iterate independently: T is the time of one iteration over all of them; "
            "real_time {} (library {})",
            per_thread_ ? "was divided by the threads" : "is already divided by the threads",
            version.empty() ? "before 1.9.0: it does not state its version" : printable(version)));
  }

  Input input_;
  const ImportOptions& options_;
  Study study_;
  bool by_threads_ = false;
  bool per_thread_ = false;
};

bool sniff_gbench(std::string_view start) {
  return trim(start).starts_with('{') && start.find("\"context\"") != std::string_view::npos &&
         (start.find("\"benchmarks\"") != std::string_view::npos ||
          start.find("\"library_build_type\"") != std::string_view::npos);
}

Result<Study> read_gbench(const Input& input, const ImportOptions& options) {
  return GbenchImport(input, options).read();
}

}  // namespace

const Importer& gbench_importer() {
  static const Importer kImporter = {
      {"gbench",
       "JSON of Google Benchmark: ->Threads(K), or an argument named like a worker count"},
      &sniff_gbench,
      &read_whole<read_gbench>};
  return kImporter;
}

}  // namespace kstar
