#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/duration.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/name_workers.h"
#include "import/csv/number.h"
#include "import/csv/problem.h"
#include "import/importer.h"
#include "import/offers.h"
#include "import/samples.h"
#include "kstar/limits.h"

// Any text: one run, whose times or rates are what a pattern of the user's finds.
namespace kstar {

namespace {

constexpr std::size_t kMostSteps = 1'000'000;
constexpr std::size_t kShownEnd = 2000;

class LogImport {
 public:
  LogImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(with_preset(options)), is_rate_(!options_.rate_regex.empty()) {}

  Result<Study> read() {
    KSTAR_TRY(const auto unit, unit_of_times());
    unit_ = unit;
    const std::string& regex = is_rate_ ? options_.rate_regex : options_.time_regex;
    KSTAR_TRY(const auto pattern,
              Pattern::compile(regex, is_rate_ ? "--rate-regex" : "--time-regex"));
    Study study = start_study(input_.name);
    KSTAR_TRY(const auto parts, parts_by_workers(study));
    for (const auto& [workers, text] : parts) {
      KSTAR_TRY(auto run, read_run(pattern, workers, text));
      study.runs.push_back(std::move(run));
    }
    describe(study);
    return study;
  }

 private:
  static ImportOptions with_preset(ImportOptions options) {
    for (const ImportPreset& preset : import_presets()) {
      if (preset.name != options.preset) continue;
      const auto set = [](std::string& option, std::string_view value) {
        if (option.empty()) option = value;
      };
      const bool given = !options.time_regex.empty() || !options.rate_regex.empty();
      if (!given) {
        set(options.time_regex, preset.time_regex);
        set(options.rate_regex, preset.rate_regex);
        set(options.time_unit, preset.time_unit);
      }
      if (!options.workers) set(options.worker_regex, preset.worker_regex);
    }
    return options;
  }

  /// That of the line in which K was said, or of K where another one was said before it there.
  const char* begin_of(const std::vector<std::string_view>& found, std::size_t i) const {
    const char* const least =
        i == 0 ? input_.text.data() : found[i - 1].data() + found[i - 1].size();
    const std::string_view before(least, static_cast<std::size_t>(found[i].data() - least));
    const std::size_t line = before.rfind('\n');
    if (line != std::string_view::npos) return least + line + 1;
    return i == 0 ? least : found[i].data();
  }

  /// The text of each run. A log may hold a whole sweep: K is what --k-regex matched last.
  Result<std::vector<std::pair<int, std::string_view>>> parts_by_workers(Study& study) const {
    std::vector<std::pair<int, std::string_view>> parts;
    if (!options_.workers && !options_.worker_regex.empty()) {
      KSTAR_TRY(const auto pattern, Pattern::compile(options_.worker_regex, "--k-regex"));
      const auto found = pattern.matches(input_.name, 1).empty() ? pattern.matches(input_.text)
                                                                 : std::vector<std::string_view>();
      const bool several = std::any_of(found.begin(), found.end(),
                                       [&](std::string_view one) { return one != found.front(); });
      if (found.size() > kMostRuns) {
        return fail({.where = "--k-regex", .message = "matches too often"});
      }
      for (std::size_t i = 0; several && i < found.size(); ++i) {
        const auto workers = parse_integer(trim(found[i]));
        if (!workers || *workers < 1 || *workers > kMostWorkers) {
          return fail(expected_at(input_, found[i], "a number of workers from 1 to 1e9"));
        }
        const char* const begin = begin_of(found, i);
        const char* const end =
            i + 1 < found.size() ? begin_of(found, i + 1) : input_.text.data() + input_.text.size();
        parts.emplace_back(static_cast<int>(*workers),
                           std::string_view(begin, static_cast<std::size_t>(end - begin)));
      }
      if (several) return without_echoes(parts);
      // A preset names the pattern, and the log need not say it.
      if (found.empty() && !options_.preset.empty() && pattern.matches(input_.name, 1).empty()) {
        ImportOptions others = options_;
        others.worker_regex.clear();
        KSTAR_TRY(const auto workers, workers_of_file(input_, others, study));
        return std::vector{std::pair(workers, input_.text)};
      }
    }
    KSTAR_TRY(const auto workers, workers_of_file(input_, options_, study));
    parts.emplace_back(workers, input_.text);
    return parts;
  }

  /// A K that is said twice before its time is said of one run.
  std::vector<std::pair<int, std::string_view>> without_echoes(
      const std::vector<std::pair<int, std::string_view>>& parts) const {
    const auto pattern =
        Pattern::compile(is_rate_ ? options_.rate_regex : options_.time_regex, "--time-regex");
    std::vector<std::pair<int, std::string_view>> kept;
    bool waits = false;  // the part before this one has no time yet
    for (const auto& part : parts) {
      if (waits && kept.back().first == part.first) {
        const char* const begin = kept.back().second.data();
        const char* const end = part.second.data() + part.second.size();
        kept.back().second = {begin, static_cast<std::size_t>(end - begin)};
      } else {
        kept.push_back(part);
      }
      waits = pattern && pattern->matches(kept.back().second, 1).empty();
    }
    return kept;
  }

  Result<double> unit_of_times() const {
    if (is_rate_ && !options_.time_regex.empty()) {
      return fail({.where = "--rate-regex", .message = "cannot be combined with --time-regex"});
    }
    if (!is_rate_ && options_.time_regex.empty()) {
      return fail(refusal(input_, "a log needs a pattern that matches its times or rates",
                          "for example --time-regex 'step took ([0-9.]+) s'"));
    }
    if (options_.time_unit.empty()) return 1;
    if (const auto unit = seconds_in_unit(options_.time_unit)) return *unit;
    return fail(expected("--time-unit", "one of s, ms, us, ns, min, h", options_.time_unit));
  }

  Result<Run> read_run(const Pattern& pattern, int workers, std::string_view part) const {
    Run run;
    run.workers = workers;
    const auto found = pattern.matches(part, kMostSteps + 1);
    if (found.size() > kMostSteps) {
      return fail(error_at(input_, found.back().data(),
                           fmt::format("the pattern matches more than {} numbers", kMostSteps)));
    }
    for (const std::string_view text : found) {
      KSTAR_TRY(const auto seconds, seconds_of(text, workers));
      run.steps.push_back(seconds);
    }
    if (run.steps.empty()) {
      run.failure = "nothing in its log matches the pattern";
      run.output = part.substr(part.size() - std::min(part.size(), kShownEnd));
    } else if (*std::max_element(run.steps.begin(), run.steps.end()) <= 0) {
      return fail(expected_at(input_, found[0], "a time above 0"));
    }
    if (run.steps.size() == 1) {
      run.wall = run.steps[0];
      run.steps.clear();
    }
    return run;
  }

  /// Also 1,050.0, where nothing but thousands can be meant.
  static std::optional<double> number_in(std::string_view text) {
    const Comma comma = comma_in(text);
    return comma == Comma::kUnknown ? parse_double(text) : read_number(text, comma);
  }

  static std::string hint_for(std::string_view text) {
    if (!is_ambiguous(text)) return {};
    return "ambiguous: the comma may be a decimal comma or a thousands separator; remove the "
           "commas first, for example with sed 's/,//g'";
  }

  Result<double> seconds_of(std::string_view text, int workers) const {
    // 6m13.5s, as a table may have it
    if (const auto clock = is_rate_ ? std::nullopt : read_clock(text)) return *clock;
    const auto number = number_in(trim(text));
    const std::string_view what = is_rate_ ? "a rate above 0" : "a time of 0 or more";
    if (!number || *number < 0 || (is_rate_ && *number == 0)) {
      return fail(expected_at(input_, text, what, hint_for(trim(text))));
    }
    const double seconds =
        is_rate_ ? seconds_of_rate(*number / unit_, workers, is_weak(options_)) : *number * unit_;
    if (seconds < 1e300 && (seconds > 0 || *number == 0)) return seconds;
    return fail(expected_at(input_, text, what));
  }

  void describe(Study& study) const {
    study.header.protocol.setup = "everything outside of what the pattern matches";
    study.header.protocol.setup_method = fmt::format(
        "the pattern '{}'", printable(is_rate_ ? options_.rate_regex : options_.time_regex));
    if (is_rate_) say_work_of_rates(study, is_weak(options_), Workload::kUnitOfRates);
    const std::string_view file = input_.name;
    if (!is_rate_ && !options_.regime &&
        regime_called(file.substr(file.rfind('/') + 1)) == Regime::kWeak) {
      study.header.regime = Regime::kWeak;
      add_note(study, Severity::kWarning, "guessed", {},
               {{"regime", "weak"}, {"said_by", "the file's name"}});
    }
    std::size_t steps = 0, failures = 0;
    for (const Run& run : study.runs) {
      steps = std::max(steps, run.steps.size());
      failures += run.failure.empty() ? 0U : 1U;
    }
    if (study.runs.size() > 1) {
      add_note(study, Severity::kInfo, "steps", printable(input_.name),
               {{"runs", study.runs.size()}});
    }
    if (failures > 0) {
      add_note(study, Severity::kWarning, "run-failed", printable(input_.name));
    } else if (steps > 0) {
      add_note(study, Severity::kInfo, "steps", printable(input_.name), {{"steps", steps}});
    }
  }

  Input input_;
  ImportOptions options_;
  bool is_rate_;
  double unit_ = 1;
};

/// Nothing is known as a log by itself: the registry chooses it where a pattern is given.
bool sniff_log(std::string_view) {
  return false;
}

Result<Study> read_log(const Input& input, const ImportOptions& options) {
  return LogImport(input, options).read();
}

}  // namespace

std::span<const ImportPreset> import_presets() {
  static constexpr ImportPreset kPresets[] = {
      {"megatron", "training logs of Megatron-LM: the time of each iteration",
       "using world size: ([0-9]+)", "elapsed time per iteration \\(ms\\): ([0-9.]+)", "", "ms"},
      {"deepspeed", "training logs of DeepSpeed: the samples per second of each step",
       "world[_ ]size[=:] *([0-9]+)", "", "CurrSamplesPerSec=([0-9.]+)", ""}};
  return kPresets;
}

const Importer& log_importer() {
  static const Importer kImporter = {
      {"log",
       "any text: --time-regex or --rate-regex matches the numbers, --k or --k-regex gives K"},
      &sniff_log,
      &read_whole<read_log>};
  return kImporter;
}

}  // namespace kstar
