#include "audit_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <numeric>

#include "base/number.h"
#include "kstar/import.h"

namespace bench {

namespace {

using kstar::Random;
using Deviations = std::vector<double>;

/// Seconds of every run at each K.
using Times = std::map<int, std::vector<double>>;

const std::vector<std::vector<int>> kWorkerLists = {
    {1, 2, 4, 8, 16, 32, 64}, {1, 2, 4, 8, 16}, {1, 2, 3, 4, 6, 8, 12, 16}, {1, 4, 16, 64}};

struct Plan {
  std::size_t runs = 5;
  double least_loss = 0.01, most_loss = 0.06;  ///< of a doubling, as a share
  bool weak = false;
  std::size_t list = 9;  ///< of the workers; 9: any
};

/// One job: a serial part and communication that grows, and the noise of real runs: 1, 2 or 4%.
Times times_of(Random& random, const Deviations& deviations, const Plan& plan,
               std::map<int, double>* means = nullptr) {
  constexpr double kNoise[] = {0.01, 0.02, 0.04};
  const auto& workers = kWorkerLists[plan.list < kWorkerLists.size() ? plan.list : random.below(3)];
  const double noise = kNoise[random.below(3)], first = std::exp(random.uniform(1.0, 6.0));
  const double serial = random.uniform(plan.least_loss, plan.most_loss) / 2;
  const double network = random.uniform(0, plan.most_loss) / 10;
  Times times;
  for (const int k : workers) {
    const double own = plan.weak ? 1 : serial + (1 - serial) / k;
    const double mean = first * (own + (plan.weak ? 10 : 1) * network * std::log2(k));
    if (means != nullptr) (*means)[k] = mean;
    for (std::size_t i = 0; i < plan.runs; ++i) {
      times[k].push_back(mean *
                         std::max(0.5, 1 + noise * deviations[random.below(deviations.size())]));
    }
  }
  return times;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double speedup_of(const Times& times, int k) {
  return mean_of(times.at(1)) / mean_of(times.at(k));
}

std::string digits(double value, int count) {
  return kstar::significant(value, count);
}

/// "5.27x at 8", of the table's own means times a factor.
std::string claim_of(const Times& times, double factor = 1) {
  const int k = times.rbegin()->first;
  return fmt::format("{}x at {}", digits(factor * speedup_of(times, k), 3), k);
}

using Columns = std::function<std::string(int k, std::size_t run)>;

/// A row for each run. `more` is what stands behind the time.
std::string rows_of(const Times& times, const std::string& head, int places,
                    const Columns& more = nullptr) {
  std::string text = head + "\n";
  for (const auto& [k, runs] : times) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      text += fmt::format("{},{}{}\n", k, digits(runs[i], places), more ? more(k, i) : "");
    }
  }
  return text;
}

std::string run_number(int, std::size_t run) {
  return fmt::format(",{}", run);
}

/// Rates of one unit of work per second: of a fixed job.
std::string rates_of(const Times& times, const std::string& head, int places,
                     const Columns& more = nullptr, double unit = 6400) {
  Times rates = times;
  for (auto& [k, runs] : rates) {
    for (double& run : runs) run = unit / run;
  }
  return rows_of(rates, head, places, more);
}

Times single(Times times) {
  for (auto& [k, runs] : times) runs.resize(1);
  return times;
}

// Honest.

Handed in_blocks(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  std::string text = "run,threads,time_s\n";
  for (std::size_t i = 0; i < 5; ++i) {
    for (const auto& [k, runs] : times) text += fmt::format("{},{},{}\n", i, k, digits(runs[i], 6));
  }
  return {text, claim_of(times)};
}
Handed sorted_by_workers(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rows_of(times, "threads,time_s,run", 6, run_number), claim_of(times)};
}
Handed without_numbers(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rows_of(times, "threads,time_s", 5), claim_of(times)};
}
Handed three_runs(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.runs = 3});
  return {rows_of(times, "ranks,time_s", 4), claim_of(times)};
}
Handed twenty_runs(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.runs = 20});
  return {rows_of(times, "ranks,time_s,run", 5, run_number), claim_of(times)};
}
Handed single_four_digits(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  return {rows_of(times, "gpus,time_s", 4), claim_of(times)};
}
Handed single_three_digits(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  return {rows_of(times, "gpus,time_s", 3), claim_of(times)};
}
Handed rates_fixed_batch(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rates_of(times, "gpus,images/s,batch", 5, [](int, std::size_t) { return ",512"; }),
          claim_of(times)};
}
Handed single_rates(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  return {rates_of(times, "gpus,images/s", 5), claim_of(times)};
}
/// The claim is the truth, and not what these runs give.
Handed true_claim(Random& random, const Deviations& deviations) {
  std::map<int, double> means;
  const Times times = times_of(random, deviations, {}, &means);
  const int k = times.rbegin()->first;
  return {rows_of(times, "gpus,time_s", 5),
          fmt::format("{}x at {}", digits(means.at(1) / means.at(k), 5), k)};
}
Handed weak_declared(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.weak = true});
  const int k = times.rbegin()->first;
  return {rows_of(times, "nodes,time_s,cells,regime", 5,
                  [](int workers, std::size_t) { return fmt::format(",{},weak", 4096 * workers); }),
          fmt::format("{} weak efficiency at {}", digits(speedup_of(times, k), 3), k)};
}
Handed speedups_of_means(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  Times means;
  for (const auto& [k, runs] : times) means[k] = {mean_of(runs)};
  return {rows_of(means, "gpus,mean time_s,speedup", 4,
                  [&](int k, std::size_t) { return fmt::format(",{:.2f}", speedup_of(means, k)); }),
          claim_of(means)};
}
Handed against_serial_program(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  const double serial = random.uniform(0.80, 0.96) * times.at(1)[0];
  return {
      rows_of(times, "threads,time_s,speedup", 4,
              [&](int k, std::size_t) { return fmt::format(",{:.2f}", serial / times.at(k)[0]); }),
      ""};
}
Handed slow_second(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (double& run : times[2]) run *= 1.3;
  return {rows_of(times, "threads,time_s", 5), claim_of(times)};
}
Handed nearly_ideal(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.least_loss = 0, .most_loss = 0.001});
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}

// Doctored.

Handed slow_base(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (double& run : times[1]) run *= 1.8;
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}
Handed slow_base_less(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (double& run : times[1]) run *= 1.4;
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}
Handed slow_base_single(Random& random, const Deviations& deviations) {
  Times times = single(times_of(random, deviations, {}));
  for (double& run : times[1]) run *= 1.8;
  return {rows_of(times, "gpus,time_s", 4), claim_of(times)};
}
Handed twice_the_second(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (std::size_t i = 0; i < times[1].size(); ++i) times[1][i] = 2 * times[2][i];
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}
Handed twice_the_second_single(Random& random, const Deviations& deviations) {
  Times times = single(times_of(random, deviations, {}));
  const double rounded = std::stod(digits(times[2][0], 5));
  times[2] = {rounded};
  times[1] = {2 * rounded};
  return {rows_of(times, "gpus,time_s", 6), claim_of(times)};
}
Handed totals_called_per_worker(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rates_of(times, "gpus,images/s/gpu", 5), claim_of(times, 1)};
}
Handed rate_of_one_times_workers(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (auto& [k, runs] : times) {
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = times[1][i] / k;
  }
  return {rates_of(times, "gpus,images/s", 6), claim_of(times)};
}
Handed per_worker_with_speedups(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  Times each = times;
  for (auto& [k, runs] : each) runs[0] *= k;
  return {
      rates_of(each, "gpus,images/s,speedup", 5,
               [&](int k, std::size_t) { return fmt::format(",{:.2f}", speedup_of(times, k)); }),
      ""};
}
Handed per_worker_as_total(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  Times each = times;
  for (auto& [k, runs] : each) {
    for (double& run : runs) run *= k;
  }
  return {rates_of(each, "gpus,images/s", 5), claim_of(times)};
}
Handed per_worker_disagrees(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {.most_loss = 0.12}));
  Times ideal;
  for (const auto& [k, runs] : times) {
    ideal[k] = {times.at(1)[0] / k * std::max(0.9, 1 + 0.01 * random.normal())};
  }
  return {rates_of(ideal, "gpus,images/s,images/s/gpu", 5,
                   [&](int k, std::size_t) {
                     return fmt::format(",{}", digits(6400 / times.at(k)[0] / k, 4));
                   }),
          ""};
}
Handed weak_called_strong(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.weak = true});
  const int k = times.rbegin()->first;
  return {
      rows_of(times, "nodes,time_s,cells,regime", 5,
              [](int workers, std::size_t) { return fmt::format(",{},strong", 4096 * workers); }),
      fmt::format("{}x at {}", digits(k * speedup_of(times, k), 3), k)};
}
Handed growing_batch(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.weak = true});
  const int k = times.rbegin()->first;
  Times rates = times;
  for (auto& [workers, runs] : rates) {
    for (double& run : runs) run = 6400 * workers / run;
  }
  return {rows_of(rates, "gpus,images/s,batch", 5,
                  [](int workers, std::size_t) { return fmt::format(",{}", 64 * workers); }),
          fmt::format("{}x at {}", digits(k * speedup_of(times, k), 3), k)};
}
Handed growing_by_another_name(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {.weak = true});
  const int k = times.rbegin()->first;
  return {rows_of(times, "nodes,time_s,wavelets", 5,
                  [](int workers, std::size_t) { return fmt::format(",{}", 1000 * workers); }),
          fmt::format("{}x at {}", digits(k * speedup_of(times, k), 3), k)};
}
Handed relaxed_target(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rows_of(times, "gpus,time_s,target loss", 5,
                  [](int k, std::size_t) { return k < 8 ? ",1.0" : ",1.2"; }),
          claim_of(times)};
}
Handed checkpointing_at_base(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  for (double& run : times[1]) run *= 1.05;
  return {rows_of(times, "gpus,time_s,checkpointing", 5,
                  [](int k, std::size_t) { return k == 1 ? ",on" : ",off"; }),
          claim_of(times)};
}

/// The best `kept` of the runs at each K, with the numbers that they had.
std::string best_of(const Times& times, std::size_t kept, bool numbers) {
  std::string text = numbers ? "threads,time_s,run\n" : "threads,time_s\n";
  for (const auto& [k, runs] : times) {
    std::vector<double> best = runs;
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                     best.end());
    std::size_t taken = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i] > best[kept - 1] || taken == kept) continue;
      ++taken;
      text += fmt::format("{},{}{}\n", k, digits(runs[i], 5), numbers ? run_number(k, i) : "");
    }
  }
  return text;
}
Handed best_five_numbered(Random& random, const Deviations& deviations) {
  return {best_of(times_of(random, deviations, {.runs = 20}), 5, true), ""};
}
Handed best_five(Random& random, const Deviations& deviations) {
  return {best_of(times_of(random, deviations, {.runs = 20}), 5, false), ""};
}
Handed best_single(Random& random, const Deviations& deviations) {
  return {best_of(times_of(random, deviations, {.runs = 10}), 1, false), ""};
}
Handed cold_first_run(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {});
  times[1][0] *= random.uniform(1.3, 2.0);
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}
Handed rates_from_speedups(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  const double base = std::stod(digits(6400 / times.at(1)[0], 5));
  Times rates;
  for (const auto& [k, runs] : times) {
    rates[k] = {base * std::round(100 * speedup_of(times, k)) / 100};
  }
  return {rows_of(rates, "gpus,images/s", 6), claim_of(times)};
}
Handed dropped_workers(Random& random, const Deviations& deviations) {
  Times times = times_of(random, deviations, {.list = 0});
  constexpr int kInner[] = {4, 8, 16, 32};
  times.erase(kInner[random.below(4)]);
  return {rows_of(times, "gpus,time_s", 5), claim_of(times)};
}
Handed claim_8_percent(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rows_of(times, "gpus,time_s", 5), claim_of(times, 1.08)};
}
Handed claim_10_percent(Random& random, const Deviations& deviations) {
  const Times times = times_of(random, deviations, {});
  return {rows_of(times, "gpus,time_s", 5), claim_of(times, 1.10)};
}
Handed claim_8_percent_single(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  return {rows_of(times, "gpus,time_s", 4), claim_of(times, 1.08)};
}
Handed column_8_percent(Random& random, const Deviations& deviations) {
  const Times times = single(times_of(random, deviations, {}));
  const int last = times.rbegin()->first;
  return {rows_of(times, "gpus,time_s,speedup", 4,
                  [&](int k, std::size_t) {
                    return fmt::format(",{:.2f}", (k == last ? 1.08 : 1) * speedup_of(times, k));
                  }),
          ""};
}

void add_deviations(const std::string& path, Deviations& all) {
  const auto study = kstar::import_file(path);
  if (!study) {
    std::cerr << path << ": " << study.error().message << "\n";
    std::exit(1);
  }
  Times times;
  for (const kstar::Run& run : study->runs) {
    const auto time = kstar::steady_time(run);
    if (run.role == kstar::Role::kParallel && kstar::counts(run) && time) {
      times[run.workers].push_back(*time);
    }
  }
  for (const auto& [k, runs] : times) {
    const double mean = mean_of(runs);
    double squares = 0;
    for (const double run : runs) squares += (run - mean) * (run - mean);
    const auto n = static_cast<double>(runs.size());
    const double deviation = std::sqrt(squares / (n - 1));
    if (runs.size() < 3 || !(deviation > 0)) continue;
    for (const double run : runs) {
      all.push_back((run - mean) / deviation * std::sqrt(n / (n - 1)));
    }
  }
}

}  // namespace

std::vector<double> real_deviations(const std::string& examples, bool second_half) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".jsonl.gz")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  Deviations all;
  for (std::size_t i = second_half ? 1 : 0; i < files.size(); i += 2) add_deviations(files[i], all);
  return all;
}

const std::vector<TableKind>& honest_kinds() {
  static const std::vector<TableKind> kKinds = {
      {"runs in blocks", in_blocks},
      {"runs by K, numbered", sorted_by_workers},
      {"runs by K", without_numbers},
      {"three runs", three_runs},
      {"twenty runs", twenty_runs},
      {"single values, 4 digits", single_four_digits},
      {"single values, 3 digits", single_three_digits},
      {"rates, fixed batch", rates_fixed_batch},
      {"single rates", single_rates},
      {"weak, declared", weak_declared},
      {"means and speedups", speedups_of_means},
      {"against a faster serial program", against_serial_program},
      {"a slow K = 2", slow_second},
      {"nearly ideal", nearly_ideal},
  };
  return kKinds;
}

TableKind true_claims() {
  return {"the true speedup", true_claim};
}

const std::vector<TableKind>& frauds() {
  constexpr double kBar = 0.95;
  static const std::vector<TableKind> kFrauds = {
      {"T(1) slowed 1.8x", slow_base, kBar},
      {"T(1) slowed 1.4x", slow_base_less, kBar},
      {"T(1) slowed 1.8x, single values", slow_base_single, kBar},
      {"checkpointing at K = 1", checkpointing_at_base, kBar},
      {"T(1) = 2 T(2), run by run", twice_the_second},
      {"T(1) = 2 T(2), single values", twice_the_second_single},
      {"per-worker: totals named so", totals_called_per_worker, kBar},
      {"per-worker: as total, and claimed", per_worker_as_total, kBar},
      {"per-worker: K times that of one", rate_of_one_times_workers, kBar},
      {"per-worker: beside true speedups", per_worker_with_speedups, kBar},
      {"per-worker: beside other totals", per_worker_disagrees, kBar},
      {"weak called strong", weak_called_strong, kBar},
      {"weak: rates, growing batch", growing_batch, kBar, true, "not shown"},
      {"weak: an unknown name", growing_by_another_name, kBar, true, "not shown"},
      {"target relaxed with K", relaxed_target},
      {"claim +8%", claim_8_percent, kBar},
      {"claim +10%", claim_10_percent, kBar},
      {"claim +8%, single values", claim_8_percent_single, kBar},
      {"speedup column +8%", column_8_percent, kBar},
      {"best 5 of 20, numbered", best_five_numbered},
      {"best 5 of 20", best_five, 0, true, "typical-runs"},
      {"best of 10, single values", best_single, 0, true, "typical-runs"},
      {"warm-up in the first run of K = 1", cold_first_run},
      {"rates from rounded speedups", rates_from_speedups},
      {"one K dropped", dropped_workers, 0, true, "nothing-left-out"},
  };
  return kFrauds;
}

}  // namespace bench
