// What the bend's K and its agreement hold, by simulation, beside a percentile bootstrap of whole
// blocks. The threshold lies so near to E(4) that runs can hardly tell on which side it is: K = 4
// is bad in one half of the studies and good in the other. --quick for the documentation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/fit/efficiency_curve.h"
#include "base/random.h"

namespace kstar {
namespace {

constexpr int kWorkers[] = {1, 2, 4, 8};
constexpr std::size_t kResamples = 1000;

struct Noise {
  const char* name;
  double mood;         ///< shared by a block
  double own;          ///< of each run
  double correlation;  ///< of a run's own part with the same K in the block before
};

double time_at(int k) {
  return 0.1 + 0.9 / k;  // E is 1, 0.909, 0.769, 0.588
}

Study study_of(const Noise& noise, int blocks, Random& random) {
  Study study;
  study.header.regime = Regime::kStrong;
  std::map<int, double> last;
  for (int block = 0; block < blocks; ++block) {
    const double shared = 1 + noise.mood * random.normal();
    for (const int k : kWorkers) {
      const double fresh = random.normal();
      const double rho = noise.correlation;
      last[k] = block == 0 ? fresh : rho * last[k] + std::sqrt(1 - rho * rho) * fresh;
      Run run;
      run.workers = k;
      run.block = block;
      run.wall = time_at(k) * shared * (1 + noise.own * last[k]);
      study.runs.push_back(run);
    }
  }
  return study;
}

struct Named {
  std::size_t low = 0, high = 0;  ///< places in kWorkers; their number: beyond
  double agreement = 0;
};

std::size_t first_bad(const std::vector<double>& times, double threshold) {
  for (std::size_t i = 0; i < std::size(kWorkers); ++i) {
    if (times[0] / times[i] / kWorkers[i] < threshold) return i;
  }
  return std::size(kWorkers);
}

/// Whole blocks with replacement; percentiles of what comes out.
Named bootstrap(const Study& study, std::size_t blocks, double threshold, std::size_t seen,
                Random& random) {
  constexpr std::size_t kCount = std::size(kWorkers);
  std::vector<std::size_t> places;
  std::size_t same = 0;
  for (std::size_t i = 0; i < kResamples; ++i) {
    std::vector<double> sums(kCount, 0.0);
    for (std::size_t drawn = 0; drawn < blocks; ++drawn) {
      const auto block = static_cast<std::size_t>(random.below(blocks));
      for (std::size_t k = 0; k < kCount; ++k) sums[k] += *study.runs[block * kCount + k].wall;
    }
    places.push_back(first_bad(sums, threshold));
    if (places.back() == seen) ++same;
  }
  std::sort(places.begin(), places.end());
  return {.low = places[kResamples / 40],
          .high = places[kResamples - 1 - kResamples / 40],
          .agreement = static_cast<double>(same) / kResamples};
}

std::size_t place_of(int workers) {
  return static_cast<std::size_t>(std::find(std::begin(kWorkers), std::end(kWorkers), workers) -
                                  std::begin(kWorkers));
}

struct Score {
  double held = 0, agreement = 0;
  void add(const Named& named, std::size_t truth) {
    held += named.low <= truth && truth <= named.high ? 1 : 0;
    agreement += named.agreement;
  }
};

void try_noise(const Noise& noise, int blocks, int studies) {
  Random random(static_cast<std::uint64_t>(blocks));
  Score ours, theirs;
  double right = 0;
  for (int i = 0; i < studies; ++i) {
    // Half of an error of the mean, beside E(4).
    const double beside = 0.5 * noise.own * std::sqrt(2.0 / blocks);
    const double threshold = 0.9 / 1.17 * std::exp(i % 2 == 0 ? beside : -beside);
    const std::size_t truth = i % 2 == 0 ? 2 : 3;
    const Study study = study_of(noise, blocks, random);
    const SampleGroups groups = group_runs(study);
    const ScalingTable table = scaling_table(study, {.threshold = threshold}).value();
    const Bend bend =
        find_bend(curve_of(table, groups), {.threshold = threshold, .resamples = kResamples})
            .bend.value();
    const std::size_t seen = place_of(bend.first_bad);
    ours.add({.low = place_of(bend.low),
              .high = bend.high ? place_of(*bend.high) : std::size(kWorkers),
              .agreement = bend.agreement},
             truth);
    theirs.add(bootstrap(study, static_cast<std::size_t>(blocks), threshold, seen, random), truth);
    right += seen == truth ? 1 : 0;
  }
  fmt::print("{:<38}{:>4}   {:.3f}    {:.3f}  {:.3f}     {:.3f}  {:.3f}\n", noise.name, blocks,
             right / studies, ours.held / studies, ours.agreement / studies, theirs.held / studies,
             theirs.agreement / studies);
}

void try_all(int studies) {
  fmt::print(
      "K = 1, 2, 4, 8; E(4) half an error beside the threshold; {} studies each, 95%\n"
      "right: the first K below the threshold is the true one\n"
      "held: the K from low to high hold the true one; agree: the mean agreement\n\n"
      "{:<38}runs  right    kstar         block bootstrap\n{:<38}               held   agree     "
      "held   agree\n",
      studies, "noise", "");
  const Noise noises[] = {{"2% of each run", 0, 0.02, 0},
                          {"2%, 5% shared by a block", 0.05, 0.02, 0},
                          {"2%, correlated by 0.3 at each K", 0, 0.02, 0.3}};
  for (const Noise& noise : noises) {
    for (const int blocks : {3, 5, 10, 30}) try_noise(noise, blocks, studies);
  }
}

}  // namespace
}  // namespace kstar

int main(int count, char** words) {
  const bool quick = count > 1 && std::string_view(words[1]) == "--quick";
  kstar::try_all(quick ? 400 : 4000);
  return 0;
}
