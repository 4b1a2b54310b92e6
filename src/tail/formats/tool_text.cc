// What wrk, wrk2, hey and ghz print, and HdrHistogram's tables of percentiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

/// "1.75k", "209440".
std::optional<double> counted(std::string_view text) {
  double unit = 1;
  if (!text.empty() && !is_digit(text.back())) {
    const char last = text.back();
    unit = last == 'k' ? 1e3 : last == 'M' ? 1e6 : last == 'G' ? 1e9 : 0;
    text.remove_suffix(1);
  }
  const std::optional<double> number = parse_double(text);
  return number && unit > 0 ? std::optional(*number * unit) : std::nullopt;
}

std::optional<double> percent_in(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::optional<double> number = parse_double(text.substr(0, text.size() - 1));
  if (!number || *number < 0 || *number > 100) return std::nullopt;
  return *number / 100;
}

/// A row of HdrHistogram's table: value, percentile, count, 1/(1-percentile).
struct SpectrumRow {
  double value = 0, share = 0;
  std::uint64_t upto = 0;
};

std::optional<SpectrumRow> spectrum_row(const std::vector<std::string_view>& words) {
  if (words.size() != 3 && words.size() != 4) return std::nullopt;
  const auto value = parse_double(words[0]), share = parse_double(words[1]);
  const auto upto = parse_integer(words[2]);
  if (!value || !share || !upto || *share < 0 || *share > 1 || *upto < 0 || *value < 0) {
    return std::nullopt;
  }
  return SpectrumRow{*value, *share, static_cast<std::uint64_t>(*upto)};
}

Result<void> add_spectrum(const Line& line, const SpectrumRow& row, double unit, LatencySet& set) {
  if (row.upto < set.count ||
      (!set.spectrum.empty() && row.value * unit < set.spectrum.back().first)) {
    return fail(
        line_error(line, 0, "a percentile table goes up: a smaller value or count follows"));
  }
  set.rows.emplace_back(row.share, row.value * unit);
  if (row.upto == set.count) return {};
  set.spectrum.emplace_back(row.value * unit, row.upto - set.count);
  set.count = row.upto;
  return {};
}

/// A table that ends before its last row, of 100%: what is slower is missing, so that its rows are
/// percentiles without a bound.
void drop_cut_table(const std::vector<SpectrumRow>& rows, double unit, LatencySet& set) {
  if (rows.empty() || rows.back().share >= 1) return;
  set.spectrum.clear();
  set.rows.clear();
  set.notes.push_back(
      fmt::format("the table of percentiles is cut off after p{}, {} latencies: what is slower is "
                  "missing, and nothing has an upper bound",
                  significant(rows.back().share * 100, 7), rows.back().upto));
  if (!set.stated.empty()) return;
  for (const double share : {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999}) {
    const auto next = std::find_if(
        rows.begin(), rows.end(), [&](const SpectrumRow& row) { return row.share > share - 1e-9; });
    if (next == rows.end()) return;
    // Between two rows: anything from the one to the other.
    const bool between = next != rows.begin() && next->share > share + 1e-9;
    const double low = between ? (next - 1)->value : next->value;
    set.stated.push_back({share, (low + next->value) / 2 * unit, (next->value - low) * unit,
                          fmt::format("p{}", share * 100)});
  }
}

/// "209440 requests in 30.06s, 217.51MB read"
void add_wrk_total(const std::vector<std::string_view>& words, LatencySet& set,
                   std::optional<double>& total) {
  if (words.size() < 4 || words[1] != "requests" || words[2] != "in") return;
  total = counted(words[0]);
  std::string_view duration = words[3];
  if (duration.ends_with(',')) duration.remove_suffix(1);
  set.duration = read_duration(duration);
}

/// "Socket errors: connect 0, read 0, write 0, timeout 1490": an answer that comes after the
/// timeout is one of the requests that are counted, the others had none.
void add_wrk_errors(std::string_view text, std::uint64_t& timeouts, std::uint64_t& without_answer) {
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> words = tokens(part);
    if (words.empty()) continue;
    const std::optional<std::int64_t> count = parse_integer(words.back());
    if (!count || *count <= 0) continue;
    (words[0] == "timeout" ? timeouts : without_answer) += static_cast<std::uint64_t>(*count);
  }
}

struct WrkReader {
  LatencySet set;
  bool latencies = false, table = false, wrk2 = false, uncorrected = false, again = false;
  std::optional<double> total;
  std::uint64_t without_answer = 0, timeouts = 0, refused = 0;
  std::vector<SpectrumRow> rows;
  std::size_t runs = 0;

  Result<void> take(const Line& line) {
    const std::string_view text = trim(line.text);
    const std::vector<std::string_view> words = tokens(text);
    if (text.starts_with("Running ") && text.find(" test @ ") != text.npos && ++runs > 1) {
      return fail(line_error(line, 0, "a second run of wrk in one file",
                             "put every run into a file of its own: they are levels of load"));
    }
    if (text.starts_with("Thread calibration")) wrk2 = true;
    if (text.starts_with("Latency Distribution") && (!set.stated.empty() || again)) {
      again = true;  // wrk2 -U: the same once more, without its correction
    } else if (text.starts_with("Latency Distribution")) {
      latencies = true;
      wrk2 = wrk2 || text.find("HdrHistogram") != text.npos;
      uncorrected = text.find("Uncorrected") != text.npos;
    } else if (text.starts_with("Detailed Percentile")) {
      table = !again;
      latencies = false;
    } else if (text.starts_with("#[")) {
      table = false;
    } else if (const auto rate = option_after(words, "-R"); rate && text.starts_with("wrk")) {
      set.offered = rate;
    }
    if (words.size() == 5 && words[2] == "and" && words[4] == "connections") {
      set.connections = set.concurrency = counted(words[3]);
    }
    if (words.size() >= 4 && words[0] == "Latency" && !latencies) {
      set.mean = read_duration(words[1]);
      set.max = read_duration(words[3]);
    }
    if (latencies && !again && words.size() == 2) {
      const std::optional<double> share = percent_in(words[0]);
      const std::optional<double> value = read_duration(words[1]);
      if (share && value) {
        if (*share < 1) {
          set.stated.push_back({*share, *value, printed_step(words[1]), std::string(words[0])});
        } else {
          set.max = *value;
        }
      }
    }
    if (table) {
      if (const std::optional<SpectrumRow> row = spectrum_row(words)) {
        KSTAR_CHECK(add_spectrum(line, *row, 1e-3, set));
        rows.push_back(*row);
      }
    }
    add_wrk_total(words, set, total);
    if (text.starts_with("Socket errors:"))
      add_wrk_errors(text.substr(14), timeouts, without_answer);
    if (text.starts_with("Non-2xx or 3xx responses:") && !words.empty()) {
      if (const auto count = parse_integer(words.back()); count && *count > 0) {
        refused += static_cast<std::uint64_t>(*count);
      }
    }
    if (words.size() == 2 && words[0] == "Requests/sec:") set.served = parse_double(words[1]);
    return {};
  }

  /// wrk's timeouts are answers that came too late, which may have been refusals, too, and have no
  /// latency; wrk2 counts a connection at every look at which it is late.
  void add_failures() {
    set.failed = without_answer + (wrk2 ? refused : std::max(refused, timeouts));
    if (timeouts == 0) return;
    if (wrk2) {
      set.notes.push_back(fmt::format(
          "wrk2 found connections late {} (timeout): that is no number of requests, and "
          "its latencies hold the delays",
          count_text(timeouts, "time")));
    } else if (refused > 0) {
      set.notes.push_back(
          fmt::format("up to {} requests failed: wrk's timeouts may be among its "
                      "non-2xx answers",
                      without_answer + refused + timeouts));
    }
  }

  static std::optional<double> option_after(const std::vector<std::string_view>& words,
                                            std::string_view flag) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == flag && i + 1 < words.size()) return counted(words[i + 1]);
      if (words[i].starts_with(flag) && words[i].size() > flag.size()) {
        if (const auto value = counted(words[i].substr(flag.size()))) return value;
      }
    }
    return std::nullopt;
  }
};

bool looks_like_wrk(std::string_view head) {
  return head.find("Thread Stats") != head.npos && head.find(" test @ ") != head.npos;
}

Result<LatencySet> read_wrk(LineStream& stream, const LatencyOptions&) {
  WrkReader reader;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) { return reader.take(line); }));
  reader.add_failures();
  LatencySet set = std::move(reader.set);
  set.name = stream.name();
  set.format = reader.wrk2 ? "wrk2" : "wrk";
  set.loop = reader.wrk2 && !reader.uncorrected ? LoopKind::kOpen : LoopKind::kClosed;
  set.ordered = false;
  if (set.loop == LoopKind::kOpen) set.concurrency.reset();
  drop_cut_table(reader.rows, 1e-3, set);
  if (set.spectrum.empty() && reader.total) {
    const auto total = static_cast<std::uint64_t>(*reader.total);
    set.count = total - (reader.wrk2 ? 0 : std::min(total, reader.timeouts));
  }
  if (set.served && reader.total && *reader.total > 0) {  // its own count has no lost connections
    const auto failed = static_cast<double>(set.failed - reader.without_answer);
    *set.served *= std::max(0.0, 1 - failed / *reader.total);
  }
  if (reader.total && set.failed > 0) {
    set.made = std::max(static_cast<std::uint64_t>(*reader.total) + reader.without_answer,
                        std::max(set.count, set.failed));
  }
  if (!set.spectrum.empty() && reader.total && *reader.total > static_cast<double>(set.count)) {
    set.notes.push_back(
        fmt::format("{} of {} requests are in the percentiles: wrk2 leaves out its calibration",
                    set.count, significant(*reader.total, 12)));
  }
  // wrk2's histogram has three digits.
  if (!set.spectrum.empty()) set.bucket_error = 0.001;
  if (set.stated.empty() && set.spectrum.empty()) {
    return fail({.where = stream.name(),
                 .message = "wrk was run without --latency: no percentiles in its output"});
  }
  return set;
}

bool looks_like_spectrum(std::string_view head) {
  return head.find("Percentile") != head.npos && head.find("TotalCount") != head.npos &&
         head.find("1/(1-Percentile)") != head.npos;
}

/// HdrHistogram's .hgrm: the unit is whatever it was scaled to.
Result<LatencySet> read_spectrum(LineStream& stream, const LatencyOptions& options) {
  LatencySet set{.name = stream.name(), .format = "hgrm", .ordered = false};
  set.seconds = options.unit.has_value();
  bool table = false;
  std::vector<SpectrumRow> rows;
  const auto take = [&](const Line& line) -> Result<void> {
    if (line.text.find("1/(1-Percentile)") != line.text.npos) {
      if (table && set.count > 0) {
        return fail(line_error(line, 0, "a second table of percentiles in one file"));
      }
      table = true;
      return {};
    }
    if (!table) return {};
    if (const std::optional<SpectrumRow> row = spectrum_row(tokens(line.text))) {
      KSTAR_CHECK(add_spectrum(line, *row, options.unit.value_or(1), set));
      rows.push_back(*row);
    }
    return {};
  };
  KSTAR_CHECK(each_line(stream, take));
  drop_cut_table(rows, options.unit.value_or(1), set);
  if (!set.spectrum.empty()) set.bucket_error = 0.001;
  return set;
}

bool looks_like_hey(std::string_view head) {
  return head.find("Summary:") != head.npos && head.find("Slowest:") != head.npos &&
         head.find("Requests/sec:") != head.npos;
}

/// hey and ghz: "  99% in 0.0123 secs", "  99 % in 69.60 ms".
Result<LatencySet> read_hey(LineStream& stream, const LatencyOptions&) {
  LatencySet set{
      .name = stream.name(), .format = "hey", .ordered = false, .loop = LoopKind::kClosed};
  bool statuses = false, errors = false;
  double answered = 0;
  const auto take = [&](const Line& line) -> Result<void> {
    const std::string_view text = trim(line.text);
    if (text.starts_with("Summary:") && !set.stated.empty()) {
      return fail(line_error(line, 0, "a second report in one file"));
    }
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view value =
        colon == text.npos ? std::string_view() : trim(text.substr(colon + 1));
    if (text.starts_with("Status code distribution")) {
      statuses = true;
    } else if (text.starts_with("Error distribution")) {
      statuses = false;
      errors = true;
    } else if (name == "Total" && !set.duration) {
      set.duration = read_duration(value);
    } else if (name == "Count") {
      set.format = "ghz";
      if (const auto count = parse_integer(value)) answered = static_cast<double>(*count);
    } else if (name == "Slowest") {
      set.max = read_duration(value);
    } else if (name == "Average") {
      set.mean = read_duration(value);
    } else if (name == "Requests/sec") {
      set.served = parse_double(value);
    } else if (const std::size_t in = text.find("% in "); in != text.npos) {
      const std::optional<double> share = parse_double(trim(text.substr(0, in)));
      const std::optional<double> at = read_duration(text.substr(in + 5));
      if (share && at && *share > 0 && *share < 100) {
        set.stated.push_back({*share / 100, *at, printed_step(text.substr(in + 5)),
                              fmt::format("{}%", trim(text.substr(0, in)))});
      }
    } else if (statuses && text.starts_with('[')) {
      const std::vector<std::string_view> words = tokens(text);
      const std::size_t end = text.find(']');
      const std::string_view code = text.substr(1, end == text.npos ? 0 : end - 1);
      const std::int64_t count = words.size() > 1 ? parse_integer(words[1]).value_or(0) : 0;
      const std::optional<std::int64_t> number = parse_integer(code);
      const bool good = number ? *number < 400 : code == "OK";
      if (count > 0) (good ? set.count : set.failed) += static_cast<std::uint64_t>(count);
    } else if (errors && set.format == "hey" && text.starts_with('[')) {
      const std::size_t end = text.find(']');
      const std::int64_t count =
          parse_integer(text.substr(1, end == text.npos ? 0 : end - 1)).value_or(0);
      if (count > 0) set.failed += static_cast<std::uint64_t>(count);
    }
    return {};
  };
  KSTAR_CHECK(each_line(stream, take));
  set.served_all = true;
  if (set.count == 0 && answered > 0) set.count = static_cast<std::uint64_t>(answered);
  return set;
}

}  // namespace

const LatencyFormat kWrkFormat = {.name = "wrk",
                                  .help = "what wrk --latency or wrk2 --latency prints",
                                  .matches = looks_like_wrk,
                                  .read = read_wrk};
const LatencyFormat kHeyFormat = {
    .name = "hey", .help = "what hey or ghz prints", .matches = looks_like_hey, .read = read_hey};
const LatencyFormat kSpectrumFormat = {.name = "hgrm",
                                       .help = "HdrHistogram's table of percentiles",
                                       .matches = looks_like_spectrum,
                                       .read = read_spectrum};

}  // namespace kstar::tail
