// Tables of requests, one per row: JMeter, hey, ghz, k6, vegeta and whoever has a column of
// latencies; and Locust's tables of percentiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

using Cells = std::vector<std::string>;

/// RFC 4180: a quoted cell may hold separators, doubled quotes and ends of lines.
Cells cells_of(std::string_view line, char separator) {
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

char separator_of(std::string_view line) {
  char best = ',';
  for (const char c : {'\t', ';', ','}) {
    if (std::count(line.begin(), line.end(), c) >= std::count(line.begin(), line.end(), best)) {
      best = c;
    }
  }
  return best;
}

/// The first line that is neither blank nor a comment.
std::string_view first_row(std::string_view head) {
  for (const std::string_view line : split(head, '\n')) {
    if (!trim(line).empty() && !line.starts_with('#')) return line;
  }
  return {};
}

struct ColumnName {
  std::string base;            ///< small letters, without its unit
  std::optional<double> unit;  ///< seconds
};

/// "Latency (ms)", "latency_ms", "duration [us]", "response_time_seconds".
ColumnName column_name(const std::string& cell) {
  std::string name = lower_case(cell);
  if (name.starts_with("\xef\xbb\xbf")) name.erase(0, 3);
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"milliseconds", 1e-3},
                                                                   {"microseconds", 1e-6},
                                                                   {"nanoseconds", 1e-9},
                                                                   {"seconds", 1},
                                                                   {"millis", 1e-3},
                                                                   {"secs", 1},
                                                                   {"sec", 1},
                                                                   {"msec", 1e-3},
                                                                   {"ms", 1e-3},
                                                                   {"us", 1e-6},
                                                                   {"\xc2\xb5s", 1e-6},
                                                                   {"ns", 1e-9},
                                                                   {"s", 1}};
  const bool closed = name.ends_with(')') || name.ends_with(']');
  if (closed) name.pop_back();
  for (const auto& [unit, seconds] : kUnits) {
    if (!name.ends_with(unit) || name.size() == unit.size()) continue;
    const char before = name[name.size() - unit.size() - 1];
    if (before != '(' && before != '[' && before != '_' && before != ' ' && before != '-' &&
        before != '.') {
      continue;
    }
    name.resize(name.size() - unit.size());
    while (!name.empty() &&
           std::string_view("([_ -.").find(name.back()) != std::string_view::npos) {
      name.pop_back();
    }
    return {name, seconds};
  }
  return {name, std::nullopt};
}

bool is_latency(const std::string& name) {
  static constexpr std::string_view kNames[] = {"latency",
                                                "latencies",
                                                "duration",
                                                "elapsed",
                                                "response-time",
                                                "response_time",
                                                "responsetime",
                                                "response time",
                                                "rt",
                                                "rtt",
                                                "total_time",
                                                "time_total",
                                                "request_time",
                                                "elapsed_time",
                                                "http_req_duration",
                                                "ttfb",
                                                "ttft",
                                                "e2e_latency",
                                                "lat",
                                                "request-duration",
                                                "request_duration"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// A part of a latency: the whole may stand beside it under any name.
bool is_part(const std::string& name) {
  return name == "ttfb" || name == "ttft";
}

/// Of a table of places, "lat" is a latitude.
bool is_longitude(const std::string& name) {
  return name == "lon" || name == "lng" || name == "long" || name == "longitude";
}

/// Times, or durations: only their values tell.
bool may_be_clock(const std::string& name) {
  static constexpr std::string_view kNames[] = {"time", "ts", "date", "datetime", "@timestamp"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// "p99", "avg_latency", "latency-mean": of many requests.
bool is_summary(const std::string& name) {
  std::string word;
  for (const char c : name + " ") {
    if (is_digit(c) || c == '.' || (c >= 'a' && c <= 'z') || c == '%') {
      word += c;
      continue;
    }
    static constexpr std::string_view kWords[] = {"avg", "average", "mean",       "median",
                                                  "std", "stdev",   "percentile", "quantile"};
    if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
    const bool percent = word.size() > 1 && (word[0] == 'p' || word.ends_with('%'));
    if (percent &&
        parse_double(word[0] == 'p' ? word.substr(1) : word.substr(0, word.size() - 1))) {
      return true;
    }
    word.clear();
  }
  return false;
}

/// Of a histogram: how many requests a row stands for.
bool is_count(const std::string& name) {
  return name == "count" || name == "counts" || name == "frequency" || name == "freq" ||
         name == "occurrences" || name == "totalcount" || name == "total_count";
}

bool is_start(const std::string& name) {
  static constexpr std::string_view kNames[] = {
      "timestamp",  "start", "start_time", "offset",  "starttime",    "started_at",
      "time_start", "begin", "sent",       "sent_at", "start_offset", "request-start"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

constexpr std::string_view kDecimalComma =
    "decimal commas are not read: write 12.5, not 12,5 (sed 's/,/./g' FILE)";
constexpr std::string_view kAnyComma =
    "decimal commas, and those of thousands, are not read: write 12.5 or 1234";

/// "20,504".
bool has_decimal_comma(std::string_view text) {
  text = trim(text);
  const std::size_t comma = text.find(',');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  return comma != text.npos && digits(text.substr(0, comma)) && digits(text.substr(comma + 1));
}

/// "1,234" may be either.
std::string_view comma_hint(std::string_view text) {
  if (!has_decimal_comma(text)) return {};
  constexpr std::size_t kGroup = 4;
  const std::string_view number = trim(text);
  return number.size() - number.find(',') == kGroup ? kAnyComma : kDecimalComma;
}

struct Columns {
  std::vector<std::string> names;
  std::optional<std::size_t> latency, start, status, success, error;
  std::optional<std::size_t> count;    ///< in a row of a histogram
  std::optional<std::size_t> name;     ///< what is measured: k6's metric, JMeter's label
  std::optional<std::size_t> message;  ///< JMeter's, which tells transactions
  std::optional<double> unit;
  char separator = ',';
  bool start_in_doubt = false;  ///< its first value tells whether it is a time
  bool k6 = false;              ///< a row per metric; the time is when the request ended
};

std::optional<std::size_t> place_of(const Columns& columns, std::string_view wanted) {
  const std::string small = lower_case(wanted);
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (columns.names[i] == wanted || lower_case(columns.names[i]) == small ||
        column_name(columns.names[i]).base == small) {
      return i;
    }
  }
  return std::nullopt;
}

/// When, how long, ..., true.
bool is_jmeter_row(const std::vector<std::string>& cells) {
  constexpr std::int64_t kFirstClock = 900000000000;
  return cells.size() > 6 && parse_integer(cells[0]).value_or(0) > kFirstClock &&
         parse_integer(cells[1]) &&
         std::any_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return cell == "true" || cell == "false"; });
}

/// How cut is told the separator.
std::string_view cut_flag(char separator) {
  return separator == '\t' ? "" : separator == ';' ? "-d';' " : "-d, ";
}

/// What can be said for a table without a known column of latencies; `likely`: one that may be it.
std::string column_hint(const Columns& columns, std::optional<std::size_t> likely) {
  const bool unnamed =
      std::all_of(columns.names.begin(), columns.names.end(),
                  [](const std::string& name) { return name.empty() || parse_double(name); });
  if (unnamed) {
    return fmt::format(
        "its columns have no names: with the number N of the one that holds latencies, "
        "cut {}-fN FILE makes one latency per line (with --unit)",
        cut_flag(columns.separator));
  }
  const bool summary =
      std::any_of(columns.names.begin(), columns.names.end(),
                  [](const std::string& name) { return is_summary(column_name(name).base); });
  if (summary && !likely) {
    return "averages and percentiles of many requests are no latencies: give what they were "
           "computed from";
  }
  // The one that has a unit and is no clock.
  for (std::size_t i = 0; i < columns.names.size() && !likely; ++i) {
    const ColumnName name = column_name(columns.names[i]);
    if (name.unit && !is_start(name.base) && !may_be_clock(name.base)) likely = i;
  }
  return fmt::format("name one: --column '{}'", likely ? columns.names[*likely] : "NAME");
}

Result<void> find_latency(const Line& line, const LatencyOptions& options, Columns& columns) {
  std::vector<std::size_t> found;
  std::vector<std::string> names;
  const bool places =
      std::any_of(columns.names.begin(), columns.names.end(),
                  [](const std::string& name) { return is_longitude(column_name(name).base); });
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string base = column_name(columns.names[i]).base;
    if (!is_latency(base) || (base == "lat" && places)) continue;
    found.push_back(i);
    names.push_back(printable(columns.names[i]));
  }
  if (found.size() == 1 && is_part(column_name(columns.names[found[0]]).base)) {
    for (std::size_t i = 0; i < columns.names.size(); ++i) {
      const ColumnName other = column_name(columns.names[i]);
      if (i == found[0] || !other.unit || is_start(other.base)) continue;
      found.push_back(i);
      names.push_back(printable(columns.names[i]));
    }
  }
  if (!options.column.empty()) {
    columns.latency = place_of(columns, options.column);
    if (!columns.latency) {
      return fail(
          expected("--column",
                   fmt::format("a column of {}: {}", printable(line.file),
                               printable(fmt::format("{}", fmt::join(columns.names, ", ")))),
                   options.column));
    }
  } else if (found.size() == 1) {
    columns.latency = found[0];
  } else if (const auto elapsed = place_of(columns, "elapsed"); elapsed && found.size() > 1) {
    columns.latency = elapsed;  // JMeter: its Latency is the time to the first byte
  } else if (const auto response = place_of(columns, "response-time"); response) {
    columns.latency = response;
  } else if (is_jmeter_row(columns.names)) {
    return fail(
        line_error(line, 0, "JMeter's results without the names of their columns",
                   "put them into a first line: timeStamp,elapsed,label,responseCode, ..."));
  } else {
    return fail(line_error(
        line, 0,
        found.empty()
            ? "no column of latencies is known by its name"
            : fmt::format("several columns could hold the latencies: {}", fmt::join(names, ", ")),
        column_hint(columns, found.empty() ? std::nullopt : std::optional(found[0]))));
  }
  columns.unit = options.unit ? options.unit : column_name(columns.names[*columns.latency]).unit;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string base = column_name(columns.names[i]).base;
    if (is_count(base)) columns.count = i;
    if (i == *columns.latency || (base != "percentile" && base != "quantile")) continue;
    return fail(line_error(line, 0, "a table of percentiles, and not of requests",
                           "give what the percentiles were computed from"));
  }
  return {};
}

Result<Columns> columns_of(const Line& line, const LatencyOptions& options) {
  Columns columns;
  columns.separator = separator_of(line.text);
  columns.names = cells_of(line.text, columns.separator);
  if (has_decimal_comma(line.text)) {
    return fail(line_error(line, 0, "expected one latency or the names of columns, got two numbers",
                           std::string(comma_hint(line.text))));
  }
  if (!columns.names.empty() && columns.names[0].starts_with("\xef\xbb\xbf")) {
    columns.names[0].erase(0, 3);
  }
  columns.name = place_of(columns, "metric_name");
  columns.latency = place_of(columns, "metric_value");
  columns.k6 = columns.name && columns.latency;
  if (columns.k6) {
    columns.unit = 1e-3;
  } else {
    columns.name.reset();
    columns.latency.reset();
    KSTAR_CHECK(find_latency(line, options, columns));
  }
  for (std::size_t i = 0; i < columns.names.size() && !columns.start; ++i) {
    if (i != columns.latency && is_start(column_name(columns.names[i]).base)) columns.start = i;
  }
  for (std::size_t i = 0; i < columns.names.size() && !columns.start; ++i) {
    if (i == columns.latency || !may_be_clock(column_name(columns.names[i]).base)) continue;
    columns.start = i;
    columns.start_in_doubt = true;
  }
  if (!options.start_column.empty()) {
    columns.start_in_doubt = false;
    columns.start = place_of(columns, options.start_column);
    if (!columns.start) {
      return fail(expected("--start-column", "a column of the file", options.start_column));
    }
  }
  for (const char* name : {"success", "successful", "succeeded", "ok", "is_success"}) {
    if (!columns.success) columns.success = place_of(columns, name);
  }
  for (const char* name :
       {"status-code", "status", "code", "responsecode", "status_code", "statuscode", "status code",
        "response_code", "response code", "response-code", "http_status", "http_code",
        "http_status_code", "http_response_code"}) {
    if (!columns.status) columns.status = place_of(columns, name);
  }
  for (const char* name : {"error", "errors", "err", "exception", "error_message"}) {
    if (!columns.error) columns.error = place_of(columns, name);
  }
  // What tools mean without saying it.
  const bool jmeter = place_of(columns, "timeStamp") && place_of(columns, "elapsed");
  const bool hey = place_of(columns, "response-time") && place_of(columns, "offset");
  if (jmeter) {
    if (!columns.unit) columns.unit = 1e-3;
    columns.name = place_of(columns, "label");
    columns.message = place_of(columns, "responseMessage");
  }
  const bool oha = place_of(columns, "request-duration") && place_of(columns, "request-start");
  if (!columns.unit && (hey || oha)) columns.unit = 1;
  return columns;
}

bool row_failed(const Columns& columns, const Cells& cells) {
  const auto text = [&](const std::optional<std::size_t>& place) {
    return place && *place < cells.size() ? lower_case(cells[*place]) : std::string();
  };
  const auto is_one_of = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (const std::string success = text(columns.success); !success.empty()) {
    return is_one_of(success, {"false", "0", "no", "n", "f", "fail", "failed", "error"});
  }
  if (const std::string status = text(columns.status); !status.empty()) {
    const std::string code_text = status.substr(0, status.find(' '));  // "503 Unavailable"
    if (const std::optional<std::int64_t> code = parse_integer(code_text)) {
      return *code >= 400 || *code == 0;
    }
    return !is_one_of(status, {"ok", "success", "succeeded", "successful", "passed", "pass",
                               "completed", "complete", "finished", "done", "true"});
  }
  const std::string error = text(columns.error);
  return !is_one_of(error, {"", "0", "false", "none", "null", "nil", "nan", "no", "-"});
}

struct RowReader {
  LatencySink& sink;
  const LatencyOptions& options;
  std::optional<Columns> columns;
  std::size_t with_unit = 0, without = 0;
  std::string wanted;              ///< name; "": any
  std::vector<std::string> names;  ///< those there are
  std::size_t transactions = 0;
  bool ascending = true;  ///< every latency is more than the one before
  double last = -1;
  std::size_t rows = 0;
  std::string open;           ///< lines of a row whose quoted cell has not ended
  std::size_t open_line = 0;  ///< its first line

  /// Rows, of one line or of several.
  Result<void> take_line(const Line& line) {
    constexpr std::size_t kLongest = std::size_t{1} << 20U;
    const bool odd = std::count(line.text.begin(), line.text.end(), '"') % 2 != 0;
    if (open.empty() && !odd) return take(line);
    if (open.empty()) {
      open_line = line.number;
    } else {
      open += '\n';
    }
    open += line.text;
    if (open.size() > kLongest) return finish(line.file);
    const bool ended = odd && open.size() > line.text.size();
    if (!ended) return {};
    const std::string row = std::exchange(open, {});
    return take({line.file, open_line, row});
  }

  Result<void> finish(std::string_view file) const {
    if (open.empty()) return {};
    const std::string_view first = std::string_view(open).substr(0, open.find('\n'));
    return fail(line_error({file, open_line, first}, first.find('"'), "this quote is not closed"));
  }

  Result<void> take(const Line& line) {
    if (trim(line.text).empty() || line.text.starts_with('#')) return {};
    if (!columns) {
      KSTAR_TRY(columns, columns_of(line, options));
      if (columns->k6 && wanted.empty()) wanted = "http_req_duration";
      sink.ends = columns->k6;
      return {};
    }
    const Cells cells = cells_of(line.text, columns->separator);
    if (columns->name && !has_name(cells)) return {};
    if (is_transaction(cells)) {
      ++transactions;
      return {};
    }
    if (*columns->latency >= cells.size()) {
      return fail(line_error(
          line, line.text.size(),
          fmt::format("expected {} columns, got {}", columns->names.size(), cells.size())));
    }
    if (row_failed(*columns, cells)) {
      ++sink.set.failed;
      return {};
    }
    KSTAR_TRY(const double latency, latency_of(line, cells[*columns->latency]));
    ascending = ascending && latency > last;
    last = latency;
    ++rows;
    if (std::exchange(columns->start_in_doubt, false) && !has_clock(cells)) columns->start.reset();
    if (!columns->start) {
      sink.add(latency);
      return {};
    }
    KSTAR_TRY(const double start, start_of(line, cells));
    sink.add(latency, columns->k6 ? start - latency : start);
    return {};
  }

  /// A date, or seconds since 1970, or fractions of them.
  bool has_clock(const Cells& cells) const {
    if (*columns->start >= cells.size()) return false;
    constexpr double kFirst = 1e9;
    return parse_double(cells[*columns->start]).value_or(0) >= kFirst ||
           read_date(cells[*columns->start]);
  }

  /// Whether it is about what is wanted.
  bool has_name(const Cells& cells) {
    if (*columns->name >= cells.size()) return !columns->k6 && wanted.empty();
    const std::string& name = cells[*columns->name];
    constexpr std::size_t kMost = 100;
    if (names.size() < kMost && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
    return wanted.empty() || name == wanted;
  }

  /// JMeter's sum of other rows.
  bool is_transaction(const Cells& cells) const {
    return wanted.empty() && columns->message && *columns->message < cells.size() &&
           cells[*columns->message].starts_with("Number of samples in transaction");
  }

  Result<double> latency_of(const Line& line, const std::string& cell) {
    const std::optional<double> number = parse_double(cell);
    if (number && *number >= 0) {
      ++without;
      return *number * columns->unit.value_or(1);
    }
    const std::optional<double> duration = number ? std::nullopt : read_duration(cell);
    if (duration) {
      ++with_unit;
      return *duration;
    }
    const std::size_t at = line.text.find(cell);
    return fail(line_error(
        line, at == line.text.npos ? 0 : at,
        fmt::format("expected a latency of 0 or more in column '{}', got '{}'",
                    printable(columns->names[*columns->latency]), printable(shorten(cell, 40))),
        comma_hint(cell).empty()
            ? "requests without a latency failed: a column 'success' with false says so"
            : std::string(comma_hint(cell))));
  }

  Result<double> start_of(const Line& line, const Cells& cells) const {
    const std::string cell = *columns->start < cells.size() ? cells[*columns->start] : "";
    if (const std::optional<double> number = parse_double(cell)) {
      const std::optional<double> unit = column_name(columns->names[*columns->start]).unit;
      return unit ? *number * *unit : epoch_seconds(*number);
    }
    if (const std::optional<double> date = read_date(cell)) return *date;
    return fail(line_error(
        line, 0,
        fmt::format("expected a time in column '{}', got '{}'",
                    printable(columns->names[*columns->start]), printable(shorten(cell, 40))),
        fmt::format("times are read as 2026-01-13T14:48:15.5 or as seconds since 1970; without "
                    "them: cut {}-f{} FILE",
                    cut_flag(columns->separator), *columns->latency + 1)));
  }
};

/// vegeta encode --to csv has no heading: time in ns, code, latency in ns, ...
bool is_vegeta_csv(std::string_view row) {
  const Cells cells = cells_of(row, ',');
  return cells.size() >= 8 && cells[0].size() >= 18 && parse_integer(cells[0]) &&
         parse_integer(cells[1]) && parse_integer(cells[2]);
}

bool looks_like_csv(std::string_view head) {
  const std::string_view row = first_row(head);
  if (row.starts_with('{') || row.starts_with('[')) return false;
  return row.find_first_of(",;\t") != row.npos ||
         is_latency(column_name(std::string(trim(row))).base);
}

Result<LatencySet> read_vegeta_csv(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  const auto take = [&](const Line& line) -> Result<void> {
    if (trim(line.text).empty()) return {};
    const Cells cells = cells_of(line.text, ',');
    const auto time = parse_double(cells[0]);
    const auto code = cells.size() > 2 ? parse_integer(cells[1]) : std::nullopt;
    const auto latency = cells.size() > 2 ? parse_double(cells[2]) : std::nullopt;
    if (!time || !code || !latency || *latency < 0) {
      return fail(line_error(line, 0, "expected a time, a status and a latency in nanoseconds"));
    }
    if (*code == 0 || *code >= 400) {
      ++sink.set.failed;
    } else {
      sink.add(*latency * 1e-9, *time * 1e-9);
    }
    return {};
  };
  KSTAR_CHECK(each_line(stream, take));
  LatencySet set = sink.finish(stream.name(), "vegeta");
  set.loop = LoopKind::kUnknown;
  return set;
}

Result<LatencySet> read_csv(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const std::string_view head, stream.head());
  if (is_vegeta_csv(first_row(head))) return read_vegeta_csv(stream, options);
  LatencySink sink(options);
  RowReader reader{sink, options};
  reader.wanted = options.metric;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) { return reader.take_line(line); }));
  KSTAR_CHECK(reader.finish(stream.name()));
  if (reader.with_unit > 0 && reader.without > 0) {
    return fail(
        {.where = stream.name(), .message = "some latencies have a unit and others have none"});
  }
  if (reader.columns && reader.columns->count && reader.ascending && reader.rows > 2) {
    const Columns& columns = *reader.columns;
    return fail(
        {.where = stream.name(),
         .message = "a histogram, with a count in every row, and not one request per row",
         .hint = fmt::format("awk -F'{}' 'NR>1{{for(i=0;i<${};i++)print ${}}}' FILE makes one "
                             "latency per line (with --unit)",
                             columns.separator == '\t' ? "\\t" : std::string(1, columns.separator),
                             *columns.count + 1, *columns.latency + 1)});
  }
  const bool known = reader.with_unit > 0 || (reader.columns && reader.columns->unit);
  sink.set.seconds = known;
  LatencySet set = sink.finish(stream.name(), "csv");
  if (!known) set.starts.clear();
  if (reader.transactions > 0) {
    set.notes.push_back(fmt::format("{} of transactions left out: they are sums of other rows",
                                    count_text(reader.transactions, "row")));
  }
  if (!reader.columns || !reader.columns->name) return set;
  set.metric = reader.wanted;
  if (!reader.wanted.empty() && set.count + set.failed == 0) {
    return fail(no_such_metric(stream.name(), reader.wanted, reader.names));
  }
  std::erase(reader.names, reader.wanted);
  if (reader.names.size() > 1 || !reader.wanted.empty()) set.others = reader.names;
  return set;
}

/// Locust: a row of percentiles per endpoint, and one of all.
bool looks_like_locust(std::string_view head) {
  const std::string_view row = first_row(head);
  return row.find("Request Count") != row.npos && row.find("50%") != row.npos &&
         row.find("Requests/s") != row.npos;
}

std::optional<double> number_in(const Columns& columns, const Cells& cells, std::string_view name) {
  const std::optional<std::size_t> place = place_of(columns, name);
  return place && *place < cells.size() ? parse_double(cells[*place]) : std::nullopt;
}

LatencySet locust_row(const Columns& columns, const Cells& cells) {
  const bool history = place_of(columns, "Total Request Count").has_value();
  const std::string total = history ? "Total " : "";
  LatencySet set{.loop = LoopKind::kClosed};
  for (std::size_t i = 0; i < columns.names.size() && i < cells.size(); ++i) {
    const std::string& name = columns.names[i];
    if (!name.ends_with('%')) continue;
    const std::optional<double> share = parse_double(name.substr(0, name.size() - 1));
    const std::optional<double> value = parse_double(cells[i]);
    if (!share || !value || *share <= 0 || *share > 100) continue;
    if (*share == 100) {
      set.max = *value * kMilli;
    } else {
      set.stated.push_back({*share / 100, *value * kMilli, kMilli, name});
    }
  }
  set.count = static_cast<std::uint64_t>(
      std::max(0.0, number_in(columns, cells, total + "Request Count").value_or(0)));
  set.failed = static_cast<std::uint64_t>(
      std::max(0.0, number_in(columns, cells, total + "Failure Count").value_or(0)));
  set.count -= std::min(set.count, set.failed);
  if (const auto mean = number_in(columns, cells, total + "Average Response Time")) {
    set.mean = *mean * kMilli;
  }
  if (const auto most = number_in(columns, cells, total + "Max Response Time")) {
    set.max = *most * kMilli;
  }
  set.served = number_in(columns, cells, "Requests/s");
  set.served_all = true;
  if (const auto users = number_in(columns, cells, "User Count")) set.connections = users;
  return set;
}

Result<LatencySet> read_locust(LineStream& stream, const LatencyOptions& options) {
  std::optional<Columns> columns;
  LatencySet chosen;
  std::vector<std::string> names;
  const std::string wanted = options.metric.empty() ? "Aggregated" : options.metric;
  const auto take = [&](const Line& line) -> Result<void> {
    if (trim(line.text).empty()) return {};
    if (!columns) {
      columns.emplace();
      columns->names = cells_of(line.text, ',');
      return {};
    }
    const Cells cells = cells_of(line.text, ',');
    const std::optional<std::size_t> place = place_of(*columns, "Name");
    if (!place || *place >= cells.size()) {
      return fail(line_error(
          line, 0,
          fmt::format("expected {} columns, got {}", columns->names.size(), cells.size())));
    }
    if (std::find(names.begin(), names.end(), cells[*place]) == names.end()) {
      names.push_back(cells[*place]);
    }
    // Of a history the last row counts: its totals are those of the whole test.
    if (cells[*place] == wanted) chosen = locust_row(*columns, cells);
    return {};
  };
  KSTAR_CHECK(each_line(stream, take));
  if (chosen.stated.empty() && options.metric.empty() && !names.empty()) {
    return fail({.where = stream.name(),
                 .message = "Locust's row of all requests (Aggregated) is missing",
                 .hint = fmt::format("name an endpoint: --metric '{}'", printable(names[0]))});
  }
  if (chosen.stated.empty()) return fail(no_such_metric(stream.name(), wanted, names));
  chosen.name = stream.name();
  chosen.format = "locust";
  chosen.metric = wanted == "Aggregated" ? "" : wanted;
  std::erase(names, wanted);
  chosen.others = names;
  chosen.notes.emplace_back("Locust rounds its percentiles to two digits");
  return chosen;
}

}  // namespace

const LatencyFormat kCsvFormat = {
    .name = "csv",
    .help = "a table with a column of latencies: JMeter, hey, ghz, k6, vegeta, any other",
    .matches = looks_like_csv,
    .read = read_csv};
const LatencyFormat kLocustFormat = {.name = "locust",
                                     .help = "Locust's stats.csv or stats_history.csv",
                                     .matches = looks_like_locust,
                                     .read = read_locust};

}  // namespace kstar::tail
