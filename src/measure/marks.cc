#include "measure/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/mark.h"

namespace kstar {

namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;

double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

/// Follows the records of one worker and fills its marks.
class Reader {
 public:
  Reader(WorkerMarks& marks, std::int64_t start) : marks_(marks), start_(start) {}

  /// False when nothing further can be read.
  bool take(const kstar_mark_record& record);
  bool closed() const { return closed_; }
  void complain(std::string problem) {
    if (marks_.problem.empty()) marks_.problem = std::move(problem);
  }

 private:
  void begin_step();
  void end_step();
  void begin_phase(double phase);
  void end_phase(double phase);
  void add(double amount, double WorkerMarks::*whole, double MarkedStep::*inside);
  void charge();
  static double* time_of(MarkedStep& step, double phase);

  WorkerMarks& marks_;
  std::int64_t start_;
  std::uint64_t passed_ = 0;  // of the last record
  double now_ = 0;
  double charged_ = 0;  // the step's time up to here belongs to its phases
  std::optional<MarkedStep> step_;
  std::vector<double> phases_;  // open ones, the innermost last
  bool closed_ = false;
};

bool Reader::take(const kstar_mark_record& record) {
  const std::uint64_t passed = record.stamp >> 8;
  if (passed < passed_) {
    complain("its time goes backwards: the rest is damaged");
    return false;
  }
  passed_ = passed;
  now_ = seconds(start_ + static_cast<std::int64_t>(passed));
  switch (record.stamp & 0xff) {
    case KSTAR_MARK_KIND_SETUP_END:
      marks_.setup_end = now_;
      break;
    case KSTAR_MARK_KIND_WARM_UP_END:
      marks_.warm_up_end = now_;
      break;
    case KSTAR_MARK_KIND_STEP_BEGIN:
      begin_step();
      break;
    case KSTAR_MARK_KIND_STEP_END:
      end_step();
      break;
    case KSTAR_MARK_KIND_PHASE_BEGIN:
      begin_phase(record.value);
      break;
    case KSTAR_MARK_KIND_PHASE_END:
      end_phase(record.value);
      break;
    case KSTAR_MARK_KIND_WORK:
      add(record.value, &WorkerMarks::work, &MarkedStep::work);
      break;
    case KSTAR_MARK_KIND_FLOPS:
      add(record.value, &WorkerMarks::flops, &MarkedStep::flops);
      break;
    case KSTAR_MARK_KIND_BYTES:
      add(record.value, &WorkerMarks::bytes, &MarkedStep::bytes);
      break;
    case KSTAR_MARK_KIND_CLOSE:
      closed_ = true;
      break;
    default:
      complain(fmt::format("it has marks of an unknown kind: {}", record.stamp & 0xff));
  }
  return !closed_;
}

void Reader::begin_step() {
  if (step_) complain(fmt::format("step {} began but never ended", marks_.steps.size()));
  step_ = MarkedStep{.begin = now_};
  phases_.clear();
}

void Reader::end_step() {
  if (!step_) return complain("a step ended that never began");
  charge();
  if (!phases_.empty()) complain("a phase was still open at the end of its step");
  phases_.clear();
  step_->end = now_;
  marks_.steps.push_back(*step_);
  step_.reset();
}

void Reader::begin_phase(double phase) {
  if (!step_) return;
  charge();
  charged_ = now_;
  phases_.push_back(phase);
}

void Reader::end_phase(double phase) {
  if (!step_) return;
  const auto open = std::find(phases_.rbegin(), phases_.rend(), phase);
  if (open == phases_.rend()) return complain("a phase ended that never began");
  charge();
  phases_.erase(std::prev(open.base()), phases_.end());
}

void Reader::add(double amount, double WorkerMarks::*whole, double MarkedStep::*inside) {
  if (!std::isfinite(amount)) return complain("the amount of work in a mark is not a number");
  marks_.*whole += amount;
  if (step_) (*step_).*inside += amount;
}

/// Gives the time since the last change of phase to the innermost open one.
void Reader::charge() {
  if (!phases_.empty()) {
    if (double* time = time_of(*step_, phases_.back())) *time += now_ - charged_;
  }
  charged_ = now_;
}

double* Reader::time_of(MarkedStep& step, double phase) {
  constexpr std::array kTimes = {&MarkedStep::compute, &MarkedStep::communicate, &MarkedStep::wait,
                                 &MarkedStep::load};  // in the order of kstar_mark_phase
  const bool known = phase >= 0 && phase < static_cast<double>(kTimes.size());
  return known ? &(step.*kTimes[static_cast<std::size_t>(phase)]) : nullptr;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == bytes.npos;
}

Result<void> check_header(const kstar_mark_header& header, const std::string& file) {
  if (header.version == 0x01000000) {
    return fail({.where = file, .message = "was written by a machine with another byte order"});
  }
  if (header.version != KSTAR_MARK_VERSION) {
    return fail(expected(file, fmt::format("marks of version {}", KSTAR_MARK_VERSION),
                         std::to_string(header.version), "a newer kstar may read them"));
  }
  if (header.header_size < sizeof header || header.record_size != sizeof(kstar_mark_record)) {
    return fail({.where = file, .message = "its header is damaged: impossible sizes"});
  }
  return {};
}

void read_header(const kstar_mark_header& header, WorkerMarks& marks) {
  marks.worker = header.worker;
  marks.host = text_of(header.host);
  marks.clock = text_of(header.boot);
  marks.start = seconds(header.monotonic);
  marks.clock_offset = seconds(header.realtime) - seconds(header.monotonic);
}

void read_records(std::string_view bytes, const kstar_mark_header& header, WorkerMarks& marks) {
  Reader reader(marks, header.monotonic);
  kstar_mark_record record{};
  std::size_t at = std::min<std::size_t>(header.header_size, bytes.size());
  for (; bytes.size() - at >= sizeof record; at += sizeof record) {
    std::memcpy(&record, bytes.data() + at, sizeof record);
    if (record.stamp == 0 || !reader.take(record)) break;
  }
  if (header.lost != 0) reader.complain("no space was left to grow: later marks are missing");
  if (!reader.closed()) {
    reader.complain("it was not closed: the program was killed, or ended without closing it");
  }
  marks.complete = reader.closed() && header.lost == 0 && marks.problem.empty();
}

using Workers = std::vector<const WorkerMarks*>;

/// What to add to a worker's times to have them on the caller's clock.
double shift_of(const WorkerMarks& worker, const Moment& spawn) {
  if (worker.clock == spawn.clock) return 0;
  return worker.clock_offset - (spawn.realtime - spawn.monotonic);
}

Note note(Severity severity, std::string what, std::string where, NoteValues values) {
  return {.severity = severity,
          .what = std::move(what),
          .where = std::move(where),
          .values = std::move(values)};
}

void note_files(const std::vector<WorkerMarks>& workers, const Moment& spawn, MarkedRun& run) {
  for (const WorkerMarks& worker : workers) {
    if (!worker.problem.empty()) {
      run.notes.push_back(
          note(Severity::kWarning, "marks-incomplete", worker.file, {{"problem", worker.problem}}));
    }
  }
  const auto elsewhere = std::count_if(workers.begin(), workers.end(), [&](const WorkerMarks& w) {
    return w.worker >= 0 && w.clock != spawn.clock;
  });
  if (elsewhere == 0) return;
  run.notes.push_back(note(Severity::kInfo, "marks-clocks", "",
                           {{"elsewhere", elsewhere}, {"workers", workers.size()}}));
}

/// The workers that can be compared step by step, in their order.
Workers workers_with_steps(const std::vector<WorkerMarks>& workers, MarkedRun& run) {
  Workers found;
  for (const WorkerMarks& worker : workers) {
    if (!worker.steps.empty()) found.push_back(&worker);
  }
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i]->worker != found[i - 1]->worker) continue;
    run.notes.push_back(note(Severity::kWarning, "marks-same-worker", found[i]->file,
                             {{"number", found[i]->worker}}));
  }
  if (!found.empty() && found.size() < workers.size()) {
    run.notes.push_back(
        note(Severity::kWarning, "marks-no-steps", "",
             {{"without", workers.size() - found.size()}, {"workers", workers.size()}}));
  }
  return found;
}

std::optional<double> setup_of(const std::vector<WorkerMarks>& workers, const Moment& spawn) {
  std::optional<double> last;
  for (const WorkerMarks& worker : workers) {
    std::optional<double> end = worker.setup_end;
    if (!end && !worker.steps.empty()) end = worker.steps.front().begin;
    if (!end) continue;
    const double since = *end + shift_of(worker, spawn) - spawn.monotonic;
    last = std::max(last.value_or(since), since);
  }
  return last;
}

std::size_t common_steps(const Workers& workers, MarkedRun& run) {
  if (workers.empty()) return 0;
  const auto [least, most] = std::minmax_element(
      workers.begin(), workers.end(),
      [](const auto* a, const auto* b) { return a->steps.size() < b->steps.size(); });
  const std::size_t count = (*least)->steps.size();
  if (count != (*most)->steps.size()) {
    run.notes.push_back(note(Severity::kWarning, "marks-uneven", (*least)->file,
                             {{"least", count}, {"most", (*most)->steps.size()}}));
  }
  return count;
}

double duration(const Workers& workers, std::size_t step, const Moment& spawn) {
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  for (const WorkerMarks* worker : workers) {
    const double shift = shift_of(*worker, spawn);
    first = std::min(first, worker->steps[step].begin + shift);
    last = std::max(last, worker->steps[step].end + shift);
  }
  return last - first;
}

std::optional<int> warm_up_of(const Workers& workers, std::size_t steps) {
  std::optional<int> count;
  for (const WorkerMarks* worker : workers) {
    if (!worker->warm_up_end) continue;
    const auto from = worker->steps.begin(), to = from + static_cast<std::ptrdiff_t>(steps);
    const auto before = std::count_if(
        from, to, [&](const MarkedStep& step) { return step.begin < *worker->warm_up_end; });
    count = std::max(count.value_or(0), static_cast<int>(before));
  }
  return count;
}

/// One quantity over the workers; empty when nobody marked it.
std::vector<double> sums(const Workers& workers, std::size_t from, std::size_t to,
                         double MarkedStep::*quantity) {
  std::vector<double> result;
  bool marked = false;
  for (const WorkerMarks* worker : workers) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += worker->steps[i].*quantity;
    marked = marked || sum != 0;
    result.push_back(sum);
  }
  return marked ? result : std::vector<double>{};
}

/// What was marked inside of steps or, where that is nothing, outside of them only; empty when
/// there is none.
std::vector<double> amounts(const Workers& workers, std::size_t from, std::size_t to,
                            double WorkerMarks::*whole, double MarkedStep::*inside) {
  std::vector<double> summed = sums(workers, from, to, inside);
  if (!summed.empty()) return summed;
  for (const WorkerMarks* worker : workers) summed.push_back(worker->*whole);
  const bool marked =
      std::any_of(summed.begin(), summed.end(), [](double amount) { return amount != 0; });
  const bool in_steps = std::any_of(workers.begin(), workers.end(), [&](const WorkerMarks* worker) {
    return std::any_of(worker->steps.begin(), worker->steps.end(),
                       [&](const MarkedStep& step) { return step.*inside != 0; });
  });
  return marked && !in_steps ? summed : std::vector<double>{};
}

PerWorker per_worker_of(const Workers& workers, std::size_t from, std::size_t to) {
  PerWorker all;
  for (const WorkerMarks* worker : workers) all.host.push_back(worker->host);
  all.compute = sums(workers, from, to, &MarkedStep::compute);
  all.communicate = sums(workers, from, to, &MarkedStep::communicate);
  all.wait = sums(workers, from, to, &MarkedStep::wait);
  all.load = sums(workers, from, to, &MarkedStep::load);
  all.work = amounts(workers, from, to, &WorkerMarks::work, &MarkedStep::work);
  all.flops = amounts(workers, from, to, &WorkerMarks::flops, &MarkedStep::flops);
  all.bytes = amounts(workers, from, to, &WorkerMarks::bytes, &MarkedStep::bytes);
  return all;
}

}  // namespace

Result<WorkerMarks> parse_marks(std::string_view bytes, const std::string& file) {
  constexpr std::string_view kMagic = KSTAR_MARK_MAGIC;
  WorkerMarks marks{.file = file};
  const std::string_view start = bytes.substr(0, sizeof(kstar_mark_header));
  if (is_zero(start)) {
    marks.problem =
        "it has no marks: the program was killed while opening it, or no space was left";
    return marks;
  }
  const bool named = start.substr(0, kMagic.size()) == kMagic.substr(0, start.size());
  if (!named && !is_zero(start.substr(0, kMagic.size()))) {
    return fail(expected(file, "a file of marks", shorten(printable(start.substr(0, 16)), 24)));
  }
  if (!named || start.size() < sizeof(kstar_mark_header)) {
    marks.problem = "its header is truncated";
    return marks;
  }
  kstar_mark_header header{};
  std::memcpy(&header, start.data(), sizeof header);
  KSTAR_CHECK(check_header(header, file));
  read_header(header, marks);
  read_records(bytes, header, marks);
  return marks;
}

Result<std::vector<WorkerMarks>> read_marks(const std::string& folder) {
  std::error_code problem;
  std::filesystem::directory_iterator entries(folder, problem);
  std::vector<WorkerMarks> all;
  for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
    if (entries->path().extension() != ".kmarks") continue;
    const std::string file = entries->path().string();
    KSTAR_TRY(const auto text, read_regular_file(file, kMostBytes));
    KSTAR_TRY(auto marks, parse_marks(text.view(), file));
    all.push_back(std::move(marks));
  }
  if (problem) return fail(file_error(folder, "read the marks", problem.value()));
  std::sort(all.begin(), all.end(), [](const WorkerMarks& a, const WorkerMarks& b) {
    return a.worker != b.worker ? a.worker < b.worker : a.file < b.file;
  });
  return all;
}

Moment read_clocks() {
  const kstar_mark_header header = kstar_mark_describe_(0);
  return {.monotonic = seconds(header.monotonic),
          .realtime = seconds(header.realtime),
          .clock = text_of(header.boot)};
}

MarkedRun combine_marks(const std::vector<WorkerMarks>& workers, const Moment& spawn) {
  MarkedRun run;
  note_files(workers, spawn, run);
  run.setup = setup_of(workers, spawn);
  const Workers stepping = workers_with_steps(workers, run);
  const std::size_t count = common_steps(stepping, run);
  for (std::size_t i = 0; i < count; ++i) run.steps.push_back(duration(stepping, i, spawn));
  run.warm_up_steps = warm_up_of(stepping, count);
  const auto warm = static_cast<std::size_t>(run.warm_up_steps.value_or(0));
  run.per_worker = per_worker_of(stepping, warm, count);
  return run;
}

}  // namespace kstar
