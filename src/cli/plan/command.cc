#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/network_flags.h"
#include "cli/output.h"
#include "cli/plan/commands.h"
#include "cli/plan/flags.h"
#include "cli/roofline/commands.h"
#include "kstar/plan.h"
#include "kstar/plan_machines.h"
#include "kstar/plan_report.h"
#include "kstar/prediction.h"
#include "kstar/words.h"

namespace kstar {

namespace {

std::vector<Flag> shared_plan_flags() {
  std::vector<Flag> flags = plan_flags();
  flags.push_back({.name = "workers",
                   .value = "LIST",
                   .help = "the K that can be used: 1,2,4 or 1..64 (doubling) or 1..16:1; default: "
                           "all, of a study up to 4 times the largest measured"});
  flags.push_back({.name = "most-workers", .value = "N", .help = "the largest K that can be used"});
  flags.push_back({.name = "baseline-time",
                   .value = "TIME",
                   .help = "T on one worker, where times are relative to it, such as 25h"});
  flags.push_back({.name = "needs-memory",
                   .value = "SIZE[:SIZE]",
                   .help = "memory of the job: divided among workers, and on each: 80GB:2GB"});
  flags.push_back({.name = "machines",
                   .value = "FILE",
                   .help = "the same job on each machine of this TOML file, by the first goal",
                   .file = true});
  flags.push_back({.name = "plot", .help = "draw time against cost"});
  flags.push_back({.name = "full", .help = "all sections, with intervals"});
  return flags;
}

Result<UsableWorkers> range_of(const Arguments& arguments) {
  UsableWorkers range;
  if (arguments.has("workers")) {
    const Result<std::vector<std::int64_t>> workers = parse_worker_list(arguments.text("workers"));
    if (!workers) return fail(usage(workers.error()));
    range.workers.assign(workers->begin(), workers->end());
  }
  if (arguments.has("most-workers")) {
    const std::string given = arguments.text("most-workers");
    const std::optional<std::int64_t> most = parse_integer(given);
    constexpr std::int64_t kMost = 1000000;
    if (!most || *most < 1 || *most > kMost) {
      return fail(usage(expected("--most-workers", "a whole number from 1 to 1000000", given)));
    }
    range.most_workers = static_cast<double>(*most);
  }
  return range;
}

/// --needs-memory 80GB:2GB: bytes per worker at every K.
Result<void> set_needed_memory(const Arguments& arguments, PlanJob& job) {
  if (!arguments.has("needs-memory")) return {};
  const std::string given = arguments.text("needs-memory");
  const std::size_t colon = given.find(':');
  const std::optional<double> divided = parse_bytes(given.substr(0, colon));
  const std::optional<double> own =
      colon == given.npos ? 0.0 : parse_bytes(given.substr(colon + 1));
  if (!divided || !own) {
    return fail(usage(expected("--needs-memory", "sizes such as 80GB or 80GB:2GB", given)));
  }
  job.memory.clear();
  for (const double k : job.workers) job.memory.push_back(*divided / k + *own);
  return {};
}

Result<void> set_baseline(const Arguments& arguments, PlanJob& job) {
  if (!arguments.has("baseline-time")) return {};
  if (job.seconds) {
    return fail(usage({.where = "--baseline-time", .message = "the times are in seconds already"}));
  }
  const std::string given = arguments.text("baseline-time");
  const std::optional<double> seconds = parse_duration(given);
  if (!seconds || *seconds <= 0) {
    return fail(usage(expected("--baseline-time", "a time above 0, such as 25h or 12.5s", given)));
  }
  set_base_time(job, *seconds);
  return {};
}

Result<MachineComparison> on_machines(const Arguments& arguments, const PlanJob& job,
                                      const PlanOptions& options) {
  for (const char* flag : {"price", "node-workers", "memory"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "cannot be combined with --machines, whose file says it"}));
  }
  constexpr std::size_t kLargest = std::size_t{1} << 20U;
  const std::string path = arguments.text("machines");
  KSTAR_TRY(const FileText text, read_file(path, kLargest));
  KSTAR_TRY(const std::vector<Machine> machines, parse_machines(text.view(), path));
  return compare_machines(job, options, machines);
}

Result<ExitCode> show_plan(const Arguments& arguments, Console& console, PlanJob job,
                           const std::optional<NetworkUse>& network = std::nullopt) {
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  KSTAR_TRY(PlanOptions options, plan_options(arguments));
  KSTAR_CHECK(set_baseline(arguments, job));
  KSTAR_CHECK(set_needed_memory(arguments, job));
  const bool page = format == "html";
  const PlanView view = {.full = page || arguments.has("full"),
                         .chart = page || arguments.has("plot")};
  if (arguments.has("machines")) {
    KSTAR_TRY(const MachineComparison all, on_machines(arguments, job, options));
    KSTAR_CHECK(deliver_as(format, arguments, console, all, view));
    return ExitCode::kDone;
  }
  KSTAR_TRY(Plan plan, make_plan(job, options));
  const auto& best = plan.answers.front().best;
  if (std::string caveat = network && best ? network_caveat(*network, best->workers) : "";
      !caveat.empty()) {
    plan.notes.insert(plan.notes.begin(), std::move(caveat));
    if (is_lower_bound(*network, best->workers)) {
      plan.doubt = "the network takes no longer between nodes than where it was measured";
    }
  }
  KSTAR_CHECK(deliver_as(format, arguments, console, plan, view));
  return ExitCode::kDone;
}

Result<Study> plan_study(const Arguments& arguments) {
  const bool in_place = arguments.has("data");
  if (in_place == !arguments.positionals.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = in_place ? "expected a STUDY or --data, got both"
                                           : "expected a STUDY, a law, or --data with numbers",
                       .hint = "for example 'kstar plan --data 1:100,2:52,4:29,8:19'"}));
  }
  if (in_place) return read_pairs(arguments);
  KSTAR_TRY(const ImportOptions options, import_options(arguments));
  return read_data(arguments.positionals[0], options);
}

/// What an analysis says before its answer, of which a plan would otherwise know nothing.
void add_notes(const Analysis& analysis, PlanJob& job) {
  for (std::string& doubt : doubts_of(analysis.verdict)) job.notes.push_back(std::move(doubt));
}

/// What the ceilings of the machine say of the study, and the use that it makes of them (MFU): the
/// operations of a step over what K workers of one worker's peak could do meanwhile.
void add_ceilings(const Analysis& analysis, PlanJob& job) {
  if (!analysis.options.machine) return;
  if (analysis.memory && analysis.memory->verdict == MemoryVerdict::kBound) {
    const BandwidthCurve& curve = analysis.memory->curve;
    job.notes.push_back(fmt::format(
        "memory-bound: the bandwidth of {} is used up at {} threads; a speedup above {} needs more "
        "than one such machine",
        analysis.memory->machine, curve.used_up, significant(analysis.memory->ceiling, 3)));
  }
  if (!analysis.reach || !analysis.reach->flops) return;
  const MachineReach& reach = *analysis.reach;
  if (!reach.doubt.empty()) {
    job.notes.push_back(fmt::format("use of the peak (MFU) is not known: {}", reach.doubt));
    return;
  }
  const auto peak = compute_ceiling(*analysis.options.machine, 1, reach.precision);
  if (!peak) return;
  std::string used;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role != Role::kParallel) continue;
    const double base = analysis.table.points.front().time.point;
    const double rate = *reach.flops * point.work * base / point.time.point;
    used += fmt::format("{}{} at K = {}", used.empty() ? "" : ", ",
                        percent(rate / point.workers / peak->rate.point, 1), point.workers);
  }
  job.notes.push_back(fmt::format("of one worker's {} peak each worker uses (MFU): {}",
                                  peak->from->precision, used));
}

Result<ExitCode> run_plan(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const UsableWorkers range, range_of(arguments));
  KSTAR_TRY(const Study study, plan_study(arguments));
  AnalysisOptions analysing;
  if (arguments.has("regime")) analysing.regime = regime_named(arguments.text("regime"));
  KSTAR_TRY(analysing.machine, machine_of(arguments));
  KSTAR_TRY(analysing.flops, amount_of(arguments, "flops"));
  KSTAR_TRY(analysing.bytes, amount_of(arguments, "bytes"));
  KSTAR_TRY(const PlanOptions options, plan_options(arguments));
  const auto goal = std::find_if(options.goals.begin(), options.goals.end(),
                                 [](const Goal& one) { return one.kind == GoalKind::kEfficiency; });
  if (goal != options.goals.end()) analysing.threshold = goal->limit;
  KSTAR_TRY(const Analysis analysis, analyze(study, analysing));
  KSTAR_TRY(PlanJob job, plan_job(study, analysis, range));
  job.title = title_of(study, arguments);
  add_notes(analysis, job);
  add_ceilings(analysis, job);
  return show_plan(arguments, console, std::move(job));
}

std::vector<ParameterList> plan_parameters(const Law& law, const Arguments& arguments) {
  std::vector<ParameterList> lists;
  for (const LawParameter& parameter : law.parameters) {
    const std::string name(parameter.name);
    if (arguments.has(name)) lists.push_back({name, {arguments.text(name)}});
  }
  return lists;
}

Result<ExitCode> run_law(const Law& law, const Arguments& arguments, Console& console) {
  KSTAR_TRY(const UsableWorkers range, range_of(arguments));
  std::vector<ParameterList> lists = plan_parameters(law, arguments);
  std::optional<NetworkUse> network;
  if (law.profiled) {
    KSTAR_TRY(network, network_use(arguments));
    if (network) KSTAR_CHECK(add_network(*network, arguments, lists));
  }
  Result<std::vector<LawInstance>> instances = instances_of(law, lists);
  if (!instances) return fail(usage(instances.error()));
  if (network) KSTAR_CHECK(apply_network(*network, console, *instances));
  const LawInstance& instance = instances->front();
  constexpr double kMillisecond = 1e-3;
  const double unit = law.style.time_unit == "ms" ? kMillisecond : 0;
  PlanJob job = plan_job(instance.model, unit, range);
  if (job.workers.empty()) {
    return fail(usage(expected("--workers", "at least one K that can be used", "none")));
  }
  job.title = fmt::format("{}: {}", law.title, instance.label());
  return show_plan(arguments, console, std::move(job), network);
}

/// The parameters that stand in the example of each law.
std::string example_of(const Law& law) {
  static const std::map<std::string_view, const char*> kParameters = {
      {"amdahl", "--serial 0.05 --goal 'deadline 0.1' --goal 'budget 2'"},
      {"gustafson", "--serial 0.05 --most-workers 512"},
      {"strong", "--serial 0.05 --comm log2:0.01 --baseline-time 25h --price 2.50/worker-hour"},
      {"weak", "--serial 0.05 --comm log2:0.01 --work 64 --most-workers 256"},
      {"usl", "--contention 0.03 --coherency 0.0005 --goal knee"},
      {"step", "--compute 240 --communication 60 --at 8 --work 90000 --goal 'deadline 5h'"}};
  const auto found = kParameters.find(law.name);
  return fmt::format("kstar plan {}{}{}", law.name, found == kParameters.end() ? "" : " ",
                     found == kParameters.end() ? "" : found->second);
}

Command plan_law_command(const Law& law) {
  std::vector<Flag> flags = parameter_flags(law);
  if (law.profiled) {
    for (Flag& flag : network_flags()) flags.push_back(std::move(flag));
  }
  for (Flag& flag : shared_plan_flags()) flags.push_back(std::move(flag));
  flags.push_back(format_flag());
  flags.push_back(output_flag());
  flags = with_page(std::move(flags));
  return {.name = std::string(law.name),
          .summary = fmt::format("plan with this law: {}", law.help),
          .details = {std::string(law.formula)},
          .flags = std::move(flags),
          .examples = {example_of(law)},
          .run = [&law](const Arguments& arguments, Console& console) {
            return run_law(law, arguments, console);
          }};
}

std::vector<Flag> plan_study_flags() {
  std::vector<Flag> flags = {pairs_flag()};
  for (Flag& flag : shared_plan_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : machine_flags()) flags.push_back(std::move(flag));
  return with_page(with_data_flags(std::move(flags)));
}

}  // namespace

Command plan_command() {
  Command command = {
      .name = "plan",
      .summary = "which K, for which time and money, and how sure that is",
      .details = {"For every goal the best K, with its time, cost, efficiency and the probability "
                  "that it holds; and what the next doubling of workers buys.",
                  "STUDY is a study or anything that kstar can import; its name has a dot or a "
                  "slash. The name of a law plans with that law instead."},
      .flags = plan_study_flags(),
      .positionals = {{.name = "STUDY", .help = "a study, or a table of times", .file = true}},
      .examples = {"kstar plan study.jsonl --price 2.50/worker-hour --goal 'deadline 5h'",
                   "kstar plan --data 1:100,2:52,4:29,8:19 --work 90000",
                   "kstar plan amdahl --serial 0.05 --goal 'deadline 0.1' --goal 'budget 2'",
                   "kstar plan study.jsonl --price 2.50/worker-hour -o plan.html"},
      .run = run_plan};
  command.commands = {plan_fleet_command(), plan_check_command()};
  for (const Law& law : laws()) command.commands.push_back(plan_law_command(law));
  return command;
}

}  // namespace kstar
