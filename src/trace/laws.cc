#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/communication_terms.h"
#include "kstar/questions.h"
#include "kstar/stats.h"
#include "trace/job.h"

// T(K) = (step - exposed transfer) K0/K + transfer - what of it is hidden. Computation, and the
// waiting that comes from its imbalance, are divided further; the transfer stays as it is at K0.
namespace kstar::tracing {

namespace {

/// What a step is made of, in seconds, for a law.
struct StepParts {
  double step = 0;
  double transfer = 0;  ///< all of it, hidden or not
  double exposed = 0;
  double waiting = 0;  ///< exposed
  double idle = 0;
  std::vector<Communication> growing{};  ///< the transfer, as it changes with K
};

StepParts parts_of(const TraceAnalysis& analysis) {
  const TraceTimes& mean = analysis.mean;
  StepParts parts;
  parts.step = mean.step;
  parts.idle = mean.idle;
  if (!analysis.split) {
    parts.transfer = mean.communication;
    parts.exposed = mean.exposed;
    return parts;
  }
  const double sum = mean.waiting + mean.transfer;
  parts.exposed = mean.exposed_transfer;
  parts.waiting = mean.exposed_waiting;
  parts.transfer = std::max(parts.exposed, sum > 0 ? mean.communication * mean.transfer / sum : 0);
  return parts;
}

/// The terms of one kind of communication, in seconds per step: as the network says, from what was
/// measured on. False where the network does not know it, or its group does not grow with K.
bool network_terms(const TraceOperation& row, const TraceAnalysis& analysis, const Network& network,
                   double most, std::vector<Communication>& terms) {
  const auto collective = collective_named(row.collective);
  const auto workers = static_cast<double>(analysis.workers);
  if (!collective || row.bytes <= 0 || workers < 2) return false;
  if (row.size > 0 && row.size != analysis.workers) return false;
  const auto found = communication_terms(network, *collective, static_cast<double>(row.bytes),
                                         workers, std::max(most, 2 * workers));
  if (!found) return false;
  double now = 0;
  for (const Communication& term : found->terms) now += term.cost * growth_at(term.growth, workers);
  if (now <= 0) return false;
  for (const Communication& term : found->terms) {
    terms.push_back({term.growth, term.cost * row.transfer / now});
  }
  return true;
}

/// How the transfer grows with K; it is `transfer` seconds now.
std::vector<Communication> growing_transfer(TraceAnalysis& analysis, const Network& network,
                                            double transfer) {
  std::vector<Communication> terms;
  double all = 0, grows = 0;
  const std::int64_t most = *std::max_element(analysis.predicted.begin(), analysis.predicted.end());
  for (const TraceOperation& row : analysis.operations) {
    all += row.transfer;
    if (network_terms(row, analysis, network, static_cast<double>(most), terms)) {
      grows += row.transfer;
    } else {
      terms.push_back({Growth::kConstant, row.transfer});
    }
  }
  if (all <= 0) return {{Growth::kConstant, transfer}};
  for (Communication& term : terms) term.cost *= transfer / all;
  analysis.notes.push_back(fmt::format(
      "{} of the transfer grows with K as {} says{}", percent(grows / all, 0),
      network.name.empty() ? "the network" : printable(network.name),
      grows < all ? "; the rest has no size, a smaller group or no sweep, and stays" : ""));
  return terms;
}

CostModel model_of(const StepParts& parts, double workers, double serial, double hidden) {
  CostModel model;
  model.base_workers = workers;
  model.serial = serial;
  model.parallel = std::max(0.0, parts.step - parts.exposed - serial) * workers;
  model.communication = parts.growing;
  model.hidden = hidden;
  return model;
}

TraceChange change_of(TraceChangeKind kind, std::string name, const CostModel& model,
                      const TraceAnalysis& analysis, const TraceOptions& options) {
  TraceChange change;
  change.kind = kind;
  change.name = std::move(name);
  change.model = model;
  const double least = least_time(model).time;
  change.ceiling = least > 0 ? analysis.mean.step / least : HUGE_VAL;
  change.usable = last_usable(model, options.threshold);
  for (const std::int64_t workers : analysis.predicted) {
    const double time = time_at(model, static_cast<double>(workers));
    change.speedups.push_back(time > 0 ? analysis.mean.step / time : HUGE_VAL);
  }
  return change;
}

std::vector<std::int64_t> doublings(std::int64_t workers) {
  std::vector<std::int64_t> list;
  for (int i = 0; i < 6; ++i) list.push_back(workers << i);
  return list;
}

}  // namespace

void add_laws(TraceAnalysis& analysis, const TraceOptions& options) {
  constexpr double kNotable = 0.02;
  analysis.predicted = options.predict.empty() ? doublings(analysis.workers) : options.predict;
  StepParts parts = parts_of(analysis);
  const auto workers = static_cast<double>(analysis.workers);
  if (parts.step <= 0 || parts.transfer <= 0) return;  // without communication there is no limit
  parts.growing = options.network && !analysis.predicted.empty()
                      ? growing_transfer(analysis, *options.network, parts.transfer)
                      : std::vector<Communication>{{Growth::kConstant, parts.transfer}};
  const double hidden = 1 - parts.exposed / parts.transfer;
  const auto add = [&](TraceChangeKind kind, std::string name, const StepParts& changed,
                       double serial, double share) {
    const CostModel model = model_of(changed, workers, serial, share);
    analysis.changes.push_back(change_of(kind, std::move(name), model, analysis, options));
  };
  add(TraceChangeKind::kAsItIs, "add workers, as it is", parts, 0, hidden);
  if (parts.idle > kNotable * parts.step) {
    add(TraceChangeKind::kIdleStays, "the same, if the idle time stays", parts, parts.idle, hidden);
  }
  if (parts.waiting > kNotable * parts.step) {
    StepParts balanced = parts;
    balanced.step -= parts.waiting;
    add(TraceChangeKind::kBalanced, "balance the ranks", balanced, 0, hidden);
  }
  if (parts.exposed > 0) {
    StepParts overlapped = parts;
    overlapped.step = parts.step - parts.exposed;  // the computation stays what it is
    overlapped.exposed = 0;
    add(TraceChangeKind::kHidden, "hide what can be hidden", overlapped, 0, 1);
  }
}

}  // namespace kstar::tracing

namespace kstar {

namespace {

/// The last K before the efficiency of the rates falls below `threshold`.
std::int64_t last_usable_rate(std::span<const TraceRate> rates, const TraceRate& base,
                              double threshold) {
  std::vector<TraceRate> sorted(rates.begin(), rates.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TraceRate& a, const TraceRate& b) { return a.workers < b.workers; });
  std::int64_t usable = base.workers;
  for (const TraceRate& rate : sorted) {
    const double in_proportion =
        base.rate * static_cast<double>(rate.workers) / static_cast<double>(base.workers);
    if (rate.rate < threshold * in_proportion) break;
    usable = rate.workers;
  }
  return usable;
}

}  // namespace

void explain_rates(TraceAnalysis& analysis, std::span<const TraceRate> rates) {
  const auto base = std::min_element(
      rates.begin(), rates.end(),
      [](const TraceRate& a, const TraceRate& b) { return a.workers < b.workers; });
  if (base == rates.end() || base->rate <= 0) return;
  const bool known = std::any_of(rates.begin(), rates.end(), [&](const TraceRate& rate) {
    return rate.workers == analysis.workers && rate.rate > 0;
  });
  if (!known) {
    analysis.notes.push_back(
        fmt::format("the rates have no K = {}, and explain nothing", analysis.workers));
  } else if (analysis.workers == base->workers) {
    analysis.notes.push_back(
        fmt::format("K = {} is the smallest of the rates: what is missing is against a smaller one",
                    analysis.workers));
  }
  const std::int64_t usable = last_usable_rate(rates, *base, analysis.threshold);
  for (const TraceRate& rate : rates) {
    if (rate.workers != analysis.workers || rate.workers == base->workers || rate.rate <= 0) {
      continue;
    }
    TraceExplained row;
    row.base = base->workers;
    row.workers = rate.workers;
    row.usable = usable;
    row.missing = static_cast<double>(rate.workers) / static_cast<double>(base->workers) /
                  (rate.rate / base->rate);
    const double share = analysis.mean.step > 0 ? analysis.mean.exposed / analysis.mean.step : 0;
    row.explained = share < 1 ? 1 / (1 - share) : HUGE_VAL;
    analysis.explained.push_back(row);
  }
}

Result<TraceSlowdown> compare_with_ideal(const TraceAnalysis& analysis,
                                         const TraceAnalysis& ideal) {
  TraceSlowdown slowdown;
  const bool active = !analysis.active_seconds.empty() && !ideal.active_seconds.empty();
  std::vector<double> ratios, active_ratios;
  for (std::size_t i = 0; i < analysis.steps.size(); ++i) {
    const auto same = std::find(ideal.steps.begin(), ideal.steps.end(), analysis.steps[i]);
    if (same == ideal.steps.end()) continue;
    const auto k = static_cast<std::size_t>(same - ideal.steps.begin());
    if (ideal.step_seconds[k] <= 0) continue;
    ratios.push_back(analysis.step_seconds[i] / ideal.step_seconds[k]);
    if (!active || ideal.active_seconds[k] <= 0) continue;
    active_ratios.push_back(analysis.active_seconds[i] / ideal.active_seconds[k]);
  }
  slowdown.steps = ratios.size();
  if (ratios.empty()) {
    return fail({.where = "--ideal", .message = "has no step that the trace has"});
  }
  const Result<Estimate> ratio = estimate_mean(ratios);
  if (!ratio) return fail(ratio.error());
  slowdown.ratio = *ratio;
  if (active_ratios.size() == ratios.size()) {
    const Result<Estimate> of_active = estimate_mean(active_ratios);
    if (!of_active) return fail(of_active.error());
    slowdown.active = *of_active;
  }
  return slowdown;
}

}  // namespace kstar
