#include <fmt/format.h>

#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "measure/time_source_output.h"

namespace kstar {

namespace {

class PatternTime : public OutputTime {
 public:
  PatternTime(const MeasureSpec& spec, Pattern pattern)
      : OutputTime(spec), pattern_(std::move(pattern)) {}

 protected:
  FoundNumbers find(std::string_view stream) const override {
    std::vector<double> numbers;
    for (const std::string_view text : pattern_.matches(stream)) {
      const std::optional<double> number = parse_double(trim(text));
      if (!number) return fail(expected("", "a number where the pattern finds a time", text));
      numbers.push_back(*number);
    }
    return numbers;
  }
  std::string described() const override {
    return fmt::format("the pattern '{}'", printable(pattern_.text()));
  }

 private:
  Pattern pattern_;
};

}  // namespace

Result<std::unique_ptr<TimeSource>> pattern_time(const MeasureSpec& spec) {
  if (spec.time_pattern.empty()) {
    return fail({.where = "--time pattern",
                 .message = "expected a pattern that finds the times in the output",
                 .hint = "say --time-regex 'REGEX'"});
  }
  Result<Pattern> pattern = Pattern::compile(spec.time_pattern, "--time-regex");
  if (!pattern) return fail(pattern.error());
  return std::make_unique<PatternTime>(spec, std::move(*pattern));
}

}  // namespace kstar
