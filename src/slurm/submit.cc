#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "kstar/measure_session.h"
#include "kstar/placeholders.h"
#include "kstar/slurm_submit.h"
#include "kstar/study_file.h"
#include "launch/patience.h"
#include "launch/slurm_client.h"
#include "slurm/blocks.h"
#include "slurm/parts.h"
#include "slurm/replaced_study.h"
#include "slurm/script.h"

namespace kstar {

namespace {

constexpr double kPackMargin = 300;     ///< besides the budget: for srun, and to write the study
constexpr double kPackCancelling = 90;  ///< a job has KillWait (30 s unless set) to end itself
constexpr std::chrono::seconds kLockPatience{30};

/// One job that measures a study.
class Packed {
 public:
  Packed(const MeasureSpec& spec, const StudyHeader& header, const SubmitTools& tools,
         MeasureObserver& observer)
      : spec_(spec),
        tools_(tools),
        observer_(observer),
        clock_(watch_clock(tools.stop)),
        client_(tools.executor),
        parts_(spec.output),
        patience_(spec.patience, clock_),
        tag_(study_tag(parts_, header)) {}

  Result<PackEnd> run();

 private:
  /// The job that is in the queue, or has ended since kstar looked last.
  Result<void> find_job(const Study& study);
  Result<void> submit();
  Result<JobEnd> watch();
  SlurmAnswer<std::vector<QueuedJob>> own_queue();
  Result<void> cancel();
  Result<PackEnd> close(const JobEnd& end);
  std::string say_progress(const std::vector<QueuedJob>& queue) const;
  TakeNote note_taker() {
    return [this](const Note& note) {
      observer_.noted(note);
      return Result<void>();
    };
  }

  const MeasureSpec& spec_;
  const SubmitTools& tools_;
  MeasureObserver& observer_;
  WatchClock clock_;
  SlurmClient client_;
  SlurmParts parts_;
  Patience patience_;
  std::string tag_;
  NotedJob job_;  ///< its id is empty when there is none
  int attempts_ = 0;
  bool noted_ = true;
  bool cancelled_ = false;
};

Error slurm_error(const std::string& trouble) {
  return {.where = "slurm", .message = printable(trouble)};
}

/// An allocation in which every K has room.
Shape largest_shape(const MeasureSpec& spec) {
  Shape largest;
  int on_a_node = 1;
  for (const std::int64_t k : spec.workers) {
    const Shape shape = shape_at(spec, k);
    largest.nodes = std::max(largest.nodes, shape.nodes);
    largest.ranks = std::max(largest.ranks, shape.ranks);
    on_a_node = std::max(on_a_node, shape.on_a_node());
  }
  largest.threads = (on_a_node + largest.ranks - 1) / largest.ranks;
  return largest;
}

Result<void> Packed::find_job(const Study& study) {
  const std::vector<NotedJob> ended = noted_jobs(study, kJobEnded);
  for (const NotedJob& job : noted_jobs(study, kJobSubmitted)) {
    ++attempts_;
    if (std::find(ended.begin(), ended.end(), job) == ended.end()) job_ = job;
  }
  if (!job_.id.empty()) return {};
  // One that was submitted, and could not be noted any more.
  const auto named = client_.named(tag_ + std::string(kPackPart));
  if (!named.value) return fail(slurm_error(named.trouble));
  for (const QueuedJob& job : *named.value) {
    if (is_over(job.state)) continue;
    NotedJob found{.id = job.id, .part = job.name.substr(tag_.size())};
    if (!is_job_id(found.id) || !is_part_name(found.part)) continue;
    job_ = std::move(found);
    noted_ = false;
  }
  return {};
}

Result<void> Packed::submit() {
  if (Result<void> created = parts_.create(); !created) return created;
  job_.part = fmt::format("{}{}", kPackPart, attempts_);
  MeasureSpec inner = spec_;
  inner.submit = false;
  inner.pack = false;
  inner.output = parts_.folder().substr(0, parts_.folder().size() - std::string(".jobs").size());
  const Shape shape = largest_shape(spec_);
  const std::string script =
      batch_script({.name = tag_ + job_.part,
                    .nodes = shape.nodes,
                    .ranks = shape.ranks,
                    .threads = shape.threads,
                    .seconds = spec_.budget_seconds ? *spec_.budget_seconds + kPackMargin : 0,
                    .id_file = parts_.file(job_.part, "id"),
                    .command = {tools_.program, "measure", "--spec", parts_.file(job_.part, "toml"),
                                "--resume"}});
  if (Result<void> written = parts_.write(job_.part, "sh", script); !written) return written;
  if (Result<void> written = parts_.write(job_.part, "toml", spec_toml(inner)); !written) {
    return written;
  }
  // Held until it is noted: the study has one writer at a time, and that is the job then.
  std::vector<std::string> words = spec_.submit_options;
  words.push_back("--hold");
  words.push_back("--output=" + batch_file_name(parts_.file(job_.part, "out")));
  words.push_back(parts_.file(job_.part, "sh"));
  const SlurmAnswer<std::string> id = client_.submit(words);
  if (!id.value) return fail(slurm_error(id.trouble));
  job_.id = *id.value;
  noted_ = false;
  return {};
}

std::string Packed::say_progress(const std::vector<QueuedJob>& queue) const {
  if (queue.empty()) return "";
  const QueuedJob& job = queue.front();
  if (job.state == "PENDING") return fmt::format("job {} waits ({})", job.id, job.reason);
  const Result<Study> study = load_study(spec_.output);
  const std::size_t runs = study ? study->runs.size() : 0;
  return fmt::format("job {} is measuring: {} so far", job.id, count_text(runs, "run"));
}

Result<JobEnd> Packed::watch() {
  Pace pace;
  for (;;) {
    if (tools_.stop) {
      cancelled_ = true;
      KSTAR_CHECK(cancel());
    }
    const auto queue = own_queue();
    auto end =
        queue.value && queue.value->empty() ? client_.look_at(job_.id) : SlurmAnswer<JobEnd>{};
    if (end.value && end.value->name != tag_ + job_.part) end.value = JobEnd{};
    const bool silent = !queue.value || (queue.value->empty() && !end.value);
    if (silent && cancelled_) return JobEnd{};
    KSTAR_CHECK(silent ? patience_.silent(queue.trouble + end.trouble, note_taker())
                       : patience_.answered(note_taker()));
    if (end.value && (end.value->state.empty() || is_over(end.value->state))) return *end.value;
    if (queue.value) observer_.waits(say_progress(*queue.value));
    clock_.pause(pace.next());
  }
}

/// The job while it is in the queue. A job of the same number and another name is not ours.
SlurmAnswer<std::vector<QueuedJob>> Packed::own_queue() {
  auto queue = client_.queue({job_.id});
  if (queue.value) {
    std::erase_if(*queue.value, [&](const QueuedJob& job) { return job.name != tag_ + job_.part; });
  }
  return queue;
}

Result<void> Packed::cancel() {
  const double start = clock_.now();
  bool cancelled = false;
  while (clock_.now() - start < kPackCancelling) {
    const auto queue = own_queue();
    if (queue.value && queue.value->empty()) return {};
    if (queue.value && !cancelled) cancelled = client_.cancel({job_.id}).value.has_value();
    clock_.rest(0.2);
  }
  return fail({.where = "slurm",
               .message = fmt::format("job {} was cancelled, and is still in the queue", job_.id),
               .hint = "squeue shows it"});
}

Result<PackEnd> Packed::close(const JobEnd& end) {
  KSTAR_TRY(ResumedStudy study, StudyWriter::resume(spec_.output, kLockPatience));
  KSTAR_CHECK(study.writer.append(Note{.severity = Severity::kInfo,
                                       .what = std::string(kJobEnded),
                                       .where = end_words(end),
                                       .values = job_values(job_)}));
  KSTAR_CHECK(study.writer.sync());
  const auto& notes = study.study.notes;
  const bool given_up = std::any_of(notes.begin(), notes.end(),
                                    [](const Note& note) { return note.what == "given-up"; });
  PackEnd closed{.done = end.state == "COMPLETED" ||
                         (given_up && end.state == "FAILED" && end.exit_code == "1:0"),
                 .given_up = given_up && end.state == "FAILED",
                 .interrupted = cancelled_ && end.state != "COMPLETED",
                 .job = job_.id,
                 .words = end_words(end),
                 .output = parts_.output(job_.part)};
  if (closed.done || closed.interrupted) parts_.remove(job_.part);
  parts_.remove_if_empty();
  return closed;
}

Result<PackEnd> Packed::run() {
  {
    Result<ResumedStudy> study = StudyWriter::resume(spec_.output, std::chrono::seconds(2));
    // A job that runs has the study: then its id is in there.
    KSTAR_TRY(const Study seen, study ? Result<Study>(study->study) : load_study(spec_.output));
    KSTAR_CHECK(find_job(seen));
    if (job_.id.empty()) {
      if (!study) return fail(study.error());
      KSTAR_CHECK(submit());
    }
    if (!noted_) {
      if (!study) return fail(study.error());
      Result<void> noted = study->writer.append(Note{.severity = Severity::kInfo,
                                                     .what = std::string(kJobSubmitted),
                                                     .where = "the whole study",
                                                     .values = job_values(job_)});
      if (noted) noted = study->writer.sync();
      if (!noted) return fail(noted.error());
    }
  }
  if (const auto queue = own_queue(); !queue.value || !queue.value->empty()) {
    static_cast<void>(client_.release(job_.id));
  }
  KSTAR_TRY(const JobEnd end, watch());
  return close(end);
}

/// The study's file, there and closed: while the job runs, it is the job's.
Result<StudyHeader> prepare_study(const MeasureSpec& spec, StudyHeader header, SessionStart start) {
  if (start != SessionStart::kResume) {
    KSTAR_TRY(MeasureSession made, MeasureSession::open(spec, header, start));
    KSTAR_CHECK(made.put_in_place_for_now());  // the job writes it, and not this process
    return header;
  }
  // Not opened for writing: a job that is under way has it for itself.
  KSTAR_TRY(const Study old, load_study(spec.output));
  KSTAR_CHECK(may_resume(old, header, spec.output));
  header.protocol.seed = old.header.protocol.seed;
  return header;
}

}  // namespace

Result<PackEnd> run_packed(const MeasureSpec& spec, const StudyHeader& header, SessionStart start,
                           const SubmitTools& tools, MeasureObserver& observer) {
  const bool replaces = start == SessionStart::kReplace && ::access(spec.output.c_str(), F_OK) == 0;
  KSTAR_TRY(const StudyHeader prepared, prepare_study(spec, header, start));
  Result<PackEnd> end = Packed(spec, prepared, tools, observer).run();
  return replaces ? settle_replaced(spec.output, std::move(end)) : end;
}

std::unique_ptr<BlockRunner> slurm_blocks(const MeasureSpec& spec, const StudyHeader& header,
                                          const SubmitTools& tools) {
  return std::make_unique<SlurmBlocks>(spec, header, tools.program, tools.executor, tools.stop,
                                       watch_clock(tools.stop));
}

Result<void> check_submit(const MeasureSpec& spec) {
  if (spec.pack && !spec.submit) {
    return fail({.where = "--pack",
                 .message = "expected --submit: this option is for submitted jobs",
                 .hint = "use both"});
  }
  if (!spec.submit) return {};
  if (!spec.hosts.empty()) {
    return fail({.where = "--hosts",
                 .message = "expected no hosts: Slurm chooses the nodes of a job",
                 .hint = "use --submit-options '-w n1,n2' to request certain nodes"});
  }
  if (spec.inside > 0 && !spec.pack) {
    return fail(
        {.where = "--inside",
         .message = "expected --pack with --submit: jobs of one run each cannot be profiled",
         .hint = "use --pack, or measure inside an allocation"});
  }
  return check_submit_options(spec.submit_options);
}

Result<void> may_submit() {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr) return {};
  return fail({.where = "--submit",
               .message = fmt::format("this is inside Slurm job {}", printable(job)),
               .hint = "omit --submit to measure in it, or submit from outside",
               .code = ExitCode::kUsage});
}

Result<void> drop_jobs(const std::string& study, const SubmitTools& tools) {
  const SlurmParts parts(study);
  std::error_code none;
  if (!std::filesystem::exists(parts.folder(), none)) return {};
  if (const Result<Study> old = load_study(study)) {
    SlurmClient client(tools.executor);
    const auto named = client.named(study_tag(parts, old->header));
    if (!named.value) return fail({.where = "slurm", .message = printable(named.trouble)});
    std::vector<std::string> ids;
    for (const QueuedJob& job : *named.value) {
      if (!is_over(job.state)) ids.push_back(job.id);
    }
    if (const auto cancelled = client.cancel(ids); !cancelled.value) {
      return fail({.where = "slurm", .message = printable(cancelled.trouble)});
    }
    for (const NotedJob& job : noted_jobs(*old, kJobSubmitted)) parts.remove(job.part);
  }
  for (const PartName& part : parts.names()) parts.remove(part.text());
  parts.remove_if_empty();
  return {};
}

}  // namespace kstar
