#include "import/name_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "import/column_name.h"

namespace kstar {

namespace {

constexpr std::int64_t kMostWorkers = 1'000'000'000;

std::optional<int> as_workers(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > kMostWorkers) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Runs of letters and runs of digits, letters in small; what stands between is dropped.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_digit(c) && !is_letter(c)) continue;
    const bool goes_on =
        i > 0 && !parts.empty() && (is_digit(c) ? is_digit(name[i - 1]) : is_letter(name[i - 1]));
    if (!goes_on) parts.emplace_back();
    parts.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return parts;
}

std::string_view file_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  for (const std::string_view ending : {".gz", ".log", ".txt", ".out", ".json"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return path;
}

std::optional<int> only_one(const std::vector<std::string>& numbers) {
  const bool same = std::all_of(numbers.begin(), numbers.end(),
                                [&](const std::string& number) { return number == numbers[0]; });
  return numbers.empty() || !same ? std::nullopt : as_workers(numbers[0]);
}

std::optional<int> workers_in_name(std::string_view path) {
  const std::vector<std::string> parts = parts_of(file_name(path));
  std::vector<std::string> numbers, beside_workers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_digit(parts[i][0])) continue;
    numbers.push_back(parts[i]);
    const bool before = i > 0 && is_worker_word(parts[i - 1]);
    const bool behind = i + 1 < parts.size() && is_worker_word(parts[i + 1]);
    if (before || behind) beside_workers.push_back(parts[i]);
  }
  return only_one(beside_workers.empty() ? numbers : beside_workers);
}

Result<int> workers_by_regex(const Input& input, const std::string& regex) {
  const auto pattern = Pattern::compile(regex, "--k-regex");
  if (!pattern) return fail(pattern.error());
  for (const std::string_view text : {input.name, input.text}) {
    const auto found = pattern->matches(text, 1);
    if (found.empty()) continue;
    if (const auto workers = as_workers(trim(found[0]))) return *workers;
    return fail(expected(
        "--k-regex", fmt::format("a number of workers in {}", printable(input.name)), found[0]));
  }
  return fail({.where = printable(input.name),
               .message = "--k-regex finds no number of workers in its path or its text"});
}

}  // namespace

Result<int> workers_of_file(const Input& input, const ImportOptions& options, Study& study) {
  if (options.workers) return *options.workers;
  if (!options.worker_regex.empty()) return workers_by_regex(input, options.worker_regex);
  const auto guess = workers_in_name(input.name);
  if (!guess) {
    return fail({.where = printable(input.name),
                 .message = "neither the file nor its name says on how many workers it ran",
                 .hint = "say --k N, or --k-regex 'gpus=([0-9]+)' to find it in the path or the "
                         "text"});
  }
  add_note(study, Severity::kWarning, "guessed", printable(input.name),
           fmt::format("K = {} was taken from the file's name", *guess));
  return *guess;
}

}  // namespace kstar
