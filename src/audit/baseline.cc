// The first of the two mistakes: a T(1) so slow that every speedup is borrowed against it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "audit/baseline.h"
#include "audit/rules.h"
#include "audit/work.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

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
constexpr const char* kOptimised[] = {"-O2",           "-O3",       "-Ofast",   "=Release",
                                      "release build", "optimised", "optimized"};

/// Whether a switch with this value is on.
bool switched_on(std::string_view value) {
  return !value.empty() && value != "0" && value != "OFF" && value != "off" && value != "false";
}

/// Whether the text has the word, and does not say the contrary: --no-debug, --debug=0,
/// unoptimised.
bool says(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::string_view before = text.substr(0, at), behind = text.substr(at + word.size());
    const bool inside = std::isalpha(static_cast<unsigned char>(word[0])) != 0 && at > 0 &&
                        std::isalpha(static_cast<unsigned char>(before.back())) != 0;
    const bool denied = before.ends_with("-no") || before.ends_with("_no") ||
                        before.ends_with("not ") || before.ends_with("without ");
    const std::string_view value = behind.substr(0, behind.find_first_of(" \n"));
    const bool off = value.starts_with('=') && !switched_on(value.substr(1));
    if (!inside && !denied && !off) return true;
  }
  return false;
}

/// What the text says that slows a program down; null where it says nothing.
const Sign* handicap_in(std::string_view text) {
  for (const Sign& sign : kHandicaps) {
    if (says(text, sign.word)) return &sign;
  }
  return nullptr;
}

/// What the text says of optimisation; null where it says nothing.
const char* optimisation_in(std::string_view text) {
  for (const char* word : kOptimised) {
    if (says(text, word)) return word;
  }
  return nullptr;
}

/// Whether a setting of this name says how the program was built.
bool is_about_build(std::string_view name) {
  const std::string small = lower_case(name);
  for (const char* word : {"flags", "build", "compil", "optimi", "opt_level"}) {
    if (small.find(word) != std::string::npos) return true;
  }
  return false;
}

/// What a setting of the build says against it: "-O0", or debug as the whole word; "" for nothing.
std::string slow_in(std::string_view setting) {
  const std::string small = lower_case(setting);
  if (small == "debug" || small == "dbg") return std::string(setting);
  const Sign* sign = handicap_in(setting);
  return sign != nullptr ? sign->word : "";
}

using BuildSettings = std::vector<std::string>;

void add_build(const Settings& settings, BuildSettings& build) {
  for (const auto& [name, value] : settings) {
    if (is_about_build(name)) build.push_back(value);
  }
}

/// What tells how the program was built at each K.
std::map<int, BuildSettings> settings_by_workers(const Study& study) {
  std::map<int, BuildSettings> by_workers;
  for (const Workload& load : study.header.workload) {
    if (load.workers) add_build(load.settings, by_workers[*load.workers]);
  }
  for (const Run& run : study.runs) {
    if (counts(run) && run.settings) add_build(*run.settings, by_workers[run.workers]);
  }
  std::erase_if(by_workers, [](const auto& entry) { return entry.second.empty(); });
  return by_workers;
}

struct SlowBuild {
  std::string text;           ///< "" where nothing says so
  bool of_some_only = false;  ///< other K have another build
};

/// A slow build at the base: of the base and perhaps others, or of every K.
SlowBuild slow_build_of_base(const Evidence& evidence) {
  const auto by_workers = settings_by_workers(evidence.study);
  std::vector<int> slow;
  std::string sign;
  for (const auto& [workers, settings] : by_workers) {
    for (const std::string& setting : settings) {
      const std::string found = slow_in(setting);
      if (found.empty()) continue;
      if (slow.empty()) sign = found;
      slow.push_back(workers);
      break;
    }
  }
  const int base = evidence.base != nullptr ? evidence.base->workers
                   : by_workers.empty()     ? 0
                                            : by_workers.begin()->first;
  if (std::find(slow.begin(), slow.end(), base) == slow.end()) return {};
  if (slow.size() == by_workers.size()) {
    return {.text = fmt::format("'{}' is given for every K", printable(sign))};
  }
  return {.text = fmt::format("'{}' is given for {}, but not for other K", printable(sign),
                              listed(slow)),
          .of_some_only = true};
}

/// Of a table whose settings change with K the first value is that of its first K.
std::string slow_build_first(const Study& study) {
  for (const ChangedSetting& change : study.header.changes) {
    if (change.values.empty() || !is_about_build(change.name)) continue;
    if (!slow_in(change.values.front()).empty()) return change_text(change);
  }
  return "";
}

/// What is said once, about all runs.
std::string slow_build_of_all(const Study& study) {
  const StudyHeader& header = study.header;
  BuildSettings settings;
  for (const Workload& load : header.workload) {
    if (!load.workers) add_build(load.settings, settings);
  }
  add_build(header.environment.versions, settings);
  for (const std::string& setting : settings) {
    const std::string found = slow_in(setting);
    if (!found.empty()) return fmt::format("the build is '{}'", printable(found));
  }
  return "";
}

/// Why the base, or all of it, is a slow build; "" where nothing says so.
std::string slow_build(const Evidence& evidence) {
  for (const std::string& slow :
       {slow_build_of_base(evidence).text, slow_build_first(evidence.study),
        slow_build_of_all(evidence.study)}) {
    if (!slow.empty()) return slow;
  }
  return "";
}

/// Settings at every K of the curve say that the build is optimised.
bool is_optimised_everywhere(const Evidence& evidence) {
  const auto by_workers = settings_by_workers(evidence.study);
  const auto is_fast = [](const std::string& setting) {
    return optimisation_in(setting) != nullptr || lower_case(setting) == "release";
  };
  return !evidence.curve.empty() &&
         std::all_of(evidence.curve.begin(), evidence.curve.end(), [&](const ScalingPoint* point) {
           const auto at = by_workers.find(point->workers);
           return at != by_workers.end() &&
                  std::any_of(at->second.begin(), at->second.end(), is_fast);
         });
}

/// What slows a program down as a setting of its own.
constexpr const char* kSlowSettings[] = {"checkpoint", "profil",  "debug",   "offload",
                                         "assert",     "sanitiz", "anomaly", "tracing"};

bool is_switched_on(std::string_view value) {
  const std::string small = lower_case(value);
  return switched_on(small) && small != "no" && small != "none" && small != "n" &&
         small != "disabled" && small != "-";
}

/// How many bits numbers have in this precision; 0 where it is none that is known.
int bits_of(std::string_view precision) {
  const std::string small = lower_case(precision);
  const auto has = [&](const char* word) { return small.find(word) != std::string::npos; };
  if (has("64") || has("double")) return 64;
  if (has("tf32")) return 19;
  if (has("16") || has("mixed") || has("amp") || has("half")) return 16;
  if (has("fp8") || has("int8")) return 8;
  return has("32") || has("single") || has("full") ? 32 : 0;
}

bool is_slow_at_base(std::string_view name, std::string_view base, std::string_view other) {
  const std::string small = lower_case(name);
  for (const char* word : kSlowSettings) {
    if (small.find(word) == std::string::npos) continue;
    return is_switched_on(base) && !is_switched_on(other);
  }
  const bool precision = small.find("precision") != std::string::npos ||
                         small.find("dtype") != std::string::npos || small == "amp";
  return precision && bits_of(other) > 0 && bits_of(base) > bits_of(other);
}

/// A setting that slows the base alone; "" for none.
std::string slow_setting_of_base(const Study& study) {
  for (const auto& [name, values] : settings_at(study)) {
    if (values.size() < 2) continue;
    const auto& [k0, base] = *values.begin();
    const bool alone = std::all_of(std::next(values.begin()), values.end(), [&](const auto& at) {
      return is_slow_at_base(name, base, at.second);
    });
    if (!alone) continue;
    return fmt::format("'{}' is {} at K = {}, and {} at larger K", printable(name), printable(base),
                       k0, printable(values.rbegin()->second));
  }
  return "";
}

constexpr Sign kVariables[] = {
    {"CUDA_LAUNCH_BLOCKING", "kernels one at a time"},
    {"PYTHONDEVMODE", "the interpreter's development mode"},
    {"TORCH_DISTRIBUTED_DEBUG", "checks of every collective"},
    {"MALLOC_PERTURB_", "checks of every allocation"},
    {"MALLOC_CHECK_", "checks of every allocation"},
    {"ASAN_OPTIONS", "a sanitizer"},
    {"TSAN_OPTIONS", "a sanitizer"},
};
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
                     "\n" + study.header.baseline.text + "\n" + author_title(study) + "\n";
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

/// Whether the record says how the program was built, and nothing in it slows the program down: a
/// debug build, a tracer, what only a job needs that does not fit one worker.
RuleVerdict optimised_build(const Evidence& evidence) {
  const Study& study = evidence.study;
  const std::string words = all_words(study);
  if (const Sign* sign = handicap_in(words)) {
    return contradicted(fmt::format("the record contains '{}': {}", sign->word, sign->what));
  }
  if (const std::string slow = slow_build(evidence); !slow.empty()) return contradicted(slow);
  if (const std::string slow = slow_setting_of_base(study); !slow.empty()) {
    return contradicted(slow);
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
        fmt::format("the baseline runs with {}, the parallel program without", sign.what));
  }
  if (const char* word = optimisation_in(words)) {
    return shown(fmt::format("the record contains '{}'", word));
  }
  if (is_optimised_everywhere(evidence)) return shown("an optimised build is given for every K");
  return missing("how the program was built is not stated");
}

/// Both have an interval, or both differ by more than `apart` without one.
bool clearly_slower(const Estimate& slow, const Estimate& fast, double apart = 1.10) {
  if (is_bounded(slow) && is_bounded(fast)) return slow.low > fast.high;
  return slow.point > apart * fast.point;
}

RuleVerdict best_single(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const ScalingTable& table = evidence.analysis->table;
  const ScalingPoint* program = point_at(table, Role::kParallel, 1);
  const ScalingPoint* single = point_at(table, Role::kBaseline, 1);
  const std::optional<BaselineKind> kind = evidence.study.header.baseline.kind;
  if (single == nullptr) {
    return missing(kind == BaselineKind::kFastestSingle
                       ? "the fastest single-worker program is declared, but has no runs"
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
    return contradicted(
        fmt::format("{}: a speedup relative to the slower one is {} times too large", both,
                    significant(program->time.point / single->time.point, 3)));
  }
  return shown(both);
}

template <typename Value>
std::optional<double> middle(const std::vector<const Run*>& runs,
                             SmallOptional<Value> Usage::*member) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (const auto& value = run->usage.*member) values.push_back(static_cast<double>(*value));
  }
  return values.empty() ? std::nullopt : std::optional(upper_median_of(std::move(values)));
}

RuleVerdict memory_pressure(const Evidence& evidence) {
  constexpr double kMany = 100, kMuchMore = 10, kNearlyAll = 0.9, kMebi = 1024.0 * 1024;
  if (evidence.analysis == nullptr || evidence.base == nullptr) {
    return not_applicable("there is no base");
  }
  std::vector<const Run*> base;
  for (const Run& run : evidence.study.runs) {
    const bool of_base = run.role == evidence.base->role && run.workers == evidence.base->workers;
    if (of_base && counts(run)) base.push_back(&run);
  }
  const std::optional<double> faults = middle(base, &Usage::major_faults);
  const std::optional<double> memory = middle(base, &Usage::peak_memory);
  if (!faults && !memory) return missing("neither memory nor page faults of the base are recorded");
  double elsewhere = 0;
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base) continue;
    const auto more = middle(runs_at(evidence.study, point->workers), &Usage::major_faults);
    elsewhere = std::max(elsewhere, more.value_or(0));
  }
  if (faults && *faults >= kMany && *faults >= kMuchMore * elsewhere) {
    return contradicted(
        fmt::format("at the base, {} page faults per run went to disk; at other K, at most {}",
                    significant(*faults, 4), significant(elsewhere, 4)));
  }
  const auto& hosts = evidence.study.header.environment.hosts;
  const bool host_known = !hosts.empty() && hosts[0].memory && *hosts[0].memory > 0;
  if (memory && host_known && *memory > kNearlyAll * static_cast<double>(*hosts[0].memory)) {
    return contradicted(fmt::format("the base uses {} MiB of the machine's {} MiB",
                                    significant(*memory / kMebi, 4),
                                    significant(static_cast<double>(*hosts[0].memory) / kMebi, 4)));
  }
  std::string text;
  if (memory) text = fmt::format("the base uses {} MiB", significant(*memory / kMebi, 4));
  if (faults) {
    text += fmt::format("{}{} of its page faults went to disk", text.empty() ? "" : "; ",
                        significant(*faults, 4));
  }
  return shown(text);
}

/// How much of the machine one worker gets out of it: a good speedup of a poor program is none.
RuleVerdict machine_share(const Evidence& evidence) {
  constexpr double kGood = 0.5, kOrdinary = 0.8;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const std::optional<MachineReach>& reach = evidence.analysis->reach;
  if (!reach || !reach->best) {
    return missing("the operations and bytes of a step are not known (marks, --flops, --bytes)");
  }
  if (!reach->doubt.empty())
    return missing("how much of the machine T(1) reaches: " + reach->doubt);
  std::string text = fmt::format("T({}) reaches {} of this machine's {}", reach->workers,
                                 share_value_text(*reach->best), reach->best_of);
  const bool good =
      is_bounded(*reach->best) ? reach->best->high >= kGood : reach->best->point >= kGood;
  if (good) return shown(text);
  // Ordinary stores read their line first: a triad moves half of what an update in place does.
  if (reach->bandwidth && reach->best->point == reach->bandwidth->point && reach->ordinary) {
    text += fmt::format(", {} of what ordinary stores move", percent(*reach->ordinary, 0));
    if (*reach->ordinary >= kOrdinary) return shown(text);
  }
  return missing(
      fmt::format("{}, less than {}: a faster program with one worker may exist, and "
                  "would lower every speedup",
                  text, percent(kGood, 0)));
}

constexpr CheckedRule kRules[] = {
    {{"best-single-worker", RuleGroup::kBaseline, "T(1) is the best single-worker run",
      "The parallel program with one worker has overhead that only many workers need: speedups "
      "relative to it are too large.",
      "How long does the fastest correct single-worker program take, without the overhead that "
      "only many workers need?"},
     &best_single,
     {19, 2}},
    {{"optimised-build", RuleGroup::kBaseline, "An optimised build, nothing that slows it down",
      "A debug build or a tracer slows computation, not communication: every speedup grows.",
      "With which compiler flags and switches was T(1) measured?"},
     &optimised_build,
     {18, 0}},
    {{"memory-pressure", RuleGroup::kBaseline, "T(1) had the memory it needed",
      "A machine that swaps is slow with one worker, and fast as soon as the data are split.",
      "How much memory does one worker need, and how much was there?"},
     &memory_pressure,
     {17, 0}},
};

constexpr CheckedRule kMachineShareRules[] = {
    {{kMachineShareRule, RuleGroup::kBaseline, "T(1) uses the machine well (with --machine)",
      "A program that uses little of its machine scales well and is slow: what it waits for is not "
      "shared by the workers.",
      "How many operations and bytes does a step need, and what does the machine reach at most?"},
     &machine_share,
     {0, 0}},
};

}  // namespace

std::optional<std::string> fault_of_baseline(const Evidence& evidence) {
  if (const std::string slow = slow_setting_of_base(evidence.study); !slow.empty()) return slow;
  if (const SlowBuild build = slow_build_of_base(evidence); build.of_some_only) return build.text;
  RuleVerdict best = best_single(evidence);
  if (best.status != FindingStatus::kContradicted) return {};
  return best.evidence.front();
}

std::span<const CheckedRule> baseline_rules() {
  return kRules;
}

std::span<const CheckedRule> machine_share_rules() {
  return kMachineShareRules;
}

}  // namespace kstar
