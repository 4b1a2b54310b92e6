#include <cmath>

#include "base/number.h"
#include "kstar/tail_report.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/tail/words.h"

namespace kstar {

namespace {

constexpr int kTailSchema = 1;

std::string_view name_of(TailInterval interval) {
  switch (interval) {
    case TailInterval::kRanks:
      return "ranks";
    case TailInterval::kBatches:
      return "batch_means";
    case TailInterval::kAssumed:
      return "ranks_assumed_independent";
    case TailInterval::kNone:
      break;
  }
  return "none";
}

Json doubt_of(TailDoubt doubt) {
  if (doubt == TailDoubt::kTooFew) return "too few samples";
  if (doubt == TailDoubt::kTooShort) return "too short";
  return {};
}

std::string_view name_of(OmissionVerdict verdict) {
  switch (verdict) {
    case OmissionVerdict::kImpossible:
      return "open_loop";
    case OmissionVerdict::kNotFound:
      return "not_found";
    case OmissionVerdict::kFound:
      return "found";
    case OmissionVerdict::kClosedLoop:
      return "closed_loop";
    case OmissionVerdict::kUnknown:
      break;
  }
  return "cannot_be_told";
}

std::string_view name_of(SloVerdict verdict) {
  return verdict == SloVerdict::kKept     ? "kept"
         : verdict == SloVerdict::kBroken ? "broken"
                                          : "unclear";
}

Json percentile_json(const TailPercentile& one) {
  return {{"percentile", one.share * 100},
          {"value", one.value},
          {"low", one.low},
          {"high", one.high},
          {"confidence", one.confidence > 0 ? Json(one.confidence) : Json()},
          {"interval", name_of(one.interval)},
          {"doubt", doubt_of(one.doubt)},
          {"samples_above", one.beyond},
          {"independent_samples", one.effective},
          {"samples_per_independent", one.correlation_factor}};
}

Json omission_json(const Omission& omission) {
  Json corrected = Json::array();
  for (const auto& [share, value] : omission.corrected) {
    corrected.push_back(Json{{"percentile", share * 100}, {"value", value}});
  }
  return {{"verdict", name_of(omission.verdict)}, {"interval", omission.interval},
          {"late_requests", omission.late},       {"expected_starts", omission.expected},
          {"seen_starts", omission.seen},         {"probability", omission.probability},
          {"added_requests", omission.added},     {"corrected", corrected}};
}

Json fan_out_row_json(const FanOutRow& row) {
  return {{"workers", row.workers},
          {"any_beyond_p99", row.any_slow},
          {"percentiles", list_of(row.all, percentile_json)}};
}

Json fan_out_json(const FanOut& fan) {
  return {{"rows", list_of(fan.rows, fan_out_row_json)},
          {"most_workers", fan.most},
          {"most_workers_low", fan.most ? Json(fan.most_low) : Json()},
          {"most_workers_high", fan.most ? Json(fan.most_high) : Json()}};
}

Json hedge_json(const HedgeRow& row) {
  return {{"delay_percentile", row.share * 100},
          {"delay", row.delay},
          {"more_requests", row.more},
          {"percentiles", list_of(row.all, percentile_json)}};
}

Json stated_json(const StatedPercentile& one, const Json& definition) {
  return {{"name", one.name},
          {"percentile", one.share * 100},
          {"value", one.value},
          {"definition", definition}};
}

Json level_json(const TailLevel& level) {
  const LatencySet& set = level.set;
  Json stated = Json::array();
  for (const auto& [one, way] : level.reproduced) stated.push_back(stated_json(one, way));
  for (const StatedPercentile& one : level.differing) stated.push_back(stated_json(one, Json()));
  return {{"file", set.name},
          {"format", set.format},
          {"metric", set.metric},
          {"unit", set.seconds ? Json("s") : Json()},
          {"latencies", set.count},
          {"failed", set.failed},
          {"unanswered", set.unanswered},
          {"duration", level.duration},
          {"offered", level.offered},
          {"served", level.served},
          {"in_flight", level.in_flight},
          {"concurrency", set.concurrency},
          {"little", level.little},
          {"little_fails", level.little_fails},
          {"mean", level.mean},
          {"tokens_per_second", set.tokens},
          {"bucket_error", set.bucket_error},
          {"percentiles", list_of(level.percentiles, percentile_json)},
          {"omission", omission_json(level.omission)},
          {"fan_out", optional_of(level.fan_out, fan_out_json)},
          {"hedges", list_of(level.hedges, hedge_json)},
          {"slo", level.slo ? Json(name_of(*level.slo)) : Json()},
          {"good", level.good ? Json{{"share", level.good->value},
                                     {"low", level.good->low},
                                     {"high", level.good->high}}
                              : Json()},
          {"goodput", level.goodput},
          {"stated", stated},
          {"notes", set.notes},
          {"other_metrics", set.others}};
}

Json queue_json(const QueueFit& fit) {
  return {{"law", fit.name},
          {"servers", fit.servers},
          {"servers_low", fit.servers_low},
          {"servers_high", fit.servers_high},
          {"capacity", fit.capacity},
          {"capacity_low", fit.low},
          {"capacity_high", fit.high},
          {"variability", fit.variability},
          {"variability_low", fit.variability_low},
          {"variability_high", fit.variability_high},
          {"worst_miss", fit.miss}};
}

Json usl_json(const ThroughputFit& fit) {
  return {{"rate", fit.rate},
          {"contention", fit.contention},
          {"contention_low", fit.contention_low},
          {"contention_high", fit.contention_high},
          {"coherency", fit.coherency},
          {"coherency_low", fit.coherency_low},
          {"coherency_high", fit.coherency_high},
          {"peak_in_flight", fit.peak},
          {"most_throughput", fit.most},
          {"most_throughput_low", fit.most_low},
          {"most_throughput_high", fit.most_high},
          {"worst_miss", fit.miss}};
}

Json capacity_json(const Capacity& capacity) {
  return {{"kept_at", capacity.kept},
          {"broken_at", capacity.broken},
          {"load", capacity.load},
          {"load_low", capacity.load ? Json(capacity.low) : Json()},
          {"load_high", capacity.load ? Json(capacity.high) : Json()},
          {"queues", list_of(capacity.queues, queue_json)},
          {"usl", optional_of(capacity.usl, usl_json)},
          {"no_fit", capacity.reason.empty() ? Json() : Json(capacity.reason)}};
}

Json together_json(const Together& all) {
  return {{"requests", all.requests},       {"percentile", all.share * 100},
          {"slowest", all.measured},        {"slowest_low", all.low},
          {"slowest_high", all.high},       {"slowest_if_independent", all.independent},
          {"any_slow", all.slow_together},  {"any_slow_low", all.slow_low},
          {"any_slow_high", all.slow_high}, {"any_slow_if_independent", all.slow_expected},
          {"dependent", all.dependent},     {"slo", all.slo ? Json(name_of(*all.slo)) : Json()}};
}

Json straggler_json(const TailStraggler& found) {
  return {{"probability", found.law.probability},
          {"delay", found.law.delay},
          {"most_workers", found.most_workers},
          {"worst_miss", found.miss}};
}

Json slo_json(const Slo& slo) {
  return {{"percentile", slo.share * 100}, {"limit", slo.limit}};
}

}  // namespace

std::string to_json(const Tail& tail) {
  const Json json = {{"kstar", "tail"},
                     {"schema", kTailSchema},
                     {"files_are", tail.files == TailFiles::kOne      ? "one"
                                   : tail.files == TailFiles::kLevels ? "levels"
                                                                      : "shards"},
                     {"files_assumed", tail.files_assumed},
                     {"by_concurrency", tail.by_concurrency},
                     {"slo", optional_of(tail.options.slo, slo_json)},
                     {"levels", list_of(tail.levels, level_json)},
                     {"capacity", optional_of(tail.capacity, capacity_json)},
                     {"together", optional_of(tail.together, together_json)},
                     {"straggler", optional_of(tail.straggler, straggler_json)},
                     {"notes", tail.notes}};
  return file_text(json);
}

std::string to_csv(const Tail& tail) {
  std::string text = "file,metric,percentile,value,low,high,interval,doubt,samples_above\n";
  for (const TailLevel& level : tail.levels) {
    for (const TailPercentile& one : level.percentiles) {
      text += csv_cell(level.set.name) + "," + csv_cell(level.set.metric) + "," +
              csv_number(one.share * 100) + "," + csv_number(one.value) + "," +
              csv_number(one.low) + "," + csv_number(one.high) + "," +
              std::string(name_of(one.interval)) + "," +
              (one.doubt == TailDoubt::kTooFew     ? "too few samples"
               : one.doubt == TailDoubt::kTooShort ? "too short"
                                                   : "") +
              "," + std::to_string(one.beyond) + "\n";
    }
  }
  return text;
}

}  // namespace kstar
