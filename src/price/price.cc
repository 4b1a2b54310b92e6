#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "kstar/price.h"

namespace kstar {

namespace {

constexpr double kSecondsPerHour = 3600;

/// "$2.50", "2.50$", "EUR 2.50", "2.50 EUR": the number, and the currency if there is one.
std::optional<double> read_money(std::string_view text, std::string& currency) {
  text = trim(text);
  const std::size_t first = text.find_first_of("0123456789.");
  const std::size_t last = text.find_last_of("0123456789.");
  if (first == text.npos) return std::nullopt;
  const std::string_view before = trim(text.substr(0, first)), after = trim(text.substr(last + 1));
  if (!before.empty() && !after.empty()) return std::nullopt;
  const std::string_view name = before.empty() ? after : before;
  constexpr std::size_t kLongest = 12;
  if (name.size() > kLongest || name.find_first_of("-+:") != name.npos) return std::nullopt;
  if (!name.empty()) currency = printable(name);
  return parse_double(text.substr(first, last + 1 - first));
}

}  // namespace

Result<void> read_price(std::string_view text, std::string_view where, CostRates& rates) {
  const std::size_t slash = text.find('/');
  const std::string_view per =
      slash == text.npos ? std::string_view("worker-hour") : trim(text.substr(slash + 1));
  const std::optional<double> price = read_money(text.substr(0, slash), rates.currency);
  const bool node = per == "node-hour";
  if (!price || *price < 0 || (per != "worker-hour" && !node)) {
    return fail(expected(where, "a price such as 2.50/worker-hour or 20/node-hour", text));
  }
  rates.price = node ? *price / rates.node_workers : *price;
  return {};
}

double young_interval(double checkpoint, double between) {
  return std::sqrt(2 * checkpoint * between);
}

double daly_interval(double checkpoint, double between) {
  const double ratio = checkpoint / (2 * between);
  if (ratio >= 1) return between;
  return young_interval(checkpoint, between) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

double expected_time(const Interruptions& interruptions, double time, double workers) {
  if (interruptions.every <= 0) return time;
  const double between = interruptions.every / workers;
  const double wanted = interruptions.checkpoint > 0
                            ? daly_interval(interruptions.checkpoint, between)
                            : std::numeric_limits<double>::infinity();
  // Without checkpoints, or where the job ends before the first, it is one segment.
  const bool segments = wanted < time;
  const double interval = segments ? wanted : time;
  const double written = segments ? interruptions.checkpoint : 0;
  constexpr double kNever = 1e12;
  const double expected = between * std::exp(interruptions.restart / between) *
                          std::expm1((interval + written) / between) * (time / interval);
  return expected < kNever ? expected : std::numeric_limits<double>::infinity();
}

Bill bill_of(const CostRates& rates, double time, double workers, double efficiency, bool seconds) {
  Bill bill;
  if (!seconds) {
    bill.time = time;
    bill.cost = bill.worker_hours = time * workers;
    return bill;
  }
  return bill_of_elapsed(rates, expected_time(rates.interruptions, time, workers), workers,
                         efficiency);
}

Bill bill_of_elapsed(const CostRates& rates, double elapsed, double workers, double efficiency) {
  Bill bill{.time = elapsed};
  const double billed = std::ceil(workers / rates.node_workers) * rates.node_workers;
  bill.worker_hours = billed * std::max(bill.time, rates.least_time) / kSecondsPerHour;
  const double busy = std::isnan(efficiency) ? 1 : std::clamp(efficiency, 0.0, 1.0);
  const double watts = busy * rates.power.busy + (1 - busy) * rates.power.idle;
  bill.energy = workers * watts * bill.time / kSecondsPerHour / 1000;
  bill.cost = rates.price
                  ? bill.worker_hours * *rates.price + rates.fixed + bill.energy * rates.power.price
                  : bill.worker_hours;
  return bill;
}

}  // namespace kstar
