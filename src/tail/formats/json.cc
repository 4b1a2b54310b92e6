// JSON of vegeta and k6.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/flat_json.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

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
  flat.each_number("latencies.", [&](std::string_view key, double value) {
    if (key == "mean") set.mean = value * kNano;
    if (key == "max") set.max = value * kNano;
    if (!key.ends_with("th") || value < 0) return;
    const auto share = parse_double(key.substr(0, key.size() - 2));
    if (!share || *share <= 0 || *share >= 100) return;
    set.stated.push_back({*share / 100, value * kNano, kNano, std::string(key)});
  });
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
  set.failures_stated = true;
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
  const auto under = [](const std::string& metric, bool values) {
    return "metrics." + metric + (values ? ".values." : ".");
  };
  bool values = false;
  flat.each_number(under(set.metric, true), [&](std::string_view, double) { values = true; });
  const std::string prefix = under(set.metric, values);
  flat.each_number(prefix, [&](std::string_view key, double ms) {
    const double value = ms * kMilli;
    if (key == "avg") set.mean = value;
    if (key == "max") set.max = value;
    if (key == "med") set.stated.push_back({0.5, value, 0, std::string(key)});
    if (!key.starts_with("p(") || !key.ends_with(')')) return;
    const auto share = parse_double(key.substr(2, key.size() - 3));
    if (!share || *share <= 0 || *share >= 100) return;
    set.stated.push_back({*share / 100, value, 0, std::string(key)});
  });
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
  // k6's "passes" of http_req_failed are the requests that failed; others write it the other way.
  const auto rate = of("http_req_failed", "rate");
  const auto share = rate ? rate : of("http_req_failed", "value");
  const double failed = share ? std::round(std::clamp(*share, 0.0, 1.0) * requests)
                              : of("http_req_failed", "passes").value_or(0);
  if (set.metric.starts_with("http_req_") && requests > 0 && failed <= requests) {
    set.failed = static_cast<std::uint64_t>(std::max(0.0, failed));
    set.count = static_cast<std::uint64_t>(requests) - set.failed;
    set.served = of("http_reqs", "rate");
    set.served_all = true;
    set.failures_stated = true;
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
  sink.ends = true;
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
      sink.add(*value * 1e-3, *end - *value * 1e-3);
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

}  // namespace kstar::tail
