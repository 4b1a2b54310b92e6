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

/// "2026-01-13T14:48:15.63Z 12.5ms": when it started, and how long it took.
struct TimedLatency {
  double start = 0;
  std::string_view latency;
};

std::optional<TimedLatency> timed_latency(std::string_view text) {
  const std::size_t blank = text.find_last_of(" \t");
  if (blank == text.npos) return std::nullopt;
  const std::string_view before = trim(text.substr(0, blank)), latency = text.substr(blank + 1);
  constexpr double kFirstClock = 1e9;  // seconds since 1970
  std::optional<double> start = read_date(before);
  if (!start) {
    const std::optional<double> clock = parse_double(before);
    if (clock && *clock >= kFirstClock) start = epoch_seconds(*clock);
  }
  const bool good = parse_double(latency) || read_duration(latency);
  if (!start || !good) return std::nullopt;
  return TimedLatency{*start, latency};
}

struct LineReader {
  LatencySink& sink;
  const LatencyOptions& options;
  std::size_t with_unit = 0, without = 0;
  bool first = true;
  std::optional<double> start;  ///< of the line that is read
  std::size_t timed = 0;        ///< lines with their start

  Result<void> take(const Line& line) {
    const std::optional<TimedLatency> one = timed_latency(trim(line.text));
    if (!one) {
      start.reset();
      return take_latency(line);
    }
    start = one->start;
    ++timed;
    return take_latency({line.file, line.number, one->latency});
  }

  Result<void> take_latency(const Line& line) {
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
      add(*duration);
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
    add(number * options.unit.value_or(1));
    return {};
  }

  void add(double latency) {
    if (start) {
      sink.add(latency, *start);
    } else {
      sink.add(latency);
    }
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
    const bool latency = parse_double(text) || read_duration(text) || timed_latency(text);
    numbers += latency || negative ? 1U : 0U;
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
  if (reader.timed > 0 && reader.timed < reader.with_unit + reader.without) {
    return fail({.where = stream.name(),
                 .message = "some latencies have a time before them and others have none"});
  }
  const bool known = reader.with_unit > 0 || options.unit.has_value();
  sink.set.seconds = known;
  LatencySet set = sink.finish(stream.name(), "lines");
  if (!known) set.starts.clear();
  return set;
}

}  // namespace

const LatencyFormat kLinesFormat = {.name = "lines",
                                    .help = "one latency per line, with or without a unit",
                                    .matches = looks_like_lines,
                                    .read = read_lines};

}  // namespace kstar::tail
