#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/simulation.h"

namespace kstar {

namespace {

constexpr std::string_view kKeys = "runs=N, noise=SD, seed=N or straggler=FACTOR";
constexpr std::int64_t kMostRuns = 1'000'000;
constexpr std::size_t kMostSamples = 10'000'000;

Error wrong(std::string_view what, std::string_view item) {
  return expected("--simulate", what, item);
}

Result<void> read_item(std::string_view item, SimulationOptions& options) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return fail(wrong(kKeys, item));
  const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
  const std::optional<double> number = parse_double(value);
  const std::optional<std::int64_t> whole = parse_integer(value);
  if (key == "runs") {
    if (!whole || *whole < 1 || *whole > kMostRuns)
      return fail(wrong("runs from 1 to 1000000", item));
    options.runs = static_cast<int>(*whole);
  } else if (key == "noise") {
    if (!number || *number < 0 || *number > 1) return fail(wrong("noise from 0 to 1", item));
    options.noise = *number;
  } else if (key == "seed") {
    if (!whole || *whole < 0)
      return fail(wrong("a seed that is a whole number of 0 or more", item));
    options.seed = static_cast<std::uint64_t>(*whole);
  } else if (key == "straggler") {
    if (!number || *number < 1 || *number > 1e6) {
      return fail(wrong("a straggler factor from 1 to 1e6", item));
    }
    options.straggler = *number;
  } else {
    return fail(wrong(kKeys, item));
  }
  return {};
}

/// Laws without a unit take one second for one worker's computation, or what the rate says.
double seconds_of(const LawInstance& instance, double time) {
  if (instance.settings.rate > 0) return time / instance.settings.rate;
  return instance.law->style.time_unit == "ms" ? time / 1000 : time;
}

double draw_time(const LawInstance& instance, double workers, double noise, Random& random) {
  const CostParts parts = parts_at(instance.model, workers);
  const double delay = instance.model.straggler.delay;
  const bool waits = delay > 0 && random.uniform() < parts.straggler / delay;
  const double time = parts.total() - parts.straggler + (waits ? delay : 0);
  double factor = 1;
  do {
    factor = 1 + noise * random.normal();
  } while (factor <= 0);  // no time is negative
  return seconds_of(instance, time * factor);
}

std::vector<Run> draw_runs(const LawInstance& instance, std::span<const std::int64_t> workers,
                           const SimulationOptions& options, Random& random) {
  std::vector<Run> runs;
  std::vector<std::int64_t> order(workers.begin(), workers.end());
  for (int block = 0; block < options.runs; ++block) {
    random.shuffle(std::span(order));
    for (const std::int64_t k : order) {
      Run run;
      run.workers = static_cast<int>(k);
      run.order = static_cast<int>(runs.size());
      run.block = block;
      run.exit_status = 0;
      run.session = fmt::format("seed {}", options.seed);
      run.wall = draw_time(instance, static_cast<double>(k), options.noise, random);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

void slow_the_slowest(double most, std::vector<Run>& runs, Random& random) {
  std::map<int, Run*> slowest;
  for (Run& run : runs) {
    Run*& so_far = slowest[run.workers];
    if (so_far == nullptr || *run.wall > *so_far->wall) so_far = &run;
  }
  for (const auto& [workers, run] : slowest) *run->wall *= random.uniform(1, most);
}

StudyHeader header_of(const LawInstance& instance, std::span<const std::int64_t> workers,
                      const SimulationOptions& options, std::vector<std::string> command) {
  const bool grows = instance.model.work_growth != WorkGrowth::kFixed;
  StudyHeader header;
  header.writer = "kstar " KSTAR_VERSION;
  header.title = fmt::format("simulated: {} {}", instance.law->title, instance.label());
  header.command = std::move(command);
  header.launcher = "law";
  header.regime = instance.model.regime;
  for (const std::int64_t k : workers) {
    if (!grows) break;
    header.workload.push_back({.workers = static_cast<int>(k),
                               .size = work_at(instance.model, static_cast<double>(k)),
                               .unit = "problems of one worker"});
  }
  if (!grows) header.workload.push_back({.size = 1, .unit = "problems of one worker"});
  if (workers.front() == 1) header.baseline.kind = BaselineKind::kParallelWithOne;
  header.baseline.text =
      "the law on " + count_text(static_cast<std::size_t>(workers.front()), "worker");
  header.protocol.setup = "none";
  header.protocol.setup_method = "a law has no setup";
  header.protocol.warm_up_runs = 0;
  header.protocol.order = "blocks, each K once per block, in random order";
  header.protocol.seed = options.seed;
  header.protocol.stopping =
      count_text(static_cast<std::size_t>(options.runs), "run") + " at each K";
  return header;
}

}  // namespace

Result<SimulationOptions> parse_simulation(std::string_view text) {
  SimulationOptions options;
  std::set<std::string_view> keys;
  for (const std::string_view item : split(text, ',')) {
    const std::string_view key = item.substr(0, item.find('='));
    if (!keys.insert(key).second) return fail(wrong("each key once", item));
    KSTAR_CHECK(read_item(trim(item), options));
  }
  return options;
}

Result<Study> simulate(const LawInstance& instance, std::span<const std::int64_t> workers,
                       const SimulationOptions& options, std::vector<std::string> command) {
  if (workers.back() > std::numeric_limits<int>::max()) {
    return fail(expected("--workers", "at most 2147483647 workers in a study",
                         std::to_string(workers.back())));
  }
  if (workers.size() * static_cast<std::size_t>(options.runs) > kMostSamples) {
    return fail(expected("--simulate", "at most 10000000 samples in total",
                         fmt::format("{} runs at {} worker counts", options.runs, workers.size())));
  }
  Random random(options.seed);
  Study study;
  study.header = header_of(instance, workers, options, std::move(command));
  study.runs = draw_runs(instance, workers, options, random);
  if (options.straggler > 1) slow_the_slowest(options.straggler, study.runs, random);
  study.notes.push_back(
      {.severity = Severity::kInfo,
       .what = "simulated",
       .where = "",
       .text = fmt::format("drawn from a law, not measured: noise {}, straggler factor {}, seed {}",
                           shortest(options.noise), shortest(options.straggler), options.seed)});
  return study;
}

}  // namespace kstar
