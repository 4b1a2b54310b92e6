#include <fmt/format.h>
#include <simdjson.h>

#include "base/number.h"
#include "base/text.h"
#include "measure/time_source_output.h"

namespace kstar {

namespace {

using simdjson::dom::element;

/// The element at a path, or nothing. A key that holds dots itself is taken before a path.
std::optional<element> element_at(const element& root, std::string_view path) {
  element found;
  if (root.at_key(path).get(found) == simdjson::SUCCESS) return found;
  found = root;
  for (const std::string_view part : split(path, '.')) {
    element next;
    const auto place = parse_integer(part);
    const bool listed = found.is_array() && place && *place >= 0;
    const auto problem = listed ? found.at(static_cast<std::size_t>(*place)).get(next)
                                : found.at_key(part).get(next);
    if (problem != simdjson::SUCCESS) return std::nullopt;
    found = next;
  }
  return found;
}

class JsonTime : public OutputTime {
 public:
  explicit JsonTime(const MeasureSpec& spec) : OutputTime(spec), path_(spec.time_key) {}

 protected:
  FoundNumbers find(std::string_view stream) const override {
    std::vector<double> numbers;
    simdjson::dom::parser parser;
    std::size_t line_number = 0;
    for (const std::string_view raw : split(stream, '\n')) {
      ++line_number;
      const std::string_view line = trim(raw);
      if (!line.starts_with('{')) continue;  // a log has other lines, too
      element root;
      if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) continue;
      const std::optional<element> at = element_at(root, path_);
      if (!at) continue;
      double number = 0;
      if (at->get(number) != simdjson::SUCCESS) {
        return fail(expected(fmt::format("line {} of its output", line_number),
                             fmt::format("a number at '{}'", printable(path_)),
                             simdjson::to_string(*at)));
      }
      numbers.push_back(number);
    }
    return numbers;
  }
  std::string described() const override {
    return fmt::format("JSON lines with the key '{}'", printable(path_));
  }

 private:
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<TimeSource>> json_time(const MeasureSpec& spec) {
  if (spec.time_key.empty()) {
    return fail({.where = "--time json",
                 .message = "expected the key of the times in the output",
                 .hint = "say --time-json KEY"});
  }
  return std::make_unique<JsonTime>(spec);
}

}  // namespace kstar
