#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/export.h"
#include "kstar/result.h"

/// What a job costs that runs for some time on some workers.
namespace kstar {

/// A worker is interrupted at random (a spot instance taken back, a node that fails), once in
/// `every` seconds on average; one interrupted worker interrupts the job.
struct Interruptions {
  double every = 0;       ///< seconds, of one worker; 0: never
  double restart = 0;     ///< seconds until the job runs again
  double checkpoint = 0;  ///< seconds to write one; 0: there are none, and all work is lost
};

struct Power {
  double busy = 0;   ///< watts of a worker that works
  double idle = 0;   ///< watts of a worker that waits
  double price = 0;  ///< per kWh
  double grams = 0;  ///< of CO2 per kWh
};

struct CostRates {
  std::optional<double> price;  ///< per worker-hour; without one, costs are worker-hours
  std::string currency = "$";
  int node_workers = 1;   ///< whole nodes of so many workers are billed
  double least_time = 0;  ///< seconds that are billed at least
  double fixed = 0;       ///< per job
  Interruptions interruptions;
  Power power;
};

/// "2.50", "2.50/worker-hour", "EUR 20/node-hour": a node-hour is shared among its workers.
KSTAR_EXPORT Result<void> read_price(std::string_view text, std::string_view where,
                                     CostRates& rates);

/// The seconds between two checkpoints that lose least, where `between` are the mean seconds
/// between interruptions: sqrt(2 C M) (Young, CACM 17, 1974).
KSTAR_EXPORT double young_interval(double checkpoint, double between);
/// Of higher order (Daly, Future Generation Computer Systems 22, 2006, eq. 37):
/// sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + (C / 2M) / 9) - C for C < 2M, else M.
KSTAR_EXPORT double daly_interval(double checkpoint, double between);

/// The expected seconds of a job of `time` on K workers, checkpoints and restarts included (Daly,
/// eq. 20): M e^(R/M) (e^((tau+C)/M) - 1) T/tau, M = every/K. Infinite where it never ends.
KSTAR_EXPORT double expected_time(const Interruptions& interruptions, double time, double workers);

struct Bill {
  double time = 0;          ///< expected seconds, with interruptions
  double worker_hours = 0;  ///< billed
  double energy = 0;        ///< kWh
  double cost = 0;          ///< money with a price, else worker-hours
};

/// `time` is undisturbed; `efficiency` is the share of the time that a worker works, for its
/// energy; NaN: always. Without `seconds` times have no unit, and the cost is in units of one
/// worker's.
KSTAR_EXPORT Bill bill_of(const CostRates& rates, double time, double workers, double efficiency,
                          bool seconds = true);

/// The same where it is known how long the job takes, interruptions included.
KSTAR_EXPORT Bill bill_of_elapsed(const CostRates& rates, double elapsed, double workers,
                                  double efficiency);

}  // namespace kstar
