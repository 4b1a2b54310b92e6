#include "import/mlperf/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr std::string_view kMarker = ":::MLL";

/// No count of epochs is as large: such a number counts samples or tokens, whatever its name.
constexpr double kMostEpochs = 100'000;

constexpr std::array<std::string_view, 9> kKeys = {
    "run_start",           "run_stop",          "init_start",
    "eval_accuracy",       "global_batch_size", "submission_benchmark",
    "submission_division", "submission_org",    "max_sequence_length"};

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

bool is_wanted(std::string_view key) {
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() ||
         MlperfFixedTime::is_wanted(key);
}

/// One line of interest, taken apart but for its values.
struct Event {
  std::string_view key;
  std::optional<double> time;   ///< milliseconds
  std::optional<double> value;  ///< where it is a number
  std::string text;             ///< where it is a text
  std::string status;
  std::optional<double> samples, epoch;  ///< of the metadata
};

class LogReader {
 public:
  MlperfLog read(std::string_view text) {
    std::size_t at = text.find(kMarker);
    while (at != std::string_view::npos) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      take_line(text.substr(at, end - at));
      at = text.find(kMarker, end);
    }
    finish();
    return std::move(log_);
  }

 private:
  void take_line(std::string_view line) {
    ++log_.events;
    line.remove_prefix(kMarker.size());
    Event event;
    std::string_view json;
    const bool newer = line.starts_with("OG ");
    if (newer) {
      json = line.substr(3);
      event.key = key_in(json);
    } else {
      split_older(line, event, json);
    }
    if (!is_wanted(event.key)) return;
    if (!read_json(json, newer, event) || !event.time) {
      ++log_.broken;
      return;
    }
    take(event);
  }

  /// Most lines are of no interest: the key is found without reading the JSON.
  static std::string_view key_in(std::string_view json) {
    constexpr std::string_view kKey = "\"key\":";
    std::size_t at = json.find(kKey);
    if (at == std::string_view::npos) return {};
    at = json.find('"', at + kKey.size());
    if (at == std::string_view::npos) return {};
    const std::size_t end = json.find('"', at + 1);
    return end == std::string_view::npos ? std::string_view{} : json.substr(at + 1, end - at - 1);
  }

  /// " 1560187569.059 run_start: {...}"
  static void split_older(std::string_view line, Event& event, std::string_view& json) {
    line = trim(line);
    const std::size_t blank = line.find(' ');
    const std::size_t colon = line.find(':', blank == std::string_view::npos ? 0 : blank);
    if (blank == std::string_view::npos || colon == std::string_view::npos) return;
    if (const auto seconds = parse_double(line.substr(0, blank))) {
      event.time = std::round(*seconds * 1e6) / 1e3;  // to the microsecond, as a double holds it
    }
    event.key = trim(line.substr(blank, colon - blank));
    json = trim(line.substr(colon + 1));
  }

  bool read_json(std::string_view json, bool newer, Event& event) {
    JsonObject root;
    if (json_.start(json) || json_.get(root)) return false;
    return !root.each([&](const JsonMember& member) {
      double number = 0;
      std::string_view text;
      if (member.key == "time_ms" && newer) {
        if (member.value.get(number)) return false;
        event.time = number;
      } else if (member.key == "value") {
        if (!member.value.get(text)) {
          event.text = text;
        } else if (!member.value.get(number)) {
          event.value = number;
        }
      } else if (member.key == "metadata") {
        return read_metadata(member.value, event);
      }
      return true;
    });
  }

  static bool read_metadata(JsonValue value, Event& event) {
    JsonObject metadata;
    if (value.get(metadata)) return true;
    return !metadata.each([&](const JsonMember& member) {
      std::string_view text;
      double number = 0;
      if (member.key == "status" && !member.value.get(text)) event.status = text;
      if (member.key == "samples_count" && !member.value.get(number)) event.samples = number;
      if (member.key == "epoch_num" && !member.value.get(number)) event.epoch = number;
      return true;
    });
  }

  void take(const Event& event) {
    if (event.key == "run_start") {
      ++log_.starts;
      if (!log_.run_start) log_.run_start = event.time;
    } else if (event.key == "run_stop") {
      ++log_.stops;
      log_.run_stop = event.time;
      log_.status = event.status;
      take_work(event);
    } else if (event.key == "init_start") {
      if (!log_.init_start) log_.init_start = event.time;
    } else if (event.key == "eval_accuracy") {
      // What is evaluated behind run_stop did not decide it.
      if (log_.stops == 0) take_work(event);
    } else if (MlperfFixedTime::is_wanted(event.key)) {
      fixed_.take(event.key, *event.time);
    } else {
      take_setting(event);
    }
  }

  void take_setting(const Event& event) {
    if (event.key == "global_batch_size" && event.value && *event.value > 0) {
      log_.batch = event.value;
    } else if (event.key == "max_sequence_length") {
      sequence_ = event.value;
    } else if (event.key == "submission_benchmark") {
      log_.benchmark = event.text;
    } else if (event.key == "submission_division") {
      log_.division = event.text;
    } else if (event.key == "submission_org") {
      log_.submitter = event.text;
    }
  }

  void take_work(const Event& event) {
    if (event.samples && *event.samples > 0) {
      log_.work = event.samples;
      log_.work_unit = "samples";
    } else if (event.epoch && *event.epoch > 0) {
      log_.work = event.epoch;
      log_.work_unit = *event.epoch > kMostEpochs ? "" : "epochs";
    }
  }

  void finish() {
    if (log_.run_start && log_.run_stop) {
      log_.fixed = fixed_.seconds(*log_.run_start, *log_.run_stop);
    }
    if (!log_.work || !log_.work_unit.empty()) return;
    // Whole batches of whole sequences are tokens.
    const bool tokens = log_.batch && sequence_ && *sequence_ > 1 &&
                        std::fmod(*log_.work, *log_.batch * *sequence_) == 0;
    log_.work_unit = tokens ? "tokens" : "samples";
  }

  JsonDocument json_;
  MlperfLog log_;
  MlperfFixedTime fixed_;
  std::optional<double> sequence_;
};

std::string failure_of(const MlperfLog& log) {
  if (log.events == 0) return "its log has no line with an MLPerf marker (:::MLL, :::MLLOG)";
  if (!log.run_start) return "its log has no run_start";
  if (!log.run_stop) return "its log has no run_stop";
  if (log.status != "success") {
    return fmt::format("status: {}", shorten(printable(log.status), 100));
  }
  if (*log.run_stop <= *log.run_start) return "it stops before it starts";
  return {};
}

}  // namespace

MlperfLog read_mlperf_log(std::string_view text) {
  return LogReader().read(text);
}

Run run_of(const MlperfLog& log) {
  Run run;
  run.failure = failure_of(log);
  if (log.run_start) run.start = *log.run_start / 1000;
  if (log.run_start && log.run_stop && *log.run_stop > *log.run_start) {
    run.wall = (*log.run_stop - *log.run_start) / 1000;
  }
  if (run.failure.empty()) run.work = log.work;
  if (run.failure.empty()) run.fixed = log.fixed;
  if (log.init_start && log.run_start && *log.run_start > *log.init_start) {
    run.extra = fmt::format("{{\"init\":{}}}", (*log.run_start - *log.init_start) / 1000);
  }
  return run;
}

bool has_mlperf_marker(std::string_view text) {
  return text.find(":::MLLOG {") != std::string_view::npos ||
         text.find(":::MLL ") != std::string_view::npos || text.starts_with("MLPerf: ");
}

}  // namespace kstar
