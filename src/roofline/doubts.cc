#include "roofline/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace kstar::roofline {

namespace {

/// The share of the memory's bandwidth by the profiler, of what the GPU could move, and by the
/// machine file, of what was measured: the second is larger, by less than a half, or smaller by
/// what a memory under the profiler loses of its clock. Both, where they differ in another way; of
/// the kernel that runs longest.
std::optional<std::pair<double, double>> contradiction(const std::vector<RooflinePlace>& places) {
  constexpr double kLeast = 0.05, kApart = 1.5, kMoreThanAll = 1.25;
  const RooflinePlace* longest = nullptr;
  double by_profiler = 0, by_file = 0;
  for (const RooflinePlace& one : places) {
    const std::optional<double> reported = reported_of(one.kernel, "memory");
    const auto level = std::find_if(one.levels.begin(), one.levels.end(),
                                    [](const LevelShare& l) { return l.level == "memory"; });
    if (!reported || level == one.levels.end() || !level->rate || !level->share) continue;
    if (std::max(*reported, level->share->point) < kLeast) continue;
    if (longest != nullptr && longest->kernel.seconds >= one.kernel.seconds) continue;
    longest = &one;
    by_profiler = *reported;
    by_file = level->share->point;
  }
  const bool alike = by_file <= kApart * by_profiler && by_profiler <= kMoreThanAll * by_file;
  if (longest == nullptr || alike) return std::nullopt;
  return std::pair(by_profiler, by_file);
}

/// Ceilings of another processor than the one that the profile names, or of a GPU of another
/// compute capability.
std::string other_processor(const RooflineProfile& profile, const MachineCeilings& machine) {
  const auto differ = [](const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  };
  const std::string of_machine = capability_of(machine);
  const bool capability = differ(profile.capability, of_machine);
  if (!capability && !differ(profile.device, machine.processor)) return "";
  const auto words = [&](const std::string& device, const std::string& of) {
    if (!capability) return device;
    return fmt::format("{}{}compute capability {}", device, device.empty() ? "" : ", ", of);
  };
  return fmt::format(
      "The machine file is of another {} ({}) than this ({}): {}.",
      profile.gpu ? "GPU" : "processor",
      words(machine.processor.empty() ? machine.name : machine.processor, of_machine),
      words(profile.device, profile.capability),
      profile.gpu ? "it is not used" : "its ceilings say nothing of it");
}

/// Not a file that was written by hand and does not say its kind.
bool is_surely_processor(const MachineCeilings& machine) {
  const std::vector<int> counts = thread_counts(machine);
  const bool cores = machine.cores > 0 || (!counts.empty() && counts.back() > 1);
  return machine.kind == "cpu" && (cores || !machine.processor.empty());
}

/// "1 thread", "between 1 and 16 threads": where a ceiling was measured.
std::string measured_on(const MachineCeilings& machine, const CeilingAt& ceiling, int threads) {
  if (!ceiling.between) {
    return count_text(static_cast<std::size_t>(ceiling.from->threads), "thread");
  }
  int before = 0, next = 0;
  for (const MachineCeiling& one : machine.ceilings) {
    if (one.is_compute() != ceiling.from->is_compute()) continue;
    if (one.is_compute() ? one.precision != ceiling.from->precision
                         : one.level != ceiling.from->level) {
      continue;
    }
    if (one.threads < threads) before = std::max(before, one.threads);
    if (one.threads > threads) next = next == 0 ? one.threads : std::min(next, one.threads);
  }
  return fmt::format("{} and {} threads, and interpolated", before, next);
}

/// Ceilings that were measured on other numbers of threads than it used.
void say_other_threads(int threads, Roofline& result) {
  const MachineCeilings& machine = *result.machine;
  const auto memory = bandwidth_ceiling(machine, "memory", threads);
  const auto peak = compute_ceiling(machine, threads);
  const auto other = [](const std::optional<CeilingAt>& one) {
    return one && (one->between || one->beyond);
  };
  if (!other(memory) && !other(peak)) return;
  const std::string of_memory = memory ? measured_on(machine, *memory, threads) : "",
                    of_peak = peak ? measured_on(machine, *peak, threads) : of_memory;
  result.threads_measured = false;
  result.threads_from = of_memory.empty() || of_memory == of_peak
                            ? fmt::format("measured on {}; it used {}", of_peak, threads)
                            : fmt::format("operations measured on {}, memory on {}; it used {}",
                                          of_peak, of_memory, threads);
  const bool beyond = (memory && memory->beyond) || (peak && peak->beyond);
  if (beyond) result.threads_from += ", on which ceilings are not known";
}

}  // namespace

std::optional<double> reported_of(const RooflineKernel& kernel, std::string_view of) {
  for (const ReportedShare& one : kernel.reported) {
    if (one.of == of) return one.share;
  }
  return std::nullopt;
}

void forget(RooflinePlace& place) {
  place.bound = Bound::kUnknown;
  place.level.clear();
  place.headroom.reset();
  place.saved = 0;
}

std::string other_gpu(const RooflineProfile& profile, const Roofline& result) {
  if (!profile.gpu || !result.machine) return "";
  if (is_surely_processor(*result.machine)) {
    return fmt::format(
        "The machine file is of a processor ({}), and these kernels ran on a GPU: it is not used.",
        result.machine->name);
  }
  std::string other = other_processor(profile, *result.machine);
  if (!other.empty()) return other;
  const auto shares = contradiction(result.places);
  if (!shares) return "";
  return fmt::format(
      "The machine file is not the GPU of this profile: {} of the bandwidth by the profiler, {} by "
      "{}. The file is not used.",
      percent(shares->first, 1), percent(shares->second, 1), result.machine->name);
}

void add_doubts(const RooflineProfile& profile, Roofline& result) {
  result.doubts.insert(result.doubts.end(), profile.doubts.begin(), profile.doubts.end());
  for (RooflinePlace& place : result.places) {  // too long a time hides what is near a ceiling
    if (!profile.doubts.empty() && place.bound == Bound::kLatency && !waits(place.kernel)) {
      forget(place);
    }
  }
  if (!result.machine) return;
  if (std::string disturbed = disturbance_of(*result.machine); !disturbed.empty()) {
    result.doubts.push_back(
        fmt::format("Ceilings too low, so shares too large and bounds not known: {}.", disturbed));
    for (RooflinePlace& place : result.places) {  // far from too low a ceiling is far from it
      if (place.bound != Bound::kLatency) forget(place);
    }
  }
  if (profile.gpu && thread_counts(*result.machine) == std::vector<int>{0}) {
    result.doubts.push_back(
        fmt::format("{} does not say what it was measured on: right only if it was this GPU.",
                    result.machine->name));
  }
  if (result.machine->kind == "gpu" && !profile.gpu) {
    result.doubts.push_back(
        fmt::format("The ceilings are those of a GPU ({}): right only if it computed there.",
                    result.machine->name));
    return;
  }
  std::string other = other_processor(profile, *result.machine);
  if (other.empty()) return;
  result.doubts.push_back(std::move(other));
  for (RooflinePlace& place : result.places) forget(place);
}

void say_threads(const RooflineOptions& options, bool gpu, Roofline& result) {
  const MachineCeilings& machine = *result.machine;
  const std::vector<int> counts = thread_counts(machine);
  if (gpu || machine.kind == "gpu" || result.places.empty() || counts.empty()) return;
  if (counts.back() == 0) {
    result.threads_from = "on how many threads it was measured is not known";
    return;
  }
  if (options.threads > 0) return;
  const int threads = result.places.front().kernel.threads;
  const bool alike =
      std::all_of(result.places.begin(), result.places.end(),
                  [&](const RooflinePlace& one) { return one.kernel.threads == threads; });
  if (!alike) {
    result.threads_from = "each is compared with the ceilings on its own threads";
  } else if (threads > 0) {
    result.threads_from = "as many as it used";
  } else if (counts.size() > 1) {
    result.threads_from = "all of them: how many it used is not known (--threads N)";
  }
  if (options.threads == 0 && alike && threads > 0) say_other_threads(threads, result);
  if (counts.size() > 1 && threads > counts.back()) {
    result.doubts.push_back(
        fmt::format("It used {} threads, and the machine file has ceilings on at most {}: it may "
                    "be of another machine.",
                    threads, counts.back()));
  }
}

}  // namespace kstar::roofline
