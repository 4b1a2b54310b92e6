#include "audit/build_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "audit/handicap_words.h"
#include "base/text.h"

namespace kstar {

namespace {

using Json = nlohmann::json;

/// Whether a setting of this name says how the program was built.
bool is_about_build(std::string_view name) {
  const std::string small = lower_case(name);
  for (const char* word : {"flags", "build", "compil", "optimi", "opt_level"}) {
    if (small.find(word) != std::string::npos) return true;
  }
  return false;
}

/// What a setting of the build says against it: "-O0", or debug as the whole word; "" for nothing.
std::string slow_in(std::string_view setting) {
  const std::string small = lower_case(setting);
  if (small == "debug" || small == "dbg") return std::string(setting);
  const Sign* sign = handicap_in(setting);
  return sign != nullptr ? sign->word : "";
}

using Settings = std::vector<std::string>;

/// The values of all members about the build, however deep: importers keep columns in objects.
void add_settings(const Json& object, int depth, Settings& settings) {
  constexpr int kDeep = 3;
  if (depth > kDeep || !object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) add_settings(value, depth + 1, settings);
    if (value.is_string() && is_about_build(name)) settings.push_back(value.get<std::string>());
  }
}

Settings settings_in(const std::string& extra) {
  Settings settings;
  if (!extra.empty()) add_settings(Json::parse(extra, nullptr, false), 0, settings);
  return settings;
}

/// What tells how the program was built at each K.
std::map<int, Settings> settings_by_workers(const Study& study) {
  std::map<int, Settings> by_workers;
  const auto add = [&](int workers, const std::string& extra) {
    for (std::string& setting : settings_in(extra)) {
      by_workers[workers].push_back(std::move(setting));
    }
  };
  for (const Workload& load : study.header.workload) {
    if (load.workers) add(*load.workers, load.extra);
  }
  for (const Run& run : study.runs) {
    if (counts(run)) add(run.workers, run.extra);
  }
  return by_workers;
}

/// A slow build at the base: of the base alone, or of every K.
std::string slow_build_of_base(const Evidence& evidence) {
  const auto by_workers = settings_by_workers(evidence.study);
  std::vector<int> slow;
  std::string sign;
  for (const auto& [workers, settings] : by_workers) {
    for (const std::string& setting : settings) {
      const std::string found = slow_in(setting);
      if (found.empty()) continue;
      if (slow.empty()) sign = found;
      slow.push_back(workers);
      break;
    }
  }
  const int base = evidence.base != nullptr ? evidence.base->workers
                   : by_workers.empty()     ? 0
                                            : by_workers.begin()->first;
  if (std::find(slow.begin(), slow.end(), base) == slow.end()) return "";
  return slow.size() == by_workers.size()
             ? fmt::format("'{}' stands beside every K", printable(sign))
             : fmt::format("'{}' stands beside {}, and not beside other K", printable(sign),
                           listed(slow));
}

/// Of a table whose settings change with K the first value is that of its first K.
std::string slow_build_first(const Study& study) {
  for (const Note& note : study.notes) {
    if (note.what != "changes-with-k") continue;
    const std::size_t end = note.text.find("' changes with K: ");
    if (end == std::string::npos || !is_about_build(note.text.substr(0, end))) continue;
    const std::string values = note.text.substr(note.text.find(": ", end) + 2);
    if (!slow_in(values.substr(0, values.find(", "))).empty()) return note.text;
  }
  return "";
}

/// What is said once, about all runs.
std::string slow_build_of_all(const Study& study) {
  const StudyHeader& header = study.header;
  Settings settings;
  for (const std::string* extra :
       {&header.extra, &header.baseline.extra, &header.protocol.extra, &header.environment.extra}) {
    for (std::string& setting : settings_in(*extra)) settings.push_back(std::move(setting));
  }
  for (const Workload& load : header.workload) {
    if (load.workers) continue;
    for (std::string& setting : settings_in(load.extra)) settings.push_back(std::move(setting));
  }
  for (const auto& [name, value] : header.environment.versions) {
    if (is_about_build(name) && !is_by_workers(value)) settings.push_back(value);
  }
  for (const std::string& setting : settings) {
    const std::string found = slow_in(setting);
    if (!found.empty()) return fmt::format("the build is '{}'", printable(found));
  }
  return "";
}

}  // namespace

bool is_by_workers(const std::string& value) {
  return value.find(" at K = ") != std::string::npos;
}

std::string slow_build(const Evidence& evidence) {
  for (const std::string& slow : {slow_build_of_base(evidence), slow_build_first(evidence.study),
                                  slow_build_of_all(evidence.study)}) {
    if (!slow.empty()) return slow;
  }
  return "";
}

bool is_optimised_everywhere(const Evidence& evidence) {
  const auto by_workers = settings_by_workers(evidence.study);
  const auto is_fast = [](const std::string& setting) {
    return optimisation_in(setting) != nullptr || lower_case(setting) == "release";
  };
  return !evidence.curve.empty() &&
         std::all_of(evidence.curve.begin(), evidence.curve.end(), [&](const ScalingPoint* point) {
           const auto at = by_workers.find(point->workers);
           return at != by_workers.end() &&
                  std::any_of(at->second.begin(), at->second.end(), is_fast);
         });
}

}  // namespace kstar
