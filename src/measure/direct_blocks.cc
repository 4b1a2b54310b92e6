#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/inside.h"
#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "kstar/result.h"
#include "kstar/time_source.h"
#include "kstar/warm_up.h"
#include "launch/launch_at.h"
#include "launch/patience.h"
#include "measure/beside.h"
#include "measure/block_loop.h"
#include "measure/marks.h"
#include "measure/point.h"

namespace kstar {

namespace {

/// A folder that one run's workers write into, gone with the object.
class RunFolder {
 public:
  /// None is made where none is wanted; its path is empty then. `parent` is where it is made;
  /// empty: where temporary files go.
  static Result<RunFolder> make(bool wanted, const std::string& parent = "");

  /// Removes those in `parent` that nobody holds: their kstar was killed.
  static void remove_abandoned(const std::string& parent);

  RunFolder(RunFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }

 private:
  RunFolder() = default;
  static std::filesystem::path place(const std::string& parent);

  std::string path_;
  FileHandle lock_;  ///< of the folder itself
};

constexpr std::string_view kRunFolder = "kstar-marks-";

std::filesystem::path RunFolder::place(const std::string& parent) {
  std::error_code none;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(none);
  return !parent.empty() ? std::filesystem::path(parent) : none ? "/tmp" : temporary;
}

void RunFolder::remove_abandoned(const std::string& parent) {
  std::error_code problem;
  for (std::filesystem::directory_iterator entries(place(parent), problem), end;
       !problem && entries != end; entries.increment(problem)) {
    if (!entries->path().filename().string().starts_with(kRunFolder)) continue;
    const std::string path = entries->path().string();
    const auto folder = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, "read");
    struct stat facts {};
    if (!folder || ::fstat(folder->get(), &facts) != 0 || facts.st_uid != ::geteuid()) continue;
    std::error_code ignored;
    constexpr std::time_t kMoment = 2;  // it may not be locked yet
    if (std::time(nullptr) - facts.st_mtime <= kMoment) continue;
    if (lock_now(*folder)) std::filesystem::remove_all(path, ignored);
  }
}

Result<RunFolder> RunFolder::make(bool wanted, const std::string& parent) {
  RunFolder folder;
  if (!wanted) return folder;
  std::string name = (place(parent) / (std::string(kRunFolder) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    Error error = file_error(name, "create", errno);
    error.hint =
        parent.empty()
            ? "the marks of a run are written there; TMPDIR sets another folder"
            : "the marks of a run are written next to the study, where every node must see them";
    return fail(std::move(error));
  }
  if (auto opened = open_file(name, O_RDONLY | O_DIRECTORY, "open")) {
    folder.lock_ = std::move(*opened);
    static_cast<void>(lock_now(folder.lock_));  // where there are no locks, nobody removes it
  }
  folder.path_ = std::move(name);
  return folder;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

/// The job at one K with `library` in its ranks, which leave their files in `folder`. The launcher
/// knows the variables: one with other nodes passes them on.
Result<Launch> launch_inside(const MeasureSpec& spec, std::int64_t workers,
                             const std::string& library, const std::string& folder) {
  auto variables = inside_variables(library, folder);
  const auto own = expand_variables(spec, workers);
  if (!own) return fail(own.error());
  for (const auto& [name, value] : *own) {  // the job's own preload stays in front
    if (name == "LD_PRELOAD" && !value.empty())
      variables[name] = fmt::format("{}:{}", value, library);
  }
  return launch_at(spec, Role::kParallel, workers, {variables.begin(), variables.end()});
}

/// What the ranks left in `folder`, put into a run that has ended, well or not. A run of which
/// nothing is there has failed.
void look_inside(const std::string& folder, Run& run) {
  std::error_code ignored;
  const bool none = std::filesystem::is_empty(folder, ignored);
  const Result<InsideRun> found = read_inside(folder);
  if (found) {
    run.inside.emplace() = inside_record(*found);
    run.per_worker.emplace() = inside_per_worker(*found);
    return;
  }
  const std::string why =
      none ? "no rank was profiled: the program made no MPI call, is statically linked, or the "
             "launcher did not pass on LD_PRELOAD"
           : fmt::format("the files of its ranks cannot be read: {}", found.error().message);
  if (failed(run)) {
    run.inside.emplace().notes.push_back(why);
  } else {
    run.failure = why;
  }
}

/// A reader of the marks that a run left in its folder.
MarkReader mark_reader() {
  return [](const Outcome& outcome, const std::string& folder) -> Result<Run> {
    const Result<std::vector<WorkerMarks>> marks = read_marks(folder);
    if (!marks) return fail(marks.error());
    const Moment spawn{outcome.clock, outcome.start, read_clocks().clock};
    MarkedRun marked = combine_marks(*marks, spawn);
    if (marked.steps.empty()) {
      return fail({.where = "marks",
                   .message = marks->empty() ? "the program wrote no marks"
                                             : "no step was marked by every worker"});
    }
    Run run;
    run.setup = marked.setup;
    run.steps = std::move(marked.steps);
    run.warm_up_steps = marked.warm_up_steps;
    run.per_worker.emplace() = std::move(marked.per_worker);
    return run;
  };
}

/// Whether the file of the study takes it: what a program wrote can be no number at all.
bool is_finite(const Run& run) {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  if (!finite(run.steps) || !std::isfinite(run.setup.value_or(0))) return false;
  if (!run.per_worker) return true;
  const PerWorker& all = *run.per_worker;
  return finite(all.compute) && finite(all.communicate) && finite(all.wait) && finite(all.load) &&
         finite(all.work) && finite(all.flops) && finite(all.bytes);
}

constexpr std::size_t kOutputKept = 4096;

/// Seconds between two tries to begin a run.
constexpr double kTryAgain = 0.5;

/// The end of what a failed job printed: its errors, and its output where it had none.
std::string end_of_output(const Outcome& outcome) {
  const std::string& text = outcome.error_output.empty() ? outcome.output : outcome.error_output;
  return text.size() > kOutputKept ? text.substr(text.size() - kOutputKept) : text;
}

/// A job that could not be started: a failed run of which nothing else is known.
Outcome not_started(const Error& error) {
  return {.start = static_cast<double>(std::time(nullptr)),
          .started = false,
          .trouble = fmt::format("{}: {}", error.where, error.message)};
}

void set_usage(const Outcome& outcome, Run& run) {
  run.start = outcome.start;
  if (!outcome.started) return;
  run.exit_status = outcome.exit_status;
  run.signal = outcome.signal;
  run.timed_out = outcome.timed_out;
  run.wall = outcome.wall;
  run.usage = outcome.usage;
  run.counters = outcome.counters;
}

/// One run after the other, here: nothing else runs meanwhile.
class DirectBlocks final : public BlockRunner {
 public:
  DirectBlocks(const MeasureSpec& spec, Executor& executor, std::string session)
      : spec_(spec),
        executor_(executor),
        patience_(spec.patience, clock_),
        beside_(spec, executor),
        session_(std::move(session)) {}

  Result<void> prepare(const std::vector<MeasurePoint>& points, const Study& earlier) override;
  Result<void> run(int block, const std::vector<std::size_t>& points, BlockKeeper& keeper) override;
  std::vector<std::string> warnings(std::size_t point) const override {
    return launches_[point].warnings;
  }
  AnswerCheck* check() override { return check_.get(); }
  Result<void> end() override { return beside_.after_last(); }

 private:
  std::string marks_parent(const Launch& launch) const;
  Result<void> run_once(std::size_t point, BlockKeeper& keeper);
  Result<void> note_children(std::size_t point, const Outcome& outcome, BlockKeeper& keeper);
  Result<Outcome> run_until_begun(std::size_t point, const Launch& launch, BlockKeeper& keeper);
  /// The Run of an outcome: its times, whether it failed, and why.
  void read(const Outcome& outcome, const std::string& marks_folder,
            const std::string& inside_folder, Run& run);

  const MeasureSpec& spec_;
  Executor& executor_;
  WatchClock clock_ = uninterrupted_clock();
  Patience patience_;  ///< with a launcher that cannot begin
  BesideRuns beside_;
  std::unique_ptr<TimeSource> source_;
  std::unique_ptr<AnswerCheck> check_;
  std::vector<MeasurePoint> points_;
  std::vector<Launch> launches_;  ///< of the points
  std::string library_;           ///< that looks inside, where runs ask for it
  std::string session_;
  std::set<std::size_t> left_children_;  ///< points of which that was noted
  bool undecided_ = false;  ///< the user stopped kstar while the last answer was checked
};

Result<void> DirectBlocks::prepare(const std::vector<MeasurePoint>& points, const Study&) {
  KSTAR_TRY(auto source, make_time_source(spec_, mark_reader()));
  source_ = std::move(source);
  KSTAR_TRY(auto check, make_answer_check(spec_, executor_));
  check_ = std::move(check);
  for (const MeasurePoint& point : points) {
    KSTAR_TRY(Launch launch, launch_at(spec_, point.role, point.workers));
    launches_.push_back(std::move(launch));
  }
  points_ = points;
  std::set<std::string> parents;
  for (const Launch& launch : launches_) parents.insert(marks_parent(launch));
  for (const std::string& parent : parents) RunFolder::remove_abandoned(parent);
  if (spec_.inside > 0) {
    KSTAR_TRY(std::string library, inside_library());
    library_ = std::move(library);
  }
  if (session_.empty()) session_ = session_now();
  return {};
}

void DirectBlocks::read(const Outcome& outcome, const std::string& marks_folder,
                        const std::string& inside_folder, Run& run) {
  set_usage(outcome, run);
  if (!failed(run) && !outcome.trouble.empty()) run.failure = outcome.trouble;
  if (!failed(run)) {
    if (const Result<void> read = source_->read(outcome, marks_folder, run); !read) {
      run.failure = read.error().message;
    }
  }
  if (!is_finite(run)) {
    run.failure = "its times or its work are no finite numbers";
    run.steps.clear();
    run.setup.reset();
    run.per_worker.reset();
  }
  if (!failed(run) && check_) {
    if (const Result<void> right = check_->check(outcome, run); !right) {
      run.failure = right.error().message;
      undecided_ = right.error().code == ExitCode::kInterrupted;
    }
  }
  if (outcome.started && is_profiled(run)) look_inside(inside_folder, run);
  if (failed(run)) {
    run.output = end_of_output(outcome);
  } else if (spec_.warm_up_steps) {
    run.warm_up_steps = std::min<int>(*spec_.warm_up_steps, static_cast<int>(run.steps.size()));
  } else if (!run.warm_up_steps && !run.steps.empty()) {
    const Result<WarmUp> found = find_warm_up(run.steps);
    if (found && found->length > 0) run.warm_up_steps = static_cast<int>(found->length);
  }
}

/// Every node must see the marks' folder. What is beside the study is more likely on a shared file
/// system than what is temporary.
std::string DirectBlocks::marks_parent(const Launch& launch) const {
  if (launch.nodes.value_or(1) == 1 && launch.hosts.size() < 2) return "";
  std::error_code ignored;
  return std::filesystem::absolute(spec_.output, ignored).parent_path().string();
}

/// Again, while the launcher says that the program has not begun: a controller that is restarted
/// says nothing about the job. When patience ends, the run has failed.
Result<Outcome> DirectBlocks::run_until_begun(std::size_t point, const Launch& launch,
                                              BlockKeeper& keeper) {
  const TakeNote note = [&](const Note& taken) { return keeper.note(taken); };
  for (bool first = true;; first = false) {
    Result<Outcome> outcome = executor_.run_during(launch.plan, [&] {
      if (first) keeper.started(point);
    });
    if (!outcome || outcome->interrupted) return outcome;
    if (!launch.never_began || !launch.never_began(*outcome)) {
      KSTAR_CHECK(patience_.answered(note));
      return outcome;
    }
    if (!patience_.silent(std::string(trim(outcome->error_output)), note)) return outcome;
    clock_.pause(kTryAgain);
    outcome->interrupted = !keeper.wanted(point);
    if (outcome->interrupted) return outcome;
  }
}

Result<void> DirectBlocks::run_once(std::size_t point, BlockKeeper& keeper) {
  Launch launch = launches_[point];
  const std::string parent = marks_parent(launch);
  KSTAR_TRY(RunFolder marks, RunFolder::make(spec_.time_from == TimeFrom::kMarks, parent));
  const bool looks = points_[point].inside;
  KSTAR_TRY(const RunFolder inside, RunFolder::make(looks, parent));
  if (looks) {
    KSTAR_TRY(Launch looked, launch_inside(spec_, points_[point].workers, library_, inside.path()));
    launch = std::move(looked);
  }
  launch.plan.marks_folder = marks.path();
  const Result<double> prepared = beside_.before_run(points_[point].workers);
  if (!prepared) {
    return prepared.error().code == ExitCode::kInterrupted ? Result<void>()
                                                           : fail(prepared.error());
  }
  keeper.spent(*prepared, points_[point].workers);
  Result<Outcome> outcome = run_until_begun(point, launch, keeper);
  if (!outcome) outcome = not_started(outcome.error());
  if (outcome->interrupted) return {};
  Run run = keeper.numbered(point);
  run.nodes = launch.nodes;
  run.ranks = launch.ranks;
  run.threads = launch.threads;
  run.hosts = launch.hosts;
  run.session = session_;
  read(*outcome, marks.path(), inside.path(), run);
  if (undecided_) return {};
  KSTAR_CHECK(keeper.take(point, run));
  return note_children(point, *outcome, keeper);
}

/// Once a point: what the children do behind the end of their parent is in no time.
Result<void> DirectBlocks::note_children(std::size_t point, const Outcome& outcome,
                                         BlockKeeper& keeper) {
  if (outcome.stragglers == 0 || outcome.timed_out || !left_children_.insert(point).second) {
    return {};
  }
  return keeper.note(
      {.severity = Severity::kWarning,
       .what = "children-left",
       .where = point_name(points_[point].role, points_[point].workers, points_[point].inside),
       .values = {{"processes", outcome.stragglers}}});
}

Result<void> DirectBlocks::run(int, const std::vector<std::size_t>& points, BlockKeeper& keeper) {
  for (const std::size_t point : points) {
    if (!keeper.wanted(point)) continue;
    if (Result<void> ran = run_once(point, keeper); !ran) return ran;
  }
  return {};
}

}  // namespace

std::string session_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}-{}", fmt::gmtime(std::time(nullptr)), ::getpid());
}

std::unique_ptr<BlockRunner> direct_blocks(const MeasureSpec& spec, Executor& executor,
                                           std::string session) {
  return std::make_unique<DirectBlocks>(spec, executor, std::move(session));
}

}  // namespace kstar
