#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/importer.h"
#include "import/offers.h"
#include "kstar/limits.h"

// A table of POP factors, a column per K, as basicanalysis and PyPOP write it:
//   Number of processes;1;2;4
//   Parallel efficiency;99.9;99.4;97.3
//   Speedup;1.0;1.9;3.6
//   #Runtime (us);21898659.14;11528373.56;6082352.21
// Lines of raw data begin with #.
namespace kstar {

namespace {

constexpr std::size_t kMostColumns = 100'000;
constexpr std::string_view kCount = "number of processes";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

/// A key that needs no escape.
std::string factor_name(std::string_view name) {
  std::string result = lower(name);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); }, '_');
  return result;
}

bool is_factor(std::string_view name) {
  return name.ends_with("efficiency") || name.ends_with("scalability") || name == "load balance";
}

char separator_in(std::string_view line) {
  for (const char c : {';', '\t', ','}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ';';
}

class PopImport {
 public:
  explicit PopImport(const Input& input) : input_(input), study_(start_study(input.name)) {}

  Result<Study> read() {
    std::string_view rest = input_.text;
    while (!rest.empty()) {
      const std::string_view line = next_line(rest);
      KSTAR_CHECK(take_line(line));
    }
    if (study_.runs.empty()) return fail(no("row 'Number of processes'"));
    if (!has_times_ && speedups_.empty()) return fail(no("row 'Runtime' or 'Speedup'"));
    finish();
    return std::move(study_);
  }

 private:
  Error no(std::string_view what) const { return refusal(input_, fmt::format("has no {}", what)); }

  Result<void> take_line(std::string_view line) {
    if (separator_ == '\0') separator_ = separator_in(line);
    auto cells = split(line, separator_);
    std::string_view first = trim(cells[0]);
    while (first.starts_with('#')) first = trim(first.substr(1));
    const std::string name = lower(first);
    if (name == kCount) return take_workers(cells);
    const bool runtime = name.starts_with("runtime") && name.find("ideal") == std::string::npos;
    if (!runtime && name != "speedup" && !is_factor(name)) return {};
    if (study_.runs.empty()) return {};
    if (cells.size() != study_.runs.size() + 1) {
      return fail(error_at(input_, cells[0].data(),
                           fmt::format("expected {} values, one per number of processes, got {}",
                                       study_.runs.size(), cells.size() - 1)));
    }
    for (std::size_t i = 1; i < cells.size(); ++i) {
      std::string_view cell = trim(cells[i]);
      if (cell.ends_with('%')) cell = trim(cell.substr(0, cell.size() - 1));
      const auto value = parse_double(cell);
      if (!value || *value < 0 || (*value == 0 && (runtime || name == "speedup"))) {
        return fail(expected_at(input_, cell.empty() ? cells[i] : cell, "a number above 0"));
      }
      if (auto done = take_value(name, i - 1, *value, cell, runtime); !done) return done;
    }
    return {};
  }

  Result<void> take_workers(const std::vector<std::string_view>& cells) {
    if (!study_.runs.empty()) {
      return fail(error_at(input_, cells[0].data(), "only one row 'Number of processes'"));
    }
    if (cells.size() > kMostColumns) {
      return fail(error_at(input_, cells[0].data(), "there are too many columns"));
    }
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::string_view cell = trim(cells[i]);
      const auto value = parse_double(cell);
      if (!value || *value < 1 || *value > kMostWorkers || *value != std::floor(*value)) {
        return fail(expected_at(input_, cell.empty() ? cells[i] : cell,
                                "a whole number of processes from 1 to 1e9"));
      }
      study_.runs.emplace_back().workers = static_cast<int>(*value);
    }
    factors_.resize(study_.runs.size());
    return {};
  }

  Result<void> take_value(const std::string& name, std::size_t column, double value,
                          std::string_view cell, bool runtime) {
    if (runtime) {
      const ColumnName says = column_named(name);
      const double seconds = value * says.scale;
      if (!std::isfinite(seconds) || seconds <= 0) {
        return fail(expected_at(input_, cell, "a time above 0"));
      }
      study_.runs[column].wall = seconds;
      has_times_ = true;
    } else if (name == "speedup") {
      speedups_.push_back(value);
      keep(column, "speedup", value);
    } else {
      keep(column, factor_name(name), value);
      largest_factor_ = std::max(largest_factor_, value);
    }
    return {};
  }

  /// The first of that name.
  void keep(std::size_t column, const std::string& name, double value) {
    factors_[column].emplace(name, value);
  }

  void finish() {
    // In percent, as the POP tools write them, unless no factor is that large.
    constexpr double kMostAsShare = 3;
    const double unit = largest_factor_ > kMostAsShare ? 100 : 1;
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      Run& run = study_.runs[i];
      if (!has_times_) run.wall = 1 / speedups_[i];
      if (!run.wall) run.failure = "the table has no time for it";
      for (const auto& [name, value] : factors_[i]) {
        if (name == "speedup") {
          run.claim.emplace().speedup = value;
        } else {
          run.factors.emplace()[name] = value / unit;
        }
      }
    }
    if (!has_times_) {
      study_.header.time = TimeKind::kSpeedup;
      add_note(study_, Severity::kWarning, "relative");
    }
  }

  Input input_;
  Study study_;
  char separator_ = '\0';
  bool has_times_ = false;
  double largest_factor_ = 0;
  std::vector<double> speedups_;
  std::vector<std::map<std::string, double>> factors_;
};

bool sniff_pop(std::string_view start) {
  std::string_view line = trim(start.substr(0, start.find('\n')));
  while (line.starts_with('#')) line = trim(line.substr(1));
  if (lower(line.substr(0, kCount.size())) != kCount) return false;
  // The counts stand beside it, and factors below: other tables begin with the same words.
  const auto cells = split(line, separator_in(line));
  if (cells.size() < 2 || !parse_double(trim(cells[1]))) return false;
  for (std::string_view rest = start; !rest.empty();) {
    std::string_view row = next_line(rest);
    while (row.starts_with('#')) row = trim(row.substr(1));
    const auto names = split(row, separator_in(row));
    const std::string name = lower(trim(names[0]));
    if (is_factor(name) || name == "runtime" || name == "speedup") return true;
  }
  return false;
}

Result<Study> read_pop(const Input& input, const ImportOptions&) {
  return PopImport(input).read();
}

}  // namespace

const Importer& pop_importer() {
  static const Importer kImporter = {
      {"pop", "a table of POP factors, one column per K, with runtimes or speedups"},
      &sniff_pop,
      &read_whole<read_pop>};
  return kImporter;
}

}  // namespace kstar
