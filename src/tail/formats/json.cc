// JSON of vegeta, k6, vLLM and llmperf, and the log that `kstar tail measure` writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/duration.h"
#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

/// The numbers, texts and lists of numbers of an object, by their names; those of objects inside it
/// by names with dots.
struct Flat {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::vector<double>, std::less<>> lists;
  bool failed = false;

  std::optional<double> number(std::string_view name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
};

constexpr int kDeepest = 8;

/// Of an array: its numbers, and those of arrays in it.
bool take_list(const JsonArray& array, std::vector<double>& list, int depth) {
  bool good = true;
  const JsonFault fault = array.each([&](const JsonValue& value) {
    double number = 0;
    bool is_array = false;
    if (!value.get_is_array(is_array) && is_array) {
      JsonArray inner;
      good = depth < kDeepest && !value.get(inner) && take_list(inner, list, depth + 1);
    } else if (!value.get(number)) {
      list.push_back(number);
    } else {
      std::string_view ignored;
      good = !value.get_text(ignored);
    }
    return good;
  });
  return good && !fault;
}

bool take_object(const JsonObject& object, const std::string& prefix, Flat& flat, int depth) {
  bool good = true;
  const JsonFault fault = object.each([&](const JsonMember& member) {
    const std::string name = prefix + std::string(member.key);
    const std::string_view token = member.value.token();
    const char first = token.empty() ? ' ' : token[0];
    if (first == '{') {
      JsonObject inner;
      good = depth < kDeepest && !member.value.get(inner) &&
             take_object(inner, name + ".", flat, depth + 1);
    } else if (first == '[') {
      JsonArray inner;
      good = !member.value.get(inner) && take_list(inner, flat.lists[name], 0);
    } else if (first == '"') {
      std::string_view text;
      good = !member.value.get(text);
      if (good) flat.texts[name] = std::string(text);
    } else if (first == '-' || is_digit(first)) {
      double number = 0;
      if (!member.value.get(number)) {
        flat.numbers[name] = number;
      } else {
        std::string_view ignored;
        good = !member.value.get_text(ignored);
      }
    } else {
      std::string_view text;
      good = !member.value.get_text(text);
      if (good && trim(text) == "true") flat.numbers[name] = 1;
      if (good && trim(text) == "false") flat.numbers[name] = 0;
    }
    return good;
  });
  return good && !fault;
}

/// One object; `document` is used again for the next.
bool flatten(JsonDocument& document, std::string_view padded, Flat& flat) {
  JsonObject object;
  if (document.start(padded) || document.get(object)) return false;
  return take_object(object, "", flat, 0);
}

Error json_error(const std::string& name, std::string_view text) {
  const std::size_t at = json_fault_place(text);
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  return {.where = fmt::format("{}:{}", name, line),
          .message = "is not JSON, or nested too deeply, or cut off"};
}

Result<Flat> read_object(LineStream& stream) {
  KSTAR_TRY(const FileText text, stream.whole());
  JsonDocument document;
  Flat flat;
  if (document.check(text.view()) || !flatten(document, text.view(), flat)) {
    return fail(json_error(stream.name(), text.view()));
  }
  return flat;
}

/// Calls take(Line, Flat) for each line, all of which are objects.
template <typename Take>
Result<void> each_object(LineStream& stream, bool tolerate_last, const Take& take) {
  JsonDocument document;
  FileText padded;
  std::optional<Error> torn;
  return [&]() -> Result<void> {
    KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
      if (trim(line.text).empty()) return {};
      if (torn) return fail(*torn);  // it was not the last
      padded = FileText(line.text);
      Flat flat;
      if (document.check(padded.view()) || !flatten(document, padded.view(), flat)) {
        torn = line_error(line, json_fault_place(line.text), "expected one JSON object");
        return {};
      }
      return take(line, flat);
    }));
    if (torn && !tolerate_last) return fail(*torn);
    return {};
  }();
}

std::string_view first_object(std::string_view head) {
  return head.substr(std::min(head.find('{'), head.size()));
}

// vegeta report -type=json

bool looks_like_vegeta(std::string_view head) {
  return trim(head).starts_with('{') && head.find("\"latencies\"") != head.npos &&
         (head.find("\"99th\"") != head.npos || head.find("\"50th\"") != head.npos);
}

Result<LatencySet> read_vegeta(LineStream& stream, const LatencyOptions&) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  // A schedule, but latencies count from when a request was sent; vegeta adds workers as needed.
  LatencySet set{.name = stream.name(), .format = "vegeta", .ordered = false};
  constexpr double kNano = 1e-9;
  for (const auto& [name, value] : flat.numbers) {
    constexpr std::string_view kBefore = "latencies.";
    if (!name.starts_with(kBefore)) continue;
    const std::string key = name.substr(kBefore.size());
    if (key == "mean") set.mean = value * kNano;
    if (key == "max") set.max = value * kNano;
    if (!key.ends_with("th") || value < 0) continue;
    if (const auto share = parse_double(key.substr(0, key.size() - 2))) {
      if (*share > 0 && *share < 100) {
        set.stated.push_back({*share / 100, value * kNano, kNano, key});
      }
    }
  }
  const double requests = flat.number("requests").value_or(0);
  const double success = std::clamp(flat.number("success").value_or(1), 0.0, 1.0);
  set.failed = static_cast<std::uint64_t>(std::max(0.0, std::round(requests * (1 - success))));
  set.count = static_cast<std::uint64_t>(std::max(0.0, requests)) -
              std::min(set.failed, static_cast<std::uint64_t>(std::max(0.0, requests)));
  set.offered = flat.number("rate");
  set.served = flat.number("throughput");
  if (const auto duration = flat.number("duration")) {
    set.duration = (*duration + flat.number("wait").value_or(0)) * kNano;
  }
  if (set.failed > 0) {
    set.notes.emplace_back("vegeta's percentiles include requests that failed");
  }
  std::sort(set.stated.begin(), set.stated.end(),
            [](const auto& a, const auto& b) { return a.share < b.share; });
  return set;
}

// vegeta encode --to json

bool looks_like_vegeta_lines(std::string_view head) {
  const std::string_view line = first_object(head).substr(0, first_object(head).find('\n'));
  return trim(head).starts_with('{') && line.find("\"latency\":") != line.npos &&
         line.find("\"timestamp\":") != line.npos && line.find("\"seq\":") != line.npos;
}

Result<LatencySet> read_vegeta_lines(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  KSTAR_CHECK(each_object(stream, false, [&](const Line& line, const Flat& flat) -> Result<void> {
    const auto latency = flat.number("latency");
    const auto time = flat.texts.count("timestamp") > 0
                          ? read_date(flat.texts.find("timestamp")->second)
                          : std::nullopt;
    if (!latency || *latency < 0 || !time) {
      return fail(line_error(line, 0, "expected a latency in nanoseconds and a timestamp"));
    }
    const double code = flat.number("code").value_or(0);
    if (code <= 0 || code >= 400) {
      ++sink.set.failed;
    } else {
      sink.add(*latency * 1e-9, *time);
    }
    return {};
  }));
  return sink.finish(stream.name(), "vegeta");
}

// k6: handleSummary() and --summary-export; --out json

bool looks_like_k6(std::string_view head) {
  return trim(head).starts_with('{') && head.find("\"metrics\"") != head.npos &&
         (head.find("\"p(95)\"") != head.npos || head.find("\"p(90)\"") != head.npos);
}

Result<LatencySet> read_k6(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{
      .name = stream.name(), .format = "k6", .ordered = false, .loop = LoopKind::kClosed};
  set.metric = options.metric.empty() ? "http_req_duration" : options.metric;
  set.whole = set.metric == "http_req_duration";
  constexpr double kMilli = 1e-3;
  const auto under = [](const std::string& metric, bool values) {
    return "metrics." + metric + (values ? ".values." : ".");
  };
  const bool values = flat.number(under(set.metric, true) + "avg").has_value();
  const std::string prefix = under(set.metric, values);
  for (auto at = flat.numbers.lower_bound(prefix);
       at != flat.numbers.end() && at->first.starts_with(prefix); ++at) {
    const std::string key = at->first.substr(prefix.size());
    const double value = at->second * kMilli;
    if (key == "avg") set.mean = value;
    if (key == "max") set.max = value;
    if (key == "med") set.stated.push_back({0.5, value, 0, key});
    if (key.starts_with("p(") && key.ends_with(')')) {
      const auto share = parse_double(key.substr(2, key.size() - 3));
      if (share && *share > 0 && *share < 100) set.stated.push_back({*share / 100, value, 0, key});
    }
  }
  for (const auto& [name, value] : flat.numbers) {
    for (const bool inner : {true, false}) {
      const std::string end = inner ? ".values.avg" : ".avg";
      if (!name.starts_with("metrics.") || !name.ends_with(end)) continue;
      const std::string metric = name.substr(8, name.size() - 8 - end.size());
      if (metric.find(".values") == metric.npos && metric != set.metric)
        set.others.push_back(metric);
    }
  }
  if (set.stated.empty()) return fail(no_such_metric(stream.name(), set.metric, set.others));
  const auto of = [&](const std::string& metric, const char* key) {
    const auto inner = flat.number(under(metric, true) + key);
    return inner ? inner : flat.number(under(metric, false) + key);
  };
  const double requests = of("http_reqs", "count").value_or(0);
  // k6's "passes" of http_req_failed are the requests that failed.
  const double failed = of("http_req_failed", "passes").value_or(0);
  if (set.metric.starts_with("http_req_") && requests > 0 && failed <= requests) {
    set.failed = static_cast<std::uint64_t>(std::max(0.0, failed));
    set.count = static_cast<std::uint64_t>(requests) - set.failed;
    set.served = of("http_reqs", "rate");
    set.served_all = true;
    if (set.failed > 0) set.notes.emplace_back("k6's percentiles include requests that failed");
  } else {
    set.count = static_cast<std::uint64_t>(std::max(0.0, of("iterations", "count").value_or(0)));
  }
  if (const auto duration = flat.number("state.testRunDurationMs"))
    set.duration = *duration * kMilli;
  std::sort(set.stated.begin(), set.stated.end(),
            [](const auto& a, const auto& b) { return a.share < b.share; });
  return set;
}

bool looks_like_k6_lines(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return trim(line).starts_with('{') && line.find("\"metric\"") != line.npos &&
         (line.find("\"Metric\"") != line.npos || line.find("\"Point\"") != line.npos);
}

Result<LatencySet> read_k6_lines(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  const std::string wanted = options.metric.empty() ? "http_req_duration" : options.metric;
  std::vector<std::string> names;
  KSTAR_CHECK(each_object(stream, true, [&](const Line& line, const Flat& flat) -> Result<void> {
    const auto metric = flat.texts.find("metric"), type = flat.texts.find("type");
    if (metric == flat.texts.end() || type == flat.texts.end()) return {};
    if (type->second == "Metric") {
      const auto contains = flat.texts.find("data.contains");
      if (contains != flat.texts.end() && contains->second == "time" && metric->second != wanted) {
        names.push_back(metric->second);
      }
      return {};
    }
    if (type->second != "Point" || metric->second != wanted) return {};
    const auto value = flat.number("data.value");
    const auto time = flat.texts.find("data.time");
    const auto end = time == flat.texts.end() ? std::nullopt : read_date(time->second);
    if (!value || *value < 0 || !end) {
      return fail(line_error(line, 0, "expected a value in milliseconds and a time"));
    }
    const auto good = flat.texts.find("data.tags.expected_response");
    if (good != flat.texts.end() && good->second == "false") {
      ++sink.set.failed;
    } else {
      sink.add(*value * 1e-3, *end - *value * 1e-3);  // k6 notes the end
    }
    return {};
  }));
  LatencySet set = sink.finish(stream.name(), "k6");
  set.metric = wanted;
  set.whole = wanted == "http_req_duration";
  set.others = names;
  if (set.count == 0 && set.failed == 0) return fail(no_such_metric(stream.name(), wanted, names));
  return set;
}

// vLLM: benchmark_serving.py --save-result

bool looks_like_vllm(std::string_view head) {
  return trim(head).starts_with('{') &&
         (head.find("_ttft_ms\"") != head.npos || head.find("\"request_throughput\"") != head.npos);
}

/// "p99_ttft_ms", "median_itl_ms": the metric and the percentile.
std::optional<std::pair<std::string, double>> vllm_key(std::string_view name) {
  if (!name.ends_with("_ms")) return std::nullopt;
  name.remove_suffix(3);
  const std::size_t bar = name.find('_');
  if (bar == name.npos) return std::nullopt;
  const std::string_view what = name.substr(0, bar);
  const std::string metric(name.substr(bar + 1));
  if (what == "mean") return std::pair(metric, 0.0);
  if (what == "median") return std::pair(metric, 0.5);
  if (!what.starts_with('p')) return std::nullopt;
  const auto share = parse_double(what.substr(1));
  if (!share || *share <= 0 || *share >= 100) return std::nullopt;
  return std::pair(metric, *share / 100);
}

Result<LatencySet> read_vllm(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(Flat flat, read_object(stream));
  LatencySet set{.name = stream.name(), .format = "vllm"};
  set.metric = options.metric.empty() ? "ttft" : options.metric;
  set.whole = set.metric == "e2el" || set.metric == "latency";
  for (const auto& [name, value] : flat.numbers) {
    const auto key = vllm_key(name);
    if (!key) continue;
    const auto& [metric, share] = *key;
    if (metric != set.metric) {
      if (std::find(set.others.begin(), set.others.end(), metric) == set.others.end()) {
        set.others.push_back(metric);
      }
    } else if (share == 0) {
      set.mean = value * 1e-3;
    } else {
      set.stated.push_back({share, value * 1e-3, 0, name});
    }
  }
  const std::string list = set.metric + "s";  // ttfts, itls
  if (const auto found = flat.lists.find(list); found != flat.lists.end()) {
    for (const double value : found->second) {
      if (value < 0) {
        return fail(expected(stream.name(), fmt::format("latencies of 0 or more in '{}'", list),
                             shortest(value)));
      }
    }
    set.samples = std::move(found->second);
  }
  if (set.samples.empty() && set.stated.empty()) {
    return fail(no_such_metric(stream.name(), set.metric, set.others));
  }
  const double completed =
      flat.number("completed").value_or(static_cast<double>(set.samples.size()));
  set.count = set.samples.empty() ? static_cast<std::uint64_t>(std::max(0.0, completed))
                                  : set.samples.size();
  const double asked = flat.number("num_prompts").value_or(completed);
  if (asked > completed) set.failed = static_cast<std::uint64_t>(asked - completed);
  set.duration = flat.number("duration");
  set.served = flat.number("request_throughput");
  set.tokens = flat.number("output_throughput");
  if (const auto rate = flat.number("request_rate"); rate && *rate > 0) {
    set.offered = rate;
    set.loop = LoopKind::kOpen;
  } else if (const auto most = flat.number("max_concurrency"); most && *most > 0) {
    set.connections = set.concurrency = most;
    set.loop = LoopKind::kClosed;
  } else {
    // All prompts at once: nothing is sent later, and nothing omitted.
    set.loop = LoopKind::kOpen;
    set.connections = set.concurrency = asked;
    set.ordered = false;
    set.notes.push_back(
        fmt::format("all {} prompts were sent at once: latencies are those of a burst, not of a "
                    "load that goes on",
                    significant(asked, 9)));
  }
  if (set.metric == "itl") {
    set.ordered = false;
    set.notes.emplace_back("one latency per token: tokens of one request are correlated");
    set.connections.reset();
    set.served.reset();
  }
  std::sort(set.stated.begin(), set.stated.end(),
            [](const auto& a, const auto& b) { return a.share < b.share; });
  return set;
}

// llmperf: a list of requests

bool looks_like_llmperf(std::string_view head) {
  return trim(head).starts_with('[') && head.find("\"ttft_s\"") != head.npos;
}

Result<LatencySet> read_llmperf(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const FileText text, stream.whole());
  const FileText wrapped("{\"all\":" + std::string(text.view()) + "}");
  JsonDocument document;
  JsonObject object;
  JsonValue list;
  JsonArray array;
  if (document.check(wrapped.view())) return fail(json_error(stream.name(), text.view()));
  if (document.start(wrapped.view()) || document.get(object) || object.find("all", list) ||
      list.get(array)) {
    return fail(json_error(stream.name(), text.view()));
  }
  const std::map<std::string, std::string> metrics = {
      {"ttft", "ttft_s"}, {"e2e", "end_to_end_latency_s"}, {"itl", "inter_token_latency_s"}};
  const std::string wanted = options.metric.empty() ? "ttft" : options.metric;
  const auto key = metrics.find(wanted);
  if (key == metrics.end())
    return fail(no_such_metric(stream.name(), wanted, {"ttft", "e2e", "itl"}));
  LatencySink sink(options);
  bool good = true;
  const JsonFault fault = array.each([&](const JsonValue& value) {
    JsonObject record;
    Flat flat;
    good = !value.get(record) && take_object(record, "", flat, 0);
    if (!good) return false;
    const auto latency = flat.number(key->second);
    if (flat.number("error_code") || !latency || *latency < 0) {
      ++sink.set.failed;
    } else {
      sink.add(*latency);
    }
    return true;
  });
  if (fault || !good) return fail(json_error(stream.name(), text.view()));
  LatencySet set = sink.finish(stream.name(), "llmperf");
  set.metric = wanted;
  set.whole = wanted == "e2e";
  for (const auto& [name, column] : metrics) {
    if (name != wanted) set.others.push_back(name);
  }
  return set;
}

// The log of kstar tail measure: a header, and a line per request.

bool looks_like_log(std::string_view head) {
  return trim(head).starts_with("{\"kstar\":\"tail-log\"");
}

/// What is read of a log.
struct LogReader {
  LatencySink& sink;
  std::optional<Flat> header;
  std::vector<bool> seen;
  double last = 0;  ///< when anything was last known to happen
  double sent = 0;
  bool closed = false;
  std::vector<double> lateness;  ///< how late each request was sent
  std::vector<double> answered;  ///< how long after that it had an answer

  Result<void> take(const Line& line, const Flat& flat) {
    if (!header) {
      header = flat;
      return {};
    }
    constexpr double kMostRequests = 1e8;
    if (const auto count = flat.number("sent"); count && flat.number("t")) {  // how far it had come
      sent = std::clamp(std::max(sent, *count), 0.0, kMostRequests);
      last = std::max(last, *flat.number("t"));
      closed = closed || flat.number("end").has_value();
      return {};
    }
    const auto index = flat.number("i"), start = flat.number("due");
    const auto latency = flat.number("latency");
    if (!index || !start || !latency || *index < 0 || *index >= kMostRequests || *latency < 0) {
      return fail(line_error(line, 0, "expected i, due and latency of a request"));
    }
    const auto place = static_cast<std::size_t>(*index);
    if (seen.size() <= place) seen.resize(place + 1);
    if (seen[place]) return fail(line_error(line, 0, "the same request a second time"));
    seen[place] = true;
    last = std::max(last, *start + *latency);
    const auto sent_at = flat.number("sent");
    if (sent_at) lateness.push_back(*sent_at - *start);
    if (flat.number("failed").value_or(0) > 0) {
      ++sink.set.failed;
    } else {
      if (sent_at) answered.push_back(std::max(0.0, *start + *latency - *sent_at));
      sink.add(*latency, *start, flat.number("unanswered").value_or(0) > 0);
    }
    return {};
  }

  /// The delay of the generator itself is part of the latencies: said where it matters.
  void note_lateness(double median) {
    if (lateness.empty()) return;
    const auto p99 = [](std::vector<double>& all) {
      const auto place = static_cast<std::ptrdiff_t>(static_cast<double>(all.size()) * 0.99);
      std::nth_element(all.begin(), all.begin() + place, all.end());
      return all[static_cast<std::size_t>(place)];
    };
    const double late = p99(lateness);
    constexpr double kMatters = 0.2;
    if (late < kMatters * median || answered.empty()) return;
    sink.set.notes.push_back(fmt::format(
        "1% of the requests were sent {} late or more, by kstar itself (a busy machine?): that is "
        "in the latencies; counted from when each was sent, p99 is {}",
        time_text(late), time_text(p99(answered))));
  }

  /// Those that were sent and have no line had no answer when it was killed.
  std::size_t add_lost() {
    const double rate = header ? header->number("rate").value_or(0) : 0;
    if (rate <= 0) return 0;
    const auto arrivals = header->texts.find("arrivals");
    const bool poisson = arrivals != header->texts.end() && arrivals->second == "poisson";
    const auto seed = static_cast<std::uint64_t>(std::max(0.0, header->number("seed").value_or(1)));
    seen.resize(std::max(seen.size(), static_cast<std::size_t>(sent)));
    const std::vector<double> due = arrival_times(rate, poisson, seed, seen.size());
    std::size_t lost = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      ++lost;
      sink.add(std::max(0.0, last - due[i]), due[i], true);
    }
    return lost;
  }
};

Result<LatencySet> read_log(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  LogReader reader{sink};
  KSTAR_CHECK(each_object(
      stream, true, [&](const Line& line, const Flat& flat) { return reader.take(line, flat); }));
  const std::size_t lost = reader.closed ? 0 : reader.add_lost();
  if (!sink.set.samples.empty()) {
    std::vector<double> copy = sink.set.samples;
    std::nth_element(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2),
                     copy.end());
    reader.note_lateness(copy[copy.size() / 2]);
  }
  LatencySet set = sink.finish(stream.name(), "kstar");
  set.is_log = true;
  set.loop = LoopKind::kOpen;
  if (const auto rate = reader.header->number("rate"); rate && *rate > 0) set.offered = rate;
  set.duration = reader.last;
  if (!reader.closed) {
    set.notes.push_back(fmt::format("the measurement was cut off: {} without an answer by then",
                                    count_text(lost, "request")));
  }
  return set;
}

}  // namespace

const LatencyFormat kVegetaFormat = {.name = "vegeta-report",
                                     .help = "vegeta report -type=json",
                                     .matches = looks_like_vegeta,
                                     .read = read_vegeta};
const LatencyFormat kVegetaLinesFormat = {.name = "vegeta",
                                          .help = "vegeta encode --to json (or csv)",
                                          .matches = looks_like_vegeta_lines,
                                          .read = read_vegeta_lines};
const LatencyFormat kK6Format = {.name = "k6-summary",
                                 .help = "k6 --summary-export, or handleSummary() as JSON",
                                 .matches = looks_like_k6,
                                 .read = read_k6};
const LatencyFormat kK6LinesFormat = {
    .name = "k6", .help = "k6 --out json", .matches = looks_like_k6_lines, .read = read_k6_lines};
const LatencyFormat kVllmFormat = {
    .name = "vllm",
    .help = "vLLM's benchmark_serving JSON: --metric ttft, itl, tpot",
    .matches = looks_like_vllm,
    .read = read_vllm};
const LatencyFormat kLlmperfFormat = {.name = "llmperf",
                                      .help = "llmperf's requests: --metric ttft, e2e, itl",
                                      .matches = looks_like_llmperf,
                                      .read = read_llmperf};
const LatencyFormat kLogFormat = {.name = "kstar",
                                  .help = "the log of kstar tail measure",
                                  .matches = looks_like_log,
                                  .read = read_log};

}  // namespace kstar::tail
