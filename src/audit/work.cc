#include "audit/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/product.h"
#include "base/text.h"

namespace kstar {

namespace {

/// The times are those of steps.
bool are_of_steps(const Study& study) {
  return std::all_of(study.runs.begin(), study.runs.end(),
                     [](const Run& run) { return !counts(run) || !run.steps.empty(); });
}

/// What makes the work of one T. A step works on the batch, and so does a second; a whole run on
/// batch x steps or, where it goes by the data, on their size however large the batches are.
struct TimedParts {
  bool batch = false, size = false, steps = false;

  bool steps_alone() const { return steps && !batch && !size; }
  std::string name() const {
    if (steps && (batch || size)) return batch ? "batch x steps" : "size x steps";
    return batch ? "batch" : size ? "size" : "the number of steps";
  }
  std::optional<double> amount(const Workload& load) const {
    if ((batch && !load.batch) || (size && !load.size) || (steps && !load.steps)) return {};
    return (batch ? *load.batch : 1) * (size ? *load.size : 1) *
           (steps ? static_cast<double>(*load.steps) : 1);
  }
};

/// Of rates an import counts one unit, or one for each worker, where the file has no size.
bool is_own_size(const Evidence& evidence) {
  if (!is_inverse(evidence.study)) return true;
  bool ones = true, workers = true;
  for (const ScalingPoint* point : evidence.curve) {
    const Workload* load = workload_at(evidence.study.header, point->workers);
    if (load == nullptr || !load->size) return false;
    ones = ones && *load->size == 1;
    workers = workers && *load->size == point->workers;
  }
  return !ones && !workers;
}

TimedParts timed_parts(const Evidence& evidence) {
  TimedParts parts;
  if (evidence.curve.empty()) return parts;
  const Workload* first = workload_at(evidence.study.header, evidence.curve.front()->workers);
  if (first == nullptr) return parts;
  const bool whole = !are_of_steps(evidence.study) && !is_inverse(evidence.study);
  const bool size = first->size && is_own_size(evidence);
  parts.steps = whole && first->steps;
  parts.batch = first->batch && (!whole || first->steps || !size);
  parts.size = size && !parts.batch;
  return parts;
}

/// Work done for one T, over all workers of a run; none where a worker is not known.
std::optional<double> work_of(const Run& run) {
  if (!run.per_worker || run.per_worker->work.size() != static_cast<std::size_t>(run.workers)) {
    return {};
  }
  double sum = 0;
  for (const double work : run.per_worker->work) sum += work;
  const auto steady = static_cast<int>(run.steps.size()) - run.warm_up_steps.value_or(0);
  return run.steps.empty() ? sum : sum / std::max(steady, 1);
}

std::optional<double> mean_work(const Study& study, int workers) {
  double sum = 0;
  int runs = 0;
  for (const Run* run : runs_at(study, workers)) {
    const std::optional<double> work = work_of(*run);
    if (!work) return {};
    sum += *work;
    ++runs;
  }
  return runs > 0 && sum > 0 ? std::optional(sum / runs) : std::nullopt;
}

}  // namespace

std::string at_two(const WorkSource& source, const WorkAt& from, const WorkAt& to) {
  return fmt::format("{} is {} at K = {} and {} at K = {}", source.name,
                     significant(from.amount, 6), from.workers, significant(to.amount, 6),
                     to.workers);
}

bool says_problem(const Evidence& evidence, int workers) {
  const Workload* load = workload_at(evidence.study.header, workers);
  if (load == nullptr) return false;
  return load->batch || load->steps || (load->size && is_own_size(evidence));
}

std::vector<WorkSource> work_sources(const Evidence& evidence) {
  std::vector<WorkSource> sources;
  const auto keep = [&](WorkSource source) {
    if (source.amounts.size() > 1) sources.push_back(std::move(source));
  };
  const TimedParts parts = timed_parts(evidence);
  if (parts.batch || parts.size || parts.steps) {
    WorkSource source{.name = parts.name(), .amounts = {}, .steps_alone = parts.steps_alone()};
    for (const ScalingPoint* point : evidence.curve) {
      const Workload* load = workload_at(evidence.study.header, point->workers);
      const std::optional<double> amount = load != nullptr ? parts.amount(*load) : std::nullopt;
      if (amount && *amount > 0) source.amounts.push_back({point->workers, *amount});
    }
    keep(std::move(source));
  }
  WorkSource done{.name = "work done by the workers", .amounts = {}};
  for (const ScalingPoint* point : evidence.curve) {
    if (const auto work = mean_work(evidence.study, point->workers)) {
      done.amounts.push_back({point->workers, *work});
    }
  }
  keep(std::move(done));
  return sources;
}

WorkStep step_between(const WorkAt& from, const WorkAt& to) {
  constexpr double kRounding = 0.05;  // a batch that does not divide by K
  const double growth = to.amount / from.amount;
  const double workers = static_cast<double>(to.workers) / from.workers;
  if (std::fabs(growth - 1) <= kRounding) return WorkStep::kFixed;
  return std::fabs(growth / workers - 1) <= kRounding ? WorkStep::kInProportion : WorkStep::kOther;
}

WorkWay way_of(const std::vector<WorkSource>& sources) {
  if (sources.empty()) return WorkWay::kUnknown;
  bool grows = false;
  for (const WorkSource& source : sources) {
    for (const WorkAt& at : source.amounts) {
      const WorkStep step = step_between(source.amounts.front(), at);
      if (step == WorkStep::kOther) return WorkWay::kOther;
      grows = grows || step == WorkStep::kInProportion;
    }
  }
  return grows ? WorkWay::kGrows : WorkWay::kSame;
}

WorkWay work_way(const Evidence& evidence) {
  return way_of(work_sources(evidence));
}

std::string words_of(WorkWay way) {
  if (way == WorkWay::kGrows) return "the same on each worker: weak scaling";
  return way == WorkWay::kSame ? "the same at every K: strong scaling" : "different at each K";
}

std::string work_text(const Evidence& evidence) {
  const auto sources = work_sources(evidence);
  if (sources.empty()) return "";
  const WorkSource& source = sources.front();
  return fmt::format(" ({})", at_two(source, source.amounts.front(), source.amounts.back()));
}

std::map<std::string, std::map<int, std::string>> settings_at(const Study& study) {
  std::map<std::string, std::map<int, std::string>> found;
  for (const Workload& load : study.header.workload) {
    if (!load.workers) continue;
    for (const auto& [name, value] : load.settings) found[name][*load.workers] = value;
  }
  for (const Run& run : study.runs) {
    if (!counts(run) || !run.settings) continue;
    for (const auto& [name, value] : *run.settings) found[name].try_emplace(run.workers, value);
  }
  return found;
}

std::optional<WorkSource> perhaps_size(const Evidence& evidence) {
  constexpr std::size_t kFewPoints = 3;
  for (const auto& [name, values] : settings_at(evidence.study)) {
    WorkSource source{.name = fmt::format("'{}'", printable(name)), .amounts = {}};
    for (const auto& [workers, text] : values) {
      const std::optional<double> value = parse_product(text);
      if (!value) break;
      source.amounts.push_back({workers, *value});
    }
    if (source.amounts.size() < std::max(kFewPoints, values.size())) continue;
    const WorkAt& first = source.amounts.front();
    // A side of a square or of a cube grows as a root of K.
    for (const double power : {1.0, 2.0, 3.0}) {
      const bool grows =
          std::all_of(source.amounts.begin() + 1, source.amounts.end(), [&](const WorkAt& at) {
            const double growth = std::pow(at.amount / first.amount, power);
            return step_between({first.workers, 1}, {at.workers, growth}) ==
                   WorkStep::kInProportion;
          });
      if (grows) return source;
    }
  }
  return {};
}

std::string perhaps_text(const WorkSource& source) {
  return fmt::format("{}, as K does: is it the size of the problem?",
                     at_two(source, source.amounts.front(), source.amounts.back()));
}

std::string perhaps_whole_jobs(const Evidence& evidence) {
  constexpr double kFarAbove = 1.5, kLinear = 1.05;
  if (evidence.analysis == nullptr || evidence.base == nullptr) return "";
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  const bool said = evidence.study.header.regime || evidence.analysis->options.regime;
  if (!weak || said || is_inverse(evidence.study)) return "";
  const ScalingPoint* last = nullptr;
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base || !point->efficiency) continue;
    const double grown = static_cast<double>(point->workers) / evidence.base->workers;
    const double e = point->efficiency->point;
    if (e < kFarAbove || e / grown > kLinear) return "";
    last = point;
  }
  if (last == nullptr) return "";
  const double e = last->efficiency->point;
  return fmt::format(
      "E({}) is {} if a time is that of work which grows with K{}, and {} if it is that of the "
      "same "
      "whole job",
      last->workers, significant(e, 3), work_text(evidence),
      significant(e * evidence.base->workers / last->workers, 3));
}

}  // namespace kstar
