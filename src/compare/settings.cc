#include "compare/settings.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace kstar::comparing {

namespace {

using Json = nlohmann::json;

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

std::string text_of(const Json& value) {
  return printable(value.is_string() ? value.get<std::string>() : value.dump());
}

/// Those that both have, and not the same.
template <typename Add>
void each_differing(const Json& before, const Json& after, Add add) {
  for (const auto& [name, value] : before.items()) {
    const auto other = after.find(name);
    if (other != after.end() && *other != value) add(name, value, *other);
  }
}

Differing differing(const std::string& name, const Json& before, const Json& after) {
  return {printable(name), text_of(before), text_of(after)};
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

DifferingKeys differing_keys(const std::string& before, const std::string& after) {
  const Json first = Json::parse(before, nullptr, false);
  const Json second = Json::parse(after, nullptr, false);
  DifferingKeys all;
  if (!first.is_object() || !second.is_object()) return all;
  each_differing(first, second, [&](const std::string& key, const Json& a, const Json& b) {
    if (key != "settings" || !a.is_object() || !b.is_object()) {
      all.problem.push_back(differing(key, a, b));
      return;
    }
    each_differing(a, b, [&](const std::string& name, const Json& one, const Json& other) {
      (is_choice(name) ? all.choices : all.problem).push_back(differing(name, one, other));
    });
  });
  return all;
}

}  // namespace kstar::comparing
