// JSON of benchmarks of inference servers: vLLM and llmperf.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/flat_json.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

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
    good = !value.get(record) && take_object(record, flat);
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

}  // namespace

const LatencyFormat kVllmFormat = {
    .name = "vllm",
    .help = "vLLM's benchmark_serving JSON: --metric ttft, itl, tpot",
    .matches = looks_like_vllm,
    .read = read_vllm};
const LatencyFormat kLlmperfFormat = {.name = "llmperf",
                                      .help = "llmperf's requests: --metric ttft, e2e, itl",
                                      .matches = looks_like_llmperf,
                                      .read = read_llmperf};

}  // namespace kstar::tail
