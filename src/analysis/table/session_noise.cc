#include "analysis/table/session_noise.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kstar/stats.h"

namespace kstar {

namespace {

/// The times at one K by session.
using BySession = std::map<std::string, std::vector<double>>;

/// The sums of one K, relative to its mean.
struct Layout {
  double runs = 0;
  double sessions = 0;
  double squared_runs = 0;  ///< of each session
  double between = 0;       ///< sums of squares
  double within = 0;
};

Layout layout_of(const BySession& times) {
  Layout layout;
  double total = 0;
  for (const auto& [session, of] : times) {
    layout.runs += static_cast<double>(of.size());
    for (const double time : of) total += time;
  }
  const double mean = total / layout.runs;
  for (const auto& [session, of] : times) {
    const auto count = static_cast<double>(of.size());
    double own = 0;
    for (const double time : of) own += time / count;
    for (const double time : of) layout.within += (time - own) * (time - own) / (mean * mean);
    layout.between += count * (own - mean) * (own - mean) / (mean * mean);
    layout.squared_runs += count * count;
    ++layout.sessions;
  }
  return layout;
}

/// It needs two sessions, and one of them with runs that show their noise.
bool shows_sessions(const Layout& layout) {
  return layout.sessions >= 2 && layout.runs > layout.sessions;
}

double mean_square_between(const Layout& layout) {
  return layout.between / (layout.sessions - 1);
}

double mean_square_within(const Layout& layout) {
  return layout.within / (layout.runs - layout.sessions);
}

double variance_between(const Layout& layout) {
  const double usual_runs =
      (layout.runs - layout.squared_runs / layout.runs) / (layout.sessions - 1);
  return (mean_square_between(layout) - mean_square_within(layout)) / usual_runs;
}

}  // namespace

SessionNoise session_noise(const Study& study) {
  std::map<SampleKey, BySession> times;
  for (const Run& run : study.runs) {
    if (!counts(run)) continue;
    times[{run.role == Role::kParallel, run.workers}][run.session.str()].push_back(
        *steady_time(run));
  }
  SessionNoise noise;
  constexpr double kEvident = 4;
  double sum = 0, count = 0, between = 0;
  for (const auto& [key, by_session] : times) {
    const Layout layout = layout_of(by_session);
    noise.shares[key] = layout.squared_runs / (layout.runs * layout.runs);
    if (!shows_sessions(layout)) continue;
    sum += variance_between(layout);
    between += mean_square_between(layout);
    noise.within += mean_square_within(layout);
    ++count;
    noise.degrees = std::max(noise.degrees, layout.sessions - 1);
  }
  if (count == 0) return noise;
  noise.variance = std::max(0.0, sum / count);
  noise.evident = between > kEvident * noise.within;
  noise.within /= count;
  return noise;
}

Estimate over_sessions(const Estimate& time, const SessionNoise& noise, const SampleKey& key) {
  const auto share = noise.shares.find(key);
  const double more = share == noise.shares.end() ? 0 : noise.variance * share->second;
  const double error = time.standard_error / time.point;
  if (!(more > 0) || time.method == IntervalMethod::kNone || !std::isfinite(error)) return time;
  const bool split = noise.evident && time.n > 0;
  const double own = split ? noise.within / static_cast<double>(time.n) : error * error;
  const double all = own + more;
  const double doubt = own * own / std::max(time.degrees, 1.0) + more * more / noise.degrees;
  Estimate wider = time;
  wider.degrees = all * all / doubt;
  wider.standard_error = std::sqrt(all) * time.point;
  const double reach = std::exp(student_t_reach(time.confidence, wider.degrees) * std::sqrt(all));
  wider.low = time.point / reach;
  wider.high = time.point * reach;
  return wider;
}

}  // namespace kstar
