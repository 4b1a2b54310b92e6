#include "compare/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
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

/// The kinds of hosts, each once.
std::set<std::string> kinds_of(const Study& study) {
  std::set<std::string> kinds;
  for (const Host& host : study.header.environment.hosts) {
    if (!host.cpu.empty() || host.cores || host.threads) kinds.insert(hardware_of(host));
  }
  return kinds;
}

std::set<std::string> names_of(const Study& study) {
  std::set<std::string> names;
  for (const Host& host : study.header.environment.hosts) {
    if (!host.name.empty()) names.insert(host.name);
  }
  return names;
}

std::string joined(const std::set<std::string>& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

void compare_machines(const Study& before, const Study& after, Differences& found) {
  const std::set<std::string> first = kinds_of(before), second = kinds_of(after);
  if (first.empty() || second.empty()) {
    found.notes.push_back(note(Severity::kWarning, "machine-unknown", "",
                               unknown_text("its machine", !first.empty(), !second.empty())));
  } else if (first != second) {
    found.fatal.push_back(note(
        Severity::kWarning, "other-machine", "",
        fmt::format("before on {}; after on {}", joined(first, " and "), joined(second, " and "))));
    return;
  }
  const std::set<std::string> names = names_of(before), others = names_of(after);
  if (!names.empty() && !others.empty() && names != others) {
    found.notes.push_back(
        note(Severity::kWarning, "other-hosts", "",
             fmt::format("the same hardware, but different machines: before on {}, after on {}",
                         joined(names, ", "), joined(others, ", "))));
  }
}

/// The benchmark that a whole study is of, as importing keeps it: a key of the header, or of the
/// object of a format in it; "" where it is not said.
std::string benchmark_of(const StudyHeader& header) {
  const nlohmann::json extra = nlohmann::json::parse(header.extra, nullptr, false);
  if (!extra.is_object()) return "";
  const auto said = [](const nlohmann::json& object) {
    const auto found = object.find("benchmark");
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (std::string own = said(extra); !own.empty()) return own;
  for (const nlohmann::json& part : extra) {
    if (!part.is_object()) continue;
    if (std::string own = said(part); !own.empty()) return own;
  }
  return "";
}

void compare_benchmarks(const StudyHeader& before, const StudyHeader& after, Differences& found) {
  const std::string first = benchmark_of(before), second = benchmark_of(after);
  if (first.empty() || second.empty() || first == second) return;
  found.fatal.push_back(
      note(Severity::kWarning, "other-workload", "",
           fmt::format("benchmark {} before, {} after", printable(first), printable(second))));
}

void compare_times(const Side& before, const Side& after, Differences& found) {
  if (before.kind == after.kind) return;
  found.fatal.push_back(
      note(Severity::kWarning, "other-time", "",
           fmt::format("T is {} before, {} after", words_of(before.kind), words_of(after.kind))));
}

/// The regime of S and E, and why where the study does not say it.
std::string regime_text(const Side& side) {
  const char* why = side.study.header.regime ? "" : " (not declared; --regime sets it)";
  return fmt::format("{}{}", name_of(*side.analysis.table.regime), why);
}

void compare_regimes(const Side& before, const Side& after, Differences& found) {
  if (before.analysis.table.regime == after.analysis.table.regime) return;
  found.fatal.push_back(
      note(Severity::kWarning, "other-regime", "",
           fmt::format("{} before, {} after", regime_text(before), regime_text(after))));
}

/// The program may differ: that is what is compared. It is said either way.
void compare_programs(const StudyHeader& before, const StudyHeader& after, Differences& found) {
  if (before.command.empty() || after.command.empty()) return;
  if (before.command != after.command) {
    found.notes.push_back(note(Severity::kInfo, "other-command", "",
                               fmt::format("before: {}; after: {}", join_words(before.command),
                                           join_words(after.command))));
  }
  if (before.launcher != after.launcher && !before.launcher.empty() && !after.launcher.empty()) {
    found.notes.push_back(
        note(Severity::kWarning, "other-launcher", "",
             fmt::format("started by {} before, by {} after", before.launcher, after.launcher)));
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
  found.notes.push_back(note(Severity::kInfo, what, "", joined(changed, "; ")));
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
    found.notes.push_back(
        note(Severity::kWarning, "other-binding", "", "workers were bound to cores differently"));
  }
}

}  // namespace

Note note(Severity severity, std::string what, std::string where, std::string text) {
  return {.severity = severity,
          .what = std::move(what),
          .where = std::move(where),
          .text = std::move(text),
          .extra = {}};
}

std::string unknown_text(const char* what, bool before, bool after) {
  const char* who = !before && !after ? "neither study states"
                    : !before         ? "the study before does not state"
                                      : "the study after does not state";
  return fmt::format("{} {}: assumed to be the same", who, what);
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
