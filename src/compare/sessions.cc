#include "compare/sessions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "compare/comparable.h"
#include "compare/evidence.h"
#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

/// A block of a session.
using BlockKey = std::pair<std::string, int>;

bool is_compared(const Run& run) {
  return run.role == Role::kParallel && counts(run);
}

std::set<std::string> sessions_of(const Study& study) {
  std::set<std::string> sessions;
  for (const Run& run : study.runs) {
    if (is_compared(run)) sessions.insert(run.session.str());
  }
  return sessions;
}

std::set<BlockKey> blocks_of(const Study& study) {
  std::set<BlockKey> blocks;
  for (const Run& run : study.runs) {
    if (is_compared(run) && run.block) blocks.emplace(run.session.str(), *run.block);
  }
  return blocks;
}

/// A few blocks may have lost a side, when one was interrupted.
bool shares_blocks(const Study& before, const Study& after) {
  const std::set<std::string> sessions = sessions_of(before);
  if (sessions.contains("") || sessions != sessions_of(after)) return false;
  const std::set<BlockKey> first = blocks_of(before), second = blocks_of(after);
  std::size_t common = 0;
  for (const BlockKey& block : first) common += second.contains(block) ? 1U : 0U;
  return common > 0 && 4 * common >= 3 * std::max(first.size(), second.size());
}

/// Simulated runs are of no session that could differ from another; and where every run is a job of
/// its own, what jobs differ by is the noise of the runs.
bool shares_no_session(const Study& study) {
  if (study.header.source.kind == SourceKind::kSimulated) return true;
  const auto runs = std::count_if(study.runs.begin(), study.runs.end(), is_compared);
  const std::size_t sessions = sessions_of(study).size();
  return sessions > 1 && sessions == static_cast<std::size_t>(runs);
}

/// By session and K, the mean of log T.
using SessionMeans = std::map<std::string, std::map<int, double>>;

SessionMeans session_means(const Study& study) {
  SessionMeans sums;
  std::map<std::pair<std::string, int>, double> runs;
  for (const Run& run : study.runs) {
    if (!is_compared(run)) continue;
    sums[run.session.str()][run.workers] += std::log(*steady_time(run));
    ++runs[{run.session.str(), run.workers}];
  }
  for (auto& [session, means] : sums) {
    for (auto& [workers, mean] : means) mean /= runs[{session, workers}];
  }
  return sums;
}

/// How session means of log T lie around their mean: over all K together, and at each K.
struct Spread {
  double all = 0;  ///< sums of squares
  double each = 0;
  double degrees = 0;  ///< of `all`; `each` has as many at every K, which depend on each other
  double workers = 0;
};

void add_spread(const Study& study, Spread& spread) {
  const SessionMeans means = session_means(study);
  if (means.size() < 2) return;
  const auto count = static_cast<double>(means.size());
  std::map<int, std::vector<double>> at;
  for (const auto& [session, of] : means) {
    for (const auto& [workers, mean] : of) at[workers].push_back(mean);
  }
  std::erase_if(at, [&](const auto& one) { return one.second.size() != means.size(); });
  if (at.empty()) return;
  std::vector<double> together(means.size(), 0);
  for (const auto& [workers, values] : at) {
    double middle = 0;
    for (const double value : values) middle += value / count;
    for (std::size_t i = 0; i < values.size(); ++i) {
      together[i] += (values[i] - middle) / static_cast<double>(at.size());
      spread.each += (values[i] - middle) * (values[i] - middle) / static_cast<double>(at.size());
    }
  }
  for (const double value : together) spread.all += value * value;
  spread.degrees += count - 1;
}

Spread spread_of(const Side& before, const Side& after, const std::vector<Study>& others) {
  Spread spread;
  add_spread(before.study, spread);
  add_spread(after.study, spread);
  for (const Study& other : others) add_spread(other, spread);
  return spread;
}

ChangeVerdict doubted(ChangeVerdict verdict, bool beyond_sessions) {
  return verdict == ChangeVerdict::kNoEvidence || beyond_sessions ? verdict
                                                                  : ChangeVerdict::kChangeOrSession;
}

/// Values of one block: their mean, in which a slow run counts as one at twice the usual distance,
/// and the variance of that mean.
struct Centre {
  double mean = 0;
  double variance = 0;
};

Centre centre_of(const std::vector<double>& values) {
  constexpr double kOfNormal = 1.4826, kFar = 2;
  const double middle = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::fabs(value - middle));
  const double scale = kOfNormal * median_of(std::move(distances));
  double sum = 0;
  for (const double value : values) {
    sum += std::clamp(value - middle, -kFar * scale, kFar * scale);
  }
  const auto count = static_cast<double>(values.size());
  return {.mean = middle + sum / count, .variance = scale * scale / count};
}

/// What each block is slower than usual, as a logarithm.
struct BlockEffects {
  std::map<BlockKey, double> of;
  double share = 0;  ///< of what was seen that is no noise
};

/// Empirical Bayes: as much as blocks differ more than the noise of their means would make them.
void shrink(const std::map<BlockKey, Centre>& centres, BlockEffects& effects) {
  const auto count = static_cast<double>(centres.size());
  double mean = 0, noise = 0, seen = 0;
  for (const auto& [block, centre] : centres) {
    mean += centre.mean / count;
    noise += centre.variance / count;
  }
  for (const auto& [block, centre] : centres) {
    seen += (centre.mean - mean) * (centre.mean - mean) / std::max(count - 1, 1.0);
  }
  effects.share = seen > noise ? 1 - noise / seen : 0;
  for (const auto& [block, centre] : centres) {
    effects.of[block] = effects.share * (centre.mean - mean);
  }
}

BlockEffects block_effects(const Side& before, const Side& after) {
  std::map<BlockKey, std::vector<double>> residuals;
  for (const Side* side : {&before, &after}) {
    std::map<int, double> usual;
    for (const auto& [workers, times] : side->times) {
      usual[workers] = std::log(median_of(times));
    }
    for (const Run& run : side->study.runs) {
      if (!is_compared(run) || !run.block) continue;
      residuals[{run.session.str(), *run.block}].push_back(std::log(*steady_time(run)) -
                                                           usual[run.workers]);
    }
  }
  std::map<BlockKey, Centre> centres;
  for (const auto& [block, values] : residuals) centres[block] = centre_of(values);
  BlockEffects effects;
  shrink(centres, effects);
  return effects;
}

Times times_without(const Side& side, const BlockEffects& effects) {
  Times times;
  for (const Run& run : side.study.runs) {
    if (!is_compared(run)) continue;
    const auto effect =
        run.block ? effects.of.find({run.session.str(), *run.block}) : effects.of.end();
    const double log = effect == effects.of.end() ? 0 : effect->second;
    times[run.workers].push_back(*steady_time(run) * std::exp(-log));
  }
  return times;
}

}  // namespace

Result<void> check_sessions_of(const std::vector<Study>& others, const Side& before) {
  for (const Study& other : others) {
    Spread spread;
    add_spread(other, spread);
    if (spread.degrees == 0) {
      return fail(expected(other.name, "a study of at least two sessions with a K in common",
                           count_text(sessions_of(other).size(), "session"),
                           "kstar measure --sessions 5 makes one"));
    }
    const std::set<std::string> here = kinds_of(before.study), there = kinds_of(other);
    if (here.empty() || there.empty() || here == there) continue;
    return fail(
        expected(other.name, "sessions on the machine of the compared studies", *there.begin()));
  }
  return {};
}

SessionEvidence session_evidence(const Side& before, const Side& after,
                                 const std::vector<Study>& others) {
  SessionEvidence evidence;
  evidence.before = sessions_of(before.study).size();
  evidence.after = sessions_of(after.study).size();
  evidence.none = shares_no_session(before.study) && shares_no_session(after.study);
  evidence.interleaved = !evidence.none && shares_blocks(before.study, after.study);
  if (const Spread spread = spread_of(before, after, others); spread.degrees > 0) {
    evidence.deviation = std::sqrt(spread.all / spread.degrees);
  }
  return evidence;
}

BlockFreeTimes without_blocks(const Side& before, const Side& after) {
  const BlockEffects effects = block_effects(before, after);
  const double others = std::max(0.0, static_cast<double>(effects.of.size()) - 1);
  return {.before = times_without(before, effects),
          .after = times_without(after, effects),
          .taken = {.common = true, .degrees = effects.share * others}};
}

void doubt_sessions(const Side& before, const Side& after, const std::vector<Study>& others,
                    Comparison& comparison) {
  const SessionEvidence& sessions = comparison.sessions;
  if (sessions.interleaved || sessions.none) return;
  const Spread spread = spread_of(before, after, others);
  const bool known = spread.degrees > 0;
  const double means =
      1 / static_cast<double>(sessions.before) + 1 / static_cast<double>(sessions.after);
  const auto chance = [&](double ratio, double squares) {
    const double error = std::sqrt(squares / spread.degrees * means);
    return known && error > 0 ? student_t_beyond(std::log(ratio) / error, spread.degrees) : 1.0;
  };
  const double limit = 1 - comparison.confidence;
  std::vector<RatioChange> by_sessions;
  for (const WorkersChange& point : comparison.points) {
    const bool typical = point.typical && !point.by_slow_runs;
    const double ratio = (typical ? *point.typical : point.time).ratio.point;
    by_sessions.push_back({.ratio = {}, .p = chance(ratio, spread.each)});
  }
  std::vector<RatioChange*> each;
  for (RatioChange& change : by_sessions) each.push_back(&change);
  adjust(each);
  for (std::size_t i = 0; i < comparison.points.size(); ++i) {
    WorkersChange& point = comparison.points[i];
    point.verdict = doubted(point.verdict, by_sessions[i].adjusted_p < limit);
  }
  if (!comparison.joint) return;
  const double p = chance(comparison.joint->ratio.point, spread.all);
  comparison.joint->verdict = doubted(comparison.joint->verdict, p < limit);
}

}  // namespace kstar::comparing
