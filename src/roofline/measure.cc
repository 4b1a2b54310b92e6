#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <thread>

#include "base/random.h"
#include "base/try.h"
#include "kstar/host.h"
#include "kstar/roofline_measure.h"
#include "roofline/caches.h"
#include "roofline/kernels.h"
#include "roofline/team.h"

namespace kstar {

namespace {

using roofline::CacheLevel;
using roofline::ComputeKernel;
using roofline::MemoryKernel;

/// Pages of the system's own, near the thread that touches them first.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    void* place =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    place_ = place == MAP_FAILED ? nullptr : static_cast<double*>(place);
#ifdef MADV_HUGEPAGE
    if (place_ != nullptr) ::madvise(place_, bytes, MADV_HUGEPAGE);
#endif
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (place_ != nullptr) ::munmap(place_, bytes_);
  }
  double* get() const {
    return place_;
  }

 private:
  std::size_t bytes_;
  double* place_ = nullptr;
};

/// The arrays of one thread. They are set off against each other, so that no store has the low 12
/// bits of a load that follows it.
class ThreadArrays {
 public:
  static constexpr std::size_t kMost = 3;

  /// `bytes` of each array.
  explicit ThreadArrays(std::size_t bytes)
      : stride_(((bytes + 4095) / 4096) * 4096 + kApart), pages_(kMost * stride_), bytes_(bytes) {}

  bool ready() const { return pages_.get() != nullptr; }
  std::size_t bytes() const { return bytes_; }
  double* array(std::size_t i) const { return pages_.get() + i * (stride_ / sizeof(double)); }
  /// By the thread that will use them.
  void touch() const {
    for (std::size_t i = 0; i < kMost; ++i) {
      std::fill_n(array(i), bytes_ / sizeof(double), 1.0);
    }
  }

 private:
  static constexpr std::size_t kApart = 17 * 64;
  std::size_t stride_;
  Pages pages_;
  std::size_t bytes_;
};

/// One ceiling that is being measured.
struct Subject {
  MachineCeiling about;
  std::vector<double> rates;
  std::size_t rounds = 0;  ///< of the loop, or passes, in one measurement; 0: not known yet
};

std::size_t whole_blocks(double bytes) {
  const auto blocks = static_cast<std::size_t>(bytes / roofline::kBlock);
  return std::max<std::size_t>(blocks, 1) * roofline::kBlock;
}

class CeilingSession {
 public:
  CeilingSession(const CeilingOptions& options,
                 const std::function<void(const CeilingProgress&)>& progress)
      : options_(options), progress_(progress), random_(options.seed) {}

  Result<MachineCeilings> run();

 private:
  Result<void> prepare();
  void measure_compute();
  Result<void> measure_cache(const CacheLevel& level);
  Result<void> measure_memory();
  void compute_once(const ComputeKernel& kernel, int threads);
  void moves_once(const MemoryKernel& kernel, const std::string& level, int threads,
                  const std::vector<std::unique_ptr<ThreadArrays>>& arrays);
  Result<std::vector<std::unique_ptr<ThreadArrays>>> make_arrays(int threads, std::size_t bytes);
  template <typename Run>
  double rate_of(Subject& subject, int threads, double amount, const Run& run);
  Subject& subject(const MachineCeiling& about);
  void say(const std::string& what);
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  std::vector<int> shuffled_threads();

  const CeilingOptions& options_;
  const std::function<void(const CeilingProgress&)>& progress_;
  Random random_;
  std::vector<int> cpus_;
  std::vector<int> threads_;
  std::vector<CacheLevel> caches_;
  std::vector<ComputeKernel> compute_;
  std::vector<MemoryKernel> moves_;
  double array_bytes_ = 0;  ///< of each array of the memory, over all threads
  int round_ = 0;
  bool bound_ = true;
  double wanted_ = 0, waited_ = 0;  ///< seconds of all samples and threads; see TeamTime
  std::map<std::string, std::size_t> places_;
  std::vector<Subject> subjects_;
  std::vector<std::string> notes_;
};

/// 4 times the last cache, as STREAM asks for, and at most an eighth of the memory that is free.
double memory_array_bytes(const std::vector<CacheLevel>& caches, double wanted, double free) {
  constexpr double kLeast = 128e6, kMost = 1.5e9;
  double bytes = wanted;
  if (bytes <= 0) {
    const double last = caches.empty() ? 0 : static_cast<double>(caches.back().total);
    bytes = std::clamp(4 * last, kLeast, kMost);
  }
  return free > 0 ? std::min(bytes, free / 8) : bytes;
}

Result<void> CeilingSession::prepare() {
  KSTAR_TRY(cpus_, roofline::cpus_in_order());
  KSTAR_TRY(caches_, roofline::caches());
  const int most = static_cast<int>(cpus_.size());
  threads_ = options_.threads.empty() ? usual_thread_counts(most) : options_.threads;
  for (const int one : threads_) {
    if (one >= 1 && one <= most) continue;
    return fail(expected("--threads",
                         fmt::format("1 to {}, the hardware threads of this machine", most),
                         std::to_string(one)));
  }
  compute_ = roofline::compute_kernels();
  moves_ = roofline::memory_kernels();
  std::erase_if(compute_, [&](const ComputeKernel& one) {
    return !options_.compute ||
           (!options_.precision.empty() && one.precision != options_.precision);
  });
  std::erase_if(moves_, [&](const MemoryKernel& one) {
    return !options_.bandwidth || (!options_.kernel.empty() && one.name != options_.kernel);
  });
  if (compute_.empty() && moves_.empty()) {
    return fail({.where = "--only", .message = "this processor has no such loop"});
  }
  array_bytes_ = memory_array_bytes(caches_, options_.memory_bytes, roofline::free_memory());
  const double last = caches_.empty() ? 0 : static_cast<double>(caches_.back().total);
  if (options_.bandwidth && array_bytes_ < 4 * last) {
    notes_.push_back(fmt::format(
        "memory was measured with arrays of {:.0f} MB, less than 4 times the last cache ({:.0f} "
        "MB): caches may have helped",
        array_bytes_ / 1e6, last / 1e6));
  }
  return {};
}

Subject& CeilingSession::subject(const MachineCeiling& about) {
  const std::string key = fmt::format("{} {} {} {} {}", about.level, about.kernel, about.precision,
                                      about.vector, about.threads);
  const auto [place, added] = places_.emplace(key, subjects_.size());
  if (added) subjects_.push_back({.about = about});
  return subjects_[place->second];
}

void CeilingSession::say(const std::string& what) {
  if (progress_) progress_({.round = round_ + 1, .rounds = options_.repetitions, .what = what});
}

/// `run(rounds)` on every thread; the number of rounds is found first, so that it takes long
/// enough.
template <typename Run>
double CeilingSession::rate_of(Subject& subject, int threads, double amount, const Run& run) {
  const auto cpus = std::span<const int>(cpus_).first(static_cast<std::size_t>(threads));
  const auto timed = [&](std::size_t rounds) {
    const roofline::TeamTime time =
        roofline::run_team(cpus, {}, [&](std::size_t thread) { run(thread, rounds); });
    bound_ = bound_ && time.bound;
    wanted_ += time.wanted;
    waited_ += time.waited;
    return time;
  };
  constexpr double kTrial = 0.2;  // of the time that a measurement is to take
  if (subject.rounds == 0) {
    std::size_t rounds = 1;
    timed(rounds);  // for the caches, and pages that were never read
    // Not counting the time that other jobs had the CPUs: all later samples would be too short.
    const auto busy = [&] {
      const roofline::TeamTime time = timed(rounds);
      return std::max(1e-9, (time.wanted - time.waited) / threads);
    };
    double seconds = busy();
    while (seconds < kTrial * options_.sample_seconds) {
      rounds *= 4;
      seconds = busy();
    }
    // One pass, as loops of programs do it, where that can be timed well: threads that are late
    // keep the others waiting at its end.
    constexpr double kEnough = 0.004;
    const bool once = subject.about.level == "memory" && rounds == 1 && seconds >= kEnough;
    const double needed =
        once ? 1 : options_.sample_seconds / seconds * static_cast<double>(rounds);
    subject.rounds = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(needed)));
  }
  // While other jobs have a CPU, nothing is measured of this machine: once more, a few times,
  // unless they have it most of the time. That they had it stays in cpu_wait.
  constexpr int kTries = 3;
  constexpr double kLittle = 0.05, kOften = 0.1;
  roofline::TeamTime best = timed(subject.rounds);
  for (int i = 1; i < kTries && best.waited > kLittle * best.wanted; ++i) {
    if (waited_ > kOften * wanted_) break;
    const roofline::TeamTime again = timed(subject.rounds);
    if (again.waited < best.waited) best = again;
  }
  return amount * static_cast<double>(subject.rounds) * threads / best.seconds;
}

void CeilingSession::compute_once(const ComputeKernel& kernel, int threads) {
  Subject& one = subject({.level = "compute",
                          .kernel = kernel.bits > 128 ? "fma" : "muladd",
                          .precision = std::string(kernel.precision),
                          .vector = std::string(kernel.name),
                          .threads = threads});
  say(fmt::format("{} {} on {} threads", kernel.name, kernel.precision, threads));
  one.rates.push_back(rate_of(one, threads, kernel.flops_per_round,
                              [&](std::size_t, std::size_t rounds) { kernel.run(rounds); }));
}

std::vector<int> CeilingSession::shuffled_threads() {
  std::vector<int> threads = threads_;
  random_.shuffle(std::span<int>(threads));
  return threads;
}

void CeilingSession::measure_compute() {
  for (const int threads : shuffled_threads()) {
    std::vector<ComputeKernel> kernels = compute_;
    random_.shuffle(std::span<ComputeKernel>(kernels));
    for (const ComputeKernel& kernel : kernels) {
      if (!stopped()) compute_once(kernel, threads);
    }
  }
}

Result<std::vector<std::unique_ptr<ThreadArrays>>> CeilingSession::make_arrays(int threads,
                                                                               std::size_t bytes) {
  std::vector<std::unique_ptr<ThreadArrays>> arrays;
  for (int i = 0; i < threads; ++i) {
    arrays.push_back(std::make_unique<ThreadArrays>(bytes));
    if (arrays.back()->ready()) continue;
    return fail(
        {.where = "memory",
         .message = fmt::format("{} threads with arrays of {} bytes do not fit", threads, bytes),
         .hint = "use a smaller --memory"});
  }
  roofline::run_team(
      std::span<const int>(cpus_).first(static_cast<std::size_t>(threads)),
      [&](std::size_t i) { arrays[i]->touch(); }, [](std::size_t) {});
  return arrays;
}

void CeilingSession::moves_once(const MemoryKernel& kernel, const std::string& level, int threads,
                                const std::vector<std::unique_ptr<ThreadArrays>>& arrays) {
  const auto bytes = static_cast<double>(arrays[0]->bytes());
  Subject& one = subject({.level = level,
                          .kernel = std::string(kernel.name),
                          .vector = std::string(kernel.vector),
                          .threads = threads,
                          .working_set = bytes * kernel.arrays * threads});
  say(fmt::format("{} {} on {} threads", level_words(level), kernel.name, threads));
  one.rates.push_back(
      rate_of(one, threads, kernel.counted * bytes, [&](std::size_t thread, std::size_t passes) {
        const ThreadArrays& own = *arrays[thread];
        kernel.run(own.array(0), own.array(1), own.array(2), own.bytes(), passes);
      }));
}

/// Three quarters of L1 and half of the others, over the arrays of a kernel and the threads that
/// share the cache. A level that cannot be told from the one before is left out.
Result<void> CeilingSession::measure_cache(const CacheLevel& level) {
  const auto at = std::find_if(caches_.begin(), caches_.end(),
                               [&](const CacheLevel& one) { return one.level == level.level; });
  const double before = at == caches_.begin() ? 0 : static_cast<double>(std::prev(at)->bytes);
  constexpr double kNearest = 0.75, kOthers = 0.5, kApart = 2, kEnough = 6;
  for (const int threads : shuffled_threads()) {
    const int sharing = before == 0 ? 1 : std::min(threads, level.shared_by);
    const double most = static_cast<double>(level.bytes) * (before == 0 ? kNearest : kOthers) /
                        (level.level == "l3" ? sharing : 1);
    const double each = before == 0 ? most : std::min(most, kEnough * before);
    if (each < kApart * before) continue;
    for (const MemoryKernel& kernel : moves_) {
      if (kernel.streaming_store || kernel.name == "update" || stopped()) continue;
      KSTAR_TRY(const auto arrays, make_arrays(threads, whole_blocks(each / kernel.arrays)));
      moves_once(kernel, level.level, threads, arrays);
    }
  }
  return {};
}

Result<void> CeilingSession::measure_memory() {
  for (const int threads : shuffled_threads()) {
    if (stopped()) return {};
    KSTAR_TRY(const auto arrays, make_arrays(threads, whole_blocks(array_bytes_ / threads)));
    std::vector<MemoryKernel> kernels = moves_;
    random_.shuffle(std::span<MemoryKernel>(kernels));
    for (const MemoryKernel& kernel : kernels) {
      if (!stopped()) moves_once(kernel, "memory", threads, arrays);
    }
  }
  return {};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Result<MachineCeilings> CeilingSession::run() {
  KSTAR_CHECK(prepare());
  for (round_ = 0; round_ < options_.repetitions && !stopped(); ++round_) {
    if (!compute_.empty()) measure_compute();
    if (moves_.empty()) continue;
    for (const CacheLevel& level : caches_) {
      if (options_.caches && !stopped()) KSTAR_CHECK(measure_cache(level));
    }
    if (!stopped()) KSTAR_CHECK(measure_memory());
  }
  if (stopped()) {
    return fail({.where = "roofline measure",
                 .message = "interrupted: nothing was written",
                 .code = ExitCode::kInterrupted});
  }
  const Environment environment = this_environment();
  MachineCeilings machine;
  machine.kind = "cpu";
  if (!environment.hosts.empty()) {
    machine.name = environment.hosts[0].name;
    machine.processor = environment.hosts[0].cpu;
  }
  machine.cores = static_cast<int>(cpus_.size());
  machine.measured = today();
  machine.writer = "kstar " KSTAR_VERSION;
  if (wanted_ > 0) machine.cpu_wait = waited_ / wanted_;
  machine.notes = notes_;
  if (!bound_) machine.notes.emplace_back("threads could not be bound to cores");
  for (Subject& one : subjects_) {
    machine.ceilings.push_back(make_ceiling(one.about, std::move(one.rates)));
  }
  const auto place = [](const MachineCeiling& c) {
    const auto& levels = memory_levels();
    const auto level = std::find(levels.begin(), levels.end(), c.level) - levels.begin();
    return std::tuple(c.is_compute() ? -1 : level, c.kernel, c.precision, c.vector, c.threads);
  };
  std::stable_sort(
      machine.ceilings.begin(), machine.ceilings.end(),
      [&](const MachineCeiling& a, const MachineCeiling& b) { return place(a) < place(b); });
  return machine;
}

}  // namespace

std::vector<int> usual_thread_counts(int most) {
  std::vector<int> counts;
  for (int power = 1; power <= most; power *= 2) {
    counts.push_back(power);
    if (power >= 2 && power + power / 2 <= most) counts.push_back(power + power / 2);
  }
  if (counts.empty() || counts.back() != most) counts.push_back(most);
  return counts;
}

Result<MachineCeilings> measure_ceilings(
    const CeilingOptions& options, const std::function<void(const CeilingProgress&)>& progress) {
  return CeilingSession(options, progress).run();
}

}  // namespace kstar
