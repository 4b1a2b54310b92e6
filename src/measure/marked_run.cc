#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "measure/marks.h"

namespace kstar {

namespace {

using Workers = std::vector<const WorkerMarks*>;

/// What to add to a worker's times to have them on the caller's clock.
double shift_of(const WorkerMarks& worker, const Moment& spawn) {
  if (worker.clock == spawn.clock) return 0;
  return worker.clock_offset - (spawn.realtime - spawn.monotonic);
}

Note note(Severity severity, std::string what, std::string where, std::string text) {
  return {.severity = severity,
          .what = std::move(what),
          .where = std::move(where),
          .text = std::move(text)};
}

void note_files(const std::vector<WorkerMarks>& workers, const Moment& spawn, MarkedRun& run) {
  for (const WorkerMarks& worker : workers) {
    if (!worker.problem.empty()) {
      run.notes.push_back(
          note(Severity::kWarning, "marks-incomplete", worker.file, worker.problem));
    }
  }
  const auto elsewhere = std::count_if(workers.begin(), workers.end(), [&](const WorkerMarks& w) {
    return w.worker >= 0 && w.clock != spawn.clock;
  });
  if (elsewhere == 0) return;
  run.notes.push_back(note(Severity::kInfo, "marks-clocks", "",
                           fmt::format("{} of {} workers have another clock: their times are "
                                       "placed by the time of day",
                                       elsewhere, workers.size())));
}

/// The workers that can be compared step by step, in their order.
Workers workers_with_steps(const std::vector<WorkerMarks>& workers, MarkedRun& run) {
  Workers found;
  for (const WorkerMarks& worker : workers) {
    if (!worker.steps.empty()) found.push_back(&worker);
  }
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i]->worker != found[i - 1]->worker) continue;
    run.notes.push_back(
        note(Severity::kWarning, "marks-same-worker", found[i]->file,
             fmt::format("more than one worker calls itself worker {}", found[i]->worker)));
  }
  if (!found.empty() && found.size() < workers.size()) {
    run.notes.push_back(note(Severity::kWarning, "marks-no-steps", "",
                             fmt::format("{} of {} workers marked no whole step",
                                         workers.size() - found.size(), workers.size())));
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
    run.notes.push_back(
        note(Severity::kWarning, "marks-uneven", (*least)->file,
             fmt::format("workers marked {} to {} steps: only the first {} are used", count,
                         (*most)->steps.size(), count)));
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

/// Work that was marked outside of steps only; empty when there is none.
std::vector<double> work_outside(const Workers& workers) {
  std::vector<double> result;
  for (const WorkerMarks* worker : workers) result.push_back(worker->work);
  const bool marked =
      std::any_of(result.begin(), result.end(), [](double work) { return work != 0; });
  const bool inside = std::any_of(workers.begin(), workers.end(), [](const WorkerMarks* worker) {
    return std::any_of(worker->steps.begin(), worker->steps.end(),
                       [](const MarkedStep& step) { return step.work != 0; });
  });
  return marked && !inside ? result : std::vector<double>{};
}

PerWorker per_worker_of(const Workers& workers, std::size_t from, std::size_t to) {
  PerWorker all;
  for (const WorkerMarks* worker : workers) all.host.push_back(worker->host);
  all.compute = sums(workers, from, to, &MarkedStep::compute);
  all.communicate = sums(workers, from, to, &MarkedStep::communicate);
  all.wait = sums(workers, from, to, &MarkedStep::wait);
  all.load = sums(workers, from, to, &MarkedStep::load);
  all.work = sums(workers, from, to, &MarkedStep::work);
  if (all.work.empty()) all.work = work_outside(workers);
  return all;
}

}  // namespace

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
