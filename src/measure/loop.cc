#include "measure/loop.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "kstar/measure_plan.h"
#include "kstar/placeholders.h"
#include "kstar/warm_up.h"
#include "measure/launch_at.h"
#include "measure/point_name.h"
#include "measure/run_folder.h"
#include "measure/warm_up_runs.h"

namespace kstar {

namespace {

constexpr std::size_t kOutputKept = 4096;

/// The end of what a failed job printed: its errors, and its output where it had none.
std::string end_of_output(const Outcome& outcome) {
  const std::string& text = outcome.error_output.empty() ? outcome.output : outcome.error_output;
  return text.size() > kOutputKept ? text.substr(text.size() - kOutputKept) : text;
}

void set_usage(const Outcome& outcome, Run& run) {
  run.exit_status = outcome.exit_status;
  run.signal = outcome.signal;
  run.timed_out = outcome.timed_out;
  run.start = outcome.start;
  run.wall = outcome.wall;
  run.cpu_user = outcome.cpu_user;
  run.cpu_system = outcome.cpu_system;
  run.peak_memory = outcome.peak_memory;
  run.minor_faults = outcome.minor_faults;
  run.major_faults = outcome.major_faults;
  run.voluntary_switches = outcome.voluntary_switches;
  run.involuntary_switches = outcome.involuntary_switches;
}

}  // namespace

/// Every node must see the marks' folder. What is beside the study is more likely on a shared file
/// system than what is temporary.
std::string MeasureLoop::marks_parent(const Launch& launch) const {
  if (launch.nodes.value_or(1) == 1 && launch.hosts.size() < 2) return "";
  std::error_code ignored;
  return std::filesystem::absolute(tools_.writer.path(), ignored).parent_path().string();
}

MeasureLoop::MeasureLoop(const MeasureSpec& spec, const StudyHeader& header, MeasureTools tools)
    : spec_(spec), header_(header), tools_(tools) {}

Result<void> MeasureLoop::add_point(Role role, std::int64_t workers) {
  Result<Launch> launch = launch_at(spec_, role, workers);
  if (!launch) return fail(launch.error());
  points_.push_back({.role = role, .workers = static_cast<int>(workers)});
  launches_.push_back(std::move(*launch));
  return {};
}

Result<void> MeasureLoop::prepare() {
  auto source = make_time_source(spec_, mark_reader());
  if (!source) return fail(source.error());
  source_ = std::move(*source);
  auto check = make_answer_check(spec_, tools_.executor);
  if (!check) return fail(check.error());
  check_ = std::move(*check);
  if (!spec_.baseline.empty()) {
    if (Result<void> added = add_point(Role::kBaseline, 1); !added) return added;
  }
  for (const std::int64_t k : spec_.workers) {
    if (Result<void> added = add_point(Role::kParallel, k); !added) return added;
  }
  // The baseline program and the smallest K: what every ratio stands on.
  for (MeasurePoint& point : points_) {
    point.base = point.role == Role::kBaseline || point.workers == spec_.workers.front();
  }
  take_earlier_runs();
  if (Result<void> noted = note_warnings(); !noted) return noted;
  session_ = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}-{}", fmt::gmtime(std::time(nullptr)), ::getpid());
  return {};
}

/// What the launcher warns of, once: not again where the study that goes on has it.
Result<void> MeasureLoop::note_warnings() {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (const std::string& text : launches_[i].warnings) {
      const std::string where = point_name(points_[i].role, points_[i].workers);
      const auto& notes = tools_.earlier.notes;
      const bool known = std::any_of(notes.begin(), notes.end(), [&](const Note& old) {
        return old.what == "launch" && old.where == where && old.text == text;
      });
      if (known) continue;
      if (Result<void> noted = note(Severity::kWarning, "launch", where, text); !noted) {
        return noted;
      }
    }
  }
  return {};
}

void MeasureLoop::take_earlier_runs() {
  for (const Run& run : tools_.earlier.runs) {
    for (MeasurePoint& point : points_) {
      if (point.role == run.role && point.workers == run.workers) count(point, run);
    }
    order_ = std::max(order_, run.order.value_or(-1) + 1);
    block_ = std::max(block_, run.block.value_or(-1) + 1);
  }
  for (const Note& note : tools_.earlier.notes) {
    if (note.what == "check-reference" && check_) check_->set_reference(note.text, note.where);
  }
}

void MeasureLoop::count(MeasurePoint& point, const Run& run) {
  seconds_ += run.wall.value_or(0);
  worker_seconds_ += run.wall.value_or(0) * run.workers;
  const std::optional<double> time = steady_time(run);
  if (failed(run) || !time) {
    ++point.failures;
    point.given_up = point.failures >= static_cast<std::size_t>(spec_.max_failures);
  } else if (!run.warm_up || !spec_.warm_up_runs) {  // what was found before is found anew
    point.times.push_back(*time);
  } else {
    ++point.warm_up;
  }
}

std::vector<std::size_t> MeasureLoop::next_block() const {
  const bool any_left = std::any_of(points_.begin(), points_.end(), [](const MeasurePoint& point) {
    return !point.done && !point.given_up;
  });
  std::vector<std::size_t> block;
  if (!any_left) return block;
  for (const std::size_t index :
       block_order(*header_.protocol.seed, static_cast<std::uint64_t>(block_), points_.size())) {
    const MeasurePoint& point = points_[index];
    const bool full = (spec_.runs && point.done) ||
                      point.times.size() >= static_cast<std::size_t>(spec_.max_runs);
    if (!point.given_up && (!point.done || (point.base && !full))) block.push_back(index);
  }
  return block;
}

Result<void> MeasureLoop::note(Severity severity, std::string what, std::string where,
                               std::string text) {
  const Note written{.severity = severity,
                     .what = std::move(what),
                     .where = std::move(where),
                     .text = std::move(text)};
  tell_last();
  tools_.observer.noted(written);
  Result<void> kept = tools_.writer.append(written);
  tools_.writer.start_sync();
  return kept;
}

Run MeasureLoop::run_of(const MeasurePoint& point, const Launch& launch, const Outcome& outcome,
                        const std::string& marks_folder) {
  Run run;
  run.workers = point.workers;
  run.role = point.role;
  run.nodes = launch.nodes;
  run.ranks = launch.ranks;
  run.threads = launch.threads;
  run.hosts = launch.hosts;
  run.order = order_++;
  run.block = block_;
  run.session = session_;
  run.warm_up =
      point.times.size() + point.warm_up < static_cast<std::size_t>(spec_.warm_up_runs.value_or(0));
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
  if (failed(run)) {
    run.output = end_of_output(outcome);
  } else if (spec_.warm_up_steps) {
    run.warm_up_steps = std::min<int>(*spec_.warm_up_steps, static_cast<int>(run.steps.size()));
  } else if (!run.warm_up_steps && !run.steps.empty()) {
    const Result<WarmUp> found = find_warm_up(run.steps);
    if (found && found->length > 0) run.warm_up_steps = static_cast<int>(found->length);
  }
  return run;
}

Result<void> MeasureLoop::run_once(std::size_t index) {
  MeasurePoint& point = points_[index];
  Result<RunFolder> marks =
      RunFolder::make(spec_.time_from == TimeFrom::kMarks, marks_parent(launches_[index]));
  if (!marks) return fail(marks.error());
  LaunchPlan plan = launches_[index].plan;
  plan.marks_folder = marks->path();
  const Result<Outcome> outcome = tools_.executor.run_beside(plan, [&] {
    tell_last();
    tools_.observer.starts(point, points_);
  });
  if (!outcome) return fail(outcome.error());
  if (outcome->interrupted) return {};
  const bool had_reference = check_ && !check_->reference().empty();
  const Run run = run_of(point, launches_[index], *outcome, marks->path());
  if (undecided_) return {};
  if (Result<void> kept = tools_.writer.append(run); !kept) return kept;
  count(point, run);
  last_ = run;
  if (check_ && !had_reference && !check_->reference().empty()) {
    if (Result<void> noted =
            note(Severity::kInfo, "check-reference", check_->reference_of(), check_->reference());
        !noted) {
      return noted;
    }
  }
  if (point.given_up) {
    return note(Severity::kError, "given-up", point_name(point.role, point.workers),
                fmt::format("{} runs failed; it is not run any more", point.failures));
  }
  return {};
}

Result<void> MeasureLoop::judge_points() {
  std::vector<std::vector<double>> groups;
  for (MeasurePoint& point : points_) {
    // Warm-up by flag is not among the times.
    const std::size_t found = spec_.warm_up_runs ? 0 : find_warm_up_runs(point.times).length;
    if (!spec_.warm_up_runs) point.warm_up = found;
    groups.emplace_back(point.times.begin() + static_cast<std::ptrdiff_t>(found),
                        point.times.end());
  }
  StoppingRule rule{.precision = spec_.precision, .confidence = spec_.confidence};
  rule.max_runs = static_cast<std::size_t>(spec_.max_runs);
  rule.min_runs = std::min(rule.min_runs, rule.max_runs);
  const Result<std::vector<Verdict>> verdicts = judge_all(groups, rule);
  if (!verdicts) return fail(verdicts.error());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (groups[i].empty()) continue;
    points_[i].verdict = (*verdicts)[i];
    points_[i].done = spec_.runs ? groups[i].size() >= static_cast<std::size_t>(*spec_.runs)
                                 : (*verdicts)[i].done;
  }
  return {};
}

bool MeasureLoop::over_budget() const {
  return (spec_.budget_seconds && seconds_ >= *spec_.budget_seconds) ||
         (spec_.budget_worker_hours && worker_seconds_ / 3600 >= *spec_.budget_worker_hours);
}

MeasureEnd MeasureLoop::end() const {
  if (tools_.stop) return MeasureEnd::kInterrupted;
  const bool all = std::all_of(points_.begin(), points_.end(), [&](const MeasurePoint& point) {
    return point.done && (spec_.runs || (point.verdict && point.verdict->precise));
  });
  if (all) return MeasureEnd::kPrecise;
  return over_budget() ? MeasureEnd::kBudget : MeasureEnd::kLimit;
}

/// What the last run leaves to do that the next one need not wait for.
void MeasureLoop::tell_last() {
  tools_.writer.start_sync();
  if (last_) tools_.observer.ended(*last_, points_);
  last_.reset();
}

Result<MeasureResult> MeasureLoop::run() {
  Result<MeasureResult> result = run_blocks();
  tell_last();
  return result;
}

Result<MeasureResult> MeasureLoop::run_blocks() {
  if (const Result<void> judged = judge_points(); !judged) return fail(judged.error());
  for (std::vector<std::size_t> block = next_block(); !block.empty(); block = next_block()) {
    for (const std::size_t index : block) {
      if (tools_.stop || over_budget()) {
        if (const Result<void> judged = judge_points(); !judged) return fail(judged.error());
        return MeasureResult{end(), points_};
      }
      if (points_[index].given_up) continue;
      if (const Result<void> ran = run_once(index); !ran) return fail(ran.error());
    }
    ++block_;
    // A block is a run of each: nothing can be done before as many blocks.
    if (spec_.runs && block_ < *spec_.runs) continue;
    if (const Result<void> judged = judge_points(); !judged) return fail(judged.error());
  }
  return MeasureResult{end(), points_};
}

Result<MeasureResult> measure(const MeasureSpec& spec, const StudyHeader& header,
                              MeasureTools tools) {
  MeasureLoop loop(spec, header, tools);
  if (const Result<void> ready = loop.prepare(); !ready) return fail(ready.error());
  return loop.run();
}

}  // namespace kstar
