// How sure a bend is said to be, and how often it is there: for bench/bend_chances.py, which draws
// the conclusions. A line of SERIES (tabs): source, name, strong or weak, and K:block:T for every
// run (block -1: not known). Of each series a few runs per K are taken at random, as one would have
// measured them; the truth is the bend of the means of all runs. A line of the output:
//   source, name, runs per K, threshold, whether no model fits, place seen, place true, stated
//   chances
// where a place is the number of the first K below the threshold, or the number of K for none.
//
//   bench_bend_chances SERIES DRAWS > CHANCES
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/random.h"
#include "kstar/analysis.h"
#include "kstar/thresholds.h"

namespace kstar {
namespace {

constexpr double kThresholds[] = {0.9, 0.8, 0.7, 0.6, 0.5};
constexpr std::size_t kRunsTaken[] = {1, 2, 3, 5};

struct Measured {
  int block = -1;
  double time = 0;
};

struct Series {
  std::string source, name;
  bool weak = false;
  std::map<int, std::vector<Measured>> runs;

  std::size_t fewest() const {
    std::size_t least = runs.begin()->second.size();
    for (const auto& [k, all] : runs) least = std::min(least, all.size());
    return least;
  }
};

Series series_of(const std::string& line) {
  std::stringstream words(line);
  Series series;
  std::string regime, run;
  std::getline(words, series.source, '\t');
  std::getline(words, series.name, '\t');
  std::getline(words, regime, '\t');
  series.weak = regime == "weak";
  while (words >> run) {
    int k = 0;
    Measured one;
    char colon = 0;
    std::stringstream(run) >> k >> colon >> one.block >> colon >> one.time;
    series.runs[k].push_back(one);
  }
  return series;
}

/// So many of them, at random.
std::vector<Measured> some_of(std::vector<Measured> all, std::size_t count, Random& random) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + static_cast<std::size_t>(random.below(all.size() - i))]);
  }
  all.resize(count);
  return all;
}

Study study_of(const Series& series, std::size_t taken, Random& random) {
  Study study;
  study.header.regime = series.weak ? Regime::kWeak : Regime::kStrong;
  for (const auto& [k, all] : series.runs) {
    for (const Measured& one : some_of(all, taken, random)) {
      Run run;
      run.workers = k;
      if (one.block >= 0) run.block = one.block;
      run.wall = one.time;
      study.runs.push_back(run);
    }
  }
  return study;
}

/// By means of all runs, each K with its work.
std::size_t true_place(const Series& series, double threshold) {
  double base = 0;
  const int smallest = series.runs.begin()->first;
  std::size_t place = 0;
  for (const auto& [k, all] : series.runs) {
    double mean = 0;
    for (const Measured& one : all) mean += one.time / static_cast<double>(all.size());
    if (base == 0) base = mean;
    const double efficiency = base / mean * (series.weak ? 1 : double(smallest) / k);
    if (efficiency < threshold) return place;
    ++place;
  }
  return place;
}

void try_one(const Series& series, std::size_t taken, Random& random) {
  const Study study = study_of(series, taken, random);
  AnalysisOptions options;
  options.resamples = 1000;
  const Result<Analysis> found = analyze(study, options);
  if (!found) return;
  for (const ThresholdAnswer& answer : answers_at(study, *found, kThresholds)) {
    std::size_t seen = 0;
    for (const auto& [k, all] : series.runs) {
      if (answer.bend && answer.bend->first_bad == k) break;
      ++seen;
    }
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}", series.source, series.name, taken, answer.threshold,
               found->models->goodness.beyond_errors ? 1 : 0, seen,
               true_place(series, answer.threshold));
    for (const double chance : answer.bend_chances) fmt::print("\t{:.4f}", chance);
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace kstar

int main(int count, char** words) {
  const auto draws = count == 3 ? kstar::parse_integer(words[2]) : std::nullopt;
  std::ifstream file(count == 3 ? words[1] : "");
  if (!draws || !file) {
    fmt::print(stderr, "bench_bend_chances SERIES DRAWS\n");
    return 2;
  }
  kstar::Random random(1);
  for (std::string line; std::getline(file, line);) {
    const kstar::Series series = kstar::series_of(line);
    for (const std::size_t taken : kstar::kRunsTaken) {
      if (2 * taken > series.fewest() + 1) continue;  // the truth must know more
      for (std::int64_t i = 0; i < *draws; ++i) kstar::try_one(series, taken, random);
    }
  }
}
