#include "support/shape_laws.h"

#include <algorithm>
#include <cmath>

namespace kstar::shaped {

namespace {

Sampler exact(std::function<double(double)> law) {
  return [law = std::move(law)](double k, Random&) { return law(k); };
}

LawCase serial(double low, double high) {
  return {"amdahl", CauseKind::kSerial, Regime::kStrong, [=](Random& random) {
            const double s = random.uniform(low, high);
            return exact([s](double k) { return s + (1 - s) / k; });
          }};
}

LawCase usl(double low, double high, double coherency) {
  return {"usl", CauseKind::kContention, Regime::kStrong, [=](Random& random) {
            const double a = random.uniform(low, high), b = coherency * random.uniform(1, 3);
            return exact([a, b](double k) { return (1 + a * (k - 1) + b * k * (k - 1)) / k; });
          }};
}

LawCase communication(const char* name, double s, double cost,
                      std::function<double(double)> growth) {
  return {name, CauseKind::kCommunication, Regime::kStrong, [=](Random& random) {
            const double c = cost * random.uniform(1, 3);
            return exact([=](double k) { return s + (1 - s) / k + c * growth(k); });
          }};
}

LawCase limit(double low, double high) {
  return {"bandwidth limit", CauseKind::kContention, Regime::kStrong, [=](Random& random) {
            const double most = random.uniform(low, high);
            return exact([most](double k) { return 1 / std::min(k, most); });
          }};
}

LawCase imbalance(double low, double high) {
  return {"imbalance", CauseKind::kLoadImbalance, Regime::kStrong, [=](Random& random) {
            const double more = random.uniform(low, high);
            return exact([more](double k) { return (k > 1 ? 1 + more : 1) / k; });
          }};
}

/// A run waits if any of its workers is late.
LawCase straggler(const char* name, Regime regime, double chance, double delay) {
  return {name, CauseKind::kStraggler, regime, [=](Random& random) {
            const double late = delay * random.uniform(1, 2);
            return [=](double k, Random& draw) {
              const bool waits = draw.uniform() < 1 - std::pow(1 - chance, k);
              return (regime == Regime::kWeak ? 1 : 1 / k) + (waits ? late : 0);
            };
          }};
}

LawCase weak(const char* name, double cost, std::function<double(double)> growth) {
  return {name, CauseKind::kCommunication, Regime::kWeak, [=](Random& random) {
            const double c = cost * random.uniform(1, 3);
            return exact([=](double k) { return 1 + c * growth(k); });
          }};
}

LawCase ideal(Regime regime) {
  return {regime == Regime::kWeak ? "nothing, weak" : "nothing", CauseKind::kNone, regime,
          [=](Random&) {
            return exact([=](double k) { return regime == Regime::kWeak ? 1 : 1 / k; });
          }};
}

double log2_of(double k) {
  return std::log2(k);
}
double others(double k) {
  return k - 1;
}

}  // namespace

LawSet chosen_on() {
  return {
      "the set that thresholds were chosen on",
      {1, 2, 4, 8, 16},
      5,
      {0.005, 0.02, 0.05},
      {serial(0.03, 0.2), usl(0.01, 0.05, 0.003), communication("log2", 0.005, 0.01, log2_of),
       communication("linear", 0.01, 0.005, others), limit(4, 10), imbalance(0.15, 0.4),
       straggler("stragglers", Regime::kStrong, 0.03, 0.15),
       straggler("stragglers, weak", Regime::kWeak, 0.03, 0.3), weak("log2, weak", 0.03, log2_of),
       weak("linear, weak", 0.01, others), ideal(Regime::kStrong), ideal(Regime::kWeak)}};
}

LawSet judged_on() {
  return {
      "another set",
      {1, 2, 3, 6, 12, 24, 48},
      4,
      {0.01, 0.03},
      {serial(0.02, 0.1), usl(0.005, 0.02, 0.0005),
       communication("log2(K+1)", 0.02, 0.01, [](double k) { return std::log2(k + 1); }),
       communication("sqrt", 0.01, 0.008, [](double k) { return std::sqrt(k) - 1; }), limit(6, 30),
       imbalance(0.1, 0.3), straggler("stragglers", Regime::kStrong, 0.015, 0.1),
       straggler("stragglers, weak", Regime::kWeak, 0.015, 0.5), weak("log2, weak", 0.02, log2_of),
       weak("sqrt, weak", 0.02, [](double k) { return std::sqrt(k) - 1; }), ideal(Regime::kStrong),
       ideal(Regime::kWeak)}};
}

Study study_of(const LawSet& set, const LawCase& one, double noise, std::uint64_t seed) {
  Random random(seed);
  const Sampler sample = one.make(random);
  Study study;
  study.header.regime = one.regime;
  for (int block = 0; block < set.runs; ++block) {
    for (const int workers : set.workers) {
      Run& run = study.runs.emplace_back();
      run.workers = workers;
      run.block = block;
      run.wall = sample(workers, random) * std::exp(noise * random.normal());
    }
  }
  return study;
}

}  // namespace kstar::shaped
