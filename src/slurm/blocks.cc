#include "slurm/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "kstar/placeholders.h"
#include "measure/point.h"
#include "slurm/parts.h"

namespace kstar {

namespace {

/// So often one run is tried again when the cluster loses it.
constexpr int kAttempts = 4;

/// How long a network file system may take to show what a job wrote.
constexpr double kFileLag = 30;
constexpr double kFailedLag = 10;  ///< of a job that may well have written nothing
constexpr double kLookAgain = 0.2;

/// How long cancelled jobs are waited for: a job has KillWait (30 s unless set) to end itself.
constexpr double kCancelling = 90;

/// Besides the run's own time limit: for srun, and to write the study.
constexpr double kMargin = 120;

TakeNote taker(BlockKeeper& keeper) {
  return [&keeper](const Note& note) { return keeper.note(note); };
}

bool is_good(const JobPart& part) {
  return part.run && !failed(*part.run);
}

/// "3 jobs: 1 runs, 2 wait (Resources)".
std::string queue_words(const std::vector<QueuedJob>& queue, std::size_t unsubmitted) {
  std::size_t pending = 0;
  std::set<std::string> reasons;
  for (const QueuedJob& job : queue) {
    if (job.state != "PENDING") continue;
    ++pending;
    if (!job.reason.empty() && job.reason != "None") reasons.insert(job.reason);
  }
  std::string words =
      fmt::format("{}: {} running", count_text(queue.size(), "job"), queue.size() - pending);
  if (pending > 0) words += fmt::format(", {} waiting", pending);
  if (!reasons.empty()) words += fmt::format(" ({})", fmt::join(reasons, ", "));
  if (unsubmitted > 0) words += fmt::format("; {} more to submit", unsubmitted);
  return words;
}

std::vector<std::string> ids_of(const std::vector<QueuedJob>& jobs) {
  std::vector<std::string> ids;
  for (const QueuedJob& job : jobs) ids.push_back(job.id);
  return ids;
}

}  // namespace

SlurmBlocks::SlurmBlocks(const MeasureSpec& spec, const StudyHeader& header, std::string program,
                         Executor& executor, const std::atomic<bool>& stop, WatchClock clock)
    : spec_(spec),
      program_(std::move(program)),
      executor_(executor),
      stop_(stop),
      clock_(std::move(clock)),
      client_(executor),
      parts_(spec.output),
      patience_(spec.patience, clock_),
      submit_patience_(spec.patience, clock_),
      tag_(study_tag(parts_, header)) {}

std::optional<std::size_t> SlurmBlocks::point_of(const PartName& part) const {
  const auto found = std::find(points_.begin(), points_.end(), std::pair(part.role, part.workers));
  if (found == points_.end()) return {};
  return static_cast<std::size_t>(found - points_.begin());
}

std::string SlurmBlocks::job_name(const PartName& part) const {
  return tag_ + part.text();
}

/// Our jobs that are in the queue. The ids come out of the study's file: a job with another name is
/// somebody else's.
SlurmAnswer<std::vector<QueuedJob>> SlurmBlocks::own_queue() {
  std::vector<std::string> ids;
  std::set<std::pair<std::string, std::string>> ours;
  for (const Job& job : jobs_) {
    ids.push_back(job.id);
    ours.emplace(job.id, job_name(job.part));
  }
  SlurmAnswer<std::vector<QueuedJob>> queue = client_.queue(std::move(ids));
  if (queue.value) {
    std::erase_if(*queue.value, [&](const QueuedJob& job) {
      return !ours.contains({job.id, job.name});
    });
  }
  return queue;
}

// --- Taking up the jobs of a study that goes on ---

Result<void> SlurmBlocks::prepare(const std::vector<MeasurePoint>& points, const Study& earlier) {
  KSTAR_TRY(auto check, make_answer_check(spec_, executor_));
  check_ = std::move(check);
  for (const MeasurePoint& point : points) points_.emplace_back(point.role, point.workers);
  // Also of a study that goes on: one that was finished has no folder any more.
  KSTAR_CHECK(parts_.create());
  if (earlier.name.empty())
    return try_points();  // later a node may be drained for a while; then jobs wait
  take_up_noted(earlier);
  return take_up_unnoted();
}

void SlurmBlocks::take_up_noted(const Study& earlier) {
  std::set<std::string> over;  // taken, or cancelled by us
  for (const Run& run : earlier.runs) over.insert(run.job);
  for (const NotedJob& job : noted_jobs(earlier, kJobCancelled)) {
    if (!is_good(parts_.read(job.part))) over.insert(job.id);
  }
  for (const NotedJob& noted : noted_jobs(earlier, kJobSubmitted)) {
    known_.insert(noted.part);
    const auto part = PartName::parse(noted.part);
    const auto point = part ? point_of(*part) : std::nullopt;
    if (!point || over.contains(noted.id)) continue;
    jobs_.push_back({.point = *point, .part = *part, .id = noted.id});
  }
}

Result<void> SlurmBlocks::take_up_unnoted() {
  std::vector<PartName> unknown = parts_.names();
  std::erase_if(unknown, [&](const PartName& part) { return known_.contains(part.text()); });
  if (unknown.empty()) return {};
  const SlurmAnswer<std::vector<QueuedJob>> named = client_.named(tag_);
  if (!named.value) {
    return fail({.where = "slurm",
                 .message = printable(named.trouble),
                 .hint = "jobs of this study may be in the queue: try again when Slurm answers"});
  }
  for (const PartName& part : unknown) {
    std::string id = parts_.id_of(part.text());
    for (const QueuedJob& job : *named.value) {
      if (job.name == job_name(part)) id = job.id;
    }
    const auto point = point_of(part);
    known_.insert(part.text());
    if (!id.empty() && point) {
      jobs_.push_back({.point = *point, .part = part, .id = id, .noted = false});
    } else {
      parts_.remove(part.text());  // it was written, and never submitted
    }
  }
  return {};
}

BegunBlock SlurmBlocks::begun() const {
  BegunBlock begun;
  for (const Job& job : jobs_) {
    begun.number = std::max(begun.number, job.part.block);
    begun.points.push_back(job.point);
  }
  return begun;
}

// --- Submitting ---

BatchJob SlurmBlocks::batch_job(const PartName& part) const {
  const std::string name = part.text();
  const Shape shape = part.role == Role::kBaseline ? Shape{} : shape_at(spec_, part.workers);
  return {.name = job_name(part),
          .nodes = shape.nodes,
          .ranks = shape.ranks,
          .threads = shape.threads,
          .seconds = spec_.time_limit > 0 ? spec_.time_limit + kMargin : 0,
          .id_file = parts_.file(name, "id"),
          .command = {program_, "measure", "--spec", parts_.file(name, "toml")}};
}

Result<void> SlurmBlocks::write_files(const PartName& part) const {
  const std::string name = part.text();
  const MeasureSpec spec = part_spec(spec_, part, parts_.file(name, "jsonl"));
  if (Result<void> written = parts_.write(name, "sh", batch_script(batch_job(part))); !written) {
    return written;
  }
  // Last: this one says that the part is there.
  return parts_.write(name, "toml", spec_toml(spec));
}

std::vector<std::string> SlurmBlocks::sbatch_words(const std::string& name) const {
  std::vector<std::string> words = spec_.submit_options;
  words.push_back("--output=" + batch_file_name(parts_.file(name, "out")));
  words.push_back(parts_.file(name, "sh"));
  return words;
}

/// Before the first job: a K that can never run is better known now than in an hour.
Result<void> SlurmBlocks::try_points() {
  const std::string name = "try";
  for (const auto& [role, workers] : points_) {
    const BatchJob job = batch_job({.role = role, .workers = workers});
    if (Result<void> written = parts_.write(name, "sh", batch_script(job)); !written) {
      return written;
    }
    std::vector<std::string> words = sbatch_words(name);
    words.insert(words.begin(), "--test-only");
    const std::string trouble = client_.would_submit(words);
    parts_.remove(name);
    if (trouble.empty()) continue;
    return fail(
        {.where = point_name(role, workers),
         .message =
             fmt::format("Slurm rejected its job: {}",
                         printable(fmt::format("{}", fmt::join(split(trim(trouble), '\n'), "; ")))),
         .hint = "--submit-options sets the partition and the account; sinfo shows the nodes"});
  }
  return {};
}

Result<void> SlurmBlocks::add_job(Job job, BlockKeeper& keeper) {
  const std::string where =
      fmt::format("{}, block {}", point_name(job.part.role, job.part.workers), job.part.block);
  known_.insert(job.part.text());
  Result<void> noted = keeper.note({.severity = Severity::kInfo,
                                    .what = std::string(kJobSubmitted),
                                    .where = where,
                                    .values = job_values({job.id, job.part.text()})});
  job.noted = true;
  jobs_.push_back(std::move(job));
  return noted;
}

/// The first try at a point in this block that has not been used.
PartName SlurmBlocks::next_part(std::size_t point) const {
  PartName part{.block = block_, .role = points_[point].first, .workers = points_[point].second};
  while (known_.contains(part.text())) ++part.attempt;
  return part;
}

/// The id of a job that sbatch submitted without saying so; empty when it did not.
SlurmAnswer<std::string> SlurmBlocks::find_unsure(const PartName& part) {
  const SlurmAnswer<std::vector<QueuedJob>> named = client_.named(tag_);
  if (!named.value) return {.value = {}, .trouble = named.trouble, .refused = named.refused};
  std::string id = parts_.id_of(part.text());
  for (const QueuedJob& job : *named.value) {
    if (job.name == job_name(part)) id = job.id;
  }
  return {.value = std::move(id), .trouble = "", .refused = false};
}

Result<SlurmBlocks::Submitted> SlurmBlocks::submit(std::size_t point, BlockKeeper& keeper) {
  const PartName part = next_part(point);
  SlurmAnswer<std::string> id{.value = "", .trouble = "", .refused = false};
  if (unsure_ == part) {
    id = find_unsure(part);
  } else if (Result<void> written = write_files(part); !written) {
    return fail(written.error());
  }
  if (id.value && id.value->empty()) id = client_.submit(sbatch_words(part.text()));
  if (!id.value) {
    unsure_ = part;
    // A limit on jobs in the queue is no silence: there is room again when others have ended.
    if (id.trouble.find("submit limit") != std::string::npos && !jobs_.empty()) {
      return Submitted::kLater;
    }
    KSTAR_CHECK(submit_patience_.silent(id.trouble, taker(keeper)));
    return Submitted::kLater;
  }
  unsure_.reset();
  KSTAR_CHECK(submit_patience_.answered(taker(keeper)));
  KSTAR_CHECK(add_job({.point = point, .part = part, .id = *id.value}, keeper));
  keeper.started(point);
  return Submitted::kYes;
}

Result<void> SlurmBlocks::submit_waiting(BlockKeeper& keeper) {
  const auto at_once = static_cast<std::size_t>(spec_.jobs_at_once.value_or(0));
  while (!waiting_.empty() && (at_once == 0 || jobs_.size() < at_once)) {
    const std::size_t point = waiting_.front();
    if (keeper.wanted(point)) {
      KSTAR_TRY(const Submitted submitted, submit(point, keeper));
      if (submitted == Submitted::kLater) return {};
      pace_.hasten();
    }
    waiting_.pop_front();
  }
  return {};
}

// --- Watching ---

Result<void> SlurmBlocks::look_at_jobs(BlockKeeper& keeper) {
  if (jobs_.empty()) return {};
  const SlurmAnswer<std::vector<QueuedJob>> queue = own_queue();
  if (!queue.value) return patience_.silent(queue.trouble, taker(keeper));
  const auto is_queued = [&](const Job& job) {
    return std::any_of(queue.value->begin(), queue.value->end(),
                       [&](const QueuedJob& queued) { return queued.id == job.id; });
  };
  for (std::size_t i = 0; i < jobs_.size();) {
    if (is_queued(jobs_[i])) {
      ++i;
      continue;
    }
    SlurmAnswer<JobEnd> end = client_.look_at(jobs_[i].id);
    if (!end.value) return patience_.silent(end.trouble, taker(keeper));
    if (end.value->name != job_name(jobs_[i].part)) end.value = JobEnd{};
    if (!end.value->state.empty() && !is_over(end.value->state)) {
      ++i;
      continue;
    }
    const Job job = jobs_[i];
    if (Result<void> ended = end_job(job, *end.value, keeper); !ended) return ended;
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
    pace_.hasten();
  }
  if (Result<void> told = patience_.answered(taker(keeper)); !told) return told;
  if (!jobs_.empty()) keeper.waits(queue_words(*queue.value, waiting_.size()));
  return {};
}

JobPart SlurmBlocks::read_part(const Job& job, const JobEnd& end) {
  const double lag = end.state == "COMPLETED" ? kFileLag : end.state == "FAILED" ? kFailedLag : 0;
  const double start = clock_.now();
  for (;;) {
    JobPart part = parts_.read(job.part.text());
    if (part.run || clock_.now() - start >= lag || stop_) return part;
    clock_.pause(kLookAgain);
  }
}

Result<void> SlurmBlocks::end_job(const Job& job, const JobEnd& end, BlockKeeper& keeper) {
  JobPart part = read_part(job, end);
  const bool by_cluster = is_cluster_fault(end.state) || (end.state.empty() && !part.run);
  for (const std::string& text : part.warnings) {
    if (!warned_.insert({job.point, text}).second) continue;
    const std::string where = point_name(job.part.role, job.part.workers);
    if (Result<void> noted = keeper.note({.severity = Severity::kWarning,
                                          .what = "launch",
                                          .where = where,
                                          .values = {{"warning", text}}});
        !noted) {
      return noted;
    }
  }
  if (is_good(part) || (part.run && !by_cluster)) {
    return keeper.take(job.point, run_of(job, end, std::move(part), keeper));
  }
  const bool again = by_cluster && job.part.attempt + 1 < kAttempts;
  Run run = keeper.numbered(job.point);
  run.session = session_of(job.id);
  run.job = job.id;
  run.lost = again;
  run.hosts = end.nodes;
  run.timed_out = end.state == "TIMEOUT";
  run.output = parts_.output(job.part.text());
  run.failure = fmt::format("{}: {}",
                            again        ? "the cluster lost the job"
                            : by_cluster ? fmt::format("lost by the cluster {} times", kAttempts)
                                         : fmt::format("job {} did not finish", job.id),
                            end_words(end));
  if (again) waiting_.push_front(job.point);
  return keeper.take(job.point, run);
}

Run SlurmBlocks::run_of(const Job& job, const JobEnd& end, JobPart part, BlockKeeper& keeper) {
  const Run numbered = keeper.numbered(job.point);
  Run run = std::move(*part.run);
  run.workers = numbered.workers;
  run.role = numbered.role;
  run.order = numbered.order;
  run.block = numbered.block;
  run.warm_up = numbered.warm_up;
  run.session = session_of(job.id);
  run.job = job.id;
  if (run.hosts.empty()) run.hosts = end.nodes;
  if (failed(run)) {
    // What Slurm did to the job says more than what the job saw of it.
    if (end.state != "COMPLETED" && end.state != "FAILED") {
      run.failure = fmt::format("job {}: {}{}{}", job.id, end_words(end),
                                run.failure.empty() ? "" : "; ", run.failure.str());
    }
  } else if (check_ && !part.answer.empty()) {
    if (const Result<void> right = check_->compare(part.answer, run); !right) {
      run.failure = right.error().message;
    }
  }
  return run;
}

// --- The end ---

Result<void> SlurmBlocks::cancel_all(BlockKeeper& keeper) {
  waiting_.clear();
  // Noted first: whoever goes on must not take our cancelling for somebody else's.
  for (const Job& job : jobs_) {
    if (Result<void> noted = keeper.note({.severity = Severity::kInfo,
                                          .what = std::string(kJobCancelled),
                                          .where = point_name(job.part.role, job.part.workers),
                                          .values = job_values({job.id, job.part.text()})});
        !noted) {
      return noted;
    }
  }
  const double start = clock_.now();
  bool cancelled = false;
  while (!jobs_.empty() && clock_.now() - start < kCancelling) {
    const SlurmAnswer<std::vector<QueuedJob>> queue = own_queue();
    if (queue.value && queue.value->empty()) break;
    if (queue.value && !cancelled)
      cancelled = client_.cancel(ids_of(*queue.value)).value.has_value();
    clock_.rest(kLookAgain);
  }
  for (const Job& job : jobs_) {
    JobPart part = parts_.read(job.part.text());
    if (!is_good(part)) continue;
    if (Result<void> taken = keeper.take(job.point, run_of(job, {}, std::move(part), keeper));
        !taken) {
      return taken;
    }
  }
  jobs_.clear();
  return {};
}

Result<void> SlurmBlocks::run(int block, const std::vector<std::size_t>& points,
                              BlockKeeper& keeper) {
  block_ = block;
  waiting_.clear();
  std::vector<Job> begun = std::exchange(jobs_, {});
  for (Job& job : begun) {
    if (job.noted) {
      jobs_.push_back(std::move(job));
    } else if (Result<void> added = add_job(std::move(job), keeper); !added) {
      return added;
    }
  }
  for (const std::size_t point : points) {
    if (std::none_of(jobs_.begin(), jobs_.end(),
                     [&](const Job& job) { return job.point == point; })) {
      waiting_.push_back(point);
    }
  }
  pace_.hasten();
  while (!jobs_.empty() || !waiting_.empty()) {
    if (Result<void> submitted = submit_waiting(keeper); !submitted) return submitted;
    if (stop_) return cancel_all(keeper);
    if (Result<void> looked = look_at_jobs(keeper); !looked) return looked;
    if (!jobs_.empty() || !waiting_.empty()) clock_.pause(pace_.next());
  }
  return {};
}

}  // namespace kstar
