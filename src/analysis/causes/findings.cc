#include "analysis/causes/findings.h"

#include <algorithm>
#include <cmath>

#include "analysis/causes/noise_floor.h"

namespace kstar::causes {

namespace {

/// The largest K above the base with runs enough for an interval that means something; else the
/// largest there is.
std::optional<int> workers_to_look_at(const WorkerStudy& study) {
  constexpr std::size_t kEnough = 3;
  std::optional<int> largest;
  for (const auto& [workers, runs] : study.by_workers) {
    if (workers < 2 || workers == study.base()) continue;
    const bool better =
        !largest || runs.size() >= kEnough || study.by_workers.at(*largest).size() < kEnough;
    if (better) largest = workers;
  }
  return largest;
}

Estimate over_base(Estimate factor, const std::optional<Estimate>& base) {
  return base && base->point > 0 ? scaled(factor, 1 / base->point) : factor;
}

/// The runs without what one worker does alone, so that it is not taken for slow as well.
std::vector<WorkerTimes> without_serial(const std::vector<const WorkerTimes*>& runs,
                                        const SerialPart& serial) {
  std::vector<WorkerTimes> left;
  for (const WorkerTimes* run : runs) {
    left.push_back(*run);
    for (std::size_t i = 0; i < run->count(); ++i) {
      const double alone = std::max(serial.least, serial.seconds.point);
      const double less = run->useful[i] - alone * run->steps;
      if (run->worker_at(i) == serial.worker && less > 0) left.back().useful[i] = less;
    }
  }
  return left;
}

std::vector<const WorkerTimes*> pointers(const std::vector<WorkerTimes>& runs) {
  std::vector<const WorkerTimes*> all;
  for (const WorkerTimes& run : runs) all.push_back(&run);
  return all;
}

/// Who works alone, where marks show it: then it seems to be slow.
void name_serial_worker(const std::optional<SlowOne>& slow, SerialPart& serial) {
  if (serial.worker || !slow || !slow->certain || !slow->worker) return;
  serial.worker = slow->worker;
}

void set_slow(const std::vector<const WorkerTimes*>& runs, Findings& found) {
  std::optional<SlowOne> slow = slow_one(runs, found.work, found.here.workers, found.confidence);
  if (found.serial) {
    name_serial_worker(slow, *found.serial);
    if (found.serial->worker && !found.serial->unmarked) {
      const std::vector<WorkerTimes> left = without_serial(runs, *found.serial);
      slow = slow_one(pointers(left), found.work, found.here.workers, found.confidence);
    }
  }
  if (!slow || !slow->certain || !is_relevant_loss(slow_factor(*slow))) return;
  found.slow = slow;
  found.slow->alone = slow->worker && slow->constant && !found.serial &&
                      !alone_share(runs, static_cast<std::size_t>(*slow->worker), slow->seconds);
}

/// What load balance takes of a run when work, the slow one and chance are taken out. Where
/// somebody works alone and it is not known who, that is in it, too: then nothing is said.
double uneven_share(const WorkerTimes& run, const Findings& found) {
  if (found.serial && !found.serial->worker) return 0;
  const double chance = balance_of_chance(found.noise, run.count(), found.confidence);
  return std::max(0.0, 1 - rest_balance_of(run, found.work, found.slow) / chance);
}

void set_late(const std::vector<const WorkerTimes*>& near, Findings& found) {
  std::vector<double> rest, uneven;
  for (const WorkerTimes* run : near) {
    uneven.push_back(uneven_share(*run, found));
    if (run->run->workers != found.here.workers) continue;
    rest.push_back(rest_balance_of(*run, found.work, found.slow));
  }
  found.rest_balance = factor_over(rest, found.confidence);
  found.chance_balance = balance_of_chance(
      found.noise, static_cast<std::size_t>(found.here.workers), found.confidence);
  const double serial = found.serial ? found.serial->least : 0;
  found.late = late_steps(near, found.here.workers, serial, uneven, found.confidence);
}

}  // namespace

std::optional<Findings> find_causes(const WorkerStudy& study, std::optional<Regime> regime,
                                    double confidence) {
  if (study.empty()) return std::nullopt;
  const std::optional<int> workers = workers_to_look_at(study);
  if (!workers) return std::nullopt;
  const std::vector<WorkerTimes>& runs = study.by_workers.at(*workers);
  Findings found;
  found.runs = &runs;
  found.confidence = confidence;
  for (const FactorPoint& point : factor_points(study, regime, confidence)) {
    if (point.workers == *workers) found.here = point;
    if (point.workers == study.base()) found.base = point;
  }
  for (const WorkerTimes& run : runs) {
    found.step += run.time / run.steps / static_cast<double>(runs.size());
    found.has_wait = found.has_wait && run.has_wait;
  }
  if (found.here.transfer) found.transfer = over_base(*found.here.transfer, found.base.transfer);
  const std::vector<const WorkerTimes*> all = study.between(2, *workers);
  found.work_recorded = std::none_of(all.begin(), all.end(),
                                     [](const WorkerTimes* run) { return run->work.empty(); });
  found.work = work_slope(all, confidence);
  // What stops a job at the largest K shows at half of it, too; together they say more than few
  // runs at one K.
  const std::vector<const WorkerTimes*> near = study.between((*workers + 1) / 2, *workers);
  const double least = near.size() > 1 ? kNegligible : kPlain;
  if (found.transfer) found.serial = serial_part(near, *workers, least, confidence);
  set_slow(all, found);
  found.noise = speed_noise(study.by_workers.begin()->second, regime);
  const std::vector<WorkerTimes> left =
      found.serial ? without_serial(near, *found.serial) : std::vector<WorkerTimes>();
  set_late(found.serial ? pointers(left) : near, found);
  return found;
}

}  // namespace kstar::causes
