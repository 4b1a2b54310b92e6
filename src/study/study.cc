#include "kstar/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json.h"
#include "study/names.h"

namespace kstar {

std::string_view name_of(Regime regime) {
  return kNames<Regime>[static_cast<std::size_t>(regime)];
}

std::string_view name_of(BaselineKind kind) {
  return kNames<BaselineKind>[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Role role) {
  return kNames<Role>[static_cast<std::size_t>(role)];
}

std::string_view name_of(Severity severity) {
  return kNames<Severity>[static_cast<std::size_t>(severity)];
}

std::string_view name_of(TimeKind kind) {
  return kNames<TimeKind>[static_cast<std::size_t>(kind)];
}

std::string_view name_of(SourceKind kind) {
  return kNames<SourceKind>[static_cast<std::size_t>(kind)];
}

std::optional<Regime> regime_named(std::string_view name) {
  return value_named<Regime>(name);
}

std::optional<double> steady_time(const Run& run) {
  if (!run.steps.empty()) {
    const auto skipped = static_cast<std::size_t>(std::max(run.warm_up_steps.value_or(0), 0));
    if (skipped >= run.steps.size()) return std::nullopt;
    const auto first = run.steps.begin() + static_cast<std::ptrdiff_t>(skipped);
    return std::accumulate(first, run.steps.end(), 0.0) /
           static_cast<double>(run.steps.size() - skipped);
  }
  if (!run.wall || run.setup.value_or(0) > *run.wall) return std::nullopt;
  return *run.wall - run.setup.value_or(0);
}

bool failed(const Run& run) {
  return !run.failure.empty() || run.timed_out || run.signal.has_value() ||
         run.exit_status.value_or(0) != 0;
}

std::string failure_text(const Run& run) {
  if (!run.failure.empty()) return run.failure;
  if (run.timed_out) return "exceeded its time limit";
  if (run.signal) return fmt::format("ended by signal {}", *run.signal);
  return fmt::format("exit status {}", run.exit_status.value_or(-1));
}

bool is_profiled(const Run& run) {
  return static_cast<bool>(run.inside);
}

bool counts(const Run& run) {
  return !is_profiled(run) && !run.warm_up && !failed(run) && steady_time(run).has_value();
}

std::map<std::string, std::string> unknown_keys(const StudyHeader& header) {
  std::map<std::string, std::string> keys;
  for (const std::string* extra :
       {&header.extra, &header.baseline.extra, &header.protocol.extra, &header.environment.extra}) {
    const std::optional<Json> parsed = Json::parse(*extra);
    if (!parsed || parsed->members() == nullptr) continue;
    for (const auto& [name, value] : *parsed->members()) {
      keys[name] = value.text() != nullptr ? *value.text() : value.dump();
    }
  }
  return keys;
}

const Workload* workload_at(const StudyHeader& header, int workers) {
  const Workload* general = nullptr;
  for (const Workload& entry : header.workload) {
    if (entry.workers == workers) return &entry;
    if (!entry.workers && general == nullptr) general = &entry;
  }
  return general;
}

std::string_view name_of(RegimeSource source) {
  constexpr std::array<std::string_view, 5> kNames = {"declared", "told", "derived", "assumed",
                                                      "unknown"};
  return kNames[static_cast<std::size_t>(source)];
}

}  // namespace kstar
