// JSON of HTTP and gRPC clients: oha, autocannon, bombardier, fortio and artillery, which state
// percentiles, and ghz, which has its requests, too.
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

bool has_all(std::string_view head, std::initializer_list<std::string_view> names) {
  return trim(head).starts_with('{') && std::all_of(names.begin(), names.end(), [&](auto name) {
           return head.find(fmt::format("\"{}\"", name)) != head.npos;
         });
}

/// Percentiles below the median say nothing of a tail.
void add_stated(LatencySet& set, double percent, double value, double step, std::string_view name) {
  if (percent < 50 || percent >= 100 || value < 0) return;
  set.stated.push_back({percent / 100, value, step, std::string(name)});
}

/// "p99.9", and with another point "p99_9": 99.9.
std::optional<double> percent_of(std::string_view key, char point = '.') {
  if (!key.starts_with('p')) return std::nullopt;
  std::string digits(key.substr(1));
  std::replace(digits.begin(), digits.end(), point, '.');
  return parse_double(digits);
}

std::uint64_t whole(double count) {
  constexpr double kMost = 1e15;
  return static_cast<std::uint64_t>(std::clamp(std::round(count), 0.0, kMost));
}

/// Answers by their status, "200" or "OK".
struct Statuses {
  double good = 0, bad = 0;

  void add(std::string_view status, double count) {
    const std::optional<std::int64_t> code = parse_integer(status);
    const bool is_good = code ? *code > 0 && *code < 400 : status == "OK" || status == "SERVING";
    (is_good ? good : bad) += std::max(0.0, count);
  }
};

LatencySet finish(LatencySet set) {
  std::sort(set.stated.begin(), set.stated.end(),
            [](const auto& a, const auto& b) { return a.share < b.share; });
  set.served_all = true;
  return set;
}

// oha --output-format json

bool looks_like_oha(std::string_view head) {
  return has_all(head, {"summary", "latencyPercentiles"});
}

Result<LatencySet> read_oha(LineStream& stream, const LatencyOptions&) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{
      .name = stream.name(), .format = "oha", .ordered = false, .loop = LoopKind::kClosed};
  bool successful = false;
  const auto take = [&](std::string_view key, double value) {
    if (const auto percent = percent_of(key)) add_stated(set, *percent, value, 0, key);
  };
  flat.each_number("latencyPercentilesSuccessful.", take);
  successful = !set.stated.empty();
  if (!successful) flat.each_number("latencyPercentiles.", take);
  Statuses statuses;
  flat.each_number("statusCodeDistribution.",
                   [&](std::string_view code, double count) { statuses.add(code, count); });
  double errors = 0;
  flat.each_number("errorDistribution.", [&](std::string_view error, double count) {
    if (error != "aborted due to deadline") errors += count;  // the end of the run
  });
  set.count = whole(statuses.good);
  set.failed = whole(statuses.bad + errors);
  set.duration = flat.number("summary.total");
  set.served = flat.number("summary.requestsPerSec");
  if (!successful) {
    set.mean = flat.number("summary.average");
    set.max = flat.number("summary.slowest");
  }
  set.failures_stated = !successful;
  return finish(std::move(set));
}

// autocannon -j

bool looks_like_autocannon(std::string_view head) {
  return has_all(head, {"latency", "p97_5", "totalCount"});
}

Result<LatencySet> read_autocannon(LineStream& stream, const LatencyOptions&) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{
      .name = stream.name(), .format = "autocannon", .ordered = false, .loop = LoopKind::kClosed};
  const auto number = [&](const char* name) { return flat.number(name).value_or(0); };
  flat.each_number("latency.", [&](std::string_view key, double value) {
    if (key == "mean") set.mean = value * kMilli;
    if (key == "max") set.max = value * kMilli;
    const auto percent = percent_of(key, '_');
    if (percent) add_stated(set, *percent, value * kMilli, kMilli, key);
  });
  const double answered = std::max(number("latency.totalCount"), number("requests.total"));
  const double refused = std::min(answered, number("4xx") + number("5xx"));
  set.count = whole(answered - refused);
  set.failed = whole(refused + number("errors"));
  set.duration = flat.number("duration");
  if (set.duration && *set.duration > 0) set.served = answered / *set.duration;
  const double connections = number("connections");
  if (connections > 0) {
    set.connections = set.concurrency = connections * std::max(1.0, number("pipelining"));
  }
  set.notes.emplace_back("autocannon records whole milliseconds");
  set.failures_stated = true;
  return finish(std::move(set));
}

// bombardier -l -o json

bool looks_like_bombardier(std::string_view head) {
  return has_all(head, {"spec", "numberOfConnections", "timeTakenSeconds"});
}

Result<LatencySet> read_bombardier(LineStream& stream, const LatencyOptions&) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{
      .name = stream.name(), .format = "bombardier", .ordered = false, .loop = LoopKind::kClosed};
  const auto number = [&](const char* name) { return flat.number(name).value_or(0); };
  flat.each_number("result.latency.percentiles.", [&](std::string_view key, double value) {
    if (const auto percent = parse_double(trim(key))) {
      add_stated(set, *percent, value * kMicro, kMicro, trim(key));
    }
  });
  if (set.stated.empty()) {
    return fail(
        {.where = stream.name(),
         .message = "bombardier was run without --latencies: no percentiles in its output"});
  }
  if (const auto mean = flat.number("result.latency.mean")) set.mean = *mean * kMicro;
  if (const auto most = flat.number("result.latency.max")) set.max = *most * kMicro;
  const double good = number("result.req1xx") + number("result.req2xx") + number("result.req3xx");
  const double bad = number("result.req4xx") + number("result.req5xx") + number("result.others");
  set.count = whole(good);
  set.failed = whole(bad);
  set.duration = flat.number("result.timeTakenSeconds");
  if (set.duration && *set.duration > 0) set.served = (good + bad) / *set.duration;
  set.connections = set.concurrency = flat.number("spec.numberOfConnections");
  set.offered = flat.number("spec.rate");
  set.failures_stated = true;
  return finish(std::move(set));
}

// fortio load -json FILE

bool looks_like_fortio(std::string_view head) {
  return has_all(head, {"DurationHistogram", "ActualQPS"});
}

Result<LatencySet> read_fortio(LineStream& stream, const LatencyOptions&) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{
      .name = stream.name(), .format = "fortio", .ordered = false, .loop = LoopKind::kClosed};
  const std::vector<double>& shares = flat.list("DurationHistogram.Percentiles.Percentile");
  const std::vector<double>& values = flat.list("DurationHistogram.Percentiles.Value");
  for (std::size_t i = 0; i < std::min(shares.size(), values.size()); ++i) {
    add_stated(set, shares[i], values[i], 0, fmt::format("{}", shares[i]));
  }
  if (set.stated.empty()) {
    return fail({.where = stream.name(), .message = "fortio was run without -p: no percentiles"});
  }
  Statuses statuses;
  flat.each_number("RetCodes.",
                   [&](std::string_view code, double count) { statuses.add(code, count); });
  const double all = flat.number("DurationHistogram.Count").value_or(0);
  const double bad = flat.number("ErrorsDurationHistogram.Count").value_or(statuses.bad);
  set.failed = whole(std::min(all, bad));
  set.count = whole(all) - set.failed;
  set.mean = flat.number("DurationHistogram.Avg");
  set.max = flat.number("DurationHistogram.Max");
  set.served = flat.number("ActualQPS");
  if (const auto duration = flat.number("ActualDuration")) set.duration = *duration * kNano;
  if (const auto asked = flat.texts.find("RequestedQPS"); asked != flat.texts.end()) {
    if (const auto rate = parse_double(asked->second); rate && *rate > 0) set.offered = rate;
  }
  set.connections = set.concurrency = flat.number("NumThreads");
  set.notes.emplace_back("fortio takes its percentiles from buckets, in straight lines");
  set.failures_stated = true;
  return finish(std::move(set));
}

// artillery run -o FILE: of version 2, and of version 1 with one latency for all requests

bool looks_like_artillery(std::string_view head) {
  return has_all(head, {"aggregate", "counters"}) &&
         (head.find("\"vusers.created\"") != head.npos || head.find("\"summaries\"") != head.npos ||
          head.find("\"scenariosCreated\"") != head.npos);
}

/// "median", "p95", "p999": 50, 95, 99.9.
std::optional<double> artillery_percent(std::string_view key) {
  if (key == "median") return 50;
  const std::optional<double> digits = percent_of(key);
  if (!digits || key == "p50") return std::nullopt;  // the median once more
  return *digits >= 100 ? *digits / 10 : *digits;
}

Result<LatencySet> read_artillery(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySet set{.name = stream.name(), .format = "artillery", .ordered = false};
  const bool first = flat.number("aggregate.scenariosCreated").has_value();
  const std::string usual = first ? "latency" : "http.response_time";
  const std::string metric = options.metric.empty() ? usual : options.metric;
  const std::string before = first ? "aggregate." : "aggregate.summaries.";
  flat.each_number(before + metric + ".", [&](std::string_view key, double value) {
    if (key == "mean") set.mean = value * kMilli;
    if (key == "max") set.max = value * kMilli;
    if (const auto percent = artillery_percent(key)) {
      add_stated(set, *percent, value * kMilli, 0, key);
    }
  });
  flat.each_number(before, [&](std::string_view key, double) {
    if (!key.ends_with(".median")) return;
    const std::string other(key.substr(0, key.size() - 7));
    if (other != metric) set.others.push_back(other);
  });
  if (set.stated.empty()) return fail(no_such_metric(stream.name(), metric, set.others));
  Statuses statuses;
  const auto take = [&](std::string_view code, double count) { statuses.add(code, count); };
  flat.each_number(first ? "aggregate.codes." : "aggregate.counters.http.codes.", take);
  double errors = 0;
  flat.each_number(first ? "aggregate.errors." : "aggregate.counters.errors.",
                   [&](std::string_view, double count) { errors += std::max(0.0, count); });
  const bool requests = metric == usual;
  if (!options.metric.empty()) set.metric = metric;
  set.whole = requests;
  const auto own = flat.number(before + metric + ".count");
  const auto completed = flat.number("aggregate.requestsCompleted");
  const double all = own ? *own : completed.value_or(statuses.good + statuses.bad);
  if (requests) {
    set.failed = whole(std::min(all, statuses.bad) + errors);
    set.count = whole(all - std::min(all, statuses.bad));
  } else {
    set.count = whole(all);
  }
  const auto from = flat.number("aggregate.firstMetricAt");
  const auto to = flat.number("aggregate.lastMetricAt");
  if (from && to && *to > *from) set.duration = (*to - *from) * kMilli;
  if (requests && set.duration) set.served = (all + errors) / *set.duration;
  set.failures_stated = true;
  return finish(std::move(set));
}

// ghz -O json

bool looks_like_ghz(std::string_view head) {
  return has_all(head, {"statusCodeDistribution", "fastest", "slowest"}) ||
         has_all(head, {"latencyDistribution", "rps"});
}

/// Its requests, where all of them have everything; ghz notes when each one ended.
Result<void> take_ghz_requests(const Flat& flat, LineStream& stream, LatencySink& sink) {
  const std::vector<double>& latencies = flat.list("details.latency");
  const std::vector<std::string>& ends = flat.words_of("details.timestamp");
  const std::vector<std::string>& errors = flat.words_of("details.error");
  if (ends.size() != latencies.size() || errors.size() != latencies.size()) return {};
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const std::optional<double> end = read_date(ends[i]);
    if (!end || latencies[i] < 0) {
      return fail(expected(stream.name(), "a time and a latency of 0 or more in 'details'",
                           fmt::format("{}, {}", printable(ends[i]), shortest(latencies[i]))));
    }
    if (errors[i].empty()) {
      sink.add(latencies[i] * kNano, *end - latencies[i] * kNano);
    } else {
      ++sink.set.failed;
    }
  }
  return {};
}

Result<LatencySet> read_ghz(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const Flat flat, read_object(stream));
  LatencySink sink(options);
  sink.ends = true;
  KSTAR_CHECK(take_ghz_requests(flat, stream, sink));
  const bool samples = !sink.set.samples.empty();
  LatencySet set = sink.finish(stream.name(), "ghz");
  const std::vector<double>& shares = flat.list("latencyDistribution.percentage");
  const std::vector<double>& values = flat.list("latencyDistribution.latency");
  for (std::size_t i = 0; i < std::min(shares.size(), values.size()); ++i) {
    constexpr double kCut = 2 * kNano;  // by way of seconds, and cut off
    add_stated(set, shares[i], values[i] * kNano, kCut, fmt::format("{}%", shares[i]));
  }
  const double all = flat.number("count").value_or(0);
  if (!samples) {
    Statuses statuses;
    flat.each_number("statusCodeDistribution.",
                     [&](std::string_view code, double count) { statuses.add(code, count); });
    set.ordered = false;
    set.loop = LoopKind::kClosed;
    set.failed = whole(statuses.bad);
    set.count = whole(all) - std::min(whole(all), set.failed);
    if (const auto mean = flat.number("average")) set.mean = *mean * kNano;
    if (const auto most = flat.number("slowest")) set.max = *most * kNano;
  } else if (const auto kept = static_cast<double>(set.count + set.failed); all > kept) {
    set.notes.push_back(fmt::format("{} of {} requests are in the file", significant(kept, 12),
                                    significant(all, 12)));
  }
  if (const auto total = flat.number("total")) set.duration = *total * kNano;
  set.served = flat.number("rps");
  set.connections = set.concurrency = flat.number("options.concurrency");
  for (const char* name : {"options.rps", "options.qps"}) {
    if (const auto rate = flat.number(name); rate && *rate > 0) set.offered = rate;
  }
  return finish(std::move(set));
}

}  // namespace

const LatencyFormat kOhaFormat = {
    .name = "oha", .help = "oha --output-format json", .matches = looks_like_oha, .read = read_oha};
const LatencyFormat kAutocannonFormat = {.name = "autocannon",
                                         .help = "autocannon -j",
                                         .matches = looks_like_autocannon,
                                         .read = read_autocannon};
const LatencyFormat kBombardierFormat = {.name = "bombardier",
                                         .help = "bombardier --latencies -o json",
                                         .matches = looks_like_bombardier,
                                         .read = read_bombardier};
const LatencyFormat kFortioFormat = {.name = "fortio",
                                     .help = "fortio load -json FILE",
                                     .matches = looks_like_fortio,
                                     .read = read_fortio};
const LatencyFormat kArtilleryFormat = {.name = "artillery",
                                        .help = "artillery run -o FILE",
                                        .matches = looks_like_artillery,
                                        .read = read_artillery};
const LatencyFormat kGhzFormat = {
    .name = "ghz", .help = "ghz -O json", .matches = looks_like_ghz, .read = read_ghz};

}  // namespace kstar::tail
