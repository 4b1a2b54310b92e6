#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/plan.h"
#include "kstar/result.h"

/// One pool of workers, several classes of jobs: the split that is best for all of them.
namespace kstar {

enum class FleetGoal {
  kValue,  ///< the most value per hour, over all classes
  kFinish  ///< the last class ends as early as possible
};

/// A class of alike jobs.
struct FleetClass {
  std::string name;
  std::size_t jobs = 1;  ///< of this class; at most so many run at once
  double value = 1;      ///< of one finished job
  /// Of one job on 1, 2, 3 ... workers: what it does per hour, in jobs. Where more workers do less,
  /// they stay idle.
  std::vector<double> rate;
};

/// The rates of a job on up to `most` workers, by its median curve.
KSTAR_EXPORT std::vector<double> rates_of(const PlanJob& job, std::size_t most);

/// The value per hour of 0, 1, 2 ... workers; jobs of a class share them evenly.
KSTAR_EXPORT std::vector<double> values_of(const FleetClass& one, std::size_t most);

/// The hours until all jobs of a class are done on 0, 1, 2 ... workers; infinite on none.
KSTAR_EXPORT std::vector<double> hours_of(const FleetClass& one, std::size_t most);

struct FleetShare {
  std::string name;
  std::size_t workers = 0;
  std::size_t at_once = 0;  ///< jobs
  double value = 0;         ///< per hour
  double hours = 0;         ///< until all its jobs are done
  double last = 0;          ///< what the last worker adds: value per hour
  double next = 0;          ///< and what one more would
};

struct Fleet {
  FleetGoal goal = FleetGoal::kValue;
  std::size_t workers = 0;
  std::vector<FleetShare> shares;
  std::size_t unused = 0;  ///< workers that help nobody
  double value = 0;        ///< per hour, over all classes
  double hours = 0;        ///< until the last class is done
  double even_value = 0;   ///< for comparison: as many workers for every class
  double even_hours = 0;
};

/// The exact optimum. Classes with falling marginal value are filled worker by worker, the best
/// first (Fox 1966); others by dynamic programming.
KSTAR_EXPORT Fleet split_fleet(std::span<const FleetClass> classes, std::size_t workers,
                               FleetGoal goal);

/// How many of each: the largest sum of values[i][n_i] with sum n_i <= workers.
KSTAR_EXPORT std::vector<std::size_t> best_split(const std::vector<std::vector<double>>& values,
                                                 std::size_t workers);

/// A class as a file describes it.
struct FleetEntry {
  FleetClass about;   ///< without rates
  std::string where;  ///< file:line, for errors
  std::string study;  ///< a file, or
  std::string data;   ///< numbers, or
  std::string law;    ///< its name, with
  std::vector<std::pair<std::string, std::string>> parameters;
  double base_time = 0;  ///< seconds of T(1), of a law; 0: not given
  double work = 1;       ///< how often T is needed for one job
};

/// The [[class]] tables of a jobs.toml.
KSTAR_EXPORT Result<std::vector<FleetEntry>> parse_fleet(std::string_view text,
                                                         std::string_view name);

}  // namespace kstar
