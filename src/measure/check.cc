#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/captured_output.h"
#include "kstar/measure_check.h"
#include "kstar/placeholders.h"

namespace kstar {

namespace {

constexpr double kUsualTolerance = 1e-6;

/// Digits alone, however many: a checksum need not fit a number.
bool is_whole(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower.starts_with("nan") || lower == "inf" || lower == "infinity";
}

/// Without what does not change a whole number: a plus, and zeros in front.
std::string_view digits_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  return text;
}

constexpr std::size_t kShownValue = 60, kShownOutput = 300;

std::string in_quotes(std::string_view value) {
  return fmt::format("'{}'", shorten(printable(value), kShownValue));
}

/// A file of the job's output that is gone with this object.
class OutputFile {
 public:
  static Result<OutputFile> write(std::string_view text) {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
    OutputFile file;
    file.path_ = ((folder.empty() ? "/tmp" : folder) / "kstar-output-XXXXXX").string();
    const FileHandle handle(::mkostemp(file.path_.data(), O_CLOEXEC));
    if (!handle) {
      const int problem = errno;
      return fail(
          file_error(std::exchange(file.path_, {}), "create it for --check-command", problem));
    }
    KSTAR_CHECK(write_all(handle, text, file.path_));
    return file;
  }
  OutputFile(OutputFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;
  std::string path_;
};

std::string how_it_ended(const Outcome& outcome) {
  if (outcome.timed_out) return "did not end in time";
  if (outcome.signal) return fmt::format("was ended by signal {}", *outcome.signal);
  return fmt::format("returned {}", outcome.exit_status.value_or(-1));
}

/// The end of what the check command said, for the message.
std::string last_words(const Outcome& outcome) {
  std::string_view text = trim(outcome.error_output);
  if (text.empty()) text = trim(outcome.output);
  if (text.size() > kShownOutput) text.remove_prefix(text.size() - kShownOutput);
  return printable(text);
}

/// Whether nothing is missing of `text` behind `part` of it.
bool is_after_gap(std::string_view part, const std::string& text, std::size_t left_out) {
  if (left_out == 0) return true;
  const std::size_t gap = text.rfind(left_out_line(left_out));
  return gap == text.npos || part.data() > text.data() + gap;
}

class CheckBySpec : public AnswerCheck {
 public:
  CheckBySpec(const MeasureSpec& spec, std::optional<Pattern> pattern, Executor& executor)
      : spec_(spec), pattern_(std::move(pattern)), executor_(executor) {
    if (!spec.check_value.empty()) set_reference(spec.check_value, "--check-value");
  }

  Result<void> check(const Outcome& outcome, const Run& run) override {
    // The command first: an answer that it refuses must not become the reference.
    if (!spec_.check_command.empty()) {
      if (Result<void> right = ask_command(outcome, run); !right) return right;
    }
    return pattern_ ? find_and_compare(outcome, run) : Result<void>();
  }

  Result<void> compare(std::string_view answer, const Run& run) override {
    // Compared with itself an answer is wrong only when it cannot be right at all: nan.
    const std::string_view against = reference_of_.empty() ? answer : reference_;
    if (const auto why = disagreement(answer, against, spec_.check_tolerance)) {
      return fail({.message = reference_of_.empty()
                                  ? fmt::format("wrong answer {}: {}", in_quotes(answer), *why)
                                  : fmt::format("wrong answer {}, {} has {}: {}", in_quotes(answer),
                                                reference_of_, in_quotes(reference_), *why)});
    }
    if (reference_of_.empty()) set_reference(std::string(answer), name_of_run(run));
    return {};
  }

  const std::string& reference() const override { return reference_; }
  const std::string& reference_of() const override { return reference_of_; }
  void set_reference(std::string value, std::string whose) override {
    reference_ = std::move(value);
    reference_of_ = std::move(whose);
  }

 private:
  /// In its output and, where that has none, in its errors.
  Result<std::string_view> last_answer(const Outcome& outcome) const {
    const std::pair<const std::string&, std::size_t> streams[] = {
        {outcome.output, outcome.output_left_out}, {outcome.error_output, outcome.error_left_out}};
    for (const auto& [text, left_out] : streams) {
      const std::vector<std::string_view> found = pattern_->matches(text);
      if (found.empty()) continue;
      if (is_after_gap(found.back(), text, left_out)) return trim(found.back());
      return fail({.message = fmt::format("there may be another answer after {}{}",
                                          in_quotes(found.back()), but_left_out(left_out))});
    }
    return fail(
        {.message = fmt::format(
             "it printed no answer: nothing in its output matches the pattern '{}' of --check{}",
             printable(pattern_->text()),
             but_left_out(outcome.output_left_out + outcome.error_left_out))});
  }

  Result<void> find_and_compare(const Outcome& outcome, const Run& run) {
    const Result<std::string_view> printed = last_answer(outcome);
    return printed ? compare(*printed, run) : fail(printed.error());
  }

  static std::string name_of_run(const Run& run) {
    std::string name = run.role == Role::kBaseline ? std::string("the baseline")
                                                   : fmt::format("K = {}", run.workers);
    return run.order ? fmt::format("{}, run {}", name, *run.order) : name;
  }

  Result<void> ask_command(const Outcome& outcome, const Run& run) {
    KSTAR_TRY(const OutputFile file, OutputFile::write(outcome.output));
    KSTAR_TRY(std::vector<std::string> command, expand_check(spec_, run.workers, file.path()));
    LaunchPlan plan;
    plan.command = std::move(command);
    plan.variables = {{"KSTAR_OUTPUT", file.path()},
                      {"KSTAR_OUTPUT_LEFT_OUT", std::to_string(outcome.output_left_out)},
                      {"KSTAR_K", std::to_string(run.workers)}};
    plan.time_limit = spec_.time_limit;
    const Result<Outcome> checked = executor_.run(plan);
    if (!checked) {
      return fail({.message = fmt::format("its answer was not checked: {}: {}",
                                          checked.error().where, checked.error().message)});
    }
    if (checked->interrupted) {
      return fail(
          {.message = "interrupted before its answer was checked", .code = ExitCode::kInterrupted});
    }
    if (checked->exit_status == 0 && !checked->timed_out && !checked->signal) return {};
    const std::string words = last_words(*checked);
    return fail(
        {.message = fmt::format("wrong answer: {} {}{}{}{}", in_quotes(spec_.check_command[0]),
                                how_it_ended(*checked), words.empty() ? "" : ": ", words,
                                but_left_out(outcome.output_left_out))});
  }

  MeasureSpec spec_;
  std::optional<Pattern> pattern_;
  Executor& executor_;
  std::string reference_;
  std::string reference_of_;
};

}  // namespace

std::optional<std::string> disagreement(std::string_view answer, std::string_view reference,
                                        std::optional<double> tolerance) {
  if (is_not_finite(answer)) return "not a finite number";
  if (!tolerance && is_whole(answer) && is_whole(reference)) {
    if (digits_of(answer) == digits_of(reference)) return std::nullopt;
    return "whole numbers must be equal without --check-tolerance";
  }
  const std::optional<double> a = parse_double(answer), r = parse_double(reference);
  if (!a || !r) {
    if (answer == reference) return std::nullopt;
    return "text must be equal";
  }
  const double allowed = tolerance.value_or(kUsualTolerance);
  const double scale = *r == 0 ? 1 : std::max(std::fabs(*a), std::fabs(*r));
  const double off = std::fabs(*a - *r) / scale;
  if (off <= allowed) return std::nullopt;
  return fmt::format("{} {}, allowed {}", *r == 0 ? "off by" : "relative error",
                     significant(off, 3), significant(allowed, 3));
}

Result<std::unique_ptr<AnswerCheck>> make_answer_check(const MeasureSpec& spec,
                                                       Executor& executor) {
  if (spec.check_pattern.empty() && spec.check_command.empty()) return nullptr;
  std::optional<Pattern> pattern;
  if (!spec.check_pattern.empty()) {
    KSTAR_TRY(Pattern compiled, Pattern::compile(spec.check_pattern, "--check"));
    pattern = std::move(compiled);
  }
  return std::make_unique<CheckBySpec>(spec, std::move(pattern), executor);
}

}  // namespace kstar
