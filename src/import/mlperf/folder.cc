#include "import/mlperf/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "import/input.h"
#include "import/mlperf/series.h"

namespace kstar {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLog = std::size_t{64} << 20U;
constexpr std::size_t kMostFiles = 1'000'000;
constexpr unsigned kMostThreads = 8;

/// .../ROUND/SUBMITTER/results/SYSTEM/BENCHMARK/result_0.txt
struct LogPlace {
  std::string path, round, submitter, system, benchmark;
  fs::path submitter_folder;
};

bool is_named_log(const fs::path& path) {
  return path.extension() == ".txt";
}

/// By its ending. Descriptions of systems and scaling factors are read, but hold no runs.
bool may_hold_runs(const fs::path& path) {
  constexpr std::string_view kEndings[] = {".txt",  ".csv",   ".tsv", ".log",
                                           ".json", ".jsonl", ".out", ".gz"};
  const bool described =
      path.extension() == ".json" &&
      (path.parent_path().filename() == "systems" || path.filename() == "scaling.json");
  return !described && std::find(std::begin(kEndings), std::end(kEndings),
                                 path.extension().string()) != std::end(kEndings);
}

bool is_result(const fs::path& path) {
  return is_named_log(path) && path.filename().string().starts_with("result_");
}

std::optional<LogPlace> place_of_log(const fs::path& path) {
  const fs::path benchmark = path.parent_path(), system = benchmark.parent_path(),
                 results = system.parent_path(), submitter = results.parent_path();
  if (results.filename() != "results") return std::nullopt;
  std::string round = submitter.parent_path().filename().string();
  constexpr std::string_view kRepository = "training_results_";
  if (round.starts_with(kRepository)) round.erase(0, kRepository.size());
  return LogPlace{path.string(),
                  round,
                  submitter.filename().string(),
                  system.filename().string(),
                  benchmark.filename().string(),
                  submitter};
}

/// Calls `work(i)` for every i below `count`, on as many threads as the machine has.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const unsigned wanted = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < wanted && i < count; ++i) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
}

class FolderImport {
 public:
  FolderImport(std::string folder, const ImportOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  Result<std::vector<Study>> read() {
    KSTAR_CHECK(find_logs());
    read_systems();
    std::vector<MlperfResult> results(places_.size());
    in_parallel(places_.size(), [&](std::size_t i) { results[i] = read_log(places_[i]); });
    group(std::move(results));
    return studies();
  }

 private:
  Result<void> find_logs() {
    std::error_code error;
    const fs::path root = fs::absolute(folder_, error).lexically_normal();
    auto walk = fs::recursive_directory_iterator(
        root, fs::directory_options::skip_permission_denied, error);
    for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
      if (!may_hold_runs(walk->path()) || !walk->is_regular_file(error)) continue;
      auto place = is_result(walk->path()) ? place_of_log(walk->path()) : std::nullopt;
      place ? places_.push_back(std::move(*place)) : void(++elsewhere_);
      if (!place && is_named_log(walk->path())) ++texts_;
      if (places_.size() > kMostFiles) break;
    }
    if (error) return fail(file_error(folder_, "read", error.value()));
    if (places_.size() > kMostFiles) {
      return fail({.where = printable(folder_),
                   .message = fmt::format("has more than {} result logs", kMostFiles)});
    }
    if (places_.empty()) return fail(no_logs());
    std::sort(places_.begin(), places_.end(),
              [](const LogPlace& a, const LogPlace& b) { return a.path < b.path; });
    return {};
  }

  Error no_logs() const {
    const std::string where = printable(folder_);
    constexpr std::string_view kPlace = "SUBMITTER/results/SYSTEM/BENCHMARK/result_0.txt";
    if (texts_ == 0) {
      return {.where = where,
              .message = "is a folder without MLPerf result logs",
              .hint = fmt::format("they are expected at {}; other formats are read from files",
                                  kPlace)};
    }
    return {.where = where,
            .message = fmt::format("is a folder with {} text files, none of them at {}: the system "
                                   "of a log is known from its path",
                                   texts_, kPlace),
            .hint = "a single log is read as a file: --k sets the number of accelerators"};
  }

  static std::string system_path(const LogPlace& place) {
    return (place.submitter_folder / "systems" / (place.system + ".json")).string();
  }
  static std::string scaling_path(const LogPlace& place) {
    return (fs::path(place.path).parent_path() / "scaling.json").string();
  }

  /// Few, and each once: what is wrong with one stands in a note of every series without it.
  void read_systems() {
    for (const LogPlace& place : places_) {
      const std::string path = system_path(place);
      if (systems_.contains(path)) continue;
      Result<MlperfSystem> system = fail(Error{});
      const auto text = read_regular_file(path, kMostSystem);
      system = text ? read_mlperf_system(text->view(), path) : fail(text.error());
      systems_.emplace(path, std::move(system));
    }
  }

  MlperfResult read_log(const LogPlace& place) const {
    MlperfResult result;
    result.path = place.path;
    result.system = place.system;
    result.benchmark = place.benchmark;
    const auto text = read_regular_file(place.path, kMostLog);
    if (!text) {
      result.run.failure = text.error().message;
      return result;
    }
    const MlperfLog log = read_mlperf_log(text->view());
    result.run = run_of(log);
    result.batch = log.batch;
    result.work_unit = log.work ? log.work_unit : "";
    result.broken = log.broken;
    result.starts = log.starts;
    result.stops = log.stops;
    return result;
  }

  void group(std::vector<MlperfResult> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const LogPlace& place = places_[i];
      const Result<MlperfSystem>& system = systems_.at(system_path(place));
      const std::optional<int> workers = system ? system->workers() : std::nullopt;
      if (!workers && !options_.workers) {
        ++without_workers_;
        first_without_ = first_without_.empty() ? place.path : first_without_;
        continue;
      }
      Run& run = results[i].run;
      run.workers = workers.value_or(options_.workers.value_or(1));
      if (workers && *system->nodes > 1 && *workers > *system->nodes) {
        run.nodes = system->nodes;
        run.ranks = *workers / *system->nodes;
      }
      MlperfSeries series = series_at(place, system);
      const std::string name = name_of(series);
      MlperfSeries& into = series_.try_emplace(name, std::move(series)).first->second;
      if (!into.scaling.contains(place.system)) read_scaling(place, into);
      into.results.push_back(std::move(results[i]));
    }
  }

  static MlperfSeries series_at(const LogPlace& place, const Result<MlperfSystem>& system) {
    MlperfSeries series;
    series.round = place.round;
    series.submitter = place.submitter;
    series.benchmark = place.benchmark;
    if (!system) return series;
    series.division = system->division;
    series.accelerator = system->accelerator;
    series.framework = system->framework;
    series.host = system->host;
    return series;
  }

  static void read_scaling(const LogPlace& place, MlperfSeries& into) {
    const auto text = read_regular_file(scaling_path(place), kMostSystem);
    const auto factor = text ? read_mlperf_scaling(text->view()) : std::nullopt;
    into.scaling[place.system] = factor.value_or(1);
  }

  Result<std::vector<Study>> studies() {
    std::vector<Study> studies;
    for (auto& [name, series] : series_) {
      if (!options_.select.empty() && !is_selected(series)) continue;
      studies.push_back(study_of(std::move(series)));
      if (options_.regime && options_.declare) studies.back().header.regime = options_.regime;
    }
    if (studies.empty()) return fail(none());
    if (without_workers_ > 0) {
      add_note(studies.front(), Severity::kWarning, "skipped", printable(first_without_),
               {{"logs", without_workers_}});
    }
    if (elsewhere_ > 0) {
      add_note(studies.front(), Severity::kInfo, "skipped", printable(folder_),
               {{"files", elsewhere_}});
    }
    return studies;
  }

  /// "benchmark=gpt3,submitter=Google", or words that the series' name has.
  bool is_selected(const MlperfSeries& series) const {
    const std::map<std::string_view, const std::string*> parts = {
        {"round", &series.round},
        {"division", &series.division},
        {"submitter", &series.submitter},
        {"benchmark", &series.benchmark},
        {"accelerator", &series.accelerator}};
    for (const std::string_view piece : split(options_.select, ',')) {
      const std::size_t equals = piece.find('=');
      const auto part = parts.find(trim(piece.substr(0, equals)));
      if (equals == std::string_view::npos || part == parts.end()) {
        if (name_of(series).find(trim(piece)) == std::string::npos) return false;
      } else if (*part->second != trim(piece.substr(equals + 1))) {
        return false;
      }
    }
    return true;
  }

  Error none() const {
    if (series_.empty()) {
      return {.where = printable(first_without_),
              .message = "no system file gives the number of accelerators",
              .hint = "it is expected at SUBMITTER/systems/SYSTEM.json; --k sets K for all logs"};
    }
    return {.where = "--select",
            .message = fmt::format("no series of {} matches '{}'", printable(folder_),
                                   printable(options_.select)),
            .hint =
                "for example --select benchmark=gpt3,submitter=Google; also round, division and "
                "accelerator"};
  }

  std::string folder_;
  const ImportOptions& options_;
  std::vector<LogPlace> places_;
  std::size_t elsewhere_ = 0;  ///< files that may hold runs, and are no result logs by their place
  std::size_t texts_ = 0;      ///< of these, named as a log
  std::map<std::string, Result<MlperfSystem>> systems_;
  std::map<std::string, MlperfSeries> series_;
  std::size_t without_workers_ = 0;
  std::string first_without_;
};

}  // namespace

Result<std::vector<Study>> read_mlperf_folder(const std::string& folder,
                                              const ImportOptions& options) {
  return FolderImport(folder, options).read();
}

}  // namespace kstar
