#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.h"
#include "kstar/causes.h"
#include "kstar/study.h"

/// Studies made by laws, whose causes are known: T(K) and nothing else.
namespace kstar::shaped {

/// T of one run on K workers; what is drawn once per study is drawn when it is made.
using Sampler = std::function<double(double, Random&)>;

struct LawCase {
  const char* name;
  CauseKind truth;
  Regime regime;
  std::function<Sampler(Random&)> make;
};

struct LawSet {
  const char* name;
  std::vector<int> workers;
  int runs;
  std::vector<double> noises;
  std::vector<LawCase> cases;
};

/// The set that thresholds were chosen on, and one with other K, parameters and laws to judge them.
LawSet chosen_on();
LawSet judged_on();

/// Noise is the standard deviation of log T.
Study study_of(const LawSet& set, const LawCase& one, double noise, std::uint64_t seed);

}  // namespace kstar::shaped
