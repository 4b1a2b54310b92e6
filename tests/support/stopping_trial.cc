#include "support/stopping_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kstar/stats.h"

namespace kstar::noise {

namespace {

constexpr double kUnborn = -std::numeric_limits<double>::infinity();

constexpr std::size_t kOracleRuns = 10;

/// What one K ended with.
struct Final {
  double mean = 0;
  double half_width = 0;
  std::size_t runs = 0;
};

class Score {
 public:
  explicit Score(std::size_t groups) : held_(groups) {}

  void add(const std::vector<ProcessPointer>& study, const std::vector<Final>& finals) {
    double share = 0;
    for (std::size_t k = 0; k < study.size(); ++k) {
      const bool held = std::fabs(study[k]->mean() - finals[k].mean) <= finals[k].half_width;
      held_[k] += held ? 1 : 0;
      share += held ? 1 : 0;
      runs_ += static_cast<double>(finals[k].runs);
    }
    share /= static_cast<double>(study.size());
    sum_ += share;
    squares_ += share * share;
    ++studies_;
  }

  Outcome outcome() const {
    const double mean = sum_ / studies_;
    return {
        .runs = runs_ / studies_,
        .coverage = mean,
        .standard_error = std::sqrt(std::max(squares_ / studies_ - mean * mean, 0.0) / studies_),
        .worst = *std::min_element(held_.begin(), held_.end()) / studies_};
  }

 private:
  std::vector<double> held_;
  double runs_ = 0, sum_ = 0, squares_ = 0, studies_ = 0;
};

Final final_of(const Estimate& estimate) {
  return {estimate.point, (estimate.high - estimate.low) / 2, estimate.n};
}

template <typename Trial>
Outcome repeat(const std::vector<ProcessPointer>& study, std::size_t replications,
               std::uint64_t seed, Trial trial) {
  Random random(seed);
  Score score(study.size());
  for (std::size_t i = 0; i < replications; ++i) score.add(study, trial(random));
  return score.outcome();
}

Final naive(const Process& process, const StoppingRule& rule, Random& random) {
  double state = kUnborn;
  std::vector<double> samples = {process.next(random, state), process.next(random, state)};
  while (true) {
    samples.push_back(process.next(random, state));
    const Final now = final_of(estimate_mean(samples, {.confidence = rule.confidence}).value());
    if (now.half_width <= rule.precision * now.mean || now.runs >= rule.max_runs) return now;
  }
}

std::vector<Final> by_rule(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                           Random& random) {
  std::vector<double> states(study.size(), kUnborn);
  std::vector<std::vector<double>> samples(study.size());
  for (std::size_t k = 0; k < study.size(); ++k) {
    while (samples[k].size() < rule.min_runs) {
      samples[k].push_back(study[k]->next(random, states[k]));
    }
  }
  while (true) {
    const auto verdicts = judge_all(samples, rule).value();
    bool all_done = true;
    for (std::size_t k = 0; k < study.size(); ++k) {
      if (verdicts[k].done) continue;
      all_done = false;
      samples[k].push_back(study[k]->next(random, states[k]));
    }
    if (!all_done) continue;
    std::vector<Final> finals;
    for (const RunPrecision& verdict : verdicts) finals.push_back(final_of(verdict.estimate));
    return finals;
  }
}

}  // namespace

std::size_t oracle_runs(const Process& process, const StoppingRule& rule) {
  constexpr double kNormal = 1.959964;
  std::size_t n = 1;
  while (n < rule.max_runs && kNormal * std::sqrt(process.variance_of_mean(n)) > rule.precision) {
    ++n;
  }
  return n;
}

Outcome try_oracle(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                   std::size_t replications, std::uint64_t seed) {
  std::vector<Final> known;
  for (const auto& process : study) {
    const std::size_t n = std::max(oracle_runs(*process, rule), kOracleRuns);
    known.push_back(
        {.half_width = 1.959964 * process->mean() * std::sqrt(process->variance_of_mean(n)),
         .runs = n});
  }
  return repeat(study, replications, seed, [&](Random& random) {
    auto finals = known;
    for (std::size_t k = 0; k < study.size(); ++k) {
      double state = kUnborn, sum = 0;
      for (std::size_t i = 0; i < finals[k].runs; ++i) sum += study[k]->next(random, state);
      finals[k].mean = sum / static_cast<double>(finals[k].runs);
    }
    return finals;
  });
}

Outcome try_naive(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                  std::size_t replications, std::uint64_t seed) {
  return repeat(study, replications, seed, [&](Random& random) {
    std::vector<Final> finals;
    for (const auto& process : study) finals.push_back(naive(*process, rule, random));
    return finals;
  });
}

Outcome try_rule(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                 std::size_t replications, std::uint64_t seed) {
  return repeat(study, replications, seed,
                [&](Random& random) { return by_rule(study, rule, random); });
}

}  // namespace kstar::noise
