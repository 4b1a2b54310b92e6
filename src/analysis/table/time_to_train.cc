// The factors are ratios of means that come in tuples: the runs that needed more samples took
// longer, too. X = mean W / mean(T - F) scatters like the mean of the linearised values
//   x_i = X (1 + W_i / mean W - (T_i - F_i) / mean(T - F)),
// whose mean is X and in whose variance that common part cancels; so does the share (T - F) / T.
// The ratio over two K is then one of two means, with the interval that S and E have.
// Woodruff, A simple method for approximating the variance of a complicated estimate, JASA 66
// (1971); Cochran, Sampling Techniques (3rd edition, 1977), section 6.3.
#include "kstar/time_to_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/table/samples.h"

namespace kstar {

namespace {

using Values = std::vector<double>;

double mean_value(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// mean(a) / mean(b), linearised run by run.
Values linearised(const Values& a, const Values& b) {
  const double mean_a = mean_value(a), mean_b = mean_value(b);
  Values values(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    values[i] = mean_a / mean_b * (1 + (a[i] / mean_a - b[i] / mean_b));
  }
  return values;
}

/// Published trainings need up to 3.6 times as much with another batch, and up to 5.6 times as much
/// from one run to another.
bool is_plausible(const Values& works) {
  constexpr double kMostGrowth = 8;
  const auto [least, most] = std::minmax_element(works.begin(), works.end());
  return *most <= kMostGrowth * *least;
}

/// Other values instead of the times of these runs.
Samples with(const Samples& runs, Values values) {
  Samples other;
  other.times = std::move(values);
  other.blocks = runs.blocks;
  other.once_a_block = runs.once_a_block;
  return other;
}

/// The quantities of one K, each run by run.
struct TrainingParts {
  Samples times, works, rates, shares;

  TrainingParts(const Samples& runs, bool fixed_known)
      : times(with(runs, runs.times)), works(with(runs, runs.works)) {
    Values training = runs.times;
    if (fixed_known) {
      for (std::size_t i = 0; i < training.size(); ++i) training[i] -= runs.fixed[i];
    }
    rates = with(runs, linearised(runs.works, training));
    shares = with(runs, linearised(training, runs.times));
  }
};

class Splitter {
 public:
  Splitter(const Study& study, const ScalingTable& table)
      : study_(study), table_(table), groups_(group_runs(study)) {}

  std::optional<TimeToTrain> split() {
    if (!choose_points() || !choose_unit() || !has_one_unit()) return {};
    result_.fixed_known = std::all_of(chosen_.begin(), chosen_.end(), [&](const auto* point) {
      return !runs_at(*point).fixed.empty();
    });
    const TrainingParts base(runs_at(*chosen_.front()), result_.fixed_known);
    for (const ScalingPoint* point : chosen_) {
      if (!add(*point, base)) return {};
    }
    note_equal_work();
    return std::move(result_);
  }

 private:
  const Samples& runs_at(const ScalingPoint& point) const {
    return groups_.at({true, point.workers});
  }

  bool choose_points() {
    std::string without;
    for (const ScalingPoint& point : table_.points) {
      if (point.role == Role::kBaseline) continue;
      if (!runs_at(point).works.empty()) {
        chosen_.push_back(&point);
      } else {
        without += fmt::format("{}{}", without.empty() ? "K = " : ", ", point.workers);
      }
    }
    if (chosen_.size() < 2) return false;
    if (!without.empty()) {
      note(Severity::kWarning, "no-work", without,
           "not every run records what it needed to converge: excluded from the factors of time to "
           "train");
    }
    return true;
  }

  /// Samples at one K and epochs at another say nothing about each other.
  bool choose_unit() {
    const auto unit_at = [&](const ScalingPoint* point) {
      const Workload* load = workload_at(study_.header, point->workers);
      return load != nullptr ? load->unit : std::string();
    };
    result_.unit = unit_at(chosen_.front());
    return std::all_of(chosen_.begin(), chosen_.end(),
                       [&](const auto* point) { return unit_at(point) == result_.unit; });
  }

  /// Logs of one series may count steps here and samples there, and call both epochs.
  bool has_one_unit() const {
    Values means;
    for (const ScalingPoint* point : chosen_) {
      const Values& works = runs_at(*point).works;
      if (!is_plausible(works)) return false;
      means.push_back(mean_value(works));
    }
    return is_plausible(means);
  }

  RatioOptions ratio_options() const {
    return {.confidence = table_.confidence, .scope = scope_of(study_)};
  }

  Result<Estimate> mean(const Values& values) const {
    const RatioOptions options = ratio_options();
    return estimate_mean(values, {.confidence = options.confidence, .scope = options.scope});
  }

  /// a / b. At the base it is 1: a quantity over itself, however uncertain that is.
  Result<Estimate> ratio(const Samples& a, const Samples& b, bool is_base) const {
    return ratio_of_times(is_base ? b : a, b, ratio_options());
  }

  bool add(const ScalingPoint& at, const TrainingParts& base) {
    const Samples& runs = runs_at(at);
    const TrainingParts here(runs, result_.fixed_known);
    const bool is_base = &at == chosen_.front();
    const double share = static_cast<double>(chosen_.front()->workers) / at.workers;
    const auto work = mean(here.works.times), throughput = mean(here.rates.times);
    const auto efficiency = ratio(base.times, here.times, is_base);
    const auto algorithm = ratio(base.works, here.works, is_base);
    const auto system = ratio(here.rates, base.rates, is_base);
    if (!work || !throughput || !efficiency || !algorithm || !system) return false;
    const Workload* load = workload_at(study_.header, at.workers);
    TrainingPoint point{.workers = at.workers,
                        .runs = runs.times.size(),
                        .batch = load != nullptr ? load->batch : std::nullopt,
                        .time = at.time,
                        .work = *work,
                        .throughput = *throughput,
                        .fixed = {},
                        .efficiency = scaled(*efficiency, share),
                        .algorithm = *algorithm,
                        .system = scaled(*system, share),
                        .training = {}};
    if (result_.fixed_known) {
      const auto fixed = mean(runs.fixed), training = ratio(here.shares, base.shares, is_base);
      if (!fixed || !training) return false;
      point.fixed = *fixed;
      point.training = *training;
    }
    result_.points.push_back(std::move(point));
    return true;
  }

  /// Work is counted where it is evaluated: equal counts do not mean that nothing scatters.
  void note_equal_work() {
    std::string where;
    for (const ScalingPoint* point : chosen_) {
      const Values& works = runs_at(*point).works;
      const auto [least, most] = std::minmax_element(works.begin(), works.end());
      if (works.size() < 2 || *least != *most) continue;
      where += fmt::format("{}{}", where.empty() ? "K = " : ", ", point->workers);
    }
    if (where.empty()) return;
    note(Severity::kInfo, "equal-work", where,
         fmt::format("all runs needed the same number of {}: they are counted when training is "
                     "evaluated, so smaller differences do not show",
                     result_.unit.empty() ? "units of work" : result_.unit));
  }

  void note(Severity severity, const char* what, std::string where, std::string text) {
    result_.notes.push_back(
        {.severity = severity, .what = what, .where = std::move(where), .text = std::move(text)});
  }

  const Study& study_;
  const ScalingTable& table_;
  SampleGroups groups_;
  std::vector<const ScalingPoint*> chosen_;
  TimeToTrain result_;
};

}  // namespace

std::optional<TimeToTrain> time_to_train(const Study& study, const ScalingTable& table) {
  return Splitter(study, table).split();
}

}  // namespace kstar
