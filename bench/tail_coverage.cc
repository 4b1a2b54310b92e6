// What the intervals of percentiles really cover: independent samples (bar: 95 to 98%), and queues
// up to a load of 0.9 (bar: at least 85%, or "too short"). The rule (src/tail/correlation.cc) was
// chosen on the processes above the line, with other seeds; those below it were not used for it.
// Of a server that is slow now and then, runs are counted by how many slow stretches they saw: one
// that saw none looks like a server that has none, and no rule can tell.
// bench_tail_coverage [REPEATS [SAMPLES]]; --markdown prints the tables of docs/tail.md
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// A server that is slow for a stretch of requests now and then.
struct Switching {
  Process process;
  /// How many slow stretches a run saw; 0 where it saw nothing else, too.
  std::function<std::size_t(std::size_t, std::uint64_t)> stretches;
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

/// A slow autoregression under independent noise: neighbours are hardly alike, for long.
Process hidden_drift(double rho) {
  return {fmt::format("noise + AR(1), {}", rho),
          [rho](std::size_t count, std::uint64_t seed) {
            Random random(seed);
            double x = random.normal();
            std::vector<double> samples;
            for (std::size_t i = 0; i < count; ++i) {
              samples.push_back(std::exp((x + 2 * random.normal()) / std::sqrt(5.0)));
              x = rho * x + std::sqrt(1 - rho * rho) * random.normal();
            }
            return samples;
          },
          [](double share) { return std::exp(normal_quantile(share)); }};
}

/// Which requests of a run are slow: stretches of `length` on average, a share of all.
std::vector<bool> slow_requests(double part, double length, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  bool slow = random.uniform() < part;
  const double starts = part / (1 - part) / length;
  std::vector<bool> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(slow);
    slow = slow ? random.uniform() >= 1 / length : random.uniform() < starts;
  }
  return all;
}

std::size_t stretches_of(const std::vector<bool>& slow) {
  if (std::find(slow.begin(), slow.end(), false) == slow.end()) return 0;
  std::size_t count = slow[0] ? 1 : 0;
  for (std::size_t i = 1; i < slow.size(); ++i) count += slow[i] && !slow[i - 1] ? 1U : 0U;
  return count;
}

/// Exponential times, so many times as long while the server is slow.
Switching on_off(double part, double length, double slower) {
  const auto beyond = [=](double x) {
    return (1 - part) * std::exp(-x) + part * std::exp(-x / slower);
  };
  const auto draw = [=](std::size_t count, std::uint64_t seed) {
    Random random(seed + 1000003);
    std::vector<double> samples;
    for (const bool slow : slow_requests(part, length, count, seed)) {
      samples.push_back((slow ? slower : 1) * test::exponential(random));
    }
    return samples;
  };
  const auto truth = [=](double share) {
    double low = 0, high = 1000;
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (beyond(middle) > 1 - share ? low : high) = middle;
    }
    return low;
  };
  return {{fmt::format("on/off, {:.0f}% x {}", 100 * part, length), draw, truth},
          [=](std::size_t count, std::uint64_t seed) {
            return stretches_of(slow_requests(part, length, count, seed));
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

/// A queue whose server takes so many times as long for a stretch of requests now and then.
Switching slow_server(double load, double part, double length, double slower) {
  const auto draw = [=](std::size_t count, std::uint64_t seed) {
    const std::vector<bool> slow = slow_requests(part, length, count, seed);
    Random random(seed + 1000003);
    const double mean = 1 + part * (slower - 1);
    std::vector<double> times;
    double wait = 0;
    constexpr std::size_t kWarmUp = 2000;
    for (std::size_t i = 0; i < kWarmUp + count; ++i) {
      const bool now = i >= kWarmUp && slow[i - kWarmUp];
      const double time = wait + test::exponential(random) * (now ? slower : 1);
      if (i >= kWarmUp) times.push_back(time);
      wait = std::max(0.0, time - test::exponential(random) * mean / load);
    }
    return times;
  };
  return {simulated(fmt::format("M/M/1, {}, {:.0f}% x {} slow", load, 100 * part, length), draw),
          [=](std::size_t count, std::uint64_t seed) {
            return stretches_of(slow_requests(part, length, count, seed));
          }};
}

/// So heavy that its third moment is infinite; mean 1.
double pareto_service(Random& random) {
  return 0.6 * std::pow(1 - random.uniform(), -1 / 2.5);
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

Process mm1(double load) {
  return {fmt::format("M/M/1, {}", load),
          [load](std::size_t n, std::uint64_t seed) { return test::mm1_times(load, n, seed); },
          [load](double share) { return -std::log(1 - share) / (1 - load); }};
}

constexpr std::array kShares = {0.5, 0.9, 0.99, 0.999};
std::vector<std::size_t> sizes = {300, 1000, 10000, 100000};
bool markdown = false;

struct Held {
  int runs = 0, answered = 0, covered = 0;

  std::string text() const {
    if (answered == 0) return "too short";
    const double all = 100.0 * answered / runs;
    const std::string held = fmt::format("{:.1f}%", 100.0 * covered / answered);
    return answered == runs ? held : fmt::format("{} of {:.{}f}%", held, all, all < 10 ? 1 : 0);
  }
  double wrong() const { return 100.0 * (answered - covered) / runs; }
};

using Row = std::array<Held, kShares.size()>;

std::uint64_t seed_of(int run, std::size_t count) {
  return static_cast<std::uint64_t>(run) * 7919 + count;
}

void measure_run(const Process& process, std::size_t count, std::uint64_t seed, Row& row) {
  LatencySet set;
  set.samples = process.draw(count, seed);
  set.count = count;
  std::vector<LatencySet> sets;
  sets.push_back(std::move(set));
  const Result<Tail> tail = analyze_tail(std::move(sets), {});
  for (std::size_t k = 0; k < kShares.size(); ++k) {
    const TailPercentile& one = tail->levels[0].percentiles[k];
    ++row[k].runs;
    if (one.doubt != TailDoubt::kNone) continue;
    ++row[k].answered;
    const double truth = process.truth(kShares[k]);
    row[k].covered += one.low <= truth && truth <= one.high ? 1 : 0;
  }
}

Row measure(const Process& process, std::size_t count, int runs) {
  Row row;
  for (int i = 0; i < runs; ++i) measure_run(process, count, seed_of(i, count), row);
  return row;
}

/// Runs that saw no slow stretch, up to four, and more.
std::array<Row, 3> measure_by_stretches(const Switching& one, std::size_t count, int runs) {
  constexpr std::size_t kSome = 5;
  std::array<Row, 3> rows;
  for (int i = 0; i < runs; ++i) {
    const std::size_t seen = one.stretches(count, seed_of(i, count));
    Row& row = rows[seen == 0 ? 0 : seen < kSome ? 1 : 2];
    measure_run(one.process, count, seed_of(i, count), row);
  }
  return rows;
}

/// p50, p90 of 1,000; p50, p90, p99 of 10,000.
void show_markdown(const Process& process, int runs) {
  const Row few = measure(process, 1000, runs), many = measure(process, 10000, runs);
  double wrong = 0;
  for (const Row& row : {few, many}) {
    for (const Held& held : row) wrong = std::max(wrong, held.wrong());
  }
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.1f}% |\n", process.name, few[0].text(),
             few[1].text(), many[0].text(), many[1].text(), many[2].text(), wrong);
  std::fflush(stdout);
}

void show(const Process& process, int repeats) {
  if (markdown) return show_markdown(process, repeats);
  for (const std::size_t count : sizes) {
    const int runs = std::max(20, count >= 100000U ? repeats / 4 : repeats);
    std::string line = fmt::format("{:<22}{:>7}", process.name, count);
    for (const Held& held : measure(process, count, runs)) {
      line += fmt::format("  {:>13} {:>4.1f}", held.text(), held.wrong());
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}

void show_by_stretches(const Switching& one, int repeats) {
  constexpr std::array kSeen = {"none", "1 to 4", "5 or more"};
  for (const std::size_t count : {1000U, 10000U}) {
    const std::array<Row, 3> rows = measure_by_stretches(one, count, repeats);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      if (row[0].runs == 0) continue;
      const double part = 100.0 * row[0].runs / repeats;
      fmt::print("| {} | {} | {} | {:.{}f}% | {} | {} | {} |\n", one.process.name, count, kSeen[i],
                 part, part < 10 ? 1 : 0, row[0].text(), row[1].text(), row[2].text());
    }
    std::fflush(stdout);
  }
}

void heading() {
  if (markdown) {
    fmt::print(
        "| | p50 of 1,000 | p90 of 1,000 | p50 of 10,000 | p90 of 10,000 | p99 of 10,000 | wrong "
        "|\n|---|---|---|---|---|---|---|\n");
    return;
  }
  fmt::print(
      "covered of those answered, and the share of all runs that got a wrong interval (%)\n");
  fmt::print("{:<22}{:>7}", "process", "samples");
  for (const char* name : {"p50", "p90", "p99", "p99.9"}) fmt::print("  {:>13}     ", name);
  fmt::print("\n");
}

/// The rule was chosen on these.
void show_chosen(int repeats) {
  show({"independent", independent, [](double share) { return std::exp(normal_quantile(share)); }},
       markdown ? 10 * repeats : repeats);
  for (const double rho : {0.3, 0.9, 0.99}) show(autoregression(rho), repeats);
  for (const double load : {0.5, 0.7, 0.8, 0.9}) show(mm1(load), repeats);
  show(queue("M/M/16", 0.8, 16, test::exponential), repeats);
}

void show_others(int repeats) {
  for (const double rho : {0.6, 0.95}) show(autoregression(rho), repeats);
  show(hidden_drift(0.98), repeats);
  for (const double load : {0.6, 0.85}) show(mm1(load), repeats);
  show(queue("M/M/4", 0.9, 4, test::exponential), repeats);
  show(queue("M/M/8", 0.75, 8, test::exponential), repeats);
  show(queue("M/D/1", 0.9, 1, [](Random&) { return 1.0; }), repeats);
  show(queue("M/H2/1", 0.8, 1, two_kinds), repeats);
  show(queue("M/lognormal/1", 0.7, 1, lognormal_service), repeats);
  show(queue("M/Pareto/1", 0.6, 1, pareto_service), repeats);
  show(bursty(0.7), repeats);
}

void show_switching(int repeats) {
  fmt::print(
      "\n| | samples | slow stretches seen | of runs | p50 | p90 | p99 |\n"
      "|---|---|---|---|---|---|---|\n");
  show_by_stretches(on_off(0.3, 300, 10), repeats);
  show_by_stretches(on_off(0.1, 50, 5), repeats);
  show_by_stretches(on_off(0.2, 100, 4), repeats);
  show_by_stretches(on_off(0.01, 50, 10), repeats);
  show_by_stretches(slow_server(0.4, 0.1, 100, 4), repeats);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> rest(words + 1, words + count);
  markdown = !rest.empty() && rest[0] == "--markdown";
  if (markdown) rest.erase(rest.begin());
  const int repeats = rest.empty() ? 400 : std::atoi(rest[0].c_str());
  if (rest.size() > 1) sizes = {static_cast<std::size_t>(std::atol(rest[1].c_str()))};
  heading();
  show_chosen(repeats);
  fmt::print("{}\n", markdown ? "| --- | | | | | | |" : "--");
  show_others(repeats);
  if (sizes.size() > 1) show_switching(repeats);
  return 0;
}
