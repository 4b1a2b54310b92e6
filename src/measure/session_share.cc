#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "kstar/measure_set.h"

namespace kstar {

namespace {

/// The most runs that a K has.
int most_runs_made(const Study& study) {
  std::map<int, int> runs;
  int most = 0;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && counts(run)) most = std::max(most, ++runs[run.workers]);
  }
  return most;
}

int share_of(int all, int part, int parts) {
  return (all * part + parts - 1) / parts;
}

}  // namespace

int sessions_in(const Study& study) {
  std::set<std::string> sessions;
  for (const Run& run : study.runs) {
    if (counts(run)) sessions.insert(run.session.str());
  }
  return static_cast<int>(sessions.size());
}

MeasureSpec session_share(MeasureSpec spec, const Study& earlier) {
  const int all = spec.sessions, done = sessions_in(earlier);
  if (all < 2) return spec;
  const int now = std::min(done + 1, all);
  if (spec.runs) {
    spec.runs = share_of(*spec.runs, now, all);
  } else if (done > 0) {
    const int of_one = std::max(1, most_runs_made(earlier) / done);
    spec.runs = std::min(done < all ? of_one * now : most_runs_made(earlier), spec.max_runs);
  } else {
    spec.precision *= std::sqrt(static_cast<double>(all));
    spec.max_runs = std::max(2, share_of(spec.max_runs, 1, all));
  }
  return spec;
}

}  // namespace kstar
