// JSON of benchmarks of inference servers: vLLM, sglang and llmperf.
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

// vLLM: benchmark_serving.py --save-result; sglang: bench_serving --output-file

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

/// A file of one run. sglang adds a line to its file with every run.
Result<Flat> read_run(LineStream& stream) {
  KSTAR_TRY(const FileText text, stream.whole());
  JsonDocument document;
  Flat flat;
  if (flatten(document, text.view(), flat)) return flat;
  const std::string_view rest = trim(text.view());
  const std::size_t end = rest.find('\n');
  Flat first;
  if (end == rest.npos || !flatten(document, rest.substr(0, end), first) ||
      !trim(rest.substr(end)).starts_with('{')) {
    return fail(json_error(stream.name(), text.view()));
  }
  return fail({.where = stream.name() + ":2",
               .message = "a second run in one file",
               .hint = fmt::format("split -l 1 --additional-suffix=.json {} run- puts every run "
                                   "into a file of its own: they are levels of load",
                                   printable(stream.name()))});
}

/// Both note 0 for requests that failed.
std::vector<double> without_failures(std::vector<double> list, const Flat& flat) {
  const std::vector<std::string>& errors = flat.words_of("errors");
  if (errors.size() != list.size()) return list;
  std::vector<double> good;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (errors[i].empty()) good.push_back(list[i]);
  }
  return good;
}

/// What decided when requests were sent; `told`: the file says at which rate, if at any.
void add_vllm_loop(const Flat& flat, double asked, bool told, LatencySet& set) {
  const auto rate = flat.number("request_rate"), most = flat.number("max_concurrency");
  const bool limited = most && *most > 0;
  if (rate && *rate > 0) set.offered = rate;
  if (limited) set.connections = set.concurrency = most;
  if (set.offered) {
    set.loop = limited ? LoopKind::kUnknown : LoopKind::kOpen;  // late ones may wait in the client
  } else if (limited) {
    set.loop = LoopKind::kClosed;
  } else if (told) {
    // All prompts at once: nothing is sent later, and nothing omitted.
    set.loop = LoopKind::kOpen;
    set.connections = set.concurrency = asked;
    set.ordered = false;
    set.notes.push_back(
        fmt::format("all {} prompts were sent at once: latencies are those of a burst, not of a "
                    "load that goes on",
                    significant(asked, 9)));
  }
}

Result<LatencySet> read_vllm(LineStream& stream, const LatencyOptions& options) {
  KSTAR_TRY(const std::string_view head, stream.head());
  const bool told = head.find("\"request_rate\"") != head.npos;
  KSTAR_TRY(const Flat flat, read_run(stream));
  LatencySet set{.name = stream.name(), .format = "vllm"};
  const auto backend = flat.texts.find("backend");
  if (backend != flat.texts.end() && backend->second.starts_with("sglang")) set.format = "sglang";
  set.metric = options.metric.empty() ? "ttft" : options.metric;
  set.whole = set.metric == "e2el" || set.metric == "e2e_latency" || set.metric == "latency";
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
  set.samples = without_failures(flat.list(list), flat);
  for (const double value : set.samples) {
    if (value >= 0) continue;
    return fail(expected(stream.name(), fmt::format("latencies of 0 or more in '{}'", list),
                         shortest(value)));
  }
  if (set.samples.empty() && set.stated.empty()) {
    return fail(no_such_metric(stream.name(), set.metric, set.others));
  }
  const double completed =
      flat.number("completed").value_or(static_cast<double>(set.samples.size()));
  set.count = set.samples.empty() ? static_cast<std::uint64_t>(std::max(0.0, completed))
                                  : set.samples.size();
  const std::vector<std::string>& errors = flat.words_of("errors");
  const auto good = static_cast<double>(std::count(errors.begin(), errors.end(), ""));
  const double lost = static_cast<double>(errors.size()) - good;
  const double asked = flat.number("num_prompts").value_or(completed + lost);
  if (asked > completed) set.failed = static_cast<std::uint64_t>(asked - completed);
  set.duration = flat.number("duration");
  set.served = flat.number("request_throughput");
  set.tokens = flat.number("output_throughput");
  add_vllm_loop(flat, asked, told, set);
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
    .help = "benchmark_serving JSON of vLLM or sglang: --metric ttft, itl, tpot",
    .matches = looks_like_vllm,
    .read = read_vllm};
const LatencyFormat kLlmperfFormat = {.name = "llmperf",
                                      .help = "llmperf's requests: --metric ttft, e2e, itl",
                                      .matches = looks_like_llmperf,
                                      .read = read_llmperf};

}  // namespace kstar::tail
