#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/duration.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/program.h"
#include "kstar/host.h"
#include "kstar/roofline_program.h"
#include "kstar/stats.h"
#include "measure/marks.h"
#include "roofline/readers.h"

namespace kstar {

namespace {

/// A folder that is gone at the end.
class OwnFolder {
 public:
  static Result<OwnFolder> make() {
    std::error_code problem;
    const std::filesystem::path base = std::filesystem::temp_directory_path(problem);
    std::string path = (problem ? std::filesystem::path("/tmp") : base) / "kstar-roofline-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return fail(file_error(path, "create a folder", errno));
    }
    return OwnFolder(std::move(path));
  }
  OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  OwnFolder& operator=(OwnFolder&&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit OwnFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Seconds: below, starting a program is a large part of its run.
constexpr double kShort = 0.02;

/// One run of the program.
struct ProgramRun {
  double seconds = 0;  ///< of a step, or of all of it
  bool steps = false;
  double cpus = 1;              ///< in use
  std::optional<double> cpu;    ///< seconds on the CPUs, of all of it
  double system = 0;            ///< of these, in the kernel of the operating system
  double counted = 0;           ///< seconds of all steps, or of all of it
  double wall = 0, waited = 0;  ///< of all of it; of its threads, ready without a CPU
  std::optional<double> flops, bytes;
};

Error failed_run(const std::vector<std::string>& command, const Outcome& outcome) {
  const std::string how = outcome.exit_status ? fmt::format("exit status {}", *outcome.exit_status)
                          : outcome.signal    ? fmt::format("signal {}", *outcome.signal)
                                              : std::string("not to its end");
  const std::string& text = outcome.error_output.empty() ? outcome.output : outcome.error_output;
  std::string last =
      printable(trim(text.substr(text.size() - std::min<std::size_t>(text.size(), 300))));
  return {.where = printable(command.front()),
          .message = fmt::format("the program failed: {}", how),
          .hint = last.empty() ? "" : "its last output: " + last};
}

std::optional<double> per_step(const std::vector<double>& workers, std::size_t steps) {
  if (workers.empty()) return std::nullopt;
  const double sum = std::accumulate(workers.begin(), workers.end(), 0.0);
  return sum / static_cast<double>(std::max<std::size_t>(steps, 1));
}

Result<ProgramRun> run_once(Executor& executor, const std::vector<std::string>& command) {
  KSTAR_TRY(const OwnFolder folder, OwnFolder::make());
  const Moment before = read_clocks();
  KSTAR_TRY(const Outcome outcome,
            executor.run({.command = command, .marks_folder = folder.path()}));
  if (outcome.interrupted) {
    return fail({.where = "roofline", .message = "interrupted", .code = ExitCode::kInterrupted});
  }
  if (outcome.exit_status.value_or(1) != 0) return fail(failed_run(command, outcome));
  ProgramRun run{.seconds = outcome.wall};
  const double cpu = outcome.usage.cpu_user.value_or(0) + outcome.usage.cpu_system.value_or(0);
  if (outcome.wall > 0 && cpu > 0) run.cpus = cpu / outcome.wall;
  if (outcome.usage.cpu_user) run.cpu = cpu;
  run.system = outcome.usage.cpu_system.value_or(0);
  run.counted = outcome.wall;
  run.wall = outcome.wall;
  run.waited = outcome.usage.cpu_wait.value_or(0);
  KSTAR_TRY(const std::vector<WorkerMarks> marks, read_marks(folder.path()));
  if (marks.empty()) return run;
  const MarkedRun marked = combine_marks(marks, before);
  const auto warm = static_cast<std::size_t>(std::max(0, marked.warm_up_steps.value_or(0)));
  if (marked.steps.size() > warm) {
    const std::size_t count = marked.steps.size() - warm;
    run.counted = std::accumulate(marked.steps.begin() + static_cast<std::ptrdiff_t>(warm),
                                  marked.steps.end(), 0.0);
    run.seconds = run.counted / static_cast<double>(count);
    run.steps = true;
    run.cpus = static_cast<double>(marks.size());
    run.flops = per_step(marked.per_worker.flops, count);
    run.bytes = per_step(marked.per_worker.bytes, count);
  }
  return run;
}

/// Events by the maker of the processor; those that it does not have make perf refuse all.
std::string counter_events() {
  std::string events = "duration_time,cache-misses";
#if defined(__x86_64__)
  if (__builtin_cpu_is("intel") != 0) {
    for (const char* width : {"scalar", "128b_packed", "256b_packed", "512b_packed"}) {
      events +=
          fmt::format(",fp_arith_inst_retired.{0}_double,fp_arith_inst_retired.{0}_single", width);
    }
  } else if (__builtin_cpu_is("amd") != 0) {
    events += ",fp_ret_sse_avx_ops.all";
  }
#endif
  return events;
}

/// What hardware counters say of one more run; why they say nothing is a note.
void add_counters(Executor& executor, const ProgramQuestion& question, RooflineProfile& profile) {
  RooflineKernel& kernel = profile.kernels.front();
  constexpr const char* kNone =
      "hardware counters are not available here (usual in virtual machines and containers)";
  const std::string perf = find_program("perf");
  const auto give_up = [&] {
    profile.notes.emplace_back(perf.empty() ? "perf is not installed: nothing was counted" : kNone);
  };
  if (perf.empty()) return give_up();
  const Result<OwnFolder> folder = OwnFolder::make();
  if (!folder) return give_up();
  const std::string file = folder->path() + "/perf.csv";
  std::vector<std::string> command = {perf, "stat", "-x", ";", "-e", counter_events(),
                                      "-o", file,   "--"};
  command.insert(command.end(), question.command.begin(), question.command.end());
  const Result<Outcome> outcome = executor.run({.command = command});
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  const Result<FileText> text = read_file(file, kMost);
  if (!outcome || !text) return give_up();
  const roofline::Input input = roofline::make_input(text->view(), file);
  const Result<RooflineProfile> counted = roofline::kPerfStatFormat.read(input);
  if (!counted || (!counted->kernels.front().flops && counted->kernels.front().bytes.empty())) {
    return give_up();
  }
  const RooflineKernel& found = counted->kernels.front();
  if (!kernel.flops && found.flops) {
    kernel.flops = found.flops;
    kernel.precision = found.precision;
  }
  if (kernel.bytes.empty()) {
    kernel.bytes = found.bytes;
    kernel.missing = found.missing;  // cache misses are a part of what was moved
  }
  for (const std::string& note : counted->notes) profile.notes.push_back(note);
}

void say_unknown(bool steps, RooflineKernel& kernel) {
  const char* one = steps ? "step" : "run";
  if (!kernel.flops && kernel.bytes.empty()) {
    kernel.missing = fmt::format(
        "operations and bytes are not known: give them with --flops and --bytes (per {}), or mark "
        "them (kstar_mark_flops, kstar_mark_bytes)",
        one);
  } else if (!kernel.flops) {
    kernel.missing = fmt::format("operations are not known: --flops (per {})", one);
  } else if (kernel.bytes.empty()) {
    kernel.missing = fmt::format("bytes are not known: --bytes (per {})", one);
  }
}

std::optional<double> mean_of(const std::vector<ProgramRun>& runs,
                              std::optional<double> ProgramRun::*quantity) {
  double sum = 0;
  for (const ProgramRun& run : runs) {
    if (!(run.*quantity)) return std::nullopt;
    sum += *(run.*quantity);
  }
  return sum / static_cast<double>(runs.size());
}

/// Of the time that its threads could have run.
double share_of_time(const std::vector<ProgramRun>& runs, double ProgramRun::*seconds) {
  double part = 0, all = 0;
  for (const ProgramRun& run : runs) {
    part += run.*seconds;
    all += run.wall * std::max(1.0, std::round(run.cpus));
  }
  return all > 0 ? std::min(1.0, part / all) : 0;
}

/// Other jobs make its times too long.
void doubt_waits(const std::vector<ProgramRun>& runs, RooflineProfile& profile) {
  constexpr double kLittle = 0.05;
  const double waited = share_of_time(runs, &ProgramRun::waited);
  if (waited < kLittle) return;
  profile.doubts.push_back(fmt::format(
      "The program was kept from the CPUs for {} of the time: it took too long, and its shares are "
      "too small. Run it again when the machine is quiet.",
      percent(waited, 0)));
}

/// At most: what steps used of the CPUs is not known apart from the rest of the run.
std::optional<double> active_share(const std::vector<ProgramRun>& runs, int threads) {
  double active = 0, all = 0;
  for (const ProgramRun& run : runs) {
    if (!run.cpu) return std::nullopt;
    active += *run.cpu + run.waited;
    all += run.counted * threads;
  }
  if (all <= 0) return std::nullopt;
  return std::min(1.0, active / all);
}

/// Of a whole run that is this short, starting the program is more than a twentieth.
void doubt_short(const std::vector<ProgramRun>& runs, double seconds, RooflineProfile& profile) {
  if (runs.front().steps || seconds >= kShort) return;
  profile.doubts.push_back(fmt::format(
      "It runs for {}, of which starting it is a large part: its shares are too small. Give it "
      "more to do, or mark its steps.",
      time_text(seconds)));
}

/// Memory that is touched for the first time, files: not what --flops and --bytes count.
void doubt_system(const std::vector<ProgramRun>& runs, RooflineProfile& profile) {
  constexpr double kMuch = 0.1;
  const double system = share_of_time(runs, &ProgramRun::system);
  if (runs.front().steps || system < kMuch) return;
  profile.doubts.push_back(
      fmt::format("{} of its time was the operating system's (memory that is used for the first "
                  "time, files): its shares are too small. Give it more to do, or mark its steps.",
                  percent(system, 0)));
}

}  // namespace

Result<RooflineProfile> run_program(Executor& executor, const ProgramQuestion& question) {
  std::vector<ProgramRun> runs;
  for (int i = 0; i < question.runs; ++i) {
    KSTAR_TRY(ProgramRun run, run_once(executor, question.command));
    runs.push_back(std::move(run));
  }
  std::vector<double> seconds;
  double cpus = 0;
  for (const ProgramRun& run : runs) {
    seconds.push_back(run.seconds);
    cpus = std::max(cpus, run.cpus);
  }
  KSTAR_TRY(const Estimate time, estimate_geometric_mean(seconds));  // never below 0
  RooflineProfile profile;
  const bool steps = runs.front().steps;
  profile.source = steps ? "per step, by marks" : "the whole run";
  const Environment here = this_environment();
  if (!here.hosts.empty()) profile.device = here.hosts[0].cpu;
  doubt_waits(runs, profile);
  doubt_short(runs, time.point, profile);
  if (time.point >= kShort) doubt_system(runs, profile);
  RooflineKernel kernel;
  for (const std::string& word : question.command) {
    kernel.name += (kernel.name.empty() ? "" : " ") + printable(word);
  }
  kernel.seconds = time.point;
  kernel.time = time;
  kernel.threads =
      question.threads > 0 ? question.threads : std::max(1, static_cast<int>(std::lround(cpus)));
  if (steps || time.point >= kShort) kernel.active = active_share(runs, kernel.threads);
  kernel.precision = question.precision;
  kernel.flops = question.flops ? question.flops : mean_of(runs, &ProgramRun::flops);
  const std::optional<double> bytes =
      question.bytes ? question.bytes : mean_of(runs, &ProgramRun::bytes);
  if (bytes) kernel.bytes.push_back({"memory", *bytes});
  profile.kernels.push_back(std::move(kernel));
  RooflineKernel& placed = profile.kernels.front();
  if (question.counters && !steps && !placed.flops && placed.bytes.empty()) {
    add_counters(executor, question, profile);
  }
  say_unknown(steps, placed);
  return profile;
}

}  // namespace kstar
