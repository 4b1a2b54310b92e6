#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/number.h"
#include "base/text.h"
#include "kstar/tail_report.h"
#include "report/tail/words.h"

namespace kstar {

namespace {

using namespace tail_words;

const TailPercentile* percentile_at(const std::vector<TailPercentile>& all, double share) {
  for (const TailPercentile& one : all) {
    if (std::fabs(one.share - share) < 1e-9) return &one;
  }
  return nullptr;
}

/// A percentile in a sentence: "p99 is 80 ms (71 to 94)", or why it cannot be said.
std::string said(const TailPercentile& one, bool seconds, const std::string& name) {
  std::string text = fmt::format("{} is {}", name, value_text(one, seconds));
  if (one.doubt != TailDoubt::kNone) return text + ", " + doubt_text(one);
  if (one.interval == TailInterval::kNone) return text;
  return text + fmt::format(" ({} to {})", latency_text(one.low, seconds),
                            latency_text(one.high, seconds));
}

/// So many failed, or had no answer when the measurement ended, that nothing bounds this percentile
/// of all requests.
bool fails_at(const TailLevel& level, double share) {
  const auto failed = static_cast<double>(level.set.failed + level.set.unanswered);
  const auto all = static_cast<double>(level.set.requests());
  return failed > 0 && failed > (1 - share) * all * (1 + 1e-9);
}

std::string failed_text(const TailLevel& level) {
  return share_text(static_cast<double>(level.set.failed + level.set.unanswered) /
                    static_cast<double>(level.set.requests()));
}

const char* failed_verb(const TailLevel& level) {
  return level.set.unanswered == 0 ? "failed"
         : level.set.failed == 0   ? "had no answer"
                                   : "failed or had no answer";
}

/// "50.9 ms", or "not bounded (10% failed)".
std::string bounded_text(const TailLevel& level, const TailPercentile& one) {
  return fails_at(level, one.share)
             ? fmt::format("no bound ({} {})", failed_text(level), failed_verb(level))
             : value_text(one, level.set.seconds);
}

/// The two percentiles that the table of several files has: of what is asked for, the median and
/// the SLO's or p99, else the least and the largest.
std::pair<double, double> shown_shares(const Tail& tail) {
  const std::vector<TailPercentile>& all = tail.levels.front().percentiles;
  const double wanted = tail.options.slo ? tail.options.slo->share : 0.99;
  const bool high = percentile_at(all, wanted) != nullptr;
  const bool low = percentile_at(all, 0.5) != nullptr;
  return {low || all.empty() ? 0.5 : all.front().share,
          high || all.empty() ? wanted : all.back().share};
}

std::string slo_text(const Slo& slo) {
  const double limit = std::nextafter(slo.limit, std::numeric_limits<double>::infinity());
  return fmt::format("{} < {}", percentile_name(slo.share), latency_text(limit, slo.seconds));
}

/// The one sentence that answers.
std::string slo_answer(const Tail& tail, const TailLevel& level) {
  const Slo& slo = *tail.options.slo;
  const TailShare& good = *level.good;
  std::string text = *level.slo == SloVerdict::kKept     ? "The SLO is kept"
                     : *level.slo == SloVerdict::kBroken ? "The SLO is broken"
                                                         : "Cannot be told whether the SLO is kept";
  text += fmt::format(" ({})", slo_text(slo));
  if (level.set.unanswered > 0 && fails_at(level, slo.share)) {
    return text + fmt::format(": {} of the requests {}, and at most {} were within it by then.",
                              failed_text(level), failed_verb(level), share_text(good.value));
  }
  if (level.at_slo && level.set.failed == 0) {
    text += ": " + said(*level.at_slo, level.set.seconds, percentile_name(slo.share));
    return text + fmt::format("; {} of requests are within it ({} to {}).", share_text(good.value),
                              share_text(good.low), share_text(good.high));
  }
  if (std::isnan(good.value)) {
    return text + fmt::format(": {} to {} of requests are within it, by the stated percentiles.",
                              share_text(good.low), share_text(good.high));
  }
  text += fmt::format(": {} of requests are within it ({} to {}){}.", share_text(good.value),
                      share_text(good.low), share_text(good.high),
                      level.set.failed > 0 ? ", failures not" : "");
  return text;
}

/// "410/s", or "40 in flight".
std::string level_text(const Tail& tail, double place) {
  return tail.by_concurrency ? significant(place, 6) + " in flight" : rate_text(place);
}

std::string level_text(const Tail& tail, const TailLevel& level) {
  return level_text(tail, tail.by_concurrency ? level.set.concurrency.value_or(0)
                                              : level.offered.value_or(level.served.value_or(0)));
}

/// Where the most requests per second are within the SLO: more in flight may be more, and later.
std::string most_goodput(const Tail& tail) {
  const TailLevel* best = nullptr;
  for (const TailLevel& level : tail.levels) {
    if (level.goodput && (best == nullptr || *level.goodput > *best->goodput)) best = &level;
  }
  if (best == nullptr) return "";
  return fmt::format(" Most goodput: {} at {}, where it is {}.", rate_text(*best->goodput),
                     level_text(tail, *best),
                     best->slo == SloVerdict::kKept     ? "kept"
                     : best->slo == SloVerdict::kBroken ? "broken"
                                                        : "unclear");
}

std::string concurrency_answer(const Tail& tail) {
  const Capacity& capacity = *tail.capacity;
  std::string text = capacity.kept
                         ? fmt::format("is kept at {}", level_text(tail, *capacity.kept))
                         : std::string("is surely kept at none of the measured numbers in flight");
  if (capacity.broken) text += fmt::format(", broken at {}", level_text(tail, *capacity.broken));
  return fmt::format("{} {}.{}", slo_text(*tail.options.slo), text, most_goodput(tail));
}

std::string capacity_answer(const Tail& tail) {
  const Slo& slo = *tail.options.slo;
  const Capacity& capacity = *tail.capacity;
  std::string text;
  if (capacity.mixed) {
    std::vector<std::string> kept, broken;
    for (const TailLevel& level : tail.levels) {
      if (level.slo == SloVerdict::kKept) kept.push_back(level_text(tail, level));
      if (level.slo == SloVerdict::kBroken) broken.push_back(level_text(tail, level));
    }
    return fmt::format(
        "{} is kept at {}, but broken at {}: it does not get worse with the load, and the largest "
        "load that keeps it cannot be told.",
        slo_text(slo), fmt::join(kept, ", "), fmt::join(broken, ", "));
  }
  if (tail.by_concurrency) return concurrency_answer(tail);
  if (capacity.load && *capacity.load > 0) {
    text = fmt::format("{} is kept up to {} ({} to {}), by the queueing fit", slo_text(slo),
                       rate_text(*capacity.load), significant(capacity.low, 4),
                       significant(capacity.high, 4));
  } else if (capacity.kept) {
    text = fmt::format("{} is kept at {}, the largest measured load that surely keeps it",
                       slo_text(slo), rate_text(*capacity.kept));
  } else {
    text = fmt::format("{} is surely kept at none of the measured loads", slo_text(slo));
  }
  if (capacity.load && *capacity.load > 0 && (capacity.kept || capacity.broken)) {
    text += fmt::format("; measured: kept at {}, broken at {}",
                        capacity.kept ? rate_text(*capacity.kept) : "none",
                        capacity.broken ? rate_text(*capacity.broken) : "none");
  } else if (capacity.broken) {
    text += fmt::format(", broken at {}", rate_text(*capacity.broken));
  }
  return text + ".";
}

/// Where a client waited for late answers, what it recorded is not the answer; "" where the answer
/// is the same.
std::string omitted_answer(const Tail& tail, const TailLevel& level) {
  const double share = tail.options.slo ? tail.options.slo->share : 0.99;
  constexpr double kDiffers = 1.01;
  const std::pair<double, double>* best = nullptr;
  const TailPercentile* recorded = nullptr;
  for (const auto& one : level.omission.corrected) {
    const TailPercentile* const plain = percentile_at(level.percentiles, one.first);
    if (plain == nullptr || one.second < kDiffers * plain->value) continue;
    if (tail.options.slo && std::fabs(one.first - share) > 1e-9) continue;
    if (best == nullptr || std::fabs(one.first - share) < std::fabs(best->first - share)) {
      best = &one;
      recorded = plain;
    }
  }
  if (best == nullptr) return "";
  std::string text;
  if (tail.options.slo) {
    text = fmt::format("The SLO ({}) is {}: ", slo_text(*tail.options.slo),
                       *level.slo == SloVerdict::kBroken ? "broken" : "not shown to be kept");
  }
  return text + fmt::format(
                    "{} is about {}, not the {} that was recorded: the client waited for "
                    "late answers (coordinated omission).",
                    percentile_name(best->first), latency_text(best->second, true),
                    latency_text(recorded->value, true));
}

/// Of shards that were not recorded together: the one that is worst.
std::string worst_shard_answer(const Tail& tail) {
  const double share = tail.options.slo ? tail.options.slo->share : 0.99;
  const auto rank = [&](const TailLevel& level) {
    const int verdict = !level.slo                           ? 0
                        : *level.slo == SloVerdict::kBroken  ? 3
                        : *level.slo == SloVerdict::kUnclear ? 2
                                                             : 1;
    const TailPercentile* const at = percentile_at(level.percentiles, share);
    return std::tuple(verdict, fails_at(level, share),
                      at == nullptr || std::isnan(at->value) ? 0.0 : at->value);
  };
  const TailLevel& worst =
      *std::max_element(tail.levels.begin(), tail.levels.end(),
                        [&](const TailLevel& a, const TailLevel& b) { return rank(a) < rank(b); });
  const TailPercentile* at = percentile_at(worst.percentiles, share);
  if (at == nullptr) at = &worst.percentiles.back();
  const std::string slowest = fmt::format("{} of the slowest shard, {},",
                                          percentile_name(at->share), short_name(worst.set.name));
  const std::string value = fails_at(worst, at->share)
                                ? fmt::format("{} cannot be given: {} of its requests {}", slowest,
                                              failed_text(worst), failed_verb(worst))
                                : said(*at, worst.set.seconds, slowest) + metric_suffix(worst.set);
  if (!tail.options.slo || !worst.slo) return value + ".";
  const std::string slo = slo_text(*tail.options.slo);
  if (*worst.slo == SloVerdict::kBroken) {
    return fmt::format(
        "The SLO is broken ({}): {}{}.", slo, value,
        worst.set.failed > 0 && !fails_at(worst, at->share) ? ", and requests failed" : "");
  }
  if (*worst.slo == SloVerdict::kUnclear) {
    return fmt::format("Cannot be told whether the SLO is kept ({}): {}.", slo, value);
  }
  return fmt::format(
      "The SLO is kept by each of {} shards ({}): {}. Of requests that wait for all of them it "
      "cannot be told.",
      tail.levels.size(), slo, value);
}

std::string verdict_words(const Tail& tail, SloVerdict verdict) {
  return fmt::format("{} ({}): ",
                     verdict == SloVerdict::kKept     ? "The SLO is kept"
                     : verdict == SloVerdict::kBroken ? "The SLO is broken"
                                                      : "Cannot be told whether the SLO is kept",
                     slo_text(*tail.options.slo));
}

std::string answer(const Tail& tail) {
  const TailLevel& level = tail.levels.front();
  const bool seconds = level.set.seconds;
  if (tail.files == TailFiles::kOne && level.omission.verdict == OmissionVerdict::kFound &&
      !level.omission.corrected.empty()) {
    if (std::string text = omitted_answer(tail, level); !text.empty()) return text;
  }
  if (tail.files == TailFiles::kLevels && tail.options.slo) return capacity_answer(tail);
  if (tail.options.slo && level.slo && tail.files == TailFiles::kOne)
    return slo_answer(tail, level);
  if (tail.files == TailFiles::kShards && tail.together) {
    const Together& all = *tail.together;
    return fmt::format(
        "{}{} slowest of {} shards has a {} of {}{}; independent shards would have {}: they are "
        "{}.",
        all.slo ? verdict_words(tail, *all.slo) : "", all.slo ? "the" : "The", tail.levels.size(),
        percentile_name(all.share), latency_text(all.measured, seconds),
        std::isfinite(all.high) && !std::isnan(all.low)
            ? fmt::format(" ({} to {})", latency_text(all.low, seconds),
                          latency_text(all.high, seconds))
            : "",
        latency_text(all.independent, seconds),
        all.dependent ? (all.slow_together < all.slow_expected ? "slow at the same times"
                                                               : "slow at different times")
                      : "independent, as far as can be seen");
  }
  if (tail.files == TailFiles::kShards) return worst_shard_answer(tail);
  std::string text;
  if (tail.files == TailFiles::kLevels) {
    const TailLevel& last = tail.levels.back();
    text = fmt::format("{} levels, {} to {}: ", tail.levels.size(), level_text(tail, level),
                       level_text(tail, last));
    const double share = shown_shares(tail).second;
    const TailPercentile* const of_first = percentile_at(level.percentiles, share);
    const TailPercentile* const of_last = percentile_at(last.percentiles, share);
    if (of_first != nullptr && of_last != nullptr) {
      return text + fmt::format("{} goes from {} to {}.", percentile_name(share),
                                bounded_text(level, *of_first), bounded_text(last, *of_last));
    }
  }
  const TailPercentile* const wanted = percentile_at(level.percentiles, 0.99);
  if (fails_at(level, wanted != nullptr ? 0.99 : level.percentiles.back().share)) {
    return text +
           fmt::format("{}{} cannot be given: {} of the requests {}.",
                       percentile_name(wanted != nullptr ? 0.99 : level.percentiles.back().share),
                       metric_suffix(level.set), failed_text(level), failed_verb(level));
  }
  // The largest percentile that can be relied on.
  const TailPercentile* best = nullptr;
  for (const TailPercentile& one : level.percentiles) {
    if (one.doubt == TailDoubt::kNone && !std::isnan(one.value) && one.share <= 0.9901) best = &one;
  }
  if (best == nullptr) {
    best = &level.percentiles.back();
    if (const TailPercentile* p99 = percentile_at(level.percentiles, 0.99)) best = p99;
    if (best->doubt != TailDoubt::kNone) {
      return text + fmt::format("No percentile can be relied on: {} ({} in this file{}).",
                                doubt_text(*best), value_text(*best, seconds),
                                metric_suffix(level.set));
    }
  }
  return text + fmt::format("{}{}.", said(*best, seconds, percentile_name(best->share)),
                            metric_suffix(level.set));
}

std::string traffic(const TailLevel& level) {
  const LatencySet& set = level.set;
  std::string text = set.requests() == 0
                         ? "The number of requests is not in the file"
                         : fmt::format("{} {}", number_text(static_cast<double>(set.count)),
                                       set.count == 1 ? "latency" : "latencies");
  if (level.duration && *level.duration > 0 && set.seconds) {
    text += fmt::format(" in {}", latency_text(*level.duration, true));
  }
  if (level.offered) text += fmt::format(", {} offered", rate_text(*level.offered));
  if (level.served) text += fmt::format(", {} served", rate_text(*level.served));
  if (set.tokens) text += fmt::format(", {} tokens/s", significant(*set.tokens, 4));
  if (level.in_flight) {
    text += fmt::format(", {} {}", significant(*level.in_flight, 3),
                        level.in_flight_counted   ? "in flight"
                        : *level.in_flight == 1.0 ? "connection"
                                                  : "connections");
    if (level.little) text += fmt::format(" (Little: {})", significant(*level.little, 3));
  }
  return text;
}

std::string omission_values(const Tail& tail, const TailLevel& level) {
  const Omission& omission = level.omission;
  std::string text;
  for (const auto& [share, value] : omission.corrected) {
    const TailPercentile* const plain = percentile_at(level.percentiles, share);
    if (plain == nullptr || share < 0.9 || (share > 0.9905 && tail.levels.size() > 1)) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", percentile_name(share),
                        latency_text(plain->value, true), latency_text(value, true));
  }
  return text;
}

std::string omission_text(const Tail& tail, const TailLevel& level) {
  const Omission& omission = level.omission;
  const std::string values = omission_values(tail, level);
  if (omission.reach && omission.verdict != OmissionVerdict::kFound) {
    if (level.in_flight_counted) {
      return fmt::format(
          "requests came at {}, not at the {} that were meant: what was not sent cannot be told",
          rate_text(*omission.reach), rate_text(level.offered.value_or(0)));
    }
    return fmt::format(
        "one client that waits for each answer sends {} at most, not the {} that were meant: what "
        "was not sent cannot be told",
        rate_text(*omission.reach), rate_text(level.offered.value_or(0)));
  }
  switch (omission.verdict) {
    case OmissionVerdict::kImpossible:
      return "";
    case OmissionVerdict::kNotFound:
      return "";
    case OmissionVerdict::kFound:
      return fmt::format(
          "coordinated omission: while {} late, {} requests started instead of {}. The client "
          "waited. With the {} that it did not send: {}. Measure at a fixed rate (kstar tail "
          "measure)",
          omission.late == 1 ? "one request was" : fmt::format("{} requests were", omission.late),
          significant(omission.seen, 6), significant(omission.expected, 4), omission.added, values);
    case OmissionVerdict::kClosedLoop:
      if (level.set.format == "wrk") {
        return "wrk waits for answers before it sends more, and adds latencies that it takes to be "
               "missing (one per mean interval of a connection): what it prints is larger than "
               "what it measured, and not what users would see";
      }
      return fmt::format(
          "{} waits for answers before it sends more: requests that it did not send while the "
          "server was slow are missing, and cannot be added from this file",
          level.set.format);
    case OmissionVerdict::kUnknown:
      break;
  }
  if (!omission.corrected.empty() && !values.empty()) {
    return fmt::format(
        "coordinated omission cannot be told without start times. If one client waited for each "
        "answer: {}",
        values);
  }
  if (level.curve.empty() || level.percentiles.front().interval == TailInterval::kNone) {
    return "coordinated omission cannot be told from percentiles alone";
  }
  if (level.in_flight_counted && level.set.clock_step > 0) {
    return fmt::format(
        "coordinated omission cannot be told: the start times are whole steps of {}, too coarse "
        "for these latencies",
        latency_text(level.set.clock_step, true));
  }
  if (level.in_flight_counted) return "coordinated omission cannot be told: too few requests";
  return level.offered
             ? "coordinated omission cannot be told: the file has no start times"
             : "coordinated omission cannot be told: the file has no start times, and no rate "
               "(--rate)";
}

/// What a reader must know before the numbers; the gravest first.
std::vector<std::string> warnings(const Tail& tail, bool full) {
  std::vector<std::string> lines = tail.notes;
  const std::string same = omission_text(tail, tail.levels.front());
  const bool all_same = !same.empty() && std::all_of(tail.levels.begin(), tail.levels.end(),
                                                     [&](const TailLevel& one) {
                                                       return omission_text(tail, one) == same;
                                                     });
  if (all_same) lines.push_back(same);
  for (const TailLevel& level : tail.levels) {
    const LatencySet& set = level.set;
    const std::string name = tail.levels.size() > 1 ? short_name(set.name) + ": " : std::string();
    if (std::string text = omission_text(tail, level); !text.empty() && !all_same) {
      lines.push_back(name + text);
    }
    if (level.little_fails) {
      lines.push_back(name + fmt::format("Little's law fails: rate x mean latency is {}, more than "
                                         "the {} connections. The rate or the latencies are wrong",
                                         significant(*level.little, 3),
                                         significant(*set.connections, 4)));
    }
    if (set.failed > 0) {
      const double share = static_cast<double>(set.failed) / static_cast<double>(set.requests());
      lines.push_back(
          name + fmt::format("{} of {} requests failed ({}); {}",
                             number_text(static_cast<double>(set.failed)),
                             number_text(static_cast<double>(set.requests())), share_text(share),
                             set.failures_stated ? "the percentiles include them"
                             : share > 0.01 ? "the latencies below are not those of all requests"
                                            : "they are not in the percentiles"));
    }
    if (set.unanswered > 0) {
      lines.push_back(name + fmt::format("{} had no answer at the end: they count with the time "
                                         "they had waited, at least",
                                         count_text(set.unanswered, "request")));
    }
    if (!set.seconds) {
      lines.push_back(name + "the numbers have no unit: --unit s, ms, us or ns says what they are");
    }
    for (const StatedPercentile& one : level.differing) {
      lines.push_back(name + fmt::format("the file states {} for {}, which no definition gives",
                                         latency_text(one.value, set.seconds),
                                         printable(one.name)));
    }
    for (const std::string& note : set.notes) lines.push_back(name + note);
  }
  std::vector<std::string> once;
  for (std::string& line : lines) {
    if (std::find(once.begin(), once.end(), line) == once.end()) once.push_back(std::move(line));
  }
  constexpr std::size_t kMost = 4;
  if (!full && once.size() > kMost) {
    const std::size_t more = once.size() - kMost;
    once.resize(kMost);
    once.push_back(fmt::format("{} more with --full", more));
  }
  return once;
}

/// "229 us (213..230 us)", or why it cannot be said.
std::string slowest_cell(const TailPercentile& slowest, bool seconds) {
  if (slowest.doubt == TailDoubt::kTooFew) return "too few samples";
  if (slowest.doubt == TailDoubt::kTooShort) return "too short";
  return fmt::format("{} ({})", latency_text(slowest.value, seconds),
                     interval_text(slowest, seconds));
}

/// What rests on its latencies can be shown: it does not on those of a client that waited.
bool can_rest_on(const TailLevel& level) {
  return level.fan_out && level.omission.verdict != OmissionVerdict::kFound;
}

Table percentile_table(const Tail& tail, const TailLevel& level, bool full) {
  const bool seconds = level.set.seconds;
  const FanOutRow* fan = nullptr;
  if (tail.options.fan_out && can_rest_on(level)) {
    for (const FanOutRow& row : level.fan_out->rows) {
      if (row.workers == *tail.options.fan_out) fan = &row;
    }
  }
  Table table;
  const bool corrected = level.omission.verdict == OmissionVerdict::kFound;
  table.columns = {{.name = "", .left = true},
                   {.name = corrected ? "recorded" : "latency"},
                   {.name = interval_name(tail), .left = true}};
  if (corrected) table.columns.push_back({.name = "corrected"});
  if (fan != nullptr) {
    table.columns.push_back({.name = fmt::format("slowest of {}", significant(fan->workers, 7)),
                             .left = true,
                             .new_group = true});
  }
  const bool counted = full && level.fan_out;  // the samples are in the file
  if (counted) table.columns.push_back({.name = "samples above"});
  for (const TailPercentile& one : level.percentiles) {
    std::vector<std::string> row = {
        percentile_name(one.share), value_text(one, seconds),
        fails_at(level, one.share) ? bounded_text(level, one) : interval_text(one, seconds)};
    if (corrected) {
      std::string cell = "-";
      for (const auto& [share, value] : level.omission.corrected) {
        if (std::fabs(share - one.share) < 1e-9) cell = latency_text(value, seconds);
      }
      row.push_back(cell);
    }
    if (fan != nullptr) {
      const TailPercentile* const slowest = percentile_at(fan->all, one.share);
      row.push_back(slowest == nullptr ? "-" : slowest_cell(*slowest, seconds));
    }
    if (counted) row.push_back(std::to_string(one.beyond));
    table.rows.push_back(std::move(row));
  }
  if (full && level.mean) {
    std::vector<std::string> row(table.columns.size());
    row[0] = "mean";
    row[1] = latency_text(*level.mean, seconds);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Requests per second within the SLO, or the tokens of such requests.
std::optional<double> good_rate(const TailLevel& level, bool tokens) {
  if (!tokens) return level.goodput;
  if (!level.set.tokens || !level.good || std::isnan(level.good->value)) return std::nullopt;
  return *level.set.tokens * level.good->value;
}

Table level_table(const Tail& tail) {
  Table table;
  const bool levels = tail.files == TailFiles::kLevels;
  constexpr double kSame = 0.02;
  const bool served =
      levels && std::any_of(tail.levels.begin(), tail.levels.end(), [&](const TailLevel& level) {
        return level.offered && level.served &&
               std::fabs(*level.served / *level.offered - 1) > kSame;
      });
  if (tail.by_concurrency) table.columns.push_back({.name = "in flight"});
  table.columns.push_back({.name = levels ? "load" : "shard", .left = !levels});
  if (served) table.columns.push_back({.name = "served"});
  const bool price = tail.options.slo && tail.options.price;
  const bool in_flight_later = !price && !tail.by_concurrency;
  if (in_flight_later) table.columns.push_back({.name = "in flight"});
  const auto [low_share, high_share] = shown_shares(tail);
  if (low_share < high_share) table.columns.push_back({.name = percentile_name(low_share)});
  table.columns.push_back({.name = percentile_name(high_share)});
  table.columns.push_back({.name = interval_name(tail), .left = true});
  const bool tokens =
      std::any_of(tail.levels.begin(), tail.levels.end(),
                  [](const TailLevel& level) { return level.set.tokens.has_value(); });
  if (tokens) table.columns.push_back({.name = "tokens/s"});
  const bool slo = tail.options.slo.has_value();
  if (slo) {
    table.columns.push_back({.name = "SLO", .left = true});
    table.columns.push_back({.name = "goodput"});
  }
  if (price) {
    table.columns.push_back(
        {.name = fmt::format("{} per {}", tokens ? "tokens" : "requests", tail.options.currency)});
  }
  for (const TailLevel& level : tail.levels) {
    std::vector<std::string> row;
    if (tail.by_concurrency) row.push_back(significant(level.set.concurrency.value_or(0), 6));
    const std::optional<double> load = level.offered ? level.offered : level.served;
    row.push_back(levels ? (load ? rate_text(*load) : "-") : short_name(level.set.name, 24));
    if (served) row.push_back(level.served ? rate_text(*level.served) : "-");
    const std::optional<double> in_flight = level.in_flight ? level.in_flight : level.little;
    if (in_flight_later) row.push_back(in_flight ? significant(*in_flight, 3) : "-");
    const TailPercentile* const low = percentile_at(level.percentiles, low_share);
    const TailPercentile* const high = percentile_at(level.percentiles, high_share);
    if (low_share < high_share) {
      row.push_back(low != nullptr ? value_text(*low, level.set.seconds) : "-");
    }
    row.push_back(high != nullptr ? value_text(*high, level.set.seconds) : "-");
    row.push_back(high == nullptr               ? "-"
                  : fails_at(level, high_share) ? bounded_text(level, *high)
                                                : interval_text(*high, level.set.seconds));
    if (tokens) row.push_back(level.set.tokens ? significant(*level.set.tokens, 4) : "-");
    if (slo) {
      row.push_back(!level.slo                          ? "-"
                    : *level.slo == SloVerdict::kKept   ? "kept"
                    : *level.slo == SloVerdict::kBroken ? "broken"
                                                        : "unclear");
      row.push_back(level.goodput ? rate_text(*level.goodput) : "-");
    }
    if (price) {
      const std::optional<double> good = good_rate(level, tokens);
      row.push_back(good ? number_text(*good * 3600 / *tail.options.price) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string fan_out_text(const Tail& tail, const TailLevel& level) {
  const FanOut& fan = *level.fan_out;
  std::string text;
  if (tail.options.fan_out) {
    for (const FanOutRow& row : fan.rows) {
      if (row.workers != *tail.options.fan_out) continue;
      text = fmt::format(
          "{} of requests to {} shards meet a shard beyond its p99: 1 - 0.99^{}, if shards are "
          "independent.",
          share_text(row.any_slow), significant(row.workers, 7), significant(row.workers, 7));
    }
  }
  if (!fan.most) return text;
  const std::string slo = slo_text(*tail.options.slo);
  const std::string before = text.empty() ? "" : text + " ";
  if (*fan.most < 1 || level.slo == SloVerdict::kBroken) {
    return before + fmt::format("{} breaks with one shard.", slo);
  }
  if (fan.most_low < 1 || level.slo == SloVerdict::kUnclear) {
    return before + fmt::format("{} surely holds for no number of shards, not even one.", slo);
  }
  if (*fan.most >= 1e6) {
    return before + fmt::format(
                        "{} holds for requests to {} or more independent shards; all "
                        "samples are within it, so that more cannot be told.",
                        slo, significant(fan.most_low, 7));
  }
  return before +
         fmt::format("{} holds for requests to {} independent {} ({} to {}).", slo,
                     significant(*fan.most, 7), *fan.most == 1 ? "shard" : "shards",
                     significant(fan.most_low, 7),
                     fan.most_high > 1e6 ? "more than can be told" : significant(fan.most_high, 7));
}

/// At the SLO's percentile, or p99: after p95, or where that gains nothing, after another.
std::string hedge_text(const Tail& tail, const TailLevel& level) {
  const double share = tail.options.slo ? tail.options.slo->share : 0.99;
  const TailPercentile* const before = percentile_at(level.percentiles, share);
  if (before == nullptr || before->doubt != TailDoubt::kNone) return "";
  if (fails_at(level, share)) return "";
  bool judged = false;
  for (const double delay : {0.95, 0.9, 0.98, 0.75, 0.99, 0.5, 0.995}) {
    for (const HedgeRow& row : level.hedges) {
      if (row.share != delay) continue;
      const TailPercentile* const after = percentile_at(row.all, share);
      if (after == nullptr || after->doubt != TailDoubt::kNone) continue;
      judged = true;
      constexpr double kGains = 0.98, kDear = 0.1;  // of latency; as a part of the requests added
      if (row.more <= 0 || after->value > kGains * before->value) continue;
      if (1 - after->value / before->value < kDear * row.more) continue;
      return fmt::format(
          "Hedge after {} ({}): {} {} -> {} ({} to {}) for {} more requests, if a second request "
          "is independent of the first.",
          percentile_name(row.share), latency_text(row.delay, level.set.seconds),
          percentile_name(share), latency_text(before->value, level.set.seconds),
          latency_text(after->value, level.set.seconds),
          latency_text(after->low, level.set.seconds), latency_text(after->high, level.set.seconds),
          percent(row.more, 1));
    }
  }
  if (!judged) return "";
  return fmt::format("A second request would gain nothing at {}, or too little for its load.",
                     percentile_name(share));
}

std::string straggler_text(const TailStraggler& found) {
  return fmt::format(
      "Stragglers: kstar predict strong --serial 0 --straggler {}:{} has the same slowest of K, up "
      "to K = {} (within {}; the delay is relative to the median).",
      significant(found.law.probability, 3), significant(found.law.delay, 3),
      significant(found.most_workers, 6), percent(found.miss, found.miss < 0.1 ? 1 : 0));
}

std::string interval_basis(const TailLevel& level) {
  constexpr double kHardly = 2;  // less may be chance
  const TailPercentile* most = nullptr;
  for (const TailPercentile& one : level.percentiles) {
    if (one.interval == TailInterval::kBatches && one.correlation_factor >= kHardly &&
        (most == nullptr || one.correlation_factor > most->correlation_factor)) {
      most = &one;
    }
  }
  if (most != nullptr) {
    return fmt::format(
        "Slow requests come together: at {}, up to {} samples are worth one independent sample; "
        "intervals are those of so few.",
        percentile_name(most->share), significant(most->correlation_factor, 3));
  }
  const bool assumed =
      std::any_of(level.percentiles.begin(), level.percentiles.end(),
                  [](const TailPercentile& one) { return one.interval == TailInterval::kAssumed; });
  return assumed
             ? "Intervals assume independent samples: the file has no order in time (or too few "
               "samples) to check it."
             : "";
}

std::string sketch_text(const LatencySet& set) {
  if (!set.rows.empty()) {
    return "Percentiles between two rows of the file's table are in a straight line between them; "
           "intervals reach to the rows.";
  }
  if (set.bucket_error <= 0) return "";
  return fmt::format("Latencies are within {} of those in the file (buckets).",
                     percent(set.bucket_error, set.bucket_error < 0.001 ? 2 : 1));
}

std::vector<std::string> further(const Tail& tail, bool full) {
  std::vector<std::string> lines;
  const TailLevel& level = tail.levels.front();
  const bool omitted = level.omission.verdict == OmissionVerdict::kFound;
  if (tail.files == TailFiles::kOne) {
    if (level.fan_out && !omitted) {
      if (std::string text = fan_out_text(tail, level); !text.empty()) lines.push_back(text);
    }
    if (omitted) {
      lines.emplace_back(
          "Fan-out and hedging would rest on latencies that are too good: left out.");
    } else if (std::string text = hedge_text(tail, level); !text.empty()) {
      lines.push_back(text);
    }
    if (tail.straggler) lines.push_back(straggler_text(*tail.straggler));
    if (std::string text = interval_basis(level); !text.empty()) lines.push_back(text);
    if (level.goodput && level.slo && !omitted) {
      lines.push_back(fmt::format(
          "Goodput: {}{}.", rate_text(*level.goodput),
          tail.options.price
              ? fmt::format(", {} per {}", number_text(*level.goodput * 3600 / *tail.options.price),
                            tail.options.currency)
              : ""));
    }
    if (std::string text = sketch_text(level.set); !text.empty()) lines.push_back(text);
  }
  if (!level.reproduced.empty()) {
    std::string ways;
    for (const auto& [one, way] : level.reproduced) {
      if (ways.find(way) == ways.npos) ways += fmt::format("{}{}", ways.empty() ? "" : "; ", way);
    }
    lines.push_back(fmt::format("{} of the file reproduced ({}).",
                                count_text(level.reproduced.size(), "stated percentile"), ways));
  }
  if (!level.set.others.empty() && (full || tail.files == TailFiles::kOne)) {
    std::vector<std::string> names;
    for (const std::string& name : level.set.others) {
      constexpr std::size_t kMost = 6;
      if (names.size() == kMost && !full) {
        names.emplace_back("...");
        break;
      }
      names.push_back(printable(name));
    }
    lines.push_back(fmt::format("Also in the file: {} (--metric).", fmt::join(names, ", ")));
  }
  return lines;
}

std::string range_of(double low, double high, int digits) {
  return std::isfinite(high)
             ? fmt::format("{} to {}", significant(low, digits), significant(high, digits))
             : fmt::format("{} or more", significant(low, digits));
}

std::vector<std::string> capacity_lines(const Capacity& capacity) {
  std::vector<std::string> lines;
  for (const QueueFit& fit : capacity.queues) {
    std::string text = fmt::format(
        "{}: saturates at {} ({} to {}), c = {} ({} to {})", fit.name, rate_text(fit.capacity),
        significant(fit.low, 4), significant(fit.high, 4), significant(fit.servers, 4),
        significant(fit.servers_low, 4), significant(fit.servers_high, 4));
    if (fit.name != "M/M/c") {
      text +=
          fmt::format(", (Ca^2 + Cs^2)/2 = {} ({} to {})", significant(fit.variability, 3),
                      significant(fit.variability_low, 3), significant(fit.variability_high, 3));
    }
    lines.push_back(text + fmt::format("; misses a mean by up to {}.", percent(fit.miss, 0)));
  }
  if (capacity.usl) {
    const ThroughputFit& usl = *capacity.usl;
    lines.push_back(fmt::format(
        "USL over requests in flight: alpha = {} ({}), beta = {} ({}); most throughput {} ({}){}.",
        significant(usl.contention, 3), range_of(usl.contention_low, usl.contention_high, 3),
        significant(usl.coherency, 3), range_of(usl.coherency_low, usl.coherency_high, 3),
        std::isfinite(usl.most) ? rate_text(usl.most) : "without a limit",
        range_of(usl.most_low, usl.most_high, 4),
        std::isfinite(usl.peak) ? fmt::format(" at {} in flight", significant(usl.peak, 3)) : ""));
  }
  if (!capacity.reason.empty()) {
    lines.push_back(fmt::format(
        "{}: {}.", capacity.queues.empty() ? "No queueing fit" : "No largest load by the fit",
        capacity.reason));
  }
  return lines;
}

Table hedge_table(const Tail& tail, const TailLevel& level) {
  Table table;
  table.columns = {{.name = "second request after", .left = true},
                   {.name = "more requests"},
                   {.name = "p50"},
                   {.name = "p99"},
                   {.name = interval_name(tail), .left = true},
                   {.name = "p99.9"},
                   {.name = interval_name(tail), .left = true}};
  for (const HedgeRow& row : level.hedges) {
    std::vector<std::string> cells = {fmt::format("{} ({})", percentile_name(row.share),
                                                  latency_text(row.delay, level.set.seconds)),
                                      percent(row.more, 1)};
    for (const double share : {0.5, 0.99, 0.999}) {
      const TailPercentile& one = *percentile_at(row.all, share);
      cells.push_back(latency_text(one.value, level.set.seconds));
      if (share > 0.5) cells.push_back(interval_text(one, level.set.seconds));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table fan_out_table(const Tail& tail, const TailLevel& level) {
  Table table;
  table.columns = {{.name = "K"},   {.name = "meet a p99"},
                   {.name = "p50"}, {.name = interval_name(tail), .left = true},
                   {.name = "p99"}, {.name = interval_name(tail), .left = true}};
  for (const FanOutRow& row : level.fan_out->rows) {
    std::vector<std::string> cells = {significant(row.workers, 7), share_text(row.any_slow)};
    for (const double share : {0.5, 0.99}) {
      const TailPercentile* const one = percentile_at(row.all, share);
      if (one == nullptr) {
        cells.insert(cells.end(), {"-", "-"});
        continue;
      }
      const bool doubtful = one->doubt != TailDoubt::kNone;
      cells.push_back(latency_text(one->value, level.set.seconds) + (doubtful ? " or more" : ""));
      cells.push_back(doubtful
                          ? (one->doubt == TailDoubt::kTooFew ? "too few samples" : "too short")
                          : interval_text(*one, level.set.seconds));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table reproduced_table(const TailLevel& level) {
  Table table{.columns = {{.name = "stated", .left = true},
                          {.name = "value"},
                          {.name = "definition", .left = true}},
              .rows = {}};
  for (const auto& [one, way] : level.reproduced) {
    table.rows.push_back({printable(one.name), latency_text(one.value, level.set.seconds), way});
  }
  for (const StatedPercentile& one : level.differing) {
    table.rows.push_back(
        {printable(one.name), latency_text(one.value, level.set.seconds), "none: differs"});
  }
  return table;
}

std::string title_of_tail(const Tail& tail) {
  if (tail.levels.size() == 1) {
    const LatencySet& set = tail.levels[0].set;
    return fmt::format("{} ({}{})", short_name(set.name), set.format,
                       set.metric.empty() ? "" : ", " + printable(set.metric));
  }
  return fmt::format("{} {}{}", tail.levels.size(),
                     tail.by_concurrency                ? "levels of requests in flight"
                     : tail.files == TailFiles::kLevels ? "levels of load"
                                                        : "shards",
                     tail.files_assumed
                         ? (tail.by_concurrency ? " (assumed: they differ in it; --files shards)"
                            : tail.files == TailFiles::kLevels
                                ? " (assumed: every file has a rate of its own; --files shards)"
                                : " (assumed: the files have no different rates; --files levels)")
                         : "");
}

std::string independence_text(const Together& all) {
  return fmt::format(
      "{} requests to all shards: {} of them meet a shard beyond its p99 ({} to {}); independent "
      "shards would have {}.",
      number_text(static_cast<double>(all.requests)), share_text(all.slow_together),
      share_text(all.slow_low), share_text(all.slow_high), share_text(all.slow_expected));
}

}  // namespace

Document to_document(const Tail& tail, const TailView& view) {
  Document document;
  std::vector<Block>& blocks = document.blocks;
  const TailLevel& first = tail.levels.front();
  blocks.emplace_back(Heading{title_of_tail(tail)});
  blocks.emplace_back(Paragraph{answer(tail)});
  if (tail.files == TailFiles::kOne) blocks.emplace_back(Paragraph{traffic(first) + "."});
  if (Items known{"Before relying on it", warnings(tail, view.full)}; !known.items.empty()) {
    blocks.emplace_back(std::move(known));
  }
  if (tail.files == TailFiles::kOne) {
    blocks.emplace_back(percentile_table(tail, first, view.full));
  } else {
    blocks.emplace_back(level_table(tail));
  }
  if (tail.capacity) {
    if (Items fits{"Capacity", capacity_lines(*tail.capacity)}; !fits.items.empty()) {
      blocks.emplace_back(std::move(fits));
    }
  }
  if (tail.together) blocks.emplace_back(Paragraph{independence_text(*tail.together)});
  if (Items more{"Also", further(tail, view.full)}; !more.items.empty()) {
    blocks.emplace_back(std::move(more));
  }
  if (view.chart) {
    blocks.emplace_back(percentile_chart(tail));
    if (tail.files == TailFiles::kLevels) blocks.emplace_back(load_chart(tail));
    if (tail.files == TailFiles::kOne && can_rest_on(first))
      blocks.emplace_back(fan_out_chart(tail));
  }
  if (!view.full) return document;
  for (const TailLevel& level : tail.levels) {
    const std::string name = tail.levels.size() > 1 ? ": " + short_name(level.set.name) : "";
    if (tail.levels.size() > 1) {
      blocks.emplace_back(Heading{.text = "Percentiles" + name, .part = true});
      blocks.emplace_back(Paragraph{traffic(level) + "."});
      blocks.emplace_back(percentile_table(tail, level, true));
      continue;
    }
    if (can_rest_on(level)) {
      blocks.emplace_back(
          Heading{.text = "A request that waits for K shards" + name, .part = true});
      blocks.emplace_back(fan_out_table(tail, level));
    }
    if (can_rest_on(level) && !level.hedges.empty()) {
      blocks.emplace_back(Heading{.text = "Hedged requests" + name, .part = true});
      blocks.emplace_back(hedge_table(tail, level));
    }
    if (!level.reproduced.empty() || !level.differing.empty()) {
      blocks.emplace_back(Heading{.text = "Percentiles that the file states" + name, .part = true});
      blocks.emplace_back(reproduced_table(level));
    }
  }
  if (std::any_of(tail.levels.begin(), tail.levels.end(),
                  [](const TailLevel& level) { return can_rest_on(level); })) {
    blocks.emplace_back(Items{
        "Assumptions",
        {"fan-out: every shard has this distribution, and is slow independently of the others",
         "hedging: the second request is as fast as the first would be, and its load slows nobody",
         fmt::format("intervals: {}, by ranks; where slow requests come together, by ranks of as "
                     "many independent samples as batch means of exceedances and the likeness of "
                     "neighbours show",
                     confidence_text(tail))}});
  }
  return document;
}

}  // namespace kstar
