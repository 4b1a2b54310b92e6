// The first of the two mistakes: a T(1) so slow that every speedup is borrowed against it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/rules.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// Both have an interval, or both differ by more than `apart` without one.
bool clearly_slower(const Estimate& slow, const Estimate& fast, double apart = 1.10) {
  if (is_bounded(slow) && is_bounded(fast)) return slow.low > fast.high;
  return slow.point > apart * fast.point;
}

Verdict best_single(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const ScalingTable& table = evidence.analysis->table;
  const ScalingPoint* program = point_at(table, Role::kParallel, 1);
  const ScalingPoint* single = point_at(table, Role::kBaseline, 1);
  const std::optional<BaselineKind> kind = evidence.study.header.baseline.kind;
  if (single == nullptr) {
    return missing(kind == BaselineKind::kFastestSingle
                       ? "the fastest single-worker program is declared, and has no runs"
                       : "only the parallel program ran with one worker, or nothing did");
  }
  const std::string time = with_interval(single->time, 4, " s");
  if (program == nullptr) return shown(fmt::format("a single-worker program takes {}", time));
  const std::string both = fmt::format(
      "the single-worker program takes {}, the parallel one with "
      "one worker {}",
      time, with_interval(program->time, 4, " s"));
  if (clearly_slower(single->time, program->time)) {
    return contradicted(both + ": the baseline is not the fastest");
  }
  const bool against_slow =
      kind != BaselineKind::kFastestSingle && clearly_slower(program->time, single->time);
  if (against_slow) {
    return contradicted(fmt::format("{}: a speedup against the slower one is {} times too large",
                                    both,
                                    significant(program->time.point / single->time.point, 3)));
  }
  return shown(both);
}

struct Sign {
  const char* word;
  const char* what;
};

/// Words of a command, an environment or a description that slow a program down for its author.
constexpr Sign kHandicaps[] = {
    {"-O0", "no optimisation"},
    {"-Og", "optimisation for the debugger"},
    {"--debug", "a debug switch"},
    {"=Debug", "a debug build"},
    {"/debug/", "a debug build"},
    {"build/debug", "a debug build"},
    {"debug build", "a debug build"},
    {"-debug", "a debug build"},
    {"_debug", "a debug build"},
    {"_dbg", "a debug build"},
    {"-dbg", "a debug build"},
    {"fsanitize", "a sanitizer"},
    {"valgrind", "a checker that interprets the program"},
    {"strace", "a tracer"},
    {"gdb ", "a debugger"},
    {"cProfile", "a profiler"},
    {"detect_anomaly", "checks of every gradient"},
    {"detect-anomaly", "checks of every gradient"},
    {"-X dev", "the interpreter's development mode"},
    {"assertions on", "assertions"},
    {"no-optim", "no optimisation"},
};
constexpr Sign kVariables[] = {
    {"CUDA_LAUNCH_BLOCKING", "kernels one at a time"},
    {"PYTHONDEVMODE", "the interpreter's development mode"},
    {"TORCH_DISTRIBUTED_DEBUG", "checks of every collective"},
    {"MALLOC_PERTURB_", "checks of every allocation"},
    {"MALLOC_CHECK_", "checks of every allocation"},
    {"ASAN_OPTIONS", "a sanitizer"},
    {"TSAN_OPTIONS", "a sanitizer"},
};
constexpr const char* kOptimised[] = {"-O2",           "-O3",       "-Ofast",   "=Release",
                                      "release build", "optimised", "optimized"};
/// What only slows a job that fits one worker.
constexpr Sign kForLarge[] = {
    {"gradient-checkpoint", "gradient checkpointing"},
    {"gradient_checkpoint", "gradient checkpointing"},
    {"gradient checkpoint", "gradient checkpointing"},
    {"activation-checkpoint", "activation checkpointing"},
    {"activation_checkpoint", "activation checkpointing"},
    {"cpu-offload", "offloading"},
    {"cpu_offload", "offloading"},
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string all_words(const Study& study) {
  std::string text = joined(study.header.command) + "\n" + joined(study.header.baseline.command) +
                     "\n" + study.header.baseline.text + "\n" + study.header.title + "\n";
  for (const auto& [name, value] : study.header.environment.versions) {
    text += fmt::format("{}={}\n", name, value);
  }
  for (const auto& [name, value] : study.header.environment.variables) {
    if (name.find("FLAGS") != std::string::npos || name.find("BUILD") != std::string::npos) {
      text += fmt::format("{}={}\n", name, value);
    }
  }
  return text;
}

bool switched_on(const std::string& value) {
  return !value.empty() && value != "0" && value != "OFF" && value != "off" && value != "false";
}

Verdict debug_build(const Evidence& evidence) {
  const Study& study = evidence.study;
  const std::string words = all_words(study);
  for (const Sign& sign : kHandicaps) {
    if (words.find(sign.word) != std::string::npos) {
      return contradicted(fmt::format("'{}' stands in the record: {}", sign.word, sign.what));
    }
  }
  for (const Sign& sign : kVariables) {
    const auto found = study.header.environment.variables.find(sign.word);
    if (found != study.header.environment.variables.end() && switched_on(found->second)) {
      return contradicted(fmt::format("{}={}: {}", sign.word, printable(found->second), sign.what));
    }
  }
  const std::string single =
      joined(study.header.baseline.command) + "\n" + study.header.baseline.text;
  const std::string program = joined(study.header.command);
  for (const Sign& sign : kForLarge) {
    if (single.find(sign.word) == std::string::npos) continue;
    if (program.find(sign.word) != std::string::npos) continue;
    return contradicted(
        fmt::format("the baseline runs with {}, which the parallel program does "
                    "without",
                    sign.what));
  }
  for (const char* word : kOptimised) {
    if (words.find(word) != std::string::npos) {
      return shown(fmt::format("'{}' stands in the record", word));
    }
  }
  return missing("nothing says how the program was built");
}

template <typename Value>
std::optional<double> middle(const std::vector<const Run*>& runs,
                             std::optional<Value> Run::*member) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (run->*member) values.push_back(static_cast<double>(*(run->*member)));
  }
  if (values.empty()) return {};
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Verdict memory_pressure(const Evidence& evidence) {
  constexpr double kMany = 100, kMuchMore = 10, kNearlyAll = 0.9, kMebi = 1024.0 * 1024;
  if (evidence.analysis == nullptr || evidence.base == nullptr) {
    return not_applicable("there is no base to look at");
  }
  std::vector<const Run*> base;
  for (const Run& run : evidence.study.runs) {
    const bool of_base = run.role == evidence.base->role && run.workers == evidence.base->workers;
    if (of_base && counts(run)) base.push_back(&run);
  }
  const std::optional<double> faults = middle(base, &Run::major_faults);
  const std::optional<double> memory = middle(base, &Run::peak_memory);
  if (!faults && !memory) return missing("neither memory nor page faults of the base are recorded");
  double elsewhere = 0;
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base) continue;
    const auto more = middle(runs_at(evidence.study, point->workers), &Run::major_faults);
    elsewhere = std::max(elsewhere, more.value_or(0));
  }
  if (faults && *faults >= kMany && *faults >= kMuchMore * elsewhere) {
    return contradicted(
        fmt::format("at the base {} page faults of a run went to disk, and at most "
                    "{} at other K",
                    significant(*faults, 4), significant(elsewhere, 4)));
  }
  const auto& hosts = evidence.study.header.environment.hosts;
  const bool host_known = !hosts.empty() && hosts[0].memory && *hosts[0].memory > 0;
  if (memory && host_known && *memory > kNearlyAll * static_cast<double>(*hosts[0].memory)) {
    return contradicted(fmt::format("the base holds {} MiB of the machine's {} MiB",
                                    significant(*memory / kMebi, 4),
                                    significant(static_cast<double>(*hosts[0].memory) / kMebi, 4)));
  }
  std::string text;
  if (memory) text = fmt::format("the base holds {} MiB", significant(*memory / kMebi, 4));
  if (faults) {
    text += fmt::format("{}{} of its page faults went to disk", text.empty() ? "" : "; ",
                        significant(*faults, 4));
  }
  return shown(text);
}

bool beside_base(const Evidence& evidence, const ScalingPoint& point) {
  return point.role == Role::kParallel && point.efficiency &&
         !(point.role == evidence.base->role && point.workers == evidence.base->workers);
}

/// "E(8) is 1.4 (1.2 to 1.6)", of the K whose efficiency is above 1 with its whole interval.
std::vector<std::string> above_one(const Evidence& evidence, const ScalingTable& table) {
  constexpr double kRounding = 1.02, kWithoutNoise = 1.10;
  std::vector<std::string> found;
  for (const ScalingPoint& point : table.points) {
    if (!beside_base(evidence, point)) continue;
    const Estimate& e = *point.efficiency;
    const bool above = is_bounded(e) ? e.low > kRounding : e.point > kWithoutNoise;
    if (above) found.push_back(fmt::format("E({}) is {}", point.workers, with_interval(e, 3)));
  }
  return found;
}

/// One K far above, or two above at the confidence asked for.
Verdict superlinear(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const ScalingTable& table = evidence.analysis->table;
  const bool looked = evidence.base != nullptr &&
                      std::any_of(table.points.begin(), table.points.end(),
                                  [&](const auto& point) { return beside_base(evidence, point); });
  if (!looked) return missing("there are no efficiencies");
  std::vector<std::string> above = above_one(evidence, *evidence.strict);
  if (above.empty()) {
    above = above_one(evidence, table);
    if (above.size() < 2) return shown("no efficiency is above 1 beyond its noise");
  }
  const auto& question = evidence.analysis->superlinear;
  if (!question) return contradicted(above.front());
  const std::string text = fmt::format("{}: {}", above.front(), question->likely_cause);
  const bool caches = question->likely_cause.starts_with("caches");
  return caches ? missing(fmt::format("{}; {}", text, question->measurement)) : contradicted(text);
}

/// The same without T(1), whose noise may hide it: no K does the job for fewer worker-seconds than
/// every smaller one. At least two of those besides the base must say so.
std::string cheaper_than_all_before(const Evidence& evidence) {
  constexpr double kMargin = 1.10;
  constexpr std::size_t kEnough = 2;
  const std::optional<Regime> regime = evidence.analysis->table.regime;
  if (!regime || *regime == Regime::kMixed) return "";
  double cheapest = INFINITY, base_cost = INFINITY;
  std::size_t before = 0;
  for (const ScalingPoint* point : evidence.curve) {
    const double workers = *regime == Regime::kWeak ? 1 : point->workers;
    const Estimate cost = scaled(point->time, workers);
    const bool cheap = kMargin * cost.high < std::min(cheapest, base_cost);
    if (before >= kEnough && cheap) {
      return fmt::format(
          "K = {} takes {} for the work of one worker, and all smaller K take {} or "
          "more",
          point->workers, with_interval(cost, 3, " s"), significant(cheapest, 3));
    }
    if (point == evidence.base) {
      base_cost = cost.point;
    } else {
      cheapest = std::min(cheapest, cost.low);  // minus infinity where its noise is not known
      ++before;
    }
  }
  return "";
}

/// Gustafson: K - s (K - 1), with the serial share s that an earlier point shows. The line is drawn
/// as high as the noise of that point allows; a later point above the lines of all earlier ones got
/// more than workers can give to this job.
Verdict gustafson(const Evidence& evidence) {
  constexpr double kMargin = 1.05;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const std::string cheaper = cheaper_than_all_before(evidence); !cheaper.empty()) {
    return contradicted(cheaper);
  }
  if (evidence.base == nullptr || evidence.base->workers != 1) {
    return missing("the line starts at T(1), which is not there");
  }
  std::optional<double> least;  // the smallest share of all points so far
  std::size_t compared = 0;
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    if (!beside_base(evidence, point) || point.workers < 2 || !point.speedup) continue;
    const Estimate& s = *point.speedup;
    const double k = point.workers;
    const double low = is_bounded(s) ? s.low : s.point / kMargin;
    const double high = is_bounded(s) ? s.high : s.point * kMargin;
    if (least) {
      ++compared;
      const double line = k - *least * (k - 1);
      if (low > kMargin * line) {
        return contradicted(fmt::format(
            "S({}) is {}, and with the smallest serial share of the "
            "points before, {}, no more than {}",
            point.workers, with_interval(s, 3), percent(*least, 1), significant(line, 3)));
      }
    }
    const double share = std::max((k - high) / (k - 1), 0.0);
    least = least ? std::min(*least, share) : share;
  }
  if (compared == 0) return missing("it takes three K with speedups");
  return shown("every speedup is below the line that the points before it allow");
}

constexpr Rule kRules[] = {
    {{"best-single-worker", RuleGroup::kBaseline, "T(1) is the best single-worker run",
      "The parallel program with one worker carries what only many need: speedups against it are "
      "too large.",
      "What does the fastest correct single-worker program take, with what only many workers need "
      "switched off?"},
     &best_single},
    {{"optimised-build", RuleGroup::kBaseline, "An optimised build, nothing that slows it down",
      "A debug build or a tracer slows computation, not communication: every speedup grows.",
      "With which compiler flags and switches was T(1) measured?"},
     &debug_build},
    {{"memory-pressure", RuleGroup::kBaseline, "T(1) had the memory it needed",
      "A machine that swaps is slow alone, and fast as soon as the data are split.",
      "How much memory does one worker need, and how much was there?"},
     &memory_pressure},
    {{"superlinear", RuleGroup::kBaseline, "No efficiency above 1",
      "K workers do not do more than K times the work of one, unless that one was held back.",
      "What held the single worker back?"},
     &superlinear},
    {{"gustafson-line", RuleGroup::kBaseline, "No speedup above its Gustafson line",
      "What could not be shared among few workers cannot be shared among many of the same job.",
      "What changed between these points beside the number of workers?"},
     &gustafson},
};

}  // namespace

std::span<const Rule> baseline_rules() {
  return kRules;
}

}  // namespace kstar
