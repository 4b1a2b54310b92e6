#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/duration.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_workers.h"
#include "import/csv/number.h"
#include "import/importer.h"
#include "import/samples.h"

// Any text: one run, whose times or rates are what a pattern of the user's finds.
namespace kstar {

namespace {

constexpr std::size_t kMostSteps = 1'000'000;
constexpr std::size_t kShownEnd = 2000;

class LogImport {
 public:
  LogImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(options), is_rate_(!options.rate_regex.empty()) {}

  Result<Study> read() {
    KSTAR_TRY(const auto unit, unit_of_times());
    unit_ = unit;
    const std::string& regex = is_rate_ ? options_.rate_regex : options_.time_regex;
    KSTAR_TRY(const auto pattern,
              Pattern::compile(regex, is_rate_ ? "--rate-regex" : "--time-regex"));
    Study study = start_study(input_.name);
    KSTAR_TRY(const auto workers, workers_of_file(input_, options_, study));
    KSTAR_TRY(auto run, read_run(pattern, workers));
    study.runs.push_back(std::move(run));
    describe(study);
    return study;
  }

 private:
  Result<double> unit_of_times() const {
    if (is_rate_ && !options_.time_regex.empty()) {
      return fail({.where = "--rate-regex", .message = "cannot be combined with --time-regex"});
    }
    if (!is_rate_ && options_.time_regex.empty()) {
      return fail({.where = printable(input_.name),
                   .message = "a log needs a pattern that matches its times or rates",
                   .hint = "for example --time-regex 'step took ([0-9.]+) s'"});
    }
    if (options_.time_unit.empty()) return 1;
    if (const auto unit = seconds_in_unit(options_.time_unit)) return *unit;
    return fail(expected("--time-unit", "one of s, ms, us, ns, min, h", options_.time_unit));
  }

  Result<Run> read_run(const Pattern& pattern, int workers) const {
    Run run;
    run.workers = workers;
    const auto found = pattern.matches(input_.text, kMostSteps + 1);
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
      run.output = input_.text.substr(input_.text.size() - std::min(input_.text.size(), kShownEnd));
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
    if (is_rate_) say_work_of_rates(study, is_weak(options_), "units of the rate");
    const Run& run = study.runs[0];
    if (!run.failure.empty()) {
      add_note(study, Severity::kWarning, "run-failed", printable(input_.name),
               "nothing in the log matches the pattern: its run counts as failed");
    } else if (!run.steps.empty()) {
      add_note(study, Severity::kInfo, "steps", printable(input_.name),
               fmt::format("the pattern matches {} numbers: they are steps of one run",
                           run.steps.size()));
    }
  }

  Input input_;
  const ImportOptions& options_;
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

const Importer& log_importer() {
  static const Importer kImporter = {
      {"log", "any text, one run: --time-regex or --rate-regex matches the numbers, --k sets K"},
      &sniff_log,
      &read_whole<read_log>};
  return kImporter;
}

}  // namespace kstar
