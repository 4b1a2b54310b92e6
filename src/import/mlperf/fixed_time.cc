#include "import/mlperf/fixed_time.h"

#include <algorithm>

namespace kstar {

bool MlperfFixedTime::is_wanted(std::string_view key) {
  const std::string_view what = key.substr(0, key.find('_'));
  return (what == "block" || what == "epoch" || what == "eval") &&
         (key.ends_with("_start") || key.ends_with("_stop"));
}

void MlperfFixedTime::take(std::string_view key, double time) {
  const bool starts = key.ends_with("_start");
  if (key.starts_with("eval")) {
    events_.push_back({time, starts ? Mark::kEvaluationStart : Mark::kEvaluationStop});
  } else {
    events_.push_back({time, starts ? Mark::kTrainingStart : Mark::kTrainingStop});
  }
}

std::optional<double> MlperfFixedTime::seconds(double run_start, double run_stop) const {
  std::vector<Event> events = events_;
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  const bool blocks = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.mark == Mark::kTrainingStart;
  });
  double training = 0, at = run_start;
  int open = blocks ? 0 : 1;
  bool evaluates = false, known = false;
  const auto go_to = [&](double time) {
    if (open > 0 && !evaluates) training += std::max(0.0, time - at);
    at = std::max(at, time);
  };
  for (const Event& event : events) {
    if (event.time > run_stop) break;
    go_to(event.time);
    const bool starts = event.mark == Mark::kEvaluationStart;
    if (starts || event.mark == Mark::kEvaluationStop) {
      if (evaluates == starts) return {};  // they do not alternate
      evaluates = starts;
      known = known || event.time > run_start;
    } else if (event.mark == Mark::kTrainingStart) {
      if (evaluates) return {};  // one goes on beside the other
      if (blocks) ++open;
    } else if (open > 0 && blocks) {
      --open;
    }
  }
  go_to(run_stop);
  if (!known || !(training > 0)) return {};
  return std::max(0.0, run_stop - run_start - training) / 1000;
}

}  // namespace kstar
