// One latency per line, for files of any length: a number takes as long to read as its digits.
#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

/// Digits, a point, digits, up to the end of the line, below 2^53 without the point: correct to the
/// last bit. Anything else is left to the careful way. Where it stopped, or null.
const char* read_plain(const char* at, const char* end, double& value) {
  std::uint64_t digits = 0;
  const char* const first = at;
  while (at < end && is_digit(*at)) digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
  std::size_t behind = 0;
  std::size_t count = static_cast<std::size_t>(at - first);
  if (at < end && *at == '.') {
    const char* const point = at++;
    while (at < end && is_digit(*at)) {
      digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
    }
    behind = static_cast<std::size_t>(at - point) - 1;
    count += behind;
  }
  if (count == 0 || count > 18 || at >= end || *at != '\n') return nullptr;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53U;
  if (digits >= kExact) return nullptr;
  // Both are exact, and so the quotient is rounded once.
  static constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  value = static_cast<double>(digits) / kTens[behind];
  return at + 1;
}

/// Words: what begins as a number, or is none of a program, is a latency that cannot be read.
bool is_heading(std::string_view text) {
  const std::size_t from = text.find_first_not_of("+-.");
  if (from == text.npos || is_digit(text[from])) return false;
  const std::string word = lower_case(text.substr(from));
  return word != "nan" && word != "inf" && word != "infinity" && word != "null" && word != "none";
}

struct LineReader {
  LatencySink& sink;
  const LatencyOptions& options;
  std::size_t with_unit = 0, without = 0;
  bool first = true;

  Result<void> take(const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.starts_with('#')) return {};
    const bool is_first = std::exchange(first, false);
    if (const std::optional<double> number = parse_double(text)) {
      if (*number < 0) {
        return fail(line_error(line, 0,
                               "expected a latency of 0 or more, got '" + std::string(text) + "'"));
      }
      return take_number(line, *number);
    }
    if (const std::optional<double> duration = read_duration(text)) {
      ++with_unit;
      KSTAR_CHECK(check_mixed(line));
      sink.add(*duration);
      return {};
    }
    if (text.starts_with('-') && read_duration(text.substr(1))) {
      return fail(line_error(
          line, 0, fmt::format("expected a latency of 0 or more, got '{}'", printable(text))));
    }
    if (is_first && is_heading(text)) return {};
    return fail(line_error(line, 0,
                           fmt::format("expected one latency, such as 12.5 or 12.5ms, got '{}'",
                                       printable(shorten(text, 40)))));
  }

  Result<void> take_number(const Line& line, double number) {
    ++without;
    KSTAR_CHECK(check_mixed(line));
    sink.add(number * options.unit.value_or(1));
    return {};
  }

  Result<void> check_mixed(const Line& line) const {
    if (with_unit == 0 || without == 0) return {};
    return fail(line_error(line, 0, "some latencies have a unit and others have none"));
  }

  /// As many lines as are plain numbers.
  const char* take_plain(const char* at, const char* end) {
    const double unit = options.unit.value_or(1);
    double value = 0;
    while (at < end) {
      const char* const next = read_plain(at, end, value);
      if (next == nullptr) break;
      sink.add(value * unit);
      ++without;
      at = next;
    }
    return at;
  }
};

bool looks_like_lines(std::string_view head) {
  std::size_t lines = 0, numbers = 0;
  for (const std::string_view line : split(head.substr(0, head.rfind('\n')), '\n')) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    ++lines;
    const bool negative = text.starts_with('-') && read_duration(text.substr(1));
    numbers += parse_double(text) || read_duration(text) || negative ? 1U : 0U;
    if (lines >= 20) break;
  }
  return numbers > 0 && (numbers + 1 >= lines || 2 * numbers > lines);
}

Result<LatencySet> read_lines(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  LineReader reader{sink, options};
  while (true) {
    KSTAR_TRY(const std::string_view block, stream.next_block());
    if (block.empty()) break;
    const char* at = block.data();
    const char* const end = at + block.size();
    const char* counted = at;
    std::size_t number = stream.first_line();
    while (at < end) {
      if (reader.with_unit == 0) at = reader.take_plain(at, end);
      if (at >= end) break;
      reader.first = reader.first && reader.without == 0;
      number += static_cast<std::size_t>(std::count(counted, at, '\n'));
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      KSTAR_CHECK(reader.take({stream.name(), number, rest.substr(0, length)}));
      counted = at;
      at += std::min(length + 1, rest.size());
    }
  }
  LatencySet set = sink.finish(stream.name(), "lines");
  set.seconds = reader.with_unit > 0 || options.unit.has_value();
  return set;
}

}  // namespace

const LatencyFormat kLinesFormat = {.name = "lines",
                                    .help = "one latency per line, with or without a unit",
                                    .matches = looks_like_lines,
                                    .read = read_lines};

}  // namespace kstar::tail
