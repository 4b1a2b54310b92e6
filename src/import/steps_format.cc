#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/number.h"
#include "base/text.h"
#include "import/importer.h"
#include "import/next_line.h"
#include "import/steps_line.h"

// JSON Lines, one run a line, with the steps of every rank:
//   {"study": "strong", "regime": "strong", "K": 2, "repeat": 0, "global_batch": 480,
//    "imbalance": 0.0, "ranks": [{"rank": 0, "step": [...], "compute": [...], "comm": [...]}, ...]}
// A step of the run takes as long as on its slowest rank. In a step that all ranks start together
// rank i is ready to communicate max_j compute_j - compute_i before the last one: that part of its
// communication is waiting.
namespace kstar {

namespace {

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
  StepsImport(const Input& input, std::string_view select)
      : input_(input), lines_(input), study_(start_study(input)) {
    select_ = select.starts_with("study=") ? select.substr(6) : select;
  }

  Result<Study> read() {
    std::string_view rest = input_.text;
    while (!rest.empty()) {
      const std::string_view line = next_line(rest);
      if (line.empty()) continue;
      if (auto done = take(line); !done) return fail(done.error());
    }
    if (names_.size() > 1 && select_.empty()) return fail(several());
    if (study_.runs.empty()) return fail(none());
    finish();
    return std::move(study_);
  }

 private:
  Result<void> take(std::string_view line) {
    StepsLine run;
    if (!lines_.read(line, run)) return fail(lines_.take_error());
    ++names_[run.study];
    if (!select_.empty() && run.study != select_) return {};
    // Of several studies nothing but their names is wanted any more.
    if (select_.empty() && names_.size() > 1) return {};
    if (study_.runs.empty()) study_.header.regime = run.regime;
    if (study_.header.regime != run.regime) {
      return fail(error_at(input_, line.data(), "the regime changes inside the study"));
    }
    if (auto done = take_batch(line, run); !done) return done;
    study_.runs.push_back(run_of(run));
    if (!is_positive(study_.runs.back())) {
      return fail(error_at(input_, line.data(), "all steps of the run took no time"));
    }
    return {};
  }

  static bool is_positive(const Run& run) {
    return std::any_of(run.steps.begin(), run.steps.end(), [](double step) { return step > 0; });
  }

  Result<void> take_batch(std::string_view line, const StepsLine& run) {
    imbalanced_ = imbalanced_ || run.imbalance != 0;
    if (!run.batch) return {};
    const auto [place, is_new] = batches_.emplace(static_cast<int>(run.workers), *run.batch);
    if (is_new || place->second == *run.batch) return {};
    return fail(error_at(input_, line.data(),
                         fmt::format("the global batch of K = {} changes from {} to {}",
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
    return {.where = printable(input_.name),
            .message = fmt::format("the file holds {} studies", names_.size()),
            .hint = fmt::format("pick one, as in --select study={}; there are {}",
                                printable(names_.begin()->first), list_of_names())};
  }

  Error none() const {
    if (select_.empty()) return {.where = printable(input_.name), .message = "has no runs"};
    return expected("--select",
                    fmt::format("a study of {} ({})", printable(input_.name), list_of_names()),
                    select_);
  }

  void finish() {
    const std::string& name = select_.empty() ? names_.begin()->first : select_;
    if (!name.empty()) study_.header.title += ": " + printable(name);
    study_.header.protocol.setup = "everything outside the steps";
    study_.header.protocol.setup_method = "the file holds steps alone";
    set_workload();
    add_note(study_, Severity::kInfo, "derived", {},
             "a step of a run is that of its slowest rank; waiting is derived: what a rank "
             "computes less than the slowest in a step that all start together, where it "
             "communicates that long");
    if (imbalanced_) {
      add_note(study_, Severity::kInfo, "skipped", {},
               "the work of each rank is not recorded where the batch was split unevenly");
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

  Input input_;
  std::string select_;
  StepsLineReader lines_;
  Study study_;
  std::map<std::string, std::size_t> names_;
  std::map<int, double> batches_;
  bool imbalanced_ = false;
};

bool sniff(std::string_view start) {
  const std::string_view line = trim(start).substr(0, trim(start).find('\n'));
  return line.starts_with('{') && line.find("\"ranks\"") != std::string_view::npos &&
         line.find("\"K\"") != std::string_view::npos;
}

Result<Study> read(const Input& input, const ImportOptions& options) {
  return StepsImport(input, options.select).read();
}

}  // namespace

const Importer& steps_importer() {
  static const Importer kImporter = {
      {"steps", "JSON Lines, a run each, with the step, compute and comm seconds of every rank"},
      &sniff,
      &read};
  return kImporter;
}

}  // namespace kstar
