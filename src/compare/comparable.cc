#include "compare/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "compare/workloads.h"

namespace kstar::comparing {

namespace {

std::string optional_count(const std::optional<int>& count, const char* unit) {
  return count ? ", " + count_text(static_cast<std::size_t>(*count), unit) : "";
}

/// What a machine is, but not which: two nodes of one kind read the same.
std::string hardware_of(const Host& host) {
  std::string text = host.cpu.empty() ? "unknown CPU" : host.cpu;
  text += optional_count(host.sockets, "socket");
  text += optional_count(host.cores, "core");
  text += optional_count(host.threads, "thread");
  std::map<std::string, int> devices;
  for (const std::string& device : host.accelerators) ++devices[device];
  for (const auto& [device, count] : devices) text += fmt::format(", {} x {}", count, device);
  if (host.memory) {  // to the nearest eighth of a power of two: kernels keep a little for
                      // themselves
    const double gib = static_cast<double>(*host.memory) / (1024.0 * 1024 * 1024);
    const double step = std::exp2(std::floor(std::log2(std::max(gib, 1e-3)))) / 4;
    text += fmt::format(", {} GiB", significant(std::round(gib / step) * step, 6));
  }
  return text;
}

std::set<std::string> names_of(const Study& study) {
  std::set<std::string> names;
  for (const Host& host : study.header.environment.hosts) {
    if (!host.name.empty()) names.insert(host.name);
  }
  return names;
}

std::vector<std::string> listed(const std::set<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void compare_machines(const Study& before, const Study& after, Differences& found) {
  const std::set<std::string> first = kinds_of(before), second = kinds_of(after);
  if (first.empty() || second.empty()) {
    found.notes.push_back(unknown_note("machine-unknown", !first.empty(), !second.empty()));
  } else if (first != second) {
    found.fatal.push_back(note(Severity::kWarning, "other-machine",
                               {{"before", listed(first)}, {"after", listed(second)}}));
    return;
  }
  const std::set<std::string> names = names_of(before), others = names_of(after);
  if (!names.empty() && !others.empty() && names != others) {
    found.notes.push_back(note(Severity::kWarning, "other-hosts",
                               {{"before", listed(names)}, {"after", listed(others)}}));
  }
}

void compare_benchmarks(const StudyHeader& before, const StudyHeader& after, Differences& found) {
  const std::string &first = before.mlperf.benchmark, &second = after.mlperf.benchmark;
  if (first.empty() || second.empty() || first == second) return;
  found.fatal.push_back(
      note(Severity::kWarning, "other-workload",
           {{"benchmark_before", printable(first)}, {"benchmark_after", printable(second)}}));
}

void compare_times(const Side& before, const Side& after, Differences& found) {
  if (before.kind == after.kind) return;
  found.fatal.push_back(note(Severity::kWarning, "other-time",
                             {{"before", words_of(before.kind)}, {"after", words_of(after.kind)}}));
}

/// The regime of S and E, and why where the study does not say it.
std::string regime_text(const Side& side) {
  const char* why = side.study.header.regime ? "" : " (not declared; --regime sets it)";
  return fmt::format("{}{}", name_of(*side.analysis.table.regime), why);
}

void compare_regimes(const Side& before, const Side& after, Differences& found) {
  if (before.analysis.table.regime == after.analysis.table.regime) return;
  found.fatal.push_back(note(Severity::kWarning, "other-regime",
                             {{"before", regime_text(before)}, {"after", regime_text(after)}}));
}

/// The program may differ: that is what is compared. It is said either way.
void compare_programs(const StudyHeader& before, const StudyHeader& after, Differences& found) {
  if (before.command.empty() || after.command.empty()) return;
  if (before.command != after.command) {
    found.notes.push_back(
        note(Severity::kInfo, "other-command",
             {{"before", join_words(before.command)}, {"after", join_words(after.command)}}));
  }
  if (before.launcher != after.launcher && !before.launcher.empty() && !after.launcher.empty()) {
    found.notes.push_back(note(Severity::kWarning, "other-launcher",
                               {{"before", before.launcher}, {"after", after.launcher}}));
  }
}

/// Versions and variables by name: those that changed, came or went.
void compare_named(const std::map<std::string, std::string>& before,
                   const std::map<std::string, std::string>& after, const char* what,
                   Differences& found) {
  std::set<std::string> changed;
  const auto text = [](const std::map<std::string, std::string>& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? std::string("not set") : at->second;
  };
  for (const auto* side : {&before, &after}) {
    for (const auto& [name, value] : *side) {
      if (text(before, name) == text(after, name)) continue;
      changed.insert(fmt::format("{}: {} -> {}", name, text(before, name), text(after, name)));
    }
  }
  if (changed.empty() || before.empty() || after.empty()) return;
  found.notes.push_back(note(Severity::kInfo, what, {{"changed", listed(changed)}}));
}

/// `said`: versions that a table has as settings too, and that are said as such.
void compare_surroundings(Environment before, Environment after, const std::set<std::string>& said,
                          Differences& found) {
  for (const std::string& name : said) {
    before.versions.erase(name);
    after.versions.erase(name);
  }
  compare_named(before.versions, after.versions, "other-versions", found);
  compare_named(before.variables, after.variables, "other-variables", found);
  if (!before.binding.empty() && !after.binding.empty() && before.binding != after.binding) {
    found.notes.push_back(note(Severity::kWarning, "other-binding", {}));
  }
}

}  // namespace

std::set<std::string> kinds_of(const Study& study) {
  std::set<std::string> kinds;
  for (const Host& host : study.header.environment.hosts) {
    if (!host.cpu.empty() || host.cores || host.threads) kinds.insert(hardware_of(host));
  }
  return kinds;
}

Note note(Severity severity, std::string what, NoteValues values, std::string where) {
  return {.severity = severity,
          .what = std::move(what),
          .where = std::move(where),
          .values = std::move(values)};
}

Note unknown_note(std::string what, bool before, bool after) {
  NoteValues values;
  if (before || after) values.emplace("side", before ? "after" : "before");
  return note(Severity::kWarning, std::move(what), std::move(values));
}

Differences differences(const Side& before, const Side& after) {
  const StudyHeader &first = before.study.header, &second = after.study.header;
  Differences found;
  compare_machines(before.study, after.study, found);
  compare_benchmarks(first, second, found);
  const std::set<std::string> said = compare_workloads(before, after, found);
  compare_regimes(before, after, found);
  compare_times(before, after, found);
  compare_programs(first, second, found);
  compare_surroundings(first.environment, second.environment, said, found);
  return found;
}

}  // namespace kstar::comparing
