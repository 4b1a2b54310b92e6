#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/column_name.h"
#include "import/importer.h"
#include "import/offers.h"
#include "import/samples.h"
#include "kstar/limits.h"

// The text format of Extra-P:
//   PARAMETER p n            the names of the parameters; may come in several lines
//   POINTS ( 4 10 ) ( 8 10 ) or, with one parameter, POINTS 4 8 16
//   REGION main
//   METRIC time
//   DATA 1.2 1.3 1.1         the repetitions at one point; a line a point, in their order
namespace kstar {

namespace {

constexpr std::size_t kMostPoints = 100'000;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r()", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\r()", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

class ExtrapImport {
 public:
  ExtrapImport(const Input& input, const ImportOptions& options)
      : input_(input), options_(options), study_(start_study(input.name)) {}

  Result<Study> read() {
    std::string_view rest = input_.text;
    while (!rest.empty()) {
      KSTAR_CHECK(take_line(next_line(rest)));
    }
    KSTAR_CHECK(check_points(last_data_));
    choose_metric();
    KSTAR_CHECK(take_series(input_, std::move(samples_), options_.select, study_));
    if (rates_ > 0 && times_ == 0)
      say_work_of_rates(study_, is_weak(options_), Workload::kUnitOfRates);
    return std::move(study_);
  }

 private:
  Result<void> take_line(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return {};
    const auto words = words_of(line);
    if (words.empty()) return fail(expected_at(input_, line, "a line of Extra-P"));
    const std::string_view kind = words[0];
    const std::string_view behind = trim(line.substr(kind.size()));
    if (kind == "PARAMETER") return take_parameters(words);
    if (kind == "POINTS") return take_points(words);
    if (kind == "REGION" || kind == "METRIC") {
      if (auto done = check_points(words[0].data()); !done) return done;
      (kind == "REGION" ? region_ : metric_) = behind;
      point_ = 0;
      return {};
    }
    if (kind == "EXPERIMENT") return {};
    if (kind == "DATA") return take_data(words);
    return fail(expected_at(input_, kind, "PARAMETER, POINTS, REGION, METRIC, EXPERIMENT or DATA"));
  }

  Result<void> take_parameters(const std::vector<std::string_view>& words) {
    if (!points_.empty()) return fail(error_at(input_, words[0].data(), "PARAMETER after POINTS"));
    for (std::size_t i = 1; i < words.size(); ++i) {
      names_.emplace_back(words[i]);
      const ColumnName says = column_named(words[i]);
      const bool named = options_.worker_column.empty()
                             ? says.kind == ColumnKind::kWorkers || words[i] == "p"
                             : words[i] == options_.worker_column;
      if (named && !worker_) worker_ = names_.size() - 1;
    }
    return {};
  }

  Result<void> take_points(const std::vector<std::string_view>& words) {
    if (names_.empty()) return fail(error_at(input_, words[0].data(), "POINTS before PARAMETER"));
    if (!worker_ && names_.size() == 1 && options_.worker_column.empty()) {
      worker_ = 0;
      add_note(study_, Severity::kWarning, "guessed", {}, {{"parameter", printable(names_[0])}});
    }
    if (!worker_) {
      Error error =
          error_at(input_, words[0].data(), "no parameter name means a number of workers");
      error.offers = k_columns(names_);
      return fail(std::move(error));
    }
    if ((words.size() - 1) % names_.size() != 0) {
      return fail(error_at(input_, words[0].data(),
                           fmt::format("expected {} coordinates for every point, got {} in total",
                                       names_.size(), words.size() - 1)));
    }
    for (std::size_t i = 1; i < words.size(); i += names_.size()) {
      points_.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(i),
                           words.begin() + static_cast<std::ptrdiff_t>(i + names_.size()));
      const std::string_view cell = points_.back()[*worker_];
      const auto workers = parse_double(cell);
      if (!workers || *workers < 1 || *workers > kMostWorkers || *workers != std::floor(*workers)) {
        return fail(expected_at(input_, cell, "a whole number of workers from 1 to 1e9"));
      }
      if (points_.size() > kMostPoints) {
        return fail(error_at(input_, cell.data(), "there are too many points"));
      }
    }
    return {};
  }

  Result<void> take_data(const std::vector<std::string_view>& words) {
    if (point_ >= points_.size()) {
      return fail(error_at(input_, words[0].data(),
                           fmt::format("expected DATA for {} points, got more", points_.size())));
    }
    last_data_ = words[0].data();
    const auto& point = points_[point_++];
    Labels labels;
    if (!region_.empty()) labels.emplace_back("region", region_);
    if (!metric_.empty()) labels.emplace_back("metric", metric_);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i != *worker_) labels.emplace_back(names_[i], point[i]);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = parse_double(words[i]);
      if (!value || *value < 0) return fail(expected_at(input_, words[i], "a value of 0 or more"));
      Run run;
      run.workers = static_cast<int>(*parse_double(point[*worker_]));
      if (auto done = set_time(run, *value, words[i]); !done) return done;
      samples_.push_back({labels, std::move(run)});
      if (samples_.size() > kMostRuns) {
        return fail(error_at(input_, words[i].data(), "there are too many values"));
      }
    }
    return {};
  }

  /// A line is known by its place alone: where one is missing, those behind it are of other points.
  Result<void> check_points(const char* at) const {
    if (point_ == 0 || point_ == points_.size()) return {};
    const auto named = [](std::string_view what, const std::string& name) {
      return name.empty() ? "" : fmt::format(" of {} '{}'", what, shorten(printable(name), 60));
    };
    return fail(
        error_at(input_, at,
                 fmt::format("expected DATA for {} points{}{}, got {}", points_.size(),
                             named("the region", region_), named("the metric", metric_), point_),
                 "Extra-P has a line of DATA for every point, in order: it is unknown which one is "
                 "missing"));
  }

  /// A metric without a known name is taken as it stands, for a time; --select finds it.
  Result<void> set_time(Run& run, double value, std::string_view place) {
    const ColumnName says = column_named(metric_);
    if (value == 0) {
      run.failure = "its value is 0";
      return {};
    }
    const bool rate = says.kind == ColumnKind::kRate;
    run.wall = rate ? seconds_of_rate(value * says.scale, run.workers, is_weak(options_))
                    : value * (says.kind == ColumnKind::kTime ? says.scale : 1);
    if (!std::isfinite(*run.wall) || *run.wall <= 0) {
      return fail(expected_at(input_, place, "a value that can be converted to seconds"));
    }
    return {};
  }

  /// Of several metrics the one that is a time, unless --select asks for another.
  void choose_metric() {
    std::set<std::string> metrics, times;
    for (const Sample& sample : samples_) {
      for (const auto& [name, value] : sample.labels) {
        if (name != "metric") continue;
        metrics.insert(value);
        if (column_named(value).kind == ColumnKind::kTime) times.insert(value);
      }
    }
    for (const std::string& metric : metrics) {
      if (options_.select.find(metric) != std::string::npos) times = {metric};
    }
    if (times.size() != 1) {
      if (metrics.size() == 1) note_metric(*metrics.begin());
      return;
    }
    samples_.erase(std::remove_if(samples_.begin(), samples_.end(),
                                  [&](const Sample& sample) {
                                    for (const auto& [name, value] : sample.labels) {
                                      if (name == "metric") return value != *times.begin();
                                    }
                                    return false;
                                  }),
                   samples_.end());
    note_metric(*times.begin());
    if (metrics.size() > 1) {
      add_note(study_, Severity::kInfo, "left-out", {}, {{"metrics", metrics.size() - 1}});
    }
  }

  void note_metric(const std::string& metric) {
    const ColumnKind kind = column_named(metric).kind;
    (kind == ColumnKind::kRate ? rates_ : times_) += 1;
    if (kind == ColumnKind::kRate || kind == ColumnKind::kTime) return;
    add_note(study_, Severity::kWarning, "guessed", {},
             {{"metric", shorten(printable(metric), 60)}});
  }

  Input input_;
  const ImportOptions& options_;
  Study study_;
  std::vector<std::string> names_;
  std::optional<std::size_t> worker_;
  std::vector<std::vector<std::string_view>> points_;
  std::string region_, metric_;
  std::size_t point_ = 0;
  const char* last_data_ = nullptr;
  std::vector<Sample> samples_;
  int rates_ = 0, times_ = 0;
};

bool sniff_extrap(std::string_view start) {
  const bool begins = trim(start).starts_with("PARAMETER ") || trim(start).starts_with("#");
  return begins && start.find("PARAMETER ") != std::string_view::npos &&
         start.find("\nPOINTS ") != std::string_view::npos;
}

Result<Study> read_extrap(const Input& input, const ImportOptions& options) {
  return ExtrapImport(input, options).read();
}

}  // namespace

const Importer& extrap_importer() {
  static const Importer kImporter = {
      {"extrap", "the text format of Extra-P: PARAMETER, POINTS, REGION, METRIC, DATA"},
      &sniff_extrap,
      &read_whole<read_extrap>};
  return kImporter;
}

}  // namespace kstar
