#include "analysis/causes/worker_times.h"

#include <algorithm>
#include <numeric>

#include "analysis/causes/noise_floor.h"

namespace kstar::causes {

namespace {

bool whole(const std::vector<double>& values, std::size_t count) {
  return values.size() == count &&
         std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
}

/// What the hypervisor took falls on the timed part in proportion.
double stolen_of(const Run& run, double time) {
  if (!run.usage.cpu_stolen || !run.wall || !(*run.wall > 0)) return 0;
  return *run.usage.cpu_stolen * std::min(1.0, time / *run.wall);
}

std::vector<double> timed_steps(const Run& run) {
  const auto skip = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
  if (run.steps.size() <= skip) return {};
  return {run.steps.begin() + static_cast<std::ptrdiff_t>(skip), run.steps.end()};
}

void set_time(const Run& run, WorkerTimes& times) {
  if (is_profiled(run)) {
    const std::vector<double>& span = run.inside->span;
    if (!span.empty()) times.time = *std::max_element(span.begin(), span.end());
    return;
  }
  const std::vector<double> steps = timed_steps(run);
  if (steps.empty()) {
    times.time = steady_time(run).value_or(0);
    return;
  }
  times.time = std::accumulate(steps.begin(), steps.end(), 0.0);
  times.steps = static_cast<double>(steps.size());
  constexpr std::size_t kFewestSteps = 4;  // a quartile of fewer is one of them
  if (steps.size() >= kFewestSteps && times.time > 0) {
    times.prompt = quantile_of(steps, 0.25) * times.steps / times.time;
  }
}

/// Without waits of their own, what a worker communicates longer than the one with the least is
/// waiting.
void set_idle(const PerWorker& workers, WorkerTimes& times) {
  const std::size_t count = times.count();
  times.has_wait = whole(workers.wait, count);
  if (whole(workers.communicate, count)) {
    times.communicate = workers.communicate;
    if (!times.has_wait) {
      const double least =
          *std::min_element(workers.communicate.begin(), workers.communicate.end());
      times.communicate.assign(count, least);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double talking = times.communicate.empty() ? 0 : times.communicate[i];
    times.idle.push_back(times.time - times.useful[i] - talking);
    if (times.has_wait) times.unmarked.push_back(times.idle[i] - workers.wait[i]);
  }
}

std::optional<WorkerTimes> times_of(const Run& run) {
  const PerWorker& workers = *run.per_worker;
  WorkerTimes times;
  times.run = &run;
  set_time(run, times);
  times.useful = workers.compute;
  if (whole(workers.load, times.count())) {
    for (std::size_t i = 0; i < times.count(); ++i) times.useful[i] += workers.load[i];
  }
  const bool computed = std::all_of(times.useful.begin(), times.useful.end(),
                                    [](double seconds) { return seconds > 0; });
  if (!(times.time > 0) || !computed) return std::nullopt;
  set_idle(workers, times);
  const bool worked =
      whole(workers.work, times.count()) &&
      std::none_of(workers.work.begin(), workers.work.end(), [](double done) { return done == 0; });
  if (worked) times.work = workers.work;
  times.stolen = stolen_of(run, times.time);
  return times;
}

bool usable(const Run& run, bool inside) {
  if (run.role != Role::kParallel || !run.per_worker || run.per_worker->compute.empty()) {
    return false;
  }
  return inside ? is_profiled(run) && !failed(run) && !run.warm_up : counts(run);
}

WorkerStudy collect(const Study& study, bool inside) {
  WorkerStudy found;
  found.inside = inside;
  for (const Run& run : study.runs) {
    if (!usable(run, inside)) continue;
    std::optional<WorkerTimes> times;
    if (run.per_worker->compute.size() == static_cast<std::size_t>(std::max(0, run.workers))) {
      times = times_of(run);
    }
    if (times) {
      found.by_workers[run.workers].push_back(std::move(*times));
    } else {
      ++found.partly;
    }
  }
  return found;
}

}  // namespace

std::size_t WorkerTimes::last() const {
  return static_cast<std::size_t>(std::max_element(useful.begin(), useful.end()) - useful.begin());
}

double WorkerTimes::longest() const {
  return useful[last()];
}

int WorkerTimes::worker_at(std::size_t place) const {
  const bool named = is_profiled(*run) && place < run->inside->rank.size();
  return named ? run->inside->rank[place] : static_cast<int>(place);
}

std::string WorkerTimes::host_at(std::size_t place) const {
  const std::vector<std::string>& hosts = run->per_worker->host;
  return place < hosts.size() ? hosts[place] : std::string();
}

std::vector<const WorkerTimes*> WorkerStudy::between(int least, int most) const {
  std::vector<const WorkerTimes*> found;
  for (const auto& [workers, runs] : by_workers) {
    if (workers < std::max(2, least) || workers > most) continue;
    for (const WorkerTimes& run : runs) found.push_back(&run);
  }
  return found;
}

WorkerStudy worker_study(const Study& study) {
  WorkerStudy plain = collect(study, false);
  return plain.empty() ? collect(study, true) : plain;
}

}  // namespace kstar::causes
