// What ab, vegeta and k6 print at the end of a run: percentiles alone, with the rate and the
// failures next to them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

/// Durations as Go prints them: "171.89ms", "1m2.5s".
std::optional<double> go_duration(std::string_view text) {
  double sum = 0;
  text = trim(text);
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::size_t unit = text.find_first_not_of("0123456789.");
    if (unit == 0 || unit == text.npos) return std::nullopt;
    const std::size_t next = std::min(text.find_first_of("0123456789", unit), text.size());
    const std::optional<double> part = read_duration(text.substr(0, next));
    if (!part) return std::nullopt;
    sum += *part;
    text.remove_prefix(next);
  }
  return sum;
}

std::uint64_t whole_of(double count) {
  return static_cast<std::uint64_t>(std::max(0.0, std::round(count)));
}

void sort_stated(LatencySet& set) {
  std::sort(set.stated.begin(), set.stated.end(),
            [](const auto& a, const auto& b) { return a.share < b.share; });
}

// ab

bool looks_like_ab(std::string_view head) {
  return head.find("Percentage of the requests served within a certain time (ms)") != head.npos ||
         (head.find("ApacheBench") != head.npos && head.find("Concurrency Level:") != head.npos);
}

/// "Failed requests: 9" counts answers of another length than the first, which are no failures of
/// a page that differs: "(Connect: 0, Receive: 0, Length: 9, Exceptions: 0)".
double other_lengths(std::string_view text) {
  const std::size_t at = text.find("Length: ");
  if (!text.starts_with('(') || at == text.npos) return 0;
  const std::string_view rest = text.substr(at + 8);
  return static_cast<double>(parse_integer(rest.substr(0, rest.find_first_of(",)"))).value_or(0));
}

Result<LatencySet> read_ab(LineStream& stream, const LatencyOptions&) {
  LatencySet set{
      .name = stream.name(), .format = "ab", .ordered = false, .loop = LoopKind::kClosed};
  bool table = false;
  double complete = 0, failed = 0;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    const std::string_view text = trim(line.text);
    const std::vector<std::string_view> words = tokens(text);
    if (text.starts_with("Percentage of the requests served")) {
      if (table) return fail(line_error(line, 0, "a second run of ab in one file"));
      table = true;
    } else if (table && words.size() >= 2 && words[0].ends_with('%')) {
      const auto share = parse_double(words[0].substr(0, words[0].size() - 1));
      const auto value = parse_double(words[1]);
      if (!share || !value || *value < 0) return {};
      if (*share >= 100) {
        set.max = *value * 1e-3;
      } else {
        set.stated.push_back({*share / 100, *value * 1e-3, 1e-3, std::string(words[0])});
      }
    }
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::vector<std::string_view> after =
        colon == text.npos ? std::vector<std::string_view>() : tokens(text.substr(colon + 1));
    const std::optional<double> value = after.empty() ? std::nullopt : parse_double(after[0]);
    if (name == "Concurrency Level") set.connections = set.concurrency = value;
    if (name == "Time taken for tests") set.duration = value;
    if (name == "Complete requests") complete = value.value_or(0);
    if (name == "Failed requests" || name == "Non-2xx responses") failed += value.value_or(0);
    if (name == "Requests per second") set.served = value;
    if (name == "Time per request" && !set.mean && value) set.mean = *value * 1e-3;
    failed -= other_lengths(text);
    return {};
  }));
  set.failed = whole_of(std::min(failed, complete));
  set.served_all = true;
  set.count = whole_of(complete) - set.failed;
  set.failures_stated = true;
  set.notes.emplace_back("ab prints whole milliseconds");
  return set;
}

// vegeta report

bool looks_like_vegeta_text(std::string_view head) {
  return head.find("Latencies ") != head.npos && head.find("[total, ") != head.npos &&
         (head.find("[ratio]") != head.npos || head.find("[min, mean, ") != head.npos);
}

/// "Name  [a, b, c]  1, 2, 3": the names and the values.
std::vector<std::pair<std::string_view, std::string_view>> named_values(std::string_view text) {
  const std::size_t open = text.find('['), close = text.find(']');
  std::vector<std::pair<std::string_view, std::string_view>> found;
  if (open == text.npos || close == text.npos || close < open) return found;
  const std::vector<std::string_view> names = split(text.substr(open + 1, close - open - 1), ',');
  const std::vector<std::string_view> values = split(text.substr(close + 1), ',');
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    found.emplace_back(trim(names[i]), trim(values[i]));
  }
  return found;
}

Result<LatencySet> read_vegeta_text(LineStream& stream, const LatencyOptions&) {
  LatencySet set{.name = stream.name(), .format = "vegeta", .ordered = false};
  double requests = 0, success = 1;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    const std::string_view text = trim(line.text);
    const bool latencies = text.starts_with("Latencies ");
    if (latencies && !set.stated.empty()) {
      return fail(line_error(line, 0, "a second report of vegeta in one file"));
    }
    for (const auto& [name, value] : named_values(text)) {
      if (latencies) {
        const std::optional<double> latency = go_duration(value);
        const std::optional<double> percent = parse_double(name);
        if (!latency) continue;
        if (name == "mean") set.mean = latency;
        if (name == "max") set.max = latency;
        if (percent && *percent > 0 && *percent < 100) {
          set.stated.push_back({*percent / 100, *latency, printed_step(value), std::string(name)});
        }
      } else if (text.starts_with("Requests ")) {
        if (name == "total") requests = parse_double(value).value_or(0);
        if (name == "rate") set.offered = parse_double(value);
        if (name == "throughput") set.served = parse_double(value);
      } else if (text.starts_with("Duration ")) {
        if (name == "total") set.duration = go_duration(value);
      } else if (text.starts_with("Success ") && value.ends_with('%')) {
        success = parse_double(value.substr(0, value.size() - 1)).value_or(100) / 100;
      }
    }
    return {};
  }));
  set.failed = whole_of(requests * (1 - std::clamp(success, 0.0, 1.0)));
  set.count = whole_of(requests) - std::min(set.failed, whole_of(requests));
  set.failures_stated = true;
  sort_stated(set);
  return set;
}

// k6

bool looks_like_k6_text(std::string_view head) {
  return head.find("avg=") != head.npos && head.find(" p(9") != head.npos &&
         head.find("...: ") != head.npos;
}

/// "avg=52.13ms  min=1.22s  med=...  p(95)=...".
void take_k6_values(std::string_view text, LatencySet& set) {
  for (const std::string_view word : tokens(text)) {
    const std::size_t equal = word.find('=');
    if (equal == word.npos) continue;
    const std::string_view key = word.substr(0, equal);
    const std::optional<double> value = go_duration(word.substr(equal + 1));
    if (!value) continue;
    const double step = printed_step(word.substr(equal + 1));
    if (key == "avg") set.mean = value;
    if (key == "max") set.max = value;
    if (key == "med") set.stated.push_back({0.5, *value, step, "med"});
    if (!key.starts_with("p(") || !key.ends_with(')')) continue;
    const auto percent = parse_double(key.substr(2, key.size() - 3));
    if (percent && *percent > 0 && *percent < 100) {
      set.stated.push_back({*percent / 100, *value, step, std::string(key)});
    }
  }
}

/// "2.00% 20 out of 1000", or before that "2.00% ✓ 20 ✗ 980".
double k6_count(const std::vector<std::string_view>& words) {
  const std::size_t place = words.size() > 2 && words[2] == "out" ? 1 : 2;
  return place < words.size() ? parse_double(words[place]).value_or(0) : 0;
}

Result<LatencySet> read_k6_text(LineStream& stream, const LatencyOptions& options) {
  LatencySet set{
      .name = stream.name(), .format = "k6", .ordered = false, .loop = LoopKind::kClosed};
  set.metric = options.metric.empty() ? "http_req_duration" : options.metric;
  set.whole = set.metric == "http_req_duration";
  double requests = 0, failed = 0;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    const std::string_view text = line.text;
    const std::size_t colon = text.find("..: ");
    if (colon == text.npos) return {};
    std::string_view name = trim(text.substr(0, text.find('.')));
    const std::size_t letter = name.find_first_of("abcdefghijklmnopqrstuvwxyz{");
    name = letter == name.npos ? name : name.substr(letter);  // a tick or a cross before it
    const std::string_view rest = text.substr(colon + 4);
    const std::vector<std::string_view> words = tokens(rest);
    if (rest.find("avg=") != rest.npos && !name.starts_with('{')) {
      if (name == set.metric && !set.stated.empty()) {
        return fail(line_error(line, 0, "a second run of k6 in one file"));
      }
      if (name == set.metric) {
        take_k6_values(rest, set);
      } else {
        set.others.emplace_back(name);
      }
    } else if (name == "http_reqs" && words.size() >= 2) {
      requests = parse_double(words[0]).value_or(0);
      set.served = parse_double(words[1].substr(0, words[1].find('/')));
    } else if (name == "http_req_failed") {
      failed = k6_count(words);
    }
    return {};
  }));
  if (set.stated.empty()) return fail(no_such_metric(stream.name(), set.metric, set.others));
  set.failed = whole_of(std::min(failed, requests));
  set.served_all = true;
  set.count = whole_of(requests) - set.failed;
  set.failures_stated = true;
  sort_stated(set);
  return set;
}

// vllm bench serve, and those that print the same table

constexpr std::string_view kServingTitle = " Serving Benchmark Result ";

bool looks_like_serving_text(std::string_view head) {
  return head.find(kServingTitle) != head.npos && head.find("Successful requests:") != head.npos;
}

/// "P99 TTFT (ms):", "Median E2E Latency (ms):" and its value.
void take_serving_latency(std::string_view name, double value, std::string_view printed,
                          LatencySet& set) {
  const std::vector<std::string_view> words = tokens(name);
  if (words.size() < 3 || words.back() != "(ms)") return;
  const std::string metric =
      words[1] == "E2EL" || words[1] == "E2E" ? "e2el" : lower_case(words[1]);
  const std::string what = lower_case(words[0]);
  const bool mean = what == "mean";
  double percent = 50;
  if (what.starts_with('p')) {
    percent = parse_double(what.substr(1)).value_or(0);
  } else if (!mean && what != "median") {
    return;
  }
  if (percent <= 0 || percent >= 100) return;
  if (metric != set.metric) {
    if (std::find(set.others.begin(), set.others.end(), metric) == set.others.end()) {
      set.others.push_back(metric);
    }
  } else if (mean) {
    set.mean = value * 1e-3;
  } else {
    set.stated.push_back(
        {percent / 100, value * 1e-3, printed_step(printed) * 1e-3, std::string(name)});
  }
}

Result<LatencySet> read_serving_text(LineStream& stream, const LatencyOptions& options) {
  LatencySet set{.name = stream.name(), .format = "vllm", .ordered = false};
  set.metric = options.metric.empty() ? "ttft" : options.metric;
  set.whole = set.metric == "e2el";
  bool table = false;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    std::string_view text = trim(line.text);
    while (text.starts_with('#')) text = trim(text.substr(1));  // pasted into a script
    if (text.find(kServingTitle) != text.npos) {
      if (table) {
        return fail(line_error(line, 0, "a second table of results in one file",
                               "put every run into a file of its own: they are levels of load"));
      }
      table = true;
    }
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return {};
    const std::string_view name = text.substr(0, colon), printed = trim(text.substr(colon + 1));
    const std::optional<double> value = parse_double(printed);
    if (!value || *value < 0) return {};
    if (name == "Successful requests") set.count = whole_of(*value);
    if (name == "Failed requests") set.failed = whole_of(*value);
    if (name == "Benchmark duration (s)") set.duration = value;
    if (name == "Request throughput (req/s)") set.served = value;
    if (name == "Output token throughput (tok/s)") set.tokens = value;
    const bool limited = std::isfinite(*value) && *value > 0;
    if (limited && (name == "Traffic request rate" || name == "Request rate configured (RPS)")) {
      set.offered = value;
      set.loop = LoopKind::kOpen;
    }
    if (limited && (name == "Maximum request concurrency" || name == "Max request concurrency")) {
      set.connections = set.concurrency = value;
      set.loop = LoopKind::kClosed;
    }
    if (table) take_serving_latency(name, *value, printed, set);
    return {};
  }));
  // Two digits of a rate are fewer than its count and duration have.
  if (set.duration && *set.duration > 0 && set.count > 0) {
    set.served = static_cast<double>(set.count) / *set.duration;
  }
  if (set.stated.empty()) return fail(no_such_metric(stream.name(), set.metric, set.others));
  sort_stated(set);
  return set;
}

}  // namespace

const LatencyFormat kAbFormat = {.name = "ab",
                                 .help = "what ab (ApacheBench) prints",
                                 .matches = looks_like_ab,
                                 .read = read_ab};
const LatencyFormat kServingTextFormat = {.name = "vllm-text",
                                          .help = "the table that vllm bench serve prints",
                                          .matches = looks_like_serving_text,
                                          .read = read_serving_text};
const LatencyFormat kVegetaTextFormat = {.name = "vegeta-text",
                                         .help = "what vegeta report prints",
                                         .matches = looks_like_vegeta_text,
                                         .read = read_vegeta_text};
const LatencyFormat kK6TextFormat = {.name = "k6-text",
                                     .help = "what k6 run prints at its end",
                                     .matches = looks_like_k6_text,
                                     .read = read_k6_text};

}  // namespace kstar::tail
