#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "kstar/block_runner.h"
#include "kstar/measure.h"
#include "kstar/measure_plan.h"
#include "measure/block_loop.h"
#include "measure/first_runs.h"
#include "measure/named_files.h"
#include "measure/point.h"

namespace kstar {

namespace {

/// One study being measured: which points run next, and what became of those that ran.
class MeasureLoop final : public BlockLoop, private BlockKeeper {
 public:
  MeasureLoop(const MeasureSpec& spec, const StudyHeader& header, MeasureTools tools);
  ~MeasureLoop() override;

  Result<void> prepare() override;
  Result<MeasureResult> run();

  std::vector<std::size_t> next_block() const override;
  bool may_run(std::size_t point) const override;
  Result<void> run_point(std::size_t point) override;
  bool is_stopped() const override { return tools_.stop || over_budget(); }
  Result<void> judge() override;
  void tell_last() override;
  MeasureResult result() const override { return {end(), points_}; }

 private:
  bool wanted(std::size_t point) const override;
  void started(std::size_t point) override;
  Run numbered(std::size_t point) override;
  Result<void> take(std::size_t point, const Run& run) override;
  Result<void> write_found();
  Result<void> note(Note note) override;
  void spent(double seconds, int workers) override;
  void waits(const std::string& text) override;

  void add_point(Role role, std::int64_t workers);
  void add_inside_point(std::int64_t workers);
  bool given_up(const MeasurePoint& point) const;
  void take_earlier_runs();
  Result<void> note_warnings();
  /// What a study that goes on had begun comes first.
  Result<void> finish_begun_block();
  Result<MeasureResult> run_blocks();
  void tell_if_moved();
  void count(MeasurePoint& point, const Run& run);
  bool over_budget() const;
  MeasureEnd end() const;

  const MeasureSpec& spec_;
  const StudyHeader& header_;
  MeasureTools tools_;
  std::unique_ptr<BlockRunner> own_blocks_;  ///< where the caller brought none
  BlockRunner& blocks_;
  std::vector<MeasurePoint> points_;
  std::string path_;  ///< of the study, once it is in its place
  WrittenFiles written_;
  std::string reference_;    ///< the answer that is in the study already
  std::optional<Run> last_;  ///< was appended, and nobody was told yet
  SessionCount own_count_;
  SessionCount& count_;
};

MeasureLoop::MeasureLoop(const MeasureSpec& spec, const StudyHeader& header, MeasureTools tools)
    : spec_(spec),
      header_(header),
      tools_(tools),
      own_blocks_(tools.blocks == nullptr ? direct_blocks(spec, tools.executor) : nullptr),
      blocks_(tools.blocks == nullptr ? *own_blocks_ : *tools.blocks),
      written_(header),
      count_(tools.count == nullptr ? own_count_ : *tools.count) {
  if (tools.writer.is_in_place()) path_ = tools.writer.path();
}

MeasureLoop::~MeasureLoop() = default;

void MeasureLoop::add_point(Role role, std::int64_t workers) {
  // The baseline program and the smallest K: what every ratio stands on.
  const bool base = role == Role::kBaseline || workers == spec_.workers.front();
  points_.push_back({.role = role, .workers = static_cast<int>(workers), .base = base});
}

void MeasureLoop::add_inside_point(std::int64_t workers) {
  points_.push_back({.workers = static_cast<int>(workers), .inside = true});
}

Result<void> MeasureLoop::prepare() {
  if (!spec_.baseline.empty()) add_point(Role::kBaseline, 1);
  for (const std::int64_t k : spec_.workers) add_point(Role::kParallel, k);
  for (const std::int64_t k : spec_.workers) {
    if (spec_.inside > 0) add_inside_point(k);
  }
  if (Result<void> ready = blocks_.prepare(points_, tools_.earlier); !ready) return ready;
  take_earlier_runs();
  return note_warnings();
}

/// What the launcher warns of, once: not again where the study that goes on has it.
Result<void> MeasureLoop::note_warnings() {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (const std::string& text : blocks_.warnings(i)) {
      if (points_[i].inside) continue;  // it is started as the plain one is
      const std::string where = point_name(points_[i].role, points_[i].workers);
      const auto& notes = tools_.earlier.notes;
      const bool known = std::any_of(notes.begin(), notes.end(), [&](const Note& old) {
        return old.what == "launch" && old.where == where && text_value(old, "warning") == text;
      });
      if (known) continue;
      if (Result<void> noted = note({.severity = Severity::kWarning,
                                     .what = "launch",
                                     .where = where,
                                     .values = {{"warning", text}}});
          !noted) {
        return noted;
      }
    }
  }
  return {};
}

void MeasureLoop::take_earlier_runs() {
  for (const Run& run : tools_.earlier.runs) {
    for (MeasurePoint& point : points_) {
      if (is_of(run, point)) count(point, run);
    }
    count_.order = std::max(count_.order, run.order.value_or(-1) + 1);
    count_.block = std::max(count_.block, run.block.value_or(-1) + 1);
  }
  for (const Note& note : tools_.earlier.notes) {
    if (note.what == "check-reference" && blocks_.check() != nullptr) {
      blocks_.check()->set_reference(text_value(note, "answer"), note.where);
    }
  }
  if (blocks_.check() != nullptr) reference_ = blocks_.check()->reference();
}

void MeasureLoop::count(MeasurePoint& point, const Run& run) {
  count_.seconds += run.wall.value_or(0);
  count_.worker_seconds += run.wall.value_or(0) * run.workers;
  const std::optional<double> time = steady_time(run);
  if (run.lost) return;
  if (failed(run) || !time) {
    ++point.failures;
    point.given_up = point.failures >= static_cast<std::size_t>(spec_.max_failures);
  } else if (point.inside) {
    point.times.push_back(*time);
    point.done = point.times.size() >= static_cast<std::size_t>(spec_.inside);
  } else if (!run.warm_up || !spec_.warm_up_runs) {  // what was found before is found anew
    point.times.push_back(*time);
  } else {
    ++point.warm_up;
  }
}

/// Where the plain runs fail, there is nothing to compare with.
bool MeasureLoop::given_up(const MeasurePoint& point) const {
  return point.given_up ||
         (point.inside && std::any_of(points_.begin(), points_.end(), [&](const auto& other) {
            return other.given_up && other.role == point.role && other.workers == point.workers;
          }));
}

std::vector<std::size_t> MeasureLoop::next_block() const {
  const bool any_left = std::any_of(points_.begin(), points_.end(), [&](const MeasurePoint& point) {
    return !point.done && !given_up(point);
  });
  std::vector<std::size_t> block;
  if (!any_left) return block;
  for (const std::size_t index : block_order(
           *header_.protocol.seed, static_cast<std::uint64_t>(count_.block), points_.size())) {
    const MeasurePoint& point = points_[index];
    if (point.inside && count_.block < first_inside_block(spec_)) continue;
    if (may_run(index) && (!point.done || point.base)) block.push_back(index);
  }
  // The answers of the others are compared with the first one: the base's, not that of chance.
  if (count_.block == 0 && !spec_.check_pattern.empty()) {
    std::stable_partition(block.begin(), block.end(), [](std::size_t index) { return index == 0; });
  }
  return block;
}

/// A base runs on although it is precise, until it has all runs that there may be.
bool MeasureLoop::may_run(std::size_t index) const {
  const MeasurePoint& point = points_[index];
  const bool full = point.done && (point.inside || spec_.runs ||
                                   point.times.size() >= static_cast<std::size_t>(spec_.max_runs));
  return !full && !given_up(point);
}

Result<void> MeasureLoop::run_point(std::size_t point) {
  return blocks_.run(count_.block, {point}, *this);
}

bool MeasureLoop::wanted(std::size_t point) const {
  return !tools_.stop && !over_budget() && !given_up(points_[point]);
}

void MeasureLoop::started(std::size_t point) {
  tell_last();
  if (tools_.while_running) tools_.while_running();
  tools_.observer.starts(points_[point], points_);
}

void MeasureLoop::waits(const std::string& text) {
  tell_last();
  tools_.observer.waits(text);
}

void MeasureLoop::spent(double seconds, int workers) {
  count_.seconds += seconds;
  count_.worker_seconds += seconds * workers;
}

Run MeasureLoop::numbered(std::size_t point) {
  const MeasurePoint& of = points_[point];
  Run run;
  run.workers = of.workers;
  run.role = of.role;
  run.order = count_.order++;
  run.block = count_.block;
  if (of.inside) {
    run.inside.emplace();
    return run;
  }
  run.warm_up =
      of.times.size() + of.warm_up < static_cast<std::size_t>(spec_.warm_up_runs.value_or(0));
  return run;
}

Result<void> MeasureLoop::note(Note note) {
  tell_last();
  tools_.observer.noted(note);
  Result<void> kept = tools_.writer.append(note);
  // A job that is in the queue is as good as a run: who goes on must find its note.
  if (kept && spec_.submit) kept = tools_.writer.put_in_place_for_now();
  tools_.writer.start_sync();
  if (kept) tell_if_moved();
  return kept;
}

/// The study was removed, renamed or overwritten by somebody, and goes on elsewhere: its note is
/// there already.
void MeasureLoop::tell_if_moved() {
  const std::string& path = tools_.writer.path();
  if (!tools_.writer.is_in_place() || path == path_) return;
  const std::string before = std::exchange(path_, path);
  if (before.empty()) return;
  tools_.observer.noted({.severity = Severity::kWarning,
                         .what = "study-moved",
                         .where = before,
                         .values = {{"file", path}}});
}

/// Not before: a study that is finished already stays as it is.
Result<void> MeasureLoop::write_found() {
  const std::vector<Note>& known = tools_.earlier.notes;
  for (const Note& note : std::exchange(tools_.found, {})) {
    if (std::find(known.begin(), known.end(), note) != known.end()) continue;
    KSTAR_CHECK(tools_.writer.append(note));
  }
  return {};
}

Result<void> MeasureLoop::take(std::size_t point, const Run& run) {
  MeasurePoint& of = points_[point];
  if (last_) tell_last();  // where several end at a time
  KSTAR_CHECK(write_found());
  if (Result<void> kept = tools_.writer.append(run); !kept) return kept;
  tell_if_moved();
  count(of, run);
  last_ = run;
  tools_.observer.kept(run, points_);
  const AnswerCheck* check = blocks_.check();
  if (check != nullptr && check->reference() != reference_) {
    reference_ = check->reference();
    if (Result<void> noted = note({.severity = Severity::kInfo,
                                   .what = "check-reference",
                                   .where = check->reference_of(),
                                   .values = {{"answer", reference_}}});
        !noted) {
      return noted;
    }
  }
  for (const std::string& file : written_.changed()) {
    KSTAR_CHECK(
        note({.severity = Severity::kInfo, .what = std::string(kJobWrites), .where = file}));
  }
  for (const Note& doubt : first_run_doubts(spec_, points_, point, run, tools_.earlier)) {
    KSTAR_CHECK(note(doubt));
  }
  if (of.given_up) {
    return note({.severity = Severity::kError,
                 .what = "given-up",
                 .where = point_name(of.role, of.workers, of.inside),
                 .values = {{"failed", of.failures}}});
  }
  return {};
}

Result<void> MeasureLoop::judge() {
  for (MeasurePoint& point : points_) {
    const bool looks = !spec_.warm_up_runs && !point.inside;
    if (looks) point.warm_up = find_warm_up_runs(point.times).length;
  }
  KSTAR_TRY(const std::vector<RunPrecision> verdicts, judge_points(spec_, points_));
  for (std::size_t i = 0; i < points_.size(); ++i) {
    MeasurePoint& point = points_[i];
    if (point.inside || point.times.empty()) continue;
    point.verdict = verdicts[i];
    point.done = spec_.runs ? point.times.size() >= static_cast<std::size_t>(*spec_.runs)
                            : point.verdict->done;
  }
  return {};
}

bool MeasureLoop::over_budget() const {
  return (spec_.budget_seconds && count_.seconds >= *spec_.budget_seconds) ||
         (spec_.budget_worker_hours && count_.worker_seconds / 3600 >= *spec_.budget_worker_hours);
}

MeasureEnd MeasureLoop::end() const {
  if (tools_.stop) return MeasureEnd::kInterrupted;
  const bool all = std::all_of(points_.begin(), points_.end(), [&](const MeasurePoint& point) {
    return point.done && (point.inside || spec_.runs || (point.verdict && point.verdict->precise));
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
  if (const Result<void> ended = blocks_.end(); result && !ended) return fail(ended.error());
  return result;
}

Result<void> MeasureLoop::finish_begun_block() {
  const BegunBlock begun = blocks_.begun();
  if (begun.number < 0) return {};
  // A point of that block which had not begun is as far behind: it runs in the next one.
  count_.block = begun.number;
  if (Result<void> ran = blocks_.run(count_.block, begun.points, *this); !ran) return ran;
  ++count_.block;
  return judge();
}

Result<MeasureResult> MeasureLoop::run_blocks() {
  KSTAR_CHECK(judge());
  KSTAR_CHECK(finish_begun_block());
  for (std::vector<std::size_t> block = next_block(); !block.empty(); block = next_block()) {
    KSTAR_CHECK(blocks_.run(count_.block, block, *this));
    if (tools_.stop || over_budget()) {
      KSTAR_CHECK(judge());
      break;
    }
    ++count_.block;
    // A block is a run of each: nothing can be done before as many blocks.
    if (spec_.runs && count_.block < *spec_.runs) continue;
    KSTAR_CHECK(judge());
  }
  return result();
}

}  // namespace

std::unique_ptr<BlockLoop> block_loop(const MeasureSpec& spec, const StudyHeader& header,
                                      MeasureTools tools) {
  return std::make_unique<MeasureLoop>(spec, header, std::move(tools));
}

bool is_of(const Run& run, const MeasurePoint& point) {
  return run.role == point.role && run.workers == point.workers && is_profiled(run) == point.inside;
}

Result<std::vector<RunPrecision>> judge_points(const MeasureSpec& spec,
                                               const std::vector<MeasurePoint>& points) {
  std::vector<std::vector<double>> groups;
  for (const MeasurePoint& point : points) {
    std::vector<double>& group = groups.emplace_back();
    if (point.inside) continue;
    // Warm-up by flag is not among the times.
    const std::size_t found = spec.warm_up_runs ? 0 : std::min(point.warm_up, point.times.size());
    group.assign(point.times.begin() + static_cast<std::ptrdiff_t>(found), point.times.end());
  }
  StoppingRule rule{.precision = spec.precision, .confidence = spec.confidence};
  rule.max_runs = std::max<std::size_t>(2, static_cast<std::size_t>(spec.max_runs));
  rule.min_runs = std::min(rule.min_runs, rule.max_runs);
  return judge_all(groups, rule);
}

Result<MeasureResult> measure(const MeasureSpec& spec, const StudyHeader& header,
                              MeasureTools tools) {
  MeasureLoop loop(spec, header, tools);
  KSTAR_CHECK(loop.prepare());
  return loop.run();
}

}  // namespace kstar
