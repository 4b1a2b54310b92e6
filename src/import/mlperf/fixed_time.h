#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kstar {

/// How long a run of MLPerf trains nothing: in evaluations and, where the log has blocks or epochs,
/// outside of them. Where training goes on beside an evaluation, or the log does not time its
/// evaluations, nobody knows.
class MlperfFixedTime {
 public:
  static bool is_wanted(std::string_view key);

  /// An event with a key that is wanted; milliseconds.
  void take(std::string_view key, double time);

  /// Between run_start and run_stop, in milliseconds. Nothing where it is not known.
  std::optional<double> seconds(double run_start, double run_stop) const;

 private:
  enum class Mark { kTrainingStart, kTrainingStop, kEvaluationStart, kEvaluationStop };
  struct Event {
    double time = 0;
    Mark mark = Mark::kTrainingStart;
  };
  std::vector<Event> events_;
};

}  // namespace kstar
