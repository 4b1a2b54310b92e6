#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/goals.h"
#include "plan/interrupted.h"

namespace kstar::planning {

namespace {

/// With `chance`, one for each K, of single runs; else what is expected.
Priced priced_curve(const PlanJob& job, std::size_t curve, const CostRates& rates, double work,
                    std::vector<Random>* chance) {
  Priced all;
  const double factor = work * (chance != nullptr ? job.run_factors[curve] : 1);
  const bool disturbed = job.seconds && rates.interruptions.every > 0;
  for (std::size_t i = 0; i < job.workers.size(); ++i) {
    const double k = job.workers[i], unit = job.times[curve][i] / job.work[i];
    const double busy = job.has_efficiency ? job.base[curve] / (unit * k)
                                           : std::numeric_limits<double>::quiet_NaN();
    const bool drawn = disturbed && chance != nullptr;
    const Bill bill =
        drawn ? bill_of_elapsed(
                    rates, drawn_time(rates.interruptions, factor * unit, k, (*chance)[i]), k, busy)
              : bill_of(rates, factor * unit, k, busy, job.seconds);
    all.time.push_back(bill.time);
    all.cost.push_back(bill.cost);
    all.efficiency.push_back(disturbed ? busy * factor * unit / bill.time : busy);
    all.energy.push_back(bill.energy);
    all.worker_hours.push_back(bill.worker_hours);
  }
  return all;
}

bool can_rely_on(const PlanJob& job, double workers) {
  if (job.measured.empty()) return true;
  const bool measured =
      std::find(job.measured.begin(), job.measured.end(), workers) != job.measured.end();
  return measured || (job.doubt.empty() && workers < job.measured.back());
}

/// One number of every curve at one K.
std::vector<double> column(const std::vector<Priced>& curves, std::vector<double> Priced::*what,
                           std::size_t at) {
  std::vector<double> values;
  for (const Priced& curve : curves) values.push_back((curve.*what)[at]);
  return values;
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  const auto place =
      static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

double middle_time(const PlanJob& job, std::size_t at) {
  std::vector<double> times;
  for (const std::vector<double>& curve : job.times) times.push_back(curve[at]);
  return quantile(std::move(times), 0.5);
}

double middle_base(const PlanJob& job) {
  return quantile(job.base, 0.5);
}

PricedJob priced(const PlanJob& job, const PlanOptions& options, double work) {
  PricedJob all{.job = &job, .curves = {}, .runs = {}, .fits = {}, .known = {}};
  std::vector<Random> chance;
  for (std::size_t i = 0; i < job.workers.size(); ++i) chance.emplace_back(i);
  for (std::size_t curve = 0; curve < job.times.size(); ++curve) {
    all.curves.push_back(priced_curve(job, curve, options.rates, work, nullptr));
    if (job.is_law()) continue;
    all.runs.push_back(priced_curve(job, curve, options.rates, work, &chance));
  }
  for (std::size_t i = 0; i < job.workers.size(); ++i) {
    const bool known = options.memory && i < job.memory.size();
    all.fits.push_back(!known || job.memory[i] <= *options.memory);
    all.known.push_back(can_rely_on(job, job.workers[i]));
  }
  return all;
}

PlanPoint point_at(const PricedJob& priced, std::size_t at, const PlanOptions& options,
                   double work) {
  const PlanJob& job = *priced.job;
  const std::vector<Priced>& runs = priced.runs.empty() ? priced.curves : priced.runs;
  const double low = (1 - options.confidence) / 2, high = 1 - low;
  const auto median = [&](std::vector<double> Priced::*what) {
    return quantile(column(priced.curves, what, at), 0.5);
  };
  const std::vector<double> times = column(runs, &Priced::time, at);
  const std::vector<double> costs = column(runs, &Priced::cost, at);
  PlanPoint point;
  point.workers = job.workers[at];
  point.time = median(&Priced::time);
  point.time_low = quantile(times, low);
  point.time_high = quantile(times, high);
  point.cost = median(&Priced::cost);
  point.cost_low = quantile(costs, low);
  point.cost_high = quantile(costs, high);
  point.efficiency = median(&Priced::efficiency);
  point.idle = point.workers * std::max(0.0, 1 - point.efficiency);
  point.energy = median(&Priced::energy);
  point.worker_hours = median(&Priced::worker_hours);
  const double results = options.result_work > 0 ? work / options.result_work : 1;
  point.result_cost = point.cost / results;
  if (at < job.memory.size()) point.memory = job.memory[at];
  point.fits = priced.fits[at];
  point.beyond = !job.measured.empty() && point.workers > job.measured.back();
  return point;
}

}  // namespace kstar::planning
