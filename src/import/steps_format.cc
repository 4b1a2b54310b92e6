#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/importer.h"
#include "import/json_reader.h"

// JSON Lines, one run per line, with the steps of every rank:
//   {"study": "strong", "regime": "strong", "K": 2, "repeat": 0, "global_batch": 480,
//    "imbalance": 0.0, "ranks": [{"rank": 0, "step": [...], "compute": [...], "comm": [...]}, ...]}
// A step of the run takes as long as on its slowest rank. In a step that all ranks start together
// rank i is ready to communicate max_j compute_j - compute_i before the last one: that part of its
// communication is waiting.
namespace kstar {

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostRepeats = 1'000'000'000;

struct RankSteps {
  std::vector<double> step, compute, comm;
};

/// One line of a steps file: a run with the steps of every rank.
struct StepsLine {
  std::string study;
  std::optional<Regime> regime;
  std::int64_t workers = 1;
  std::optional<std::int64_t> repeat;
  std::optional<double> batch;
  double imbalance = 0;
  std::vector<RankSteps> ranks;
};

/// Reads one line after the other.
class StepsLineReader {
 public:
  /// False, with an error, where the line is none.
  bool read(const Input& line, StepsLine& out) {
    JsonObject root;
    return json_.start(line, trim(line.text), root) && read_header(root, out) &&
           read_ranks(root, out) && json_.finish();
  }
  Error take_error() { return json_.take_error(); }

 private:
  bool read_header(const JsonObject& root, StepsLine& out) {
    JsonValue value;
    bool found = false;
    if (!json_.optional_member(root, "study", value, found)) return false;
    if (found && !json_.text(value, out.study)) return false;
    if (!json_.optional_member(root, "regime", value, found)) return false;
    if (found && !read_regime(value, out)) return false;
    if (!json_.member(root, "K", value) ||
        !json_.whole(value, 1, kMostRanks, "a number of workers from 1 to 1000000", out.workers)) {
      return false;
    }
    if (!json_.optional_member(root, "repeat", value, found)) return false;
    if (found && !json_.whole(value, 0, kMostRepeats, "the number of a repeat, from 0",
                              out.repeat.emplace())) {
      return false;
    }
    if (!json_.optional_member(root, "global_batch", value, found)) return false;
    if (found && !json_.number(value, 0, "a batch of 0 or more", out.batch.emplace())) return false;
    if (!json_.optional_member(root, "imbalance", value, found)) return false;
    return !found || json_.number(value, 0, "an imbalance of 0 or more", out.imbalance);
  }

  bool read_regime(JsonValue value, StepsLine& out) {
    std::string name;
    if (!json_.text(value, name)) return false;
    out.regime = regime_named(name);
    return out.regime.has_value() || json_.expected(value, "strong, weak, throughput or mixed");
  }

  bool read_ranks(const JsonObject& root, StepsLine& out) {
    JsonValue value;
    JsonArray list;
    if (!json_.member(root, "ranks", value)) return false;
    const char* const place = JsonReader::place(value);
    if (!json_.array(value, list) ||
        !json_.each(list, [&](JsonValue entry) { return read_rank(entry, out); })) {
      return false;
    }
    if (static_cast<std::int64_t>(out.ranks.size()) == out.workers) return true;
    return json_.refuse(place, fmt::format("expected {} ranks, as given by K, got {}", out.workers,
                                           out.ranks.size()));
  }

  bool read_rank(JsonValue entry, StepsLine& out) {
    constexpr std::string_view kTime = "a time of 0 or more";
    const char* const place = JsonReader::place(entry);
    JsonObject rank;
    JsonValue value;
    RankSteps& steps = out.ranks.emplace_back();
    if (!json_.object(entry, rank)) return false;
    if (!json_.member(rank, "step", value) || !json_.numbers(value, 0, kTime, steps.step) ||
        !json_.member(rank, "compute", value) || !json_.numbers(value, 0, kTime, steps.compute) ||
        !json_.member(rank, "comm", value) || !json_.numbers(value, 0, kTime, steps.comm)) {
      return false;
    }
    const std::size_t count = out.ranks.front().step.size();
    if (count > 0 && steps.step.size() == count && steps.compute.size() == count &&
        steps.comm.size() == count) {
      return true;
    }
    return json_.refuse(
        place, "expected the same number of steps in every list of every rank, at least one");
  }

  JsonReader json_;
};

std::vector<double> slowest_steps(const StepsLine& line) {
  std::vector<double> steps = line.ranks[0].step;
  for (const RankSteps& rank : line.ranks) {
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = std::max(steps[i], rank.step[i]);
  }
  return steps;
}

std::vector<double> longest_compute(const StepsLine& line) {
  std::vector<double> longest = line.ranks[0].compute;
  for (const RankSteps& rank : line.ranks) {
    for (std::size_t i = 0; i < longest.size(); ++i) {
      longest[i] = std::max(longest[i], rank.compute[i]);
    }
  }
  return longest;
}

/// The sums over the steps. Waiting is no longer than the communication that it is a part of.
PerWorker sums_of(const StepsLine& line) {
  const std::vector<double> longest = longest_compute(line);
  PerWorker sums;
  for (const RankSteps& rank : line.ranks) {
    double wait = 0;
    for (std::size_t i = 0; i < longest.size(); ++i) {
      wait += std::min(rank.comm[i], longest[i] - rank.compute[i]);
    }
    const double comm = std::accumulate(rank.comm.begin(), rank.comm.end(), 0.0);
    sums.compute.push_back(std::accumulate(rank.compute.begin(), rank.compute.end(), 0.0));
    sums.wait.push_back(wait);
    sums.communicate.push_back(std::max(0.0, comm - wait));
    // An imbalance is a share that the file does not assign to ranks: only an even split is known.
    if (line.batch && line.imbalance == 0) {
      sums.work.push_back(*line.batch / static_cast<double>(line.workers) *
                          static_cast<double>(longest.size()));
    }
  }
  return sums;
}

/// The number of the repeat is kept as it stands: one that is missing shows. The place of a line is
/// no number that the file gives.
Run run_of(const StepsLine& line) {
  Run run;
  run.workers = static_cast<int>(line.workers);
  if (line.repeat) run.block = static_cast<int>(*line.repeat);
  run.steps = slowest_steps(line);
  run.per_worker.emplace() = sums_of(line);
  return run;
}

class StepsImport {
 public:
  StepsImport(Reader& reader, std::string_view select)
      : reader_(reader), study_(start_study(reader.name())) {
    select_ = select.starts_with("study=") ? select.substr(6) : select;
  }

  Result<Study> read() {
    Input line;
    auto more = reader_.next_line(line);
    for (; more && *more; more = reader_.next_line(line)) {
      if (trim(line.text).empty()) continue;
      KSTAR_CHECK(take(line));
    }
    if (!more) return fail(more.error());
    if (names_.size() > 1 && select_.empty()) return fail(several());
    if (study_.runs.empty()) return fail(none());
    finish();
    return std::move(study_);
  }

 private:
  Result<void> take(const Input& line) {
    StepsLine run;
    if (!lines_.read(line, run)) return fail(lines_.take_error());
    ++names_[run.study];
    if (!select_.empty() && run.study != select_) return {};
    // Of several studies nothing but their names is wanted any more.
    if (select_.empty() && names_.size() > 1) return {};
    if (study_.runs.empty()) study_.header.regime = run.regime;
    if (study_.header.regime != run.regime) {
      return fail(error_at(line, start_of(line), "the regime changes inside the study"));
    }
    if (auto done = take_batch(line, run); !done) return done;
    study_.runs.push_back(run_of(run));
    if (!is_positive(study_.runs.back())) {
      return fail(error_at(line, start_of(line), "all steps of the run took no time"));
    }
    return {};
  }

  static const char* start_of(const Input& line) { return trim(line.text).data(); }

  static bool is_positive(const Run& run) {
    return std::any_of(run.steps.begin(), run.steps.end(), [](double step) { return step > 0; });
  }

  Result<void> take_batch(const Input& line, const StepsLine& run) {
    imbalanced_ = imbalanced_ || run.imbalance != 0;
    if (!run.batch) return {};
    const auto [place, is_new] = batches_.emplace(static_cast<int>(run.workers), *run.batch);
    if (is_new || place->second == *run.batch) return {};
    return fail(error_at(line, start_of(line),
                         fmt::format("the global batch at K = {} changes from {} to {}",
                                     run.workers, place->second, *run.batch)));
  }

  std::string list_of_names() const {
    std::string list;
    constexpr std::size_t kShown = 8;
    std::size_t shown = 0;
    for (const auto& [name, runs] : names_) {
      if (shown++ == kShown) return list + fmt::format(" and {} more", names_.size() - kShown);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", shorten(printable(name), 40));
    }
    return list;
  }

  Error several() const {
    return {.where = printable(reader_.name()),
            .message = fmt::format("the file contains {} studies", names_.size()),
            .hint = fmt::format("pick one, for example --select study={}; available: {}",
                                printable(names_.begin()->first), list_of_names())};
  }

  Error none() const {
    if (select_.empty()) return {.where = printable(reader_.name()), .message = "has no runs"};
    return expected("--select",
                    fmt::format("a study of {} ({})", printable(reader_.name()), list_of_names()),
                    select_);
  }

  void finish() {
    const std::string& name = select_.empty() ? names_.begin()->first : select_;
    if (!name.empty()) study_.header.title += ": " + printable(name);
    study_.header.protocol.setup = "everything outside the steps";
    study_.header.protocol.setup_method = "the file has only steps";
    set_workload();
    add_note(study_, Severity::kInfo, "derived", {},
             "a step takes as long as on its slowest rank; waiting is derived: the difference to "
             "the slowest rank's computation in a step that all start together, limited by the "
             "rank's communication");
    if (imbalanced_) {
      add_note(study_, Severity::kInfo, "skipped", {},
               "the work of each rank is not recorded although the batch was split unevenly");
    }
  }

  void set_workload() {
    const bool same =
        !batches_.empty() && std::all_of(batches_.begin(), batches_.end(), [&](const auto& entry) {
          return entry.second == batches_.begin()->second;
        });
    for (const auto& [workers, batch] : batches_) {
      Workload problem;
      if (!same) problem.workers = workers;
      problem.unit = "samples";
      problem.batch = batch;
      study_.header.workload.push_back(std::move(problem));
      if (same) break;
    }
  }

  Reader& reader_;
  std::string select_;
  StepsLineReader lines_;
  Study study_;
  std::map<std::string, std::size_t> names_;
  std::map<int, double> batches_;
  bool imbalanced_ = false;
};

bool sniff_steps(std::string_view start) {
  const std::string_view line = trim(start).substr(0, trim(start).find('\n'));
  return line.starts_with('{') && line.find("\"ranks\"") != std::string_view::npos &&
         line.find("\"K\"") != std::string_view::npos;
}

Result<Study> read_steps(Reader& reader, const ImportOptions& options) {
  return StepsImport(reader, options.select).read();
}

}  // namespace

const Importer& steps_importer() {
  static const Importer kImporter = {
      {"steps",
       "JSON Lines, one run per line, with the step, compute and comm seconds of every rank"},
      &sniff_steps,
      &read_steps};
  return kImporter;
}

}  // namespace kstar
