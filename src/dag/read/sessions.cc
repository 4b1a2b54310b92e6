#include "dag/read/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/number.h"
#include "base/text.h"

namespace kstar::dag {

namespace {

/// The moment that most of the open intervals contain.
double common_moment(const std::vector<Origin>& origins, const std::vector<std::size_t>& open) {
  struct End {
    double at;
    int change;
  };
  std::vector<End> ends;
  for (const std::size_t i : open) {
    ends.push_back({origins[i].low, 1});
    ends.push_back({origins[i].high, -1});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.at != b.at ? a.at < b.at : a.change > b.change;
  });
  int count = 0, most = 0;
  double moment = 0;
  for (const End& end : ends) {
    count += end.change;
    if (count <= most) continue;
    most = count;
    moment = end.at;
  }
  return moment;
}

}  // namespace

std::vector<std::uint32_t> sessions_by_gaps(const std::vector<TimedTask>& tasks) {
  constexpr double kGap = 30;
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tasks[a].start < tasks[b].start; });
  std::vector<std::uint32_t> sessions(tasks.size(), 0);
  double last = std::numeric_limits<double>::infinity();
  std::uint32_t session = 0;
  for (const std::size_t i : order) {
    if (tasks[i].start > last + kGap) ++session;
    sessions[i] = session;
    last = std::isfinite(last) ? std::max(last, tasks[i].end) : tasks[i].end;
  }
  return sessions;
}

std::vector<std::uint32_t> sessions_by_order(const std::vector<TimedTask>& tasks) {
  std::vector<std::uint32_t> sessions(tasks.size(), 0);
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    sessions[i] = sessions[i - 1] + (tasks[i].end < tasks[i - 1].end ? 1 : 0);
  }
  return sessions;
}

std::vector<std::uint32_t> sessions_by_origin(const std::vector<Origin>& origins) {
  constexpr std::uint32_t kMostSessions = 200;
  std::vector<std::uint32_t> sessions(origins.size(), kNoSession);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].low <= origins[i].high) open.push_back(i);
  }
  for (std::uint32_t session = 0; !open.empty() && session < kMostSessions; ++session) {
    const double moment = common_moment(origins, open);
    std::vector<std::size_t> others;
    for (const std::size_t i : open) {
      if (origins[i].low <= moment && moment <= origins[i].high) {
        sessions[i] = session;
      } else {
        others.push_back(i);
      }
    }
    open = std::move(others);
  }
  return sessions;
}

void set_record(TaskGraph& graph, const std::vector<TimedTask>& tasks,
                const std::vector<std::uint32_t>& sessions, const std::string& what) {
  std::vector<double> work;
  std::vector<std::size_t> last(graph.size(), tasks.size());  // the place of its last time
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    last[tasks[i].task] = i;
    if (sessions[i] == kNoSession) continue;
    if (work.size() <= sessions[i]) work.resize(sessions[i] + 1, 0);
    work[sessions[i]] += tasks[i].end - tasks[i].start;
  }
  const auto largest = std::max_element(work.begin(), work.end());
  if (largest == work.end() || *largest <= 0) return;
  const auto chosen = static_cast<std::uint32_t>(largest - work.begin());
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (sessions[i] == chosen) first = std::min(first, tasks[i].start);
  }
  graph.record.start.assign(graph.size(), std::nan(""));
  graph.record.end.assign(graph.size(), std::nan(""));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (sessions[i] != chosen) continue;
    graph.record.start[tasks[i].task] = tasks[i].start - first;
    graph.record.end[tasks[i].task] = tasks[i].end - first;
  }
  // Of a log that has every build, the last one may have all that counts.
  constexpr double kAllOfIt = 0.995;
  double all = 0;
  std::vector<double> counted(work.size(), 0);
  for (const std::size_t i : last) {
    if (i == tasks.size()) continue;
    const double time = tasks[i].end - tasks[i].start;
    all += time;
    if (sessions[i] != kNoSession) counted[sessions[i]] += time;
  }
  const double most = *std::max_element(counted.begin(), counted.end());
  if (counted[chosen] < kAllOfIt * all) graph.record.name = fmt::format("the largest {}", what);
  if (most >= kAllOfIt * all) return;
  graph.notes.push_back(fmt::format(
      "the times are of several {}s, the last of each task; no {} has more than {} of the work",
      what, what, percent(most / all, 0)));
}

}  // namespace kstar::dag
