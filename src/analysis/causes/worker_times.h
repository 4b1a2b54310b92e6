#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "kstar/study.h"

/// What every worker of a run did with its time, in one shape for marks and for MPI ranks that
/// were profiled.
namespace kstar::causes {

/// One run. Arrays are over its workers, all of them; times are seconds of the whole run.
struct WorkerTimes {
  const Run* run = nullptr;
  double time = 0;                  ///< that the arrays are parts of
  double steps = 1;                 ///< in that time; 1 where not known
  std::vector<double> useful;       ///< computing and loading data
  std::vector<double> communicate;  ///< empty where not recorded
  std::vector<double> idle;         ///< neither; waiting, or in no phase at all
  std::vector<double> unmarked;     ///< of idle: in no phase; empty where waiting is not recorded
  std::vector<double> work;         ///< empty where not recorded, or none was done
  bool has_wait = false;            ///< else communicate is that of the worker with the least

  /// What the hypervisor gave to others meanwhile: no more than this can be its doing.
  double stolen = 0;

  /// The lower quartile of the steps over their mean: what a step without mishap takes.
  std::optional<double> prompt;

  std::size_t count() const { return useful.size(); }
  double longest() const;    ///< the largest useful time
  std::size_t last() const;  ///< whose that is
  int worker_at(std::size_t place) const;
  std::string host_at(std::size_t place) const;
};

/// All runs that know their workers, by K.
struct WorkerStudy {
  std::map<int, std::vector<WorkerTimes>> by_workers;
  std::size_t partly = 0;  ///< runs left out: they know some of their workers only
  bool inside = false;     ///< from runs that look inside; no plain run knows its workers

  bool empty() const { return by_workers.empty(); }
  int base() const { return by_workers.begin()->first; }
  /// Those with two workers or more and K from `least` to `most`.
  std::vector<const WorkerTimes*> between(int least, int most) const;
};

/// Plain runs that count, where at least one knows its workers; else those that look inside.
WorkerStudy worker_study(const Study& study);

}  // namespace kstar::causes
