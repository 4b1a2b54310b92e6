#include "kstar/tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/price.h"
#include "tail/capacity.h"
#include "tail/omission.h"
#include "tail/percentile.h"
#include "tail/requests.h"

namespace kstar {

namespace tail {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Requests that come at their own rate, faster than they are served: the load is what came.
bool find_overload(const LatencySet& set, TailLevel& level) {
  constexpr std::size_t kFewest = 100;
  constexpr double kMore = 1.05, kLonger = 2;
  const std::size_t n = set.starts.size();
  if (level.offered || !level.served || n < kFewest || set.loop == LoopKind::kClosed) return false;
  if (level.omission.verdict != OmissionVerdict::kNotFound || !set.seconds) return false;
  const double span = set.starts.back() - set.starts.front();
  const double came = static_cast<double>(n - 1) / span;
  double early = 0, late = 0;
  for (std::size_t i = 0; i < n / 4; ++i) {
    early += set.samples[i];
    late += set.samples[n - 1 - i];
  }
  if (span <= 0 || came < kMore * *level.served || late < kLonger * early) return false;
  level.offered = came;
  return true;
}

/// Of all requests, those that did not fail.
double answered_share(const LatencySet& set) {
  if (set.failed == 0 || set.requests() == 0) return 1;
  const double failed = static_cast<double>(set.failed), all = static_cast<double>(set.requests());
  return std::max(0.0, 1 - failed / all);
}

/// Only percentiles are in the file.
TailPercentile stated_percentile(const LatencySet& set, double share) {
  TailPercentile found{.share = share, .value = kNothing, .low = kNothing, .high = kNothing};
  for (const StatedPercentile& one : set.stated) {
    if (std::fabs(one.share - share) >= 1e-9) continue;
    found.value = one.value;
    found.step = one.step;
  }
  if (share == 1 && set.max) found.value = *set.max;
  // Of so few requests none is beyond it: it is the largest, whatever its name.
  const double n = static_cast<double>(set.requests());
  if (n > 0 && n * (1 - share) < 1 - 1e-9) found.doubt = TailDoubt::kTooFew;
  return found;
}

/// From the start of the first request to the end of the last.
void add_rates(const LatencySet& set, std::optional<double> rate, TailLevel& level) {
  level.duration = set.duration;
  if (!set.starts.empty() && set.seconds) {
    double end = 0, busy = 0;
    for (std::size_t i = 0; i < set.starts.size(); ++i) {
      end = std::max(end, set.starts[i] + set.samples[i]);
      busy += set.samples[i];
    }
    const double span = end - set.starts.front();
    if (!level.duration) level.duration = span;
    if (span > 0) {
      level.in_flight = busy / span;
      level.in_flight_counted = true;
    }
  }
  level.served = set.served;
  if (level.served && set.served_all) *level.served *= answered_share(set);
  if (!level.served && level.duration && *level.duration > 0 && set.count > set.unanswered) {
    level.served = static_cast<double>(set.count - set.unanswered) / *level.duration;
  }
  level.offered = set.offered ? set.offered : rate;
  if (set.connections && !level.in_flight_counted) level.in_flight = *set.connections;
  // A mean of requests that failed or were cut off is not in it.
  const std::optional<double> ended = set.served_all ? set.served : level.served;
  if (ended && level.mean && set.seconds && set.whole) level.little = *ended * *level.mean;
  constexpr double kDiffers = 1.1;
  if (level.little && set.connections && set.loop != LoopKind::kOpen) {
    // Connections may be idle; but more cannot be in flight than there are. A mean of rounded
    // latencies may be a step too large.
    double step = set.stated.empty() ? 0 : set.stated.front().step;
    for (const StatedPercentile& one : set.stated) step = std::min(step, one.step);
    level.little_fails = *level.little - *ended * step > kDiffers * *set.connections;
  }
}

void add_slo(const Percentiles& all, const LatencySet& set, const Slo& slo, TailLevel& level) {
  const TailPercentile at = all.at(slo.share);
  level.at_slo = at;
  const double answered = answered_share(set);
  level.slo = all.verdict(at, slo.limit, answered);
  level.good = all.below(slo.limit, at.correlation_factor, answered);
  if (!set.spectrum.empty() && set.batches.empty()) {  // not all requests are in it
    if (level.served) level.goodput = level.good->value * *level.served;
  } else if (level.duration && *level.duration > 0) {
    level.goodput = level.good->value * static_cast<double>(set.requests()) / *level.duration;
  }
}

/// The latency that this share is within, between stated percentiles: linear in log(1 - share).
/// Beyond the last, twice as steep as before it, or up to the maximum. NaN where there is none.
double between_stated(const LatencySet& set, double share) {
  std::vector<std::pair<double, double>> rows;  // -log(1 - share), value
  for (const StatedPercentile& one : set.stated) {
    if (one.share < 1) rows.emplace_back(-std::log1p(-one.share), one.value);
  }
  std::sort(rows.begin(), rows.end());
  const double at = -std::log1p(-share);
  const auto next = std::lower_bound(rows.begin(), rows.end(), std::pair(at, 0.0));
  if (rows.size() < 2 || next == rows.begin()) return kNothing;
  if (next != rows.end()) {
    const auto &a = *(next - 1), &b = *next;
    return a.second + (at - a.first) / (b.first - a.first) * (b.second - a.second);
  }
  const auto &a = rows[rows.size() - 2], &b = rows.back();
  if (b.first <= a.first) return kNothing;
  const double value = b.second + 2 * (at - b.first) / (b.first - a.first) * (b.second - a.second);
  return set.max ? std::min(value, *set.max) : value;
}

/// By the ranks that the percentile of so many independent requests lies between.
SloVerdict stated_verdict(const LatencySet& set, const Slo& slo, const TailShare& good,
                          double answered, double confidence) {
  const auto n = static_cast<double>(set.requests());
  if (answered < slo.share) {
    const bool surely = n == 0 || share_interval(answered * n, n, confidence).high < slo.share;
    return surely ? SloVerdict::kBroken : SloVerdict::kUnclear;
  }
  const bool above = good.high < 1 && good.high <= slo.share * (1 + 1e-12);
  if (n == 0) {
    return good.low >= slo.share ? SloVerdict::kKept
           : above               ? SloVerdict::kBroken
                                 : SloVerdict::kUnclear;
  }
  const double share = slo.share / answered;  // of those that have a latency
  const RankInterval ranks = rank_interval(share, n, confidence);
  const double high = ranks.high > n    ? kNothing
                      : ranks.high == n ? set.max.value_or(kNothing)
                                        : between_stated(set, ranks.high / n);
  const double low = ranks.low < 1 ? kNothing : between_stated(set, ranks.low / n);
  if (good.low >= slo.share && high <= slo.limit) return SloVerdict::kKept;
  // Where more is stated to be beyond than chance explains, no row below is needed.
  const bool surely = share_interval(good.high * n, n, confidence).high < slo.share;
  return above && (surely || low > slo.limit) ? SloVerdict::kBroken : SloVerdict::kUnclear;
}

/// Of a file that states percentiles alone.
void add_stated_slo(const LatencySet& set, const Slo& slo, double confidence, TailLevel& level) {
  double below = 0, above = 1;  // shares that are known to be within the limit, or not
  for (const StatedPercentile& one : set.stated) {
    if (one.value + one.step / 2 <= slo.limit) below = std::max(below, one.share);
    if (one.value - one.step / 2 > slo.limit) above = std::min(above, one.share);
  }
  if (set.max && *set.max <= slo.limit) below = 1;
  const double answered = answered_share(set);
  level.good = TailShare{kNothing, below * answered, above * answered};
  level.slo = stated_verdict(set, slo, *level.good, answered, confidence);
}

/// Which definition of a percentile gives what the file states.
void add_reproduced(const LatencySet& set, const Percentiles& all, TailLevel& level) {
  const Distribution& distribution = all.distribution();
  const double n = static_cast<double>(distribution.count());
  for (const StatedPercentile& one : set.stated) {
    const double error = std::max(
        {one.step / 2 * (1 + 1e-6), 1e-9 * std::fabs(one.value), set.bucket_error * one.value});
    const auto near = [&](double value) { return std::fabs(value - one.value) <= error; };
    const auto rank = [&](double exact) {
      return distribution.at_rank(static_cast<std::uint64_t>(std::clamp(exact, 1.0, n)));
    };
    const double share = one.share;
    if (near(distribution.quantile(share))) {
      level.reproduced.emplace_back(one, "nearest rank, ceil(p n)");
    } else if (near(distribution.interpolated(share))) {
      level.reproduced.emplace_back(one, "linear between ranks, as numpy");
    } else if (near(rank(std::floor(share * n) + 1))) {
      level.reproduced.emplace_back(one, "rank floor(p n) + 1");
    } else if (near(rank(std::round(share * n)))) {
      level.reproduced.emplace_back(one, "rank round(p n)");
    } else if (!set.spectrum.empty() &&
               distribution.at_rank(rank_of(share, distribution.count()), true) <=
                   one.value + error &&
               one.value <= distribution.quantile(share) + error) {
      level.reproduced.emplace_back(one, "between two rows of the file");
    } else {
      level.differing.push_back(one);
    }
  }
}

void add_curve(const Distribution& all, TailLevel& level) {
  const double n = static_cast<double>(all.count());
  for (double rest = 1; rest >= 0.5 / n; rest /= 1.2) {
    const double share = 1 - rest;
    level.curve.emplace_back(share, all.estimate(share));
  }
}

void add_stated_curve(const LatencySet& set, TailLevel& level) {
  for (const StatedPercentile& one : set.stated) {
    if (one.share < 1) level.curve.emplace_back(one.share, one.value);
  }
  std::sort(level.curve.begin(), level.curve.end());
}

/// Of the mean, relative, from how it varies between stretches of time.
double relative_error(const LatencySet& set, double mean) {
  constexpr double kOfStated = 0.02;
  std::vector<double> means;
  if (set.samples.empty()) {
    for (const LatencySketch& batch : set.batches) {
      if (batch.count() > 0) means.push_back(batch.sum() / static_cast<double>(batch.count()));
    }
  } else {
    constexpr std::size_t kBatches = 16;
    const std::size_t n = set.samples.size();
    for (std::size_t i = 0; i < std::min(kBatches, n); ++i) {
      const std::size_t begin = i * n / kBatches, end = (i + 1) * n / kBatches;
      double sum = 0;
      for (std::size_t j = begin; j < end; ++j) sum += set.samples[j];
      if (end > begin) means.push_back(sum / static_cast<double>(end - begin));
    }
  }
  if (means.size() < 4 || mean <= 0) return kOfStated;
  double squares = 0;
  for (const double one : means) squares += (one / mean - 1) * (one / mean - 1);
  const double b = static_cast<double>(means.size());
  return std::sqrt(squares / (b - 1) / b);
}

Result<void> check_unit(const LatencySet& set, const TailOptions& options) {
  if (!options.slo || set.seconds == options.slo->seconds) return {};
  if (set.seconds) {
    return fail({.where = "--slo",
                 .message = fmt::format("'{}' has no unit, but the latencies of {} do",
                                        printable(options.slo->text), printable(set.name)),
                 .hint = "say which: s, ms, us or ns, such as \"p99 < 200ms\""});
  }
  return fail({.where = set.name,
               .message = fmt::format("the latencies have no unit, but '{}' does",
                                      printable(options.slo->text)),
               .hint = "add --unit s, ms, us or ns"});
}

/// What a measurement with so few different values cannot be.
void add_coarse_values(const Distribution& all, std::vector<std::string>& notes) {
  constexpr std::uint64_t kFewest = 10;
  if (all.count() < kFewest) return;
  if (all.values().size() == 1) {
    notes.emplace_back("all latencies are equal: is the clock too coarse, or is this no latency?");
  } else if (all.values().front() == 0 && 2 * all.upto().front() >= all.count()) {
    notes.emplace_back("half of the latencies or more are 0: is the clock too coarse?");
  }
}

/// Latencies that rise (or fall) all the time have no percentiles that a longer run would have,
/// too.
void add_drift(const LatencySet& set, std::vector<std::string>& notes) {
  constexpr std::size_t kEighths = 8, kFewest = 20;
  constexpr double kMuch = 1.2;
  const std::size_t n = set.samples.size();
  if (!set.ordered || n < kEighths * kFewest) return;
  std::vector<double> medians;
  for (std::size_t i = 0; i < kEighths; ++i) {
    const auto at = [&](std::size_t k) {
      return set.samples.begin() + static_cast<std::ptrdiff_t>(k * n / kEighths);
    };
    medians.push_back(Distribution(LatencySet{.samples = {at(i), at(i + 1)}}).quantile(0.5));
  }
  const bool rise =
      std::is_sorted(medians.begin(), medians.end(), [](double a, double b) { return a <= b; });
  const bool fall =
      std::is_sorted(medians.begin(), medians.end(), [](double a, double b) { return a >= b; });
  const double first = medians.front(), last = medians.back();
  if (!(rise && last > kMuch * first) && !(fall && first > kMuch * last)) return;
  const auto text = [&](double one) { return set.seconds ? time_text(one) : significant(one, 4); };
  notes.push_back(
      fmt::format("latencies {} all the time, from {} to {} (medians of the first and the last "
                  "eighth): no steady state, a longer run would have other percentiles",
                  rise ? "rise" : "fall", text(first), text(last)));
}

TailLevel level_of(const LatencySet& set, const TailOptions& options,
                   std::vector<LoadPoint>& points, Distribution& idle) {
  TailLevel level;
  std::vector<double> shares = options.shares;
  if (options.slo) shares.push_back(options.slo->share);
  std::sort(shares.begin(), shares.end());
  const auto same = [](double a, double b) { return std::fabs(a - b) < 1e-9; };
  shares.erase(std::unique(shares.begin(), shares.end(), same), shares.end());
  const Percentiles all(set, options.confidence);
  const bool sampled = !all.distribution().empty();
  if (sampled) {
    for (const double share : shares) level.percentiles.push_back(all.at(share));
    level.mean = set.samples.empty() && set.mean ? *set.mean : all.distribution().mean();
    add_curve(all.distribution(), level);
    if (set.bucket_error == 0 || !set.spectrum.empty() || !set.batches.empty()) {
      add_reproduced(set, all, level);
    }
  } else {
    std::vector<double> stated;
    for (const StatedPercentile& one : set.stated) stated.push_back(one.share);
    for (const double share : stated) {
      level.percentiles.push_back(stated_percentile(set, share));
    }
    level.mean = set.mean;
    add_stated_curve(set, level);
  }
  add_rates(set, options.rate, level);
  level.omission = find_omission(set, options.rate, shares);
  const bool overload = find_overload(set, level);
  if (sampled) {
    if (options.slo) add_slo(all, set, *options.slo, level);
    level.fan_out = fan_out(all, options, level.good);
    std::vector<double> hedged = {0.5, 0.99, 0.999};
    if (options.slo) hedged.push_back(options.slo->share);
    std::sort(hedged.begin(), hedged.end());
    hedged.erase(std::unique(hedged.begin(), hedged.end(), same), hedged.end());
    level.hedges = hedges(all, hedged, options.confidence);
  } else if (options.slo) {
    add_stated_slo(set, *options.slo, options.confidence, level);
  }
  // What had no answer yet may take longer than the limit.
  const auto open = static_cast<double>(set.unanswered + set.failed);
  if (options.slo && level.slo == SloVerdict::kKept && set.unanswered > 0 &&
      open > (1 - options.slo->share) * static_cast<double>(set.requests())) {
    level.slo = SloVerdict::kUnclear;
  }
  if (options.slo && level.omission.verdict == OmissionVerdict::kFound) {
    // The recorded latencies flatter it.
    for (const auto& [share, value] : level.omission.corrected) {
      const bool asked = std::fabs(share - options.slo->share) < 1e-9;
      if (asked && value > options.slo->limit) level.slo = SloVerdict::kBroken;
    }
    if (level.slo == SloVerdict::kKept) level.slo = SloVerdict::kUnclear;
  }
  const std::optional<double> load = level.offered ? level.offered : level.served;
  if (overload && level.slo && level.at_slo && level.at_slo->value > options.slo->limit) {
    level.slo = SloVerdict::kBroken;  // a longer run would only be slower
  }
  if (load && level.mean && set.seconds && !overload) {
    // A closed loop offers what it is served.
    points.push_back(
        {set.loop == LoopKind::kClosed ? level.served.value_or(*load) : *load, *level.mean,
         relative_error(set, *level.mean),
         set.concurrency.value_or(level.in_flight.value_or(level.little.value_or(0)))});
  }
  idle = all.distribution();
  level.set = set;
  if (overload) {
    level.set.notes.push_back(
        fmt::format("overload: {}/s came, {}/s were served, and they waited longer and longer; in "
                    "a longer run they would wait longer still",
                    significant(*level.offered, 4), significant(*level.served, 4)));
  }
  if (!set.samples.empty()) add_coarse_values(all.distribution(), level.set.notes);
  if (!overload) add_drift(set, level.set.notes);
  level.set.samples.clear();
  level.set.starts.clear();
  level.set.cut.clear();
  level.set.batches.clear();
  level.set.spectrum.clear();
  return level;
}

/// Every client kept a number of requests in flight, each another one.
bool differ_in_concurrency(const std::vector<LatencySet>& sets) {
  std::vector<double> all;
  for (const LatencySet& set : sets) {
    if (!set.concurrency) return false;
    all.push_back(*set.concurrency);
  }
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

/// Levels of load where every file has a rate of its own; otherwise shards.
TailFiles kind_of(const std::vector<LatencySet>& sets) {
  std::vector<double> rates;
  for (const LatencySet& set : sets) {
    std::optional<double> rate = set.offered ? set.offered : set.served;
    if (!rate && set.duration && *set.duration > 0) {
      rate = static_cast<double>(set.count) / *set.duration;
    }
    if (!rate && set.starts.size() > 1 && set.starts.back() > 0) {
      rate = static_cast<double>(set.starts.size()) / set.starts.back();
    }
    if (rate) rates.push_back(*rate);
  }
  if (rates.size() < sets.size()) return TailFiles::kShards;
  std::sort(rates.begin(), rates.end());
  constexpr double kSame = 1.05;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    if (rates[i] < kSame * rates[i - 1]) return TailFiles::kShards;
  }
  return TailFiles::kLevels;
}

bool asked_together(const std::vector<LatencySet>& sets) {
  for (const LatencySet& set : sets) {
    if (set.samples.empty() || set.samples.size() != sets[0].samples.size()) return false;
    if (!set.ordered || !sets[0].ordered || set.failed > 0) return false;
    if (set.starts.size() != sets[0].starts.size()) return false;
  }
  return sets[0].samples.size() > 1;
}

/// Where starts are recorded, row i of each file must be one request.
bool start_together(const std::vector<LatencySet>& sets) {
  for (const LatencySet& set : sets) {
    for (std::size_t i = 0; i < set.starts.size(); ++i) {
      const double apart = std::fabs(set.starts[i] - sets[0].starts[i]);
      if (apart > set.samples[i] + sets[0].samples[i]) return false;
    }
  }
  return true;
}

/// What levels are sorted by.
double place_of(const TailLevel& level, bool by_concurrency) {
  if (by_concurrency) return level.set.concurrency.value_or(0);
  return level.offered.value_or(level.served.value_or(0));
}

/// What was asked for and cannot be had from these files.
void add_unused(const TailOptions& options, Tail& result) {
  const TailLevel& first = result.levels.front();
  const bool several = result.levels.size() > 1;
  if (options.fan_out && (several || !first.fan_out)) {
    result.notes.push_back(
        fmt::format("--fan-out {} is not used: {}", significant(*options.fan_out, 7),
                    several ? "it is about the latencies of one file"
                            : "it needs latencies, and the file has percentiles alone"));
  }
  if (options.files && *options.files != TailFiles::kOne && !several) {
    result.notes.emplace_back("--files is not used: there is one file");
  }
  if (options.shares == TailOptions().shares) return;
  std::string missing;
  for (const double share : options.shares) {
    for (const TailLevel& level : result.levels) {
      const bool there = std::any_of(
          level.percentiles.begin(), level.percentiles.end(),
          [&](const TailPercentile& one) { return std::fabs(one.share - share) < 1e-9; });
      if (there) continue;
      missing += fmt::format("{}p{}", missing.empty() ? "" : ", ", significant(share * 100, 9));
      break;
    }
  }
  if (!missing.empty()) {
    result.notes.push_back(
        fmt::format("--percentiles: {} cannot be told: {} percentiles alone, and not {}", missing,
                    several ? "some files have" : "the file has",
                    missing.find(',') == missing.npos ? "this one" : "these"));
  } else if (several && options.shares.size() > 2) {
    result.notes.emplace_back("the table has two percentiles of each file; --full has all");
  }
}

Result<void> check_loads(const Tail& result) {
  if (result.files != TailFiles::kLevels || result.by_concurrency) return {};
  for (const TailLevel& level : result.levels) {
    if (level.offered || level.served) continue;
    return fail({.where = level.set.name,
                 .message = "a level of load needs a rate, and the file has neither a rate nor "
                            "start times",
                 .hint = "--files shards, or --start-column"});
  }
  return {};
}

}  // namespace

}  // namespace tail

Result<Slo> parse_slo(std::string_view text, std::string_view where) {
  constexpr const char* kWhat = "a percentile and a limit, such as \"p99 < 200ms\"";
  Slo slo{.text = std::string(trim(text))};
  std::string rest;
  for (const char c : lower_case(text)) {
    if (c != ' ' && c != '\t') rest += c;
  }
  const std::size_t less = rest.find('<');
  if (less == rest.npos || !rest.starts_with('p')) return fail(expected(where, kWhat, text));
  const std::optional<double> percentile = parse_double(rest.substr(1, less - 1));
  std::string limit = rest.substr(less + 1);
  const bool equal = limit.starts_with('=');
  if (equal) limit.erase(0, 1);
  const std::optional<double> value = parse_duration(limit);
  if (!percentile || *percentile <= 0 || *percentile >= 100 || !value || *value <= 0) {
    return fail(expected(where, kWhat, text));
  }
  slo.share = *percentile / 100;
  slo.limit = equal ? *value : std::nextafter(*value, 0.0);
  slo.seconds = !is_digit(limit.back()) && limit.back() != '.';
  return slo;
}

Result<Tail> analyze_tail(std::vector<LatencySet> sets, const TailOptions& options) {
  Tail result;
  result.options = options;
  if (sets.size() > 1) {
    const bool differ = tail::differ_in_concurrency(sets);
    result.files = options.files.value_or(differ ? TailFiles::kLevels : tail::kind_of(sets));
    result.files_assumed = !options.files;
    result.by_concurrency = differ && result.files == TailFiles::kLevels;
  }
  std::vector<tail::LoadPoint> points;
  std::vector<std::pair<double, tail::Distribution>> by_load;
  for (const LatencySet& set : sets) {
    KSTAR_CHECK(tail::check_unit(set, options));
    tail::Distribution distribution;
    result.levels.push_back(tail::level_of(set, options, points, distribution));
    by_load.emplace_back(tail::place_of(result.levels.back(), result.by_concurrency),
                         std::move(distribution));
  }
  KSTAR_CHECK(tail::check_loads(result));
  if (result.files == TailFiles::kLevels) {
    std::stable_sort(result.levels.begin(), result.levels.end(),
                     [&](const TailLevel& a, const TailLevel& b) {
                       return tail::place_of(a, result.by_concurrency) <
                              tail::place_of(b, result.by_concurrency);
                     });
    std::stable_sort(by_load.begin(), by_load.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::sort(points.begin(), points.end(),
              [](const auto& a, const auto& b) { return a.load < b.load; });
    result.capacity = result.by_concurrency
                          ? tail::find_concurrency(points, result.levels, options.confidence)
                          : tail::find_capacity(points, result.levels, options.slo,
                                                by_load[0].second, options.confidence);
  }
  if (result.files == TailFiles::kShards) {
    if (tail::asked_together(sets) && tail::start_together(sets)) {
      result.together = tail::together(sets, options.slo, options.confidence);
    } else {
      result.notes.emplace_back(
          "the shards were not recorded together (as many rows in each file, row by row): whether "
          "they are slow at the same time cannot be told");
    }
  }
  if (sets.size() == 1 && result.levels[0].omission.verdict != OmissionVerdict::kFound) {
    const tail::Percentiles all(sets[0], options.confidence);
    if (!all.distribution().empty()) result.straggler = tail::straggler(all);
  }
  tail::add_unused(options, result);
  return result;
}

Result<Study> to_study(const Tail& tail) {
  Study study;
  StudyHeader& header = study.header;
  header.title = "throughput by requests in flight";
  header.regime = Regime::kThroughput;
  header.time = TimeKind::kRate;
  header.source.kind = SourceKind::kImported;
  header.source.format = "tail";
  for (const TailLevel& level : tail.levels) {
    const std::optional<double> in_flight = level.in_flight ? level.in_flight : level.little;
    if (!level.served || !in_flight || *in_flight < 0.5) {
      return fail({.where = level.set.name,
                   .message = "a study needs the throughput and the requests in flight of every "
                              "file",
                   .hint = "files with start times, or of tools that state rate and connections"});
    }
    Run run;
    run.workers = static_cast<int>(std::lround(*in_flight));
    run.wall = 1 / *level.served;
    study.runs.push_back(std::move(run));
    header.source.files.push_back(level.set.name);
  }
  return study;
}

}  // namespace kstar
