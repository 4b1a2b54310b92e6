#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/cost_model.h"
#include "kstar/export.h"
#include "kstar/latency.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// What the slowest requests cost: from latencies to percentiles that hold, to fan-out, hedging,
/// capacity and an SLO.
namespace kstar {

/// What an interval rests on.
enum class TailInterval {
  kRanks,    ///< ranks of independent samples: no correlation was found
  kBatches,  ///< ranks of as many samples as correlated ones are worth (batch means)
  kAssumed,  ///< ranks; the file has no order in time, so independence is assumed
  kNone      ///< only percentiles are in the file
};

enum class TailDoubt {
  kNone,
  kTooFew,   ///< samples: even independent ones bound it on one side at most
  kTooShort  ///< the measurement: slow requests come together, and too few such times are in it
};

/// A percentile and where it may be. `low` and `high` are NaN without an interval; `high` is
/// infinite where too few samples bound it.
struct TailPercentile {
  double share = 0;  ///< 0.99 of p99
  double value = 0;  ///< seconds; the smallest that at least `share` of the samples are at or below
  double step = 0;   ///< of a stated value: how far two printed ones are apart
  double low = 0;
  double high = 0;
  double confidence = 0;          ///< that [low, high] really has, of independent samples
  double effective = 0;           ///< independent samples that these are worth at least
  double correlation_factor = 1;  ///< samples per independent sample, at most (90%)
  std::uint64_t beyond = 0;       ///< samples above `value`
  TailInterval interval = TailInterval::kNone;
  TailDoubt doubt = TailDoubt::kNone;
};

/// A share of requests, with its interval.
struct TailShare {
  double value = 0;
  double low = 0;
  double high = 1;
};

/// "p99 < 200ms".
struct Slo {
  double share = 0.99;
  double limit = 0;     ///< seconds, or the file's unit
  bool seconds = true;  ///< it has a unit
  std::string text;
};
KSTAR_EXPORT Result<Slo> parse_slo(std::string_view text, std::string_view where = "--slo");

enum class SloVerdict { kKept, kBroken, kUnclear };

enum class OmissionVerdict {
  kImpossible,  ///< an open loop: late requests count from when they were due
  kNotFound,    ///< requests kept starting while others were late
  kFound,       ///< they did not
  kClosedLoop,  ///< the tool waits for answers by design
  kUnknown      ///< cannot be told from this file
};

/// Whether the client waited for late answers before it sent more, so that those it did not send
/// are missing from the percentiles (coordinated omission: Tene).
struct Omission {
  OmissionVerdict verdict = OmissionVerdict::kUnknown;
  double interval = 0;      ///< seconds between starts, when nothing is late
  std::size_t late = 0;     ///< requests longer than two intervals
  double expected = 0;      ///< starts during those
  double seen = 0;          ///< starts during those
  double probability = 1;   ///< of so few, if starts were a Poisson process
  double longest_gap = 0;   ///< seconds between two starts
  std::uint64_t added = 0;  ///< requests that were not sent
  /// Requests per second that the client sends at most, where that is less than the rate meant.
  std::optional<double> reach;
  /// Percentiles with those, by share; of kUnknown, if the client waited. Empty: not possible.
  std::vector<std::pair<double, double>> corrected;
};

/// A request that waits for K others.
struct FanOutRow {
  double workers = 1;               ///< K
  double any_slow = 0;              ///< chance that one of K is beyond p99
  std::vector<TailPercentile> all;  ///< of the slowest, by the shares asked for
};
struct FanOut {
  std::vector<FanOutRow> rows;
  /// The largest K that keeps the SLO; 0: none does. Absent without an SLO.
  std::optional<double> most;
  double most_low = 0, most_high = 0;  ///< high may be infinite
};

/// Send a second request after `delay`, take the first answer.
struct HedgeRow {
  double share = 0;  ///< the percentile that the delay is
  double delay = 0;
  double more = 0;  ///< requests, as a share
  std::vector<TailPercentile> all;
};

/// A level of load, or one of several shards.
struct TailLevel {
  LatencySet set;  ///< without samples
  std::vector<TailPercentile> percentiles;
  std::optional<double> mean;
  std::optional<double> offered;    ///< requests per second
  std::optional<double> served;     ///< requests per second
  std::optional<double> in_flight;  ///< counted: from start and end of each, or connections
  bool in_flight_counted = false;
  std::optional<double> little;  ///< rate x mean latency
  bool little_fails = false;
  std::optional<double> duration;
  bool duration_assumed = false;
  Omission omission;
  std::optional<FanOut> fan_out;
  std::vector<HedgeRow> hedges;
  std::optional<SloVerdict> slo;
  std::optional<TailPercentile> at_slo;  ///< the percentile that the SLO is about
  std::optional<TailShare> good;         ///< requests within the SLO's limit, failures not
  std::optional<double> goodput;         ///< those per second
  std::vector<std::pair<StatedPercentile, std::string>> reproduced;  ///< and by which definition
  std::vector<StatedPercentile> differing;                           ///< by none
  /// For a picture: share and value, ascending.
  std::vector<std::pair<double, double>> curve;
};

/// Of a law that was fitted to latency against load.
struct QueueFit {
  std::string name;    ///< "M/M/c", "M/G/c (Allen-Cunneen)"
  double servers = 1;  ///< c
  double servers_low = 1, servers_high = 1;
  double capacity = 0;  ///< requests per second at which it saturates
  double low = 0, high = 0;
  double variability = 1;  ///< (Ca^2 + Cs^2) / 2; 1 in M/M/c
  double variability_low = 1, variability_high = 1;
  double miss = 0;                               ///< worst relative miss of a mean
  std::vector<std::pair<double, double>> curve;  ///< load and mean latency
};
struct ThroughputFit {
  double rate = 0;        ///< of one request in flight, per second
  double contention = 0;  ///< alpha
  double coherency = 0;   ///< beta
  double contention_low = 0, contention_high = 0;
  double coherency_low = 0, coherency_high = 0;
  double peak = 0;  ///< requests in flight of the most throughput; infinite: none
  double most = 0;  ///< that throughput
  double most_low = 0, most_high = 0;
  double miss = 0;
};

struct Capacity {
  std::optional<double> kept;    ///< largest measured load, or in flight, that keeps the SLO
  std::optional<double> broken;  ///< smallest above it that does not
  bool mixed = false;            ///< a load keeps it that is larger than one that breaks it
  std::optional<double> load;    ///< largest load that keeps it, by the queueing fit
  double low = 0, high = 0;
  std::vector<QueueFit> queues;
  std::optional<ThroughputFit> usl;
  std::string reason;  ///< why there is no fit
};

/// Shards that were asked together: row i of every file is one request.
struct Together {
  double share = 0.99;
  double measured = 0;       ///< its percentile of the slowest shard
  double independent = 0;    ///< what independent shards would give
  double low = 0, high = 0;  ///< of measured
  double slow_together = 0;  ///< requests with a shard beyond its p99
  double slow_expected = 0;  ///< 1 - 0.99^K
  double slow_low = 0, slow_high = 0;
  std::size_t requests = 0;
  bool dependent = false;
  std::optional<SloVerdict> slo;  ///< of the slowest shard
};

/// Several files are ...
enum class TailFiles { kOne, kLevels, kShards };

struct TailOptions {
  std::vector<double> shares = {0.5, 0.9, 0.99, 0.999};
  std::optional<double> fan_out;
  std::optional<Slo> slo;
  std::optional<double> rate;  ///< requests per second that were meant
  std::optional<TailFiles> files;
  double confidence = 0.95;
  std::optional<double> price;  ///< per hour, of what serves
  std::string currency = "$";
};

/// How slow stragglers are, as `kstar predict --straggler P:D` takes it: the two numbers whose law
/// D (1 - (1-P)^K) is nearest to the expected slowest of K.
struct TailStraggler {
  Straggler law;            ///< delay relative to the median
  double most_workers = 1;  ///< K up to which it was fitted
  double miss = 0;          ///< the worst, of T(K) relative to the median
};

struct Tail {
  TailFiles files = TailFiles::kOne;
  bool files_assumed = false;
  /// Levels are of requests in flight (clients that wait, batches of inference), not of load.
  bool by_concurrency = false;
  TailOptions options;
  std::vector<TailLevel> levels;  ///< by load, or by requests in flight
  std::optional<Capacity> capacity;
  std::optional<Together> together;
  std::optional<TailStraggler> straggler;
  std::vector<std::string> notes;
};

/// Fails where one of an SLO and a file has a unit and the other has none, where there are no
/// latencies, and where levels of load have no rate.
KSTAR_EXPORT Result<Tail> analyze_tail(std::vector<LatencySet> sets, const TailOptions& options);

/// Throughput over requests in flight as a Study: K is the concurrency, for analyze and plan.
KSTAR_EXPORT Result<Study> to_study(const Tail& tail);

/// The ranks of independent samples between which a percentile lies with the confidence, from 1;
/// `high` is more than n, or `low` is 0, where there are too few.
struct RankInterval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};
KSTAR_EXPORT RankInterval rank_interval(double share, double samples, double confidence = 0.95);

/// P(a request must wait) in a queue of c servers at that utilisation (Erlang).
KSTAR_EXPORT double erlang_c(double servers, double utilisation);

/// The mean time in an M/M/c queue, and by Allen and Cunneen's approximation in a G/G/c queue.
KSTAR_EXPORT double queue_time(double servers, double service, double load, double variability = 1);

}  // namespace kstar
