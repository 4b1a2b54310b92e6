#include "compare/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/text.h"

namespace kstar::comparing {

namespace {

/// One name for "images", "image" and "img", in small letters.
std::string unit_name(std::string_view unit) {
  static const std::map<std::string_view, const char*> short_names = {
      {"img", "image"},   {"tok", "token"},    {"smp", "sample"},     {"seq", "sequence"},
      {"req", "request"}, {"it", "iteration"}, {"iter", "iteration"}, {"op", "operation"}};
  constexpr std::size_t kSymbol = 2;  // GB and Gb are not the same
  const std::string_view text = trim(unit);
  std::string name = text.size() > kSymbol ? lower_case(text) : std::string(text);
  const bool plural = name.size() > 2 && name.ends_with('s') && !name.ends_with("ss");
  if (plural) name.pop_back();
  const auto found = short_names.find(name);
  return found == short_names.end() ? name : found->second;
}

/// Whether it says what is counted: importing calls the unit of a bare throughput one too.
bool is_known_unit(std::string_view unit) {
  return !unit.empty() && unit != Workload::kUnitOfRates;
}

const std::set<std::string_view>& choice_words() {
  static const std::set<std::string_view> words = {
      "algorithm", "amp",      "backend",   "build",   "cflags",    "compiler",
      "cxxflags",  "datatype", "dtype",     "fflags",  "flag",      "flags",
      "framework", "kernel",   "ldflags",   "library", "mode",      "network",
      "optimizer", "options",  "precision", "solver",  "transport", "variant"};
  return words;
}

const std::set<std::string_view>& problem_words() {
  static const std::set<std::string_view> words = {
      "batch", "benchmark",  "data", "dataset", "input",  "model", "problem",
      "rate",  "resolution", "size", "sizes",   "target", "unit",  "units"};
  return words;
}

/// Small letters; signs, digits and a capital behind a small letter separate.
std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  char last = ' ';
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    const bool new_word = std::isupper(letter) && std::islower(static_cast<unsigned char>(last));
    if (!words.back().empty() && (new_word || !std::isalpha(letter))) words.emplace_back();
    if (std::isalpha(letter)) words.back() += static_cast<char>(std::tolower(letter));
    last = c;
  }
  return words;
}

std::string number_text(const std::optional<double>& number) {
  return number ? significant(*number, 9) : "unknown";
}

bool has_problem(const Workload* workload) {
  return workload != nullptr && (workload->size || workload->batch || workload->steps);
}

/// What differs in the problem at one K.
std::vector<std::string> problem_differences(const Workload& before, const Workload& after,
                                             bool steps_count) {
  std::vector<std::string> found;
  const auto differ = [&found](const std::string& what, const std::string& first,
                               const std::string& second) {
    found.push_back(fmt::format("{} {} before, {} after", what, first, second));
  };
  const auto other = [](const std::optional<double>& a, const std::optional<double>& b) {
    return a && b && *a != *b;
  };
  if (other(before.size, after.size)) {
    differ("size", number_text(before.size), number_text(after.size));
  }
  if (is_known_unit(before.unit) && is_known_unit(after.unit) &&
      unit_name(before.unit) != unit_name(after.unit)) {
    differ("unit", before.unit, after.unit);
  }
  if (other(before.batch, after.batch)) {
    differ("batch", number_text(before.batch), number_text(after.batch));
  }
  if (steps_count && before.steps && after.steps && *before.steps != *after.steps) {
    differ("steps", std::to_string(*before.steps), std::to_string(*after.steps));
  }
  if (!before.stopping.empty() && !after.stopping.empty() && before.stopping != after.stopping) {
    differ("stopping rule", before.stopping, after.stopping);
  }
  for (const Differing& key : differing_settings(before.settings, after.settings).problem) {
    differ(key.name, key.before, key.after);
  }
  return found;
}

/// The workloads of both studies at one K; null where one does not say.
struct Pair {
  int workers = 0;
  const Workload* before = nullptr;
  const Workload* after = nullptr;
};

std::vector<Pair> pairs_of(const Side& before, const Side& after) {
  std::vector<Pair> pairs;
  for (const auto& [k, samples] : before.times) {
    pairs.push_back({.workers = k,
                     .before = workload_at(before.study.header, k),
                     .after = workload_at(after.study.header, k)});
  }
  return pairs;
}

/// The first K that has another problem says enough.
bool has_other_problem(const std::vector<Pair>& pairs, bool steps_count, Differences& found) {
  for (const auto& [k, first, second] : pairs) {
    if (first == nullptr || second == nullptr) continue;
    std::vector<std::string> differences = problem_differences(*first, *second, steps_count);
    if (differences.empty()) continue;
    found.fatal.push_back(note(Severity::kWarning, "other-workload",
                               {{"differences", std::move(differences)}},
                               fmt::format("K = {}", k)));
    return true;
  }
  return false;
}

/// What is not known at every K.
template <typename Knows>
void note_unknown(const std::vector<Pair>& pairs, const char* name, Knows knows,
                  Differences& found) {
  const bool before =
      std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) { return knows(pair.before); });
  const bool after =
      std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) { return knows(pair.after); });
  if (before && after) return;
  found.notes.push_back(unknown_note(name, before, after));
}

bool has_unit(const Workload* workload) {
  return workload != nullptr && is_known_unit(workload->unit);
}

/// The choices that are not the same, each change once: "kernel: naive -> tiled".
std::set<std::string> note_choices(const std::vector<Pair>& pairs, Differences& found) {
  std::set<std::string> names, changes;
  for (const auto& [k, first, second] : pairs) {
    if (first == nullptr || second == nullptr) continue;
    for (const Differing& key : differing_settings(first->settings, second->settings).choices) {
      names.insert(key.name);
      changes.insert(fmt::format("{}: {} -> {}", key.name, key.before, key.after));
    }
  }
  if (changes.empty()) return names;
  found.notes.push_back(
      note(Severity::kInfo, "other-settings",
           {{"changed", std::vector<std::string>(changes.begin(), changes.end())}}));
  return names;
}

}  // namespace

bool is_choice(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (problem_words().contains(*word)) return false;
    if (choice_words().contains(*word)) return true;
  }
  return false;
}

DifferingSettings differing_settings(const Settings& before, const Settings& after) {
  DifferingSettings all;
  for (const auto& [name, value] : before) {
    const auto other = after.find(name);
    if (other == after.end() || other->second == value) continue;
    (is_choice(name) ? all.choices : all.problem)
        .push_back({printable(name), printable(value), printable(other->second)});
  }
  return all;
}

std::set<std::string> compare_workloads(const Side& before, const Side& after, Differences& found) {
  const std::vector<Pair> pairs = pairs_of(before, after);
  const auto both = [&](TimeKind kind) { return before.kind == kind && after.kind == kind; };
  if (!has_other_problem(pairs, both(TimeKind::kRun), found)) {
    note_unknown(pairs, "workload-unknown", has_problem, found);
    if (both(TimeKind::kRate)) {
      note_unknown(pairs, "unit-unknown", has_unit, found);
    }
  }
  return note_choices(pairs, found);
}

}  // namespace kstar::comparing
