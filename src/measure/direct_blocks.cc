#include "measure/direct_blocks.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "base/text.h"
#include "kstar/inside.h"
#include "kstar/warm_up.h"
#include "launch/launch_at.h"
#include "measure/inside_launch.h"
#include "measure/run_folder.h"

namespace kstar {

namespace {

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
  run.cpu_user = outcome.cpu_user;
  run.cpu_system = outcome.cpu_system;
  run.peak_memory = outcome.peak_memory;
  run.minor_faults = outcome.minor_faults;
  run.major_faults = outcome.major_faults;
  run.voluntary_switches = outcome.voluntary_switches;
  run.involuntary_switches = outcome.involuntary_switches;
  run.load = outcome.load;
  run.cpu_others = outcome.cpu_others;
  run.cpu_stolen = outcome.cpu_stolen;
  run.migrations = outcome.migrations;
}

}  // namespace

DirectBlocks::DirectBlocks(const MeasureSpec& spec, Executor& executor, WatchClock clock)
    : spec_(spec),
      executor_(executor),
      clock_(std::move(clock)),
      patience_(spec.patience, clock_) {}

Result<void> DirectBlocks::prepare(const std::vector<MeasurePoint>& points, const Study&) {
  auto source = make_time_source(spec_, mark_reader());
  if (!source) return fail(source.error());
  source_ = std::move(*source);
  auto check = make_answer_check(spec_, executor_);
  if (!check) return fail(check.error());
  check_ = std::move(*check);
  for (const MeasurePoint& point : points) {
    Result<Launch> launch = launch_at(spec_, point.role, point.workers);
    if (!launch) return fail(launch.error());
    launches_.push_back(std::move(*launch));
  }
  points_ = points;
  if (spec_.inside > 0) {
    Result<std::string> library = inside_library();
    if (!library) return fail(library.error());
    library_ = std::move(*library);
  }
  session_ = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}-{}", fmt::gmtime(std::time(nullptr)), ::getpid());
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
  if (!failed(run) && check_) {
    if (const Result<void> right = check_->check(outcome, run); !right) {
      run.failure = right.error().message;
      undecided_ = right.error().code == ExitCode::kInterrupted;
    }
  }
  if (outcome.started && looked_into(run)) look_inside(inside_folder, run);
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
    Result<Outcome> outcome = executor_.run_beside(launch.plan, [&] {
      if (first) keeper.started(point);
    });
    if (!outcome || outcome->interrupted) return outcome;
    if (!launch.never_began || !launch.never_began(*outcome)) {
      if (const Result<void> told = patience_.answered(note); !told) return fail(told.error());
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
  Result<RunFolder> marks = RunFolder::make(spec_.time_from == TimeFrom::kMarks, parent);
  if (!marks) return fail(marks.error());
  const bool looks = points_[point].inside;
  const Result<RunFolder> inside = RunFolder::make(looks, parent);
  if (!inside) return fail(inside.error());
  if (looks) {
    Result<Launch> looked = launch_inside(spec_, points_[point].workers, library_, inside->path());
    if (!looked) return fail(looked.error());
    launch = std::move(*looked);
  }
  launch.plan.marks_folder = marks->path();
  Result<Outcome> outcome = run_until_begun(point, launch, keeper);
  if (!outcome) outcome = not_started(outcome.error());
  if (outcome->interrupted) return {};
  Run run = keeper.numbered(point);
  run.nodes = launch.nodes;
  run.ranks = launch.ranks;
  run.threads = launch.threads;
  run.hosts = launch.hosts;
  run.session = session_;
  read(*outcome, marks->path(), inside->path(), run);
  return undecided_ ? Result<void>() : keeper.take(point, run);
}

Result<void> DirectBlocks::run(int, const std::vector<std::size_t>& points, BlockKeeper& keeper) {
  for (const std::size_t point : points) {
    if (!keeper.wanted(point)) continue;
    if (Result<void> ran = run_once(point, keeper); !ran) return ran;
  }
  return {};
}

}  // namespace kstar
