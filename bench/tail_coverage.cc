// What the intervals of percentiles really cover: independent samples (bar: 95 to 98%), and queues
// up to a load of 0.9 (bar: at least 85%, or "too short"). The rule was chosen on the processes
// above the line, with other seeds; those below it were not looked at. bench_tail_coverage [REPEATS
// [SAMPLES]]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "base/random.h"
#include "kstar/tail.h"
#include "support/queue_process.h"

namespace {

using namespace kstar;

using Draw = std::function<std::vector<double>(std::size_t, std::uint64_t)>;
using Truth = std::function<double(double)>;

struct Process {
  std::string name;
  Draw draw;
  Truth truth;
};

std::vector<double> independent(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(std::exp(random.normal()));
  return samples;
}

double normal_quantile(double share) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
  }
  return low;
}

/// A first-order autoregression with a normal margin, as a lognormal latency.
Process autoregression(double rho) {
  return {fmt::format("AR(1), {}", rho),
          [rho](std::size_t count, std::uint64_t seed) {
            Random random(seed);
            double x = random.normal();
            std::vector<double> samples;
            for (std::size_t i = 0; i < count; ++i) {
              samples.push_back(std::exp(x));
              x = rho * x + std::sqrt(1 - rho * rho) * random.normal();
            }
            return samples;
          },
          [](double share) { return std::exp(normal_quantile(share)); }};
}

/// Stalls: stretches of 50 requests on average, one in 100 of all, ten times as slow.
Process stalls() {
  const auto beyond = [](double x) { return 0.99 * std::exp(-x) + 0.01 * std::exp(-x / 10); };
  return {"stalls of 50",
          [](std::size_t count, std::uint64_t seed) {
            Random random(seed);
            bool slow = random.uniform() < 0.01;
            std::vector<double> samples;
            for (std::size_t i = 0; i < count; ++i) {
              samples.push_back((slow ? 10 : 1) * test::exponential(random));
              slow = slow ? random.uniform() >= 1 / 50.0 : random.uniform() < 0.01 / 0.99 / 50;
            }
            return samples;
          },
          [beyond](double share) {
            double low = 0, high = 1000;
            for (int i = 0; i < 100; ++i) {
              const double middle = (low + high) / 2;
              (beyond(middle) > 1 - share ? low : high) = middle;
            }
            return low;
          }};
}

/// Times in a queue of several servers, in the order of arrival, after a warm-up.
template <typename Service, typename Gap>
std::vector<double> queue_times(std::size_t count, std::uint64_t seed, std::size_t servers,
                                const Service& service, const Gap& gap) {
  constexpr std::size_t kWarmUp = 30000;
  Random random(seed);
  std::vector<double> free(servers), times;
  double now = 0;
  for (std::size_t i = 0; i < count + kWarmUp; ++i) {
    const auto next = std::min_element(free.begin(), free.end());
    *next = std::max(now, *next) + service(random);
    if (i >= kWarmUp) times.push_back(*next - now);
    now += gap(random);
  }
  return times;
}

/// Its percentiles are those of three million samples.
Process simulated(const std::string& name, const Draw& draw) {
  constexpr std::size_t kLong = 3000000;
  std::vector<double> all = draw(kLong, 99991);
  std::sort(all.begin(), all.end());
  return {name, draw, [all = std::move(all)](double share) {
            return all[static_cast<std::size_t>(share * static_cast<double>(all.size()))];
          }};
}

template <typename Service>
Process queue(const std::string& name, double load, std::size_t servers, const Service& service) {
  return simulated(fmt::format("{}, {}", name, load), [=](std::size_t count, std::uint64_t seed) {
    const auto gap = [=](Random& random) {
      return test::exponential(random) / load / static_cast<double>(servers);
    };
    return queue_times(count, seed, servers, service, gap);
  });
}

double lognormal_service(Random& random) {
  return std::exp(1.2 * random.normal() - 0.72);  // mean 1
}

/// One in ten is nine times as long as the others; mean 1.
double two_kinds(Random& random) {
  return test::exponential(random) * (random.uniform() < 0.1 ? 5 : 0.5 / 0.9);
}

/// Arrivals that change between a high and a low rate, every 50 requests on average.
Process bursty(double load) {
  return simulated(fmt::format("bursty/M/1, {}", load),
                   [load](std::size_t count, std::uint64_t seed) {
                     bool high = false;
                     const auto gap = [&](Random& random) {
                       if (random.uniform() < 0.02) high = !high;
                       return test::exponential(random) / (load * (high ? 1.3 : 0.8));
                     };
                     return queue_times(count, seed, 1, test::exponential, gap);
                   });
}

std::vector<std::size_t> sizes = {1000, 10000, 100000};

void show(const Process& process, int repeats) {
  for (const std::size_t count : sizes) {
    const int rounds = std::max(20, count >= 100000U ? repeats / 4 : repeats);
    std::string line = fmt::format("{:<20}{:>8}", process.name, count);
    std::vector<int> answered(4), covered(4);
    const double shares[] = {0.5, 0.9, 0.99, 0.999};
    for (int i = 0; i < rounds; ++i) {
      LatencySet set;
      set.samples = process.draw(count, static_cast<std::uint64_t>(i) * 7919 + count);
      set.count = count;
      std::vector<LatencySet> sets;
      sets.push_back(std::move(set));
      const Result<Tail> tail = analyze_tail(std::move(sets), {});
      for (std::size_t k = 0; k < 4; ++k) {
        const TailPercentile& one = tail->levels[0].percentiles[k];
        if (one.doubt != TailDoubt::kNone) continue;
        ++answered[k];
        const double truth = process.truth(shares[k]);
        covered[k] += one.low <= truth && truth <= one.high ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const double wrong = 100.0 * (answered[k] - covered[k]) / rounds;
      line += answered[k] == 0 ? fmt::format("  {:>19}", "none answered")
                               : fmt::format("  {:>5.1f}% of {:>4.0f}% {:>4.1f}",
                                             100.0 * covered[k] / answered[k],
                                             100.0 * answered[k] / rounds, wrong);
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  const int repeats = count > 1 ? std::atoi(words[1]) : 400;
  if (count > 2) sizes = {static_cast<std::size_t>(std::atol(words[2]))};
  fmt::print(
      "covered of those answered, and the share of all runs that got a wrong interval (%)\n");
  fmt::print("{:<20}{:>8}  {:>19}  {:>19}  {:>19}  {:>19}\n", "process", "samples", "p50", "p90",
             "p99", "p99.9");
  show({"independent", independent, [](double share) { return std::exp(normal_quantile(share)); }},
       repeats);
  for (const double load : {0.3, 0.5, 0.7, 0.8, 0.9}) {
    show({fmt::format("M/M/1, {}", load),
          [load](std::size_t n, std::uint64_t seed) { return test::mm1_times(load, n, seed); },
          [load](double share) { return -std::log(1 - share) / (1 - load); }},
         repeats);
  }
  show(autoregression(0.9), repeats);
  show(autoregression(0.99), repeats);
  show(queue("M/D/1", 0.9, 1, [](Random&) { return 1.0; }), repeats);
  show(queue("M/lognormal/1", 0.7, 1, lognormal_service), repeats);
  fmt::print("--\n");
  show(autoregression(0.95), repeats);
  show(queue("M/M/4", 0.9, 4, test::exponential), repeats);
  show(queue("M/H2/1", 0.8, 1, two_kinds), repeats);
  show(bursty(0.7), repeats);
  show(stalls(), repeats);
  return 0;
}
