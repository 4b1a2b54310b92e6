#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/network_flags.h"
#include "cli/output.h"
#include "cli/plan/commands.h"
#include "cli/roofline/commands.h"
#include "kstar/import.h"
#include "kstar/network_cost.h"
#include "kstar/plan_check.h"
#include "kstar/plan_fleet.h"
#include "kstar/plan_report.h"
#include "kstar/prediction.h"

namespace kstar {

namespace {

constexpr std::size_t kLargestPlanFile = std::size_t{1} << 20U;
constexpr std::int64_t kMostFleetWorkers = 20000;

/// The job that a class of a fleet is about.
Result<PlanJob> law_job(const FleetEntry& entry, const UsableWorkers& range) {
  const Law* law = find_law(entry.law);
  if (law == nullptr) {
    std::vector<std::string> names;
    for (const Law& one : laws()) names.emplace_back(one.name);
    return fail(expected(entry.where, fmt::format("a law: {}", fmt::join(names, ", ")), entry.law));
  }
  std::vector<ParameterList> lists;
  for (const auto& [name, value] : entry.parameters) {
    const auto known =
        std::find_if(law->parameters.begin(), law->parameters.end(),
                     [&](const LawParameter& parameter) { return parameter.name == name; });
    if (known == law->parameters.end()) {
      return fail(expected(entry.where, fmt::format("parameters of {}", law->name), name));
    }
    lists.push_back({name, {value}});
  }
  Result<std::vector<LawInstance>> instances = instances_of(*law, lists);
  if (!instances) {
    Error error = instances.error();
    error.message = error.where + ": " + error.message;
    error.where = entry.where;
    return fail(std::move(error));
  }
  constexpr double kMillisecond = 1e-3;
  const double unit = law->style.time_unit == "ms" ? kMillisecond : 0;
  PlanJob job = plan_job(instances->front().model, unit, range);
  if (!job.seconds) {
    if (entry.base_time <= 0) {
      return fail({.where = entry.where,
                   .message = "expected time = \"10h\", the time of one job on one worker"});
    }
    set_base_time(job, entry.base_time);
  }
  return job;
}

Result<PlanJob> study_job(const FleetEntry& entry, const std::string& file,
                          const UsableWorkers& range) {
  const auto read = [&]() -> Result<Study> {
    if (!entry.data.empty()) return import_pairs(entry.data, entry.where);
    return import_file((std::filesystem::path(file).parent_path() / entry.study).string());
  };
  KSTAR_TRY(const Study study, read());
  KSTAR_TRY(const Analysis analysis, analyze(study));
  KSTAR_TRY(PlanJob job, plan_job(study, analysis, range));
  if (job.seconds) return job;
  return fail({.where = entry.where, .message = "the study has speedups and no times"});
}

Result<std::size_t> fleet_workers(const Arguments& arguments) {
  const std::string given = arguments.text("workers");
  const std::optional<std::int64_t> workers = parse_integer(given);
  if (workers && *workers >= 1 && *workers <= kMostFleetWorkers) {
    return static_cast<std::size_t>(*workers);
  }
  return fail(usage(
      expected("--workers", "a whole number from 1 to 20000", given.empty() ? "nothing" : given)));
}

Result<ExitCode> run_fleet(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::size_t workers, fleet_workers(arguments));
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  const std::string& path = arguments.positionals[0];
  KSTAR_TRY(const FileText text, read_file(path, kLargestPlanFile));
  KSTAR_TRY(const std::vector<FleetEntry> entries, parse_fleet(text.view(), path));
  std::vector<FleetClass> classes;
  for (const FleetEntry& entry : entries) {
    const UsableWorkers range{.workers = {}, .most_workers = static_cast<double>(workers)};
    KSTAR_TRY(const PlanJob job,
              entry.law.empty() ? study_job(entry, path, {}) : law_job(entry, range));
    FleetClass one = entry.about;
    one.rate = rates_of(job, workers);
    for (double& rate : one.rate) rate /= entry.work;
    classes.push_back(std::move(one));
  }
  const FleetGoal goal =
      arguments.text("goal") == "finish" ? FleetGoal::kFinish : FleetGoal::kValue;
  const Fleet fleet = split_fleet(classes, workers, goal);
  KSTAR_CHECK(deliver_as(format, arguments, console, fleet, PlanView{}));
  return ExitCode::kDone;
}

Result<Proposal> read_proposal(const Arguments& arguments) {
  const std::string& path = arguments.positionals[0];
  if (path.ends_with(".toml")) {
    KSTAR_TRY(const FileText text, read_file(path, kLargestPlanFile));
    return parse_proposal(text.view(), path);
  }
  KSTAR_TRY(const ImportOptions reading, import_options(arguments));
  KSTAR_TRY(const Study study, read_data(path, reading));
  AnalysisOptions options;
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  KSTAR_TRY(const double threshold, arguments.share("threshold", options.threshold));
  options.threshold = threshold;
  KSTAR_TRY(const Analysis analysis, analyze(study, options));
  Proposal proposal = proposal_of(study, analysis);
  proposal.title = title_of(study, arguments);
  return proposal;
}

/// What the network says of the collective on the proposed K: its share of the step, where nothing
/// of it is hidden and nobody said the share.
Result<void> ask_network(const Arguments& arguments, Proposal& proposal) {
  KSTAR_TRY(const std::optional<NetworkUse> use, network_use(arguments));
  if (!use) return {};
  if (!proposal.workers) {
    return fail({.where = "--network", .message = "the proposal does not say its workers"});
  }
  KSTAR_TRY(const CollectiveCost cost,
            collective_cost(use->network, use->collective, use->bytes, *proposal.workers));
  proposal.collective =
      fmt::format("the network takes {} for {} of {} ({})", bounded_text(cost.seconds),
                  name_of(use->collective), size_text(use->bytes), evidence_text(cost));
  if (proposal.communication || !proposal.step) return {};
  proposal.communication = std::min(1.0, cost.seconds.point / *proposal.step);
  proposal.collective += ", nothing of it hidden";
  return {};
}

Result<ExitCode> run_check(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  KSTAR_TRY(Proposal proposal, read_proposal(arguments));
  if (arguments.has("price")) {
    CostRates rates;
    if (Result<void> read = read_price(arguments.text("price"), "--price", rates); !read) {
      return fail(usage(read.error()));
    }
    proposal.price = rates.price;
    proposal.currency = rates.currency;
  }
  KSTAR_TRY(const std::optional<MachineCeilings> machine, machine_of(arguments));
  if (machine) {
    const int most = thread_counts(*machine).back();
    const auto peak = compute_ceiling(*machine, most);
    const auto bandwidth = bandwidth_ceiling(*machine, "memory", most);
    if (!peak || !bandwidth) {
      return fail({.where = "--machine",
                   .message = fmt::format("{} has no ceiling of {}", machine->source,
                                          peak ? "memory" : "operations")});
    }
    proposal.ridge = proposal.ridge_most = peak->rate.point / bandwidth->rate.point;
    for (const std::string& precision : precisions_of(*machine)) {
      const auto slower = compute_ceiling(*machine, most, precision);
      if (slower) {
        proposal.ridge = std::min(*proposal.ridge, slower->rate.point / bandwidth->rate.point);
      }
    }
  }
  KSTAR_CHECK(ask_network(arguments, proposal));
  KSTAR_CHECK(deliver_as(format, arguments, console, check_proposal(proposal), PlanView{}));
  return ExitCode::kDone;
}

std::vector<Flag> check_flags_of_plan() {
  std::vector<Flag> flags = {
      {.name = "price", .value = "PRICE", .help = "per worker-hour"},
      {.name = "machine",
       .value = "FILE",
       .help = "ceilings of the machine, instead of peak_flops and bandwidth",
       .file = true},
      threshold_flag()};
  for (Flag& flag : network_flags()) flags.push_back(std::move(flag));
  return with_data_flags(std::move(flags));
}

}  // namespace

Command plan_fleet_command() {
  return {
      .name = "fleet",
      .summary = "split one pool of workers among several classes of jobs",
      .details = {"JOBS is a TOML file of [[class]] tables: name, jobs (how many), value (of one "
                  "finished job), and what it takes: a study, data = \"1:100,2:52\", or a law "
                  "with its parameters and time = \"10h\" on one worker.",
                  "The split is exact: the most value per hour, or the earliest end of all."},
      .flags = {{.name = "workers", .value = "N", .help = "workers of the pool (required)"},
                {.name = "goal",
                 .value = "GOAL",
                 .help = "value: the most value per hour (default); finish: the last class ends "
                         "as early as possible",
                 .choices = {"value", "finish"}},
                format_flag(),
                output_flag()},
      .positionals =
          {{.name = "JOBS", .help = "a TOML file of job classes", .required = true, .file = true}},
      .examples = {"kstar plan fleet jobs.toml --workers 256"},
      .run = run_fleet};
}

Command plan_check_command() {
  return {.name = "check",
          .summary = "five questions to a proposal for more machines, and a verdict",
          .details = {"PROPOSAL is a TOML file with what is known: workers, today, rate and "
                      "rate_today (or time and time_today), communication (share of the step), "
                      "serial, problem = \"fixed\" or \"grows\", flops, bytes, peak_flops, "
                      "bandwidth, price; or a study, from its smallest K to its largest."},
          .flags = check_flags_of_plan(),
          .positionals = {{.name = "PROPOSAL",
                           .help = "a proposal.toml, or a study",
                           .required = true,
                           .file = true}},
          .examples = {"kstar plan check proposal.toml", "kstar plan check study.jsonl"},
          .run = run_check};
}

}  // namespace kstar
