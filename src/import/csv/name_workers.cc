#include "import/csv/name_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/offers.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

std::optional<int> as_workers(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > kMostWorkers) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A run of letters or of digits, letters in small; what stands between is dropped.
struct NamePiece {
  std::string text;
  bool joined = false;  ///< nothing stands between it and the part before it
  bool is_number() const { return is_digit(text[0]); }
};

std::vector<NamePiece> parts_of(std::string_view name) {
  std::vector<NamePiece> parts;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_digit(c) && !is_letter(c)) continue;
    const bool joined = i > 0 && (is_digit(name[i - 1]) || is_letter(name[i - 1]));
    if (!joined || is_digit(c) != is_digit(name[i - 1])) parts.push_back({"", joined});
    parts.back().text += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return parts;
}

/// The letters and the number of an accelerator's name: an A100 is no hundred of anything.
constexpr std::pair<std::string_view, std::string_view> kModels[] = {
    {"a", "10"},   {"a", "30"},   {"a", "40"},   {"a", "100"},  {"a", "800"},  {"b", "100"},
    {"b", "200"},  {"b", "300"},  {"gb", "200"}, {"gb", "300"}, {"gh", "200"}, {"h", "100"},
    {"h", "200"},  {"h", "800"},  {"k", "80"},   {"l", "4"},    {"l", "40"},   {"mi", "100"},
    {"mi", "210"}, {"mi", "250"}, {"mi", "300"}, {"mi", "325"}, {"mi", "355"}, {"p", "100"},
    {"t", "4"},    {"v", "100"}};

/// Whether parts i and i + 1 are such a name. An x may stand before it: 8xA100.
bool is_model(const std::vector<NamePiece>& parts, std::size_t i) {
  if (i + 1 >= parts.size() || !parts[i + 1].joined) return false;
  std::string_view letters = parts[i].text;
  if (letters.starts_with('x') && parts[i].joined) letters.remove_prefix(1);
  return std::any_of(std::begin(kModels), std::end(kModels), [&](const auto& model) {
    return model.first == letters && model.second == parts[i + 1].text;
  });
}

/// The parts with a word for workers instead of each accelerator's name that a number counts
/// (8xA100, 4h100, a100x8), and without the others.
std::vector<NamePiece> without_models(const std::vector<NamePiece>& parts) {
  std::vector<NamePiece> kept;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_model(parts, i)) {
      kept.push_back(parts[i]);
      continue;
    }
    const bool behind_number = parts[i].joined && !kept.empty() && kept.back().is_number();
    const bool before_number = i + 3 < parts.size() && parts[i + 2].text == "x" &&
                               parts[i + 2].joined && parts[i + 3].joined &&
                               parts[i + 3].is_number();
    if (behind_number || before_number) kept.push_back({"gpus", false});
    i += before_number ? 2 : 1;
  }
  return kept;
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

/// A number alone counts workers where it is the whole name, or stands behind a bare k, n or p. Any
/// other may be a model (resnet50) or a job (slurm-1234567), and so may a whole name that is long.
bool may_stand_alone(const std::vector<NamePiece>& parts, std::size_t i) {
  constexpr std::size_t kMostDigits = 5;
  if (parts[i].text.size() > kMostDigits) return false;
  if (parts.size() == 1) return true;
  if (i == 0 || !parts[i].joined || parts[i - 1].joined) return false;
  return parts[i - 1].text == "n" || parts[i - 1].text == "p";
}

std::optional<int> workers_in_name(std::string_view path) {
  const std::vector<NamePiece> parts = without_models(parts_of(file_name(path)));
  std::vector<std::string> alone, next_to_workers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].is_number()) continue;
    const bool before = i > 0 && is_worker_word(parts[i - 1].text);
    const bool behind = i + 1 < parts.size() && is_worker_word(parts[i + 1].text);
    if (before || behind) next_to_workers.push_back(parts[i].text);
    if (may_stand_alone(parts, i)) alone.push_back(parts[i].text);
  }
  return only_one(next_to_workers.empty() ? alone : next_to_workers);
}

Result<int> workers_by_regex(const Input& input, const std::string& regex) {
  KSTAR_TRY(const auto pattern, Pattern::compile(regex, "--k-regex"));
  for (const std::string_view text : {input.name, input.text}) {
    const auto found = pattern.matches(text, 1);
    if (found.empty()) continue;
    if (const auto workers = as_workers(trim(found[0]))) return *workers;
    return fail(expected(
        "--k-regex", fmt::format("a number of workers in {}", printable(input.name)), found[0]));
  }
  return fail(refusal(input, "--k-regex matches no number of workers in its path or its text"));
}

}  // namespace

Result<int> workers_of_file(const Input& input, const ImportOptions& options, Study& study) {
  if (options.workers) return *options.workers;
  if (!options.worker_regex.empty()) return workers_by_regex(input, options.worker_regex);
  const auto guess = workers_in_name(input.name);
  if (!guess) {
    return fail(refusal(input, "neither the file nor its name gives the number of workers",
                        {offer("k", "N", "for N workers")},
                        "--k-regex 'gpus=([0-9]+)' finds it in the path or the text"));
  }
  add_note(study, Severity::kWarning, "guessed", printable(input.name), {{"workers", *guess}});
  return *guess;
}

}  // namespace kstar
