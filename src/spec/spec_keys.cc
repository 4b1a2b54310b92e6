#include <fmt/format.h>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "kstar/spec_key.h"
#include "spec/spec_values.h"

/// The table of all keys, group by group: a key is said here and nowhere else.
namespace kstar {

namespace {

using Keys = std::vector<SpecKey>;

/// The commands that run before and after the runs.
Keys beside_keys() {
  Keys keys;
  keys.push_back(words_key({.group = "job",
                            .name = "setup",
                            .flag = "setup",
                            .value = "COMMAND",
                            .help = "run once at each K, before its first run, not timed; runs of "
                                    "all K take turns, so it must leave what other K use alone: a "
                                    "folder of its own such as build-{K}",
                            .example = "[\"cmake\", \"-B\", \"build-{K}\"]"},
                           &MeasureSpec::setup));
  keys.push_back(words_key({.group = "job",
                            .name = "prepare",
                            .flag = "prepare",
                            .value = "COMMAND",
                            .help = "run before every run, not timed: so that each run does the "
                                    "same work, for example make clean",
                            .example = "[\"make\", \"clean\"]"},
                           &MeasureSpec::prepare));
  keys.push_back(words_key({.group = "job",
                            .name = "cleanup",
                            .flag = "cleanup",
                            .value = "COMMAND",
                            .help = "run once at each K, after its last run, not timed",
                            .example = "[\"rm\", \"-rf\", \"build-{K}\"]"},
                           &MeasureSpec::cleanup));
  keys.push_back(switch_key({.group = "job",
                             .name = "same_command",
                             .flag = "same-command",
                             .help = "it is meant that every K starts the same command line: only "
                                     "OMP_NUM_THREADS tells the program its K"},
                            &MeasureSpec::same_command));
  return keys;
}

Keys job_keys() {
  Keys keys;
  keys.push_back(text_key({.group = "job",
                           .name = "title",
                           .flag = "title",
                           .value = "TEXT",
                           .help = "a description of the study in one line",
                           .example = "\"CG solver on one node\""},
                          &MeasureSpec::title));
  // Before the commands: it says how their text is taken apart.
  keys.push_back(switch_key({.group = "job",
                             .name = "shell",
                             .flag = "shell",
                             .help = "run the command, the baseline and every command of another "
                                     "flag through /bin/sh -c"},
                            &MeasureSpec::shell));
  keys.push_back(words_key(
      {.group = "job",
       .name = "command",
       .help = "the program and its arguments; {K} is the number of workers, {nodes}, {ranks}, "
               "{threads} and {tasks} its factors, {size}, {batch} and {batch/K} are the workload",
       .example = "[\"./prog\", \"--threads\", \"{K}\"]"},
      &MeasureSpec::command));
  keys.push_back(words_key({.group = "job",
                            .name = "baseline",
                            .flag = "baseline",
                            .value = "COMMAND",
                            .help = "the fastest correct single-worker program: it gives T(1); the "
                                    "command at K = 1 is measured as well",
                            .example = "[\"./prog_serial\"]"},
                           &MeasureSpec::baseline));
  for (SpecKey& key : beside_keys()) keys.push_back(std::move(key));
  keys.push_back({.group = "job",
                  .name = "workers",
                  .flag = "workers",
                  .value = "LIST",
                  .help = "worker counts: 1,2,4 or 1..64 (doubling) or 1..16:1 (steps); or "
                          "nodes x ranks x threads: 1x4x2,2x4x2 (default: powers of two up to the "
                          "cores of this machine, or the tasks or nodes of the allocation)",
                  .example = "[1, 2, 4, 8]",
                  .type = SpecType::kCounts,
                  .set = read_workers,
                  .get = workers_text});
  keys.push_back({.group = "job",
                  .name = "regime",
                  .help = "strong: the problem is fixed; weak: it grows with K; throughput: work "
                          "per second is counted; mixed: it changes in another way",
                  .example = "\"strong\"",
                  .choices = {"strong", "weak", "throughput", "mixed"},
                  .set = read_regime,
                  .get = [](const MeasureSpec& spec) {
                    return std::string(spec.regime ? name_of(*spec.regime) : "");
                  }});
  keys.push_back(text_key({.group = "job",
                           .name = "output",
                           .flag = "output",
                           .value = "FILE",
                           .help = "the study's file (default: PROGRAM-1.kstar.jsonl, the next "
                                   "free number)",
                           .example = "\"study.jsonl\""},
                          &MeasureSpec::output));
  return keys;
}

Keys workload_keys() {
  Keys keys;
  keys.push_back(positive_key({.group = "workload",
                               .name = "size",
                               .flag = "size",
                               .value = "N",
                               .help = "the size of the problem, {size}; weak: on one worker",
                               .example = "100000"},
                              &MeasureSpec::size));
  keys.push_back({.group = "workload",
                  .name = "growth",
                  .flag = "growth",
                  .value = "RULE",
                  .help = "weak: how the size grows: K (in proportion), sqrt(K), cbrt(K), K^P; any "
                          "but K makes the study mixed; a whole size stays whole",
                  .example = "\"K\"",
                  .set = read_growth,
                  .get = [](const MeasureSpec& spec) { return spec.size_growth; }});
  keys.push_back(text_key({.group = "workload",
                           .name = "unit",
                           .flag = "unit",
                           .value = "NAME",
                           .help = "what the size counts: rows, cells, tokens",
                           .example = "\"rows\""},
                          &MeasureSpec::unit));
  keys.push_back({.group = "workload",
                  .name = "batch",
                  .flag = "batch",
                  .value = "N",
                  .help = "the batch over all workers, {batch}; {batch/K} is a worker's share; "
                          "weak: of one worker",
                  .example = "256",
                  .type = SpecType::kNumber,
                  .set = read_batch,
                  .get = [](const MeasureSpec& spec) {
                    return spec.batch ? std::to_string(*spec.batch) : "";
                  }});
  return keys;
}

Keys time_keys() {
  Keys keys;
  keys.push_back(
      {.group = "time",
       .name = "from",
       .flag = "time",
       .value = "SOURCE",
       .help = "the source of a run's time: the whole process, marks in the program, a pattern in "
               "its output, JSON lines in its output",
       .choices = {"process", "marks", "pattern", "json"},
       .set = read_time_from,
       .get = [](const MeasureSpec& spec) { return std::string(name_of(spec.time_from)); }});
  keys.push_back({.group = "time",
                  .name = "pattern",
                  .flag = "time-regex",
                  .value = "REGEX",
                  .help = "from pattern: every match in the output is a step, the one group its "
                          "time (RE2; ^ and $ match at each line)",
                  .example = "'^step \\d+ took ([0-9.]+) s$'",
                  .set = read_time_pattern,
                  .get = [](const MeasureSpec& spec) { return spec.time_pattern; }});
  keys.push_back({.group = "time",
                  .name = "key",
                  .flag = "time-json",
                  .value = "KEY",
                  .help = "from JSON: every line of output that has this key is a step, the number "
                          "there its time; a path such as step.seconds is possible",
                  .example = "\"step.seconds\"",
                  .set = read_time_key,
                  .get = [](const MeasureSpec& spec) { return spec.time_key; }});
  keys.push_back({.group = "time",
                  .name = "unit",
                  .flag = "time-unit",
                  .value = "UNIT",
                  .help = "the unit of the numbers in the output",
                  .choices = {"s", "ms", "us", "ns", "min", "h"},
                  .set = read_time_unit,
                  .get = [](const MeasureSpec& spec) { return spec.time_unit; }});
  keys.push_back(switch_key(
      {.group = "time",
       .name = "rate",
       .flag = "rate",
       .help = "the numbers in the output are rates (such as images per second), not times"},
      &MeasureSpec::time_is_rate));
  keys.push_back(positive_key(
      {.group = "time",
       .name = "work",
       .flag = "work",
       .value = "N",
       .help = "with rates: the work of one step (default: the batch, or 1); weak: of one worker",
       .example = "256"},
      &MeasureSpec::time_work));
  return keys;
}

Keys check_keys() {
  Keys keys;
  keys.push_back(
      {.group = "check",
       .name = "pattern",
       .flag = "check",
       .value = "REGEX",
       .help = "a result in the output (its last match, one group) that must agree across K and "
               "the baseline; a run with a different result is a failed run",
       .example = "'final loss ([-+0-9.eE]+)'",
       .set = [](MeasureSpec& spec,
                 std::string_view text) { return read_pattern(spec.check_pattern, text); },
       .get = [](const MeasureSpec& spec) { return spec.check_pattern; }});
  keys.push_back(words_key({.group = "check",
                            .name = "command",
                            .flag = "check-command",
                            .value = "COMMAND",
                            .help = "run after each run; {output} is the file of that run's "
                                    "output; exit status 0 means that it is right",
                            .example = "[\"./verify\", \"{output}\"]"},
                           &MeasureSpec::check_command));
  SpecKey value = text_key({.group = "check",
                            .name = "value",
                            .flag = "check-value",
                            .value = "VALUE",
                            .help = "what the result must be (default: as in the first good run)",
                            .example = "\"0.6931\""},
                           &MeasureSpec::check_value);
  value.type = SpecType::kNumber;  // a number need not stand in quotes
  keys.push_back(std::move(value));
  keys.push_back({.group = "check",
                  .name = "tolerance",
                  .flag = "check-tolerance",
                  .value = "SHARE",
                  .help = "relative tolerance of a number; auto: 1e-6, and whole numbers must be "
                          "equal; text must always be equal",
                  .type = SpecType::kNumber,
                  .set = read_tolerance,
                  .get = [](const MeasureSpec& spec) {
                    return spec.check_tolerance ? shortest(*spec.check_tolerance) : "auto";
                  }});
  return keys;
}

Keys repeat_keys() {
  Keys keys;
  keys.push_back(optional_whole_key({.group = "protocol",
                                     .name = "warm_up_runs",
                                     .flag = "warm-up-runs",
                                     .value = "N",
                                     .help = "first runs at each K that are marked as warm-up; "
                                             "auto finds them from the data"},
                                    "auto", 0, &MeasureSpec::warm_up_runs));
  keys.push_back(optional_whole_key({.group = "protocol",
                                     .name = "warm_up_steps",
                                     .flag = "warm-up-steps",
                                     .value = "N",
                                     .help = "first steps of each run that are marked as warm-up; "
                                             "auto finds them from the data"},
                                    "auto", 0, &MeasureSpec::warm_up_steps));
  keys.push_back(share_key(
      {.group = "protocol",
       .name = "precision",
       .flag = "precision",
       .value = "SHARE",
       .help = "repeat until the interval of T(K) is within this share of T(K), at every K"},
      &MeasureSpec::precision));
  keys.push_back(share_key({.group = "protocol",
                            .name = "confidence",
                            .flag = "confidence",
                            .value = "SHARE",
                            .help = "the confidence of the intervals"},
                           &MeasureSpec::confidence));
  keys.push_back(optional_whole_key(
      {.group = "protocol",
       .name = "runs",
       .flag = "runs",
       .value = "N",
       .help =
           "exactly this many runs at each K, in addition to --warm-up-runs; auto: until precise"},
      "auto", 1, &MeasureSpec::runs));
  keys.push_back(whole_key({.group = "protocol",
                            .name = "max_runs",
                            .flag = "max-runs",
                            .value = "N",
                            .help = "the most runs at each K, precise or not"},
                           &MeasureSpec::max_runs));
  keys.push_back(whole_key({.group = "protocol",
                            .name = "max_failures",
                            .flag = "max-failures",
                            .value = "N",
                            .help = "failed runs at one K before giving it up"},
                           &MeasureSpec::max_failures));
  keys.push_back({.group = "protocol",
                  .name = "inside",
                  .flag = "inside",
                  .value = "N",
                  .help = "additional runs at each K with libkstar_mpi.so in the MPI ranks, to see "
                          "where their time goes; they do not count for T(K)",
                  .type = SpecType::kNumber,
                  .set = [](MeasureSpec& spec,
                            std::string_view text) { return read_whole(text, 0, spec.inside); },
                  .get = [](const MeasureSpec& spec) { return std::to_string(spec.inside); }});
  return keys;
}

Keys limit_keys() {
  Keys keys;
  keys.push_back(
      {.group = "protocol",
       .name = "budget",
       .flag = "budget",
       .value = "LIMIT",
       .help =
           "the limit of the whole study: a time such as 30m, worker-hours such as 4wh, or 30m,4wh",
       .example = "\"30m\"",
       .type = SpecType::kNumber,
       .set = read_budget,
       .get = budget_text});
  keys.push_back(
      {.group = "protocol",
       .name = "time_limit",
       .flag = "timeout",
       .value = "TIME",
       .help = "a run that takes longer is ended and counts as failed: 90s, 5m, 2h or none",
       .type = SpecType::kNumber,
       .set = read_time_limit,
       .get = [](const MeasureSpec& spec) {
         return spec.time_limit > 0 ? duration_text(spec.time_limit) : "none";
       }});
  keys.push_back({.group = "protocol",
                  .name = "seed",
                  .flag = "seed",
                  .value = "N",
                  .help = "the seed of the random order; auto chooses one and records it",
                  .type = SpecType::kNumber,
                  .set = read_seed,
                  .get = [](const MeasureSpec& spec) {
                    return spec.seed == 0 ? "auto" : std::to_string(spec.seed);
                  }});
  return keys;
}

Keys launch_keys() {
  Keys keys;
  keys.push_back(text_key({.group = "launch",
                           .name = "launcher",
                           .flag = "launcher",
                           .value = "NAME",
                           .help = "what starts K workers; kstar launchers lists them"},
                          &MeasureSpec::launcher));
  keys.push_back(text_key({.group = "launch",
                           .name = "launchers",
                           .flag = "launchers",
                           .value = "FILE",
                           .help = "a file with custom launchers (default: KSTAR_LAUNCHERS or "
                                   "~/.config/kstar/launchers.toml)",
                           .example = "\"./launchers.toml\""},
                          &MeasureSpec::launchers));
  keys.push_back(
      {.group = "launch",
       .name = "per_node",
       .flag = "per-node",
       .value = "N",
       .help = "workers per node: K workers use K/N nodes, or one if K <= N; 0: all on one node",
       .type = SpecType::kNumber,
       .set = [](MeasureSpec& spec,
                 std::string_view text) { return read_whole(text, 0, spec.per_node); },
       .get = [](const MeasureSpec& spec) { return std::to_string(spec.per_node); }});
  keys.push_back({.group = "launch",
                  .name = "hosts",
                  .flag = "hosts",
                  .value = "LIST",
                  .help = "the nodes to run on, used in this order: a,b,c or a hostfile, whose "
                          "name has a / (default: the allocation or this machine)",
                  .example = "\"n1,n2,n3,n4\"",
                  .set = read_hosts,
                  .get = [](const MeasureSpec& spec) {
                    return fmt::format("{}", fmt::join(spec.hosts, ","));
                  }});
  keys.push_back(words_key({.group = "launch",
                            .name = "options",
                            .flag = "launcher-options",
                            .value = "WORDS",
                            .help = "passed to mpirun, srun or torchrun unchanged",
                            .example = "[\"--mca\", \"pml\", \"ob1\"]"},
                           &MeasureSpec::launcher_options));
  keys.push_back(text_key({.group = "launch",
                           .name = "program",
                           .flag = "launcher-program",
                           .value = "FILE",
                           .help = "the mpirun, srun or torchrun to use (default: from PATH)",
                           .example = "\"/opt/mpi/bin/mpirun\""},
                          &MeasureSpec::launcher_program));
  keys.push_back(switch_key(
      {.group = "launch", .name = "bind", .flag = "no-bind", .help = "bind the workers to cores"},
      &MeasureSpec::bind));
  keys.push_back(switch_key({.group = "launch",
                             .name = "gpus",
                             .flag = "gpus",
                             .help = "the workers are GPUs: CUDA_VISIBLE_DEVICES lists K of them"},
                            &MeasureSpec::gpus));
  keys.push_back({.group = "launch",
                  .name = "variables",
                  .flag = "env",
                  .value = "NAME=VALUE",
                  .help = "variables of the job's environment, with placeholders",
                  .example = "{ OMP_PROC_BIND = \"close\" }",
                  .type = SpecType::kVariables,
                  .set = read_variable,
                  .get = [](const MeasureSpec&) { return std::string(); },
                  .table = &MeasureSpec::variables});
  return keys;
}

Keys submit_keys() {
  Keys keys;
  keys.push_back(switch_key(
      {.group = "slurm",
       .name = "submit",
       .flag = "submit",
       .help = "submit every run as a Slurm job of the size of its K, and wait for all of them"},
      &MeasureSpec::submit));
  keys.push_back(switch_key({.group = "slurm",
                             .name = "pack",
                             .flag = "pack",
                             .help = "with --submit: one job of the size of the largest K, in "
                                     "which everything runs on the same nodes"},
                            &MeasureSpec::pack));
  keys.push_back(words_key({.group = "slurm",
                            .name = "options",
                            .flag = "submit-options",
                            .value = "WORDS",
                            .help = "options for sbatch: partition, account, time",
                            .example = "[\"-p\", \"batch\", \"-A\", \"project\"]"},
                           &MeasureSpec::submit_options));
  keys.push_back(optional_whole_key({.group = "slurm",
                                     .name = "jobs_at_once",
                                     .flag = "jobs-at-once",
                                     .value = "N",
                                     .help = "jobs in the queue at a time; all: a whole block"},
                                    "all", 1, &MeasureSpec::jobs_at_once));
  keys.push_back({.group = "slurm",
                  .name = "patience",
                  .flag = "patience",
                  .value = "TIME",
                  .help = "how long to retry if Slurm does not answer",
                  .type = SpecType::kNumber,
                  .set = read_patience,
                  .get = [](const MeasureSpec& spec) { return duration_text(spec.patience); }});
  return keys;
}

Keys variant_keys() {
  Keys keys;
  keys.push_back(whole_key({.group = "variants",
                            .name = "sessions",
                            .flag = "sessions",
                            .value = "N",
                            .help = "spread the blocks over this many separate starts, at other "
                                    "hours or in other allocations: each further one by --resume"},
                           &MeasureSpec::sessions));
  keys.push_back(words_key({.group = "variants",
                            .name = "against",
                            .flag = "against",
                            .value = "COMMAND",
                            .help = "a second command, measured interleaved with the first, block "
                                    "by block; its study is STUDY.against.jsonl",
                            .example = "[\"./prog_before\", \"{K}\"]"},
                           &MeasureSpec::against));
  keys.push_back({.group = "variants",
                  .name = "parameters",
                  .flag = "parameter",
                  .value = "NAME=A,B,C",
                  .help = "a study for each value, measured interleaved; {NAME} in the command and "
                          "the variables is the value; its study is STUDY.NAME=A.jsonl",
                  .example = "{ threshold = \"10,100\" }",
                  .type = SpecType::kVariables,
                  .set = read_parameter,
                  .get = [](const MeasureSpec&) { return std::string(); },
                  .table = &MeasureSpec::parameters});
  return keys;
}

Keys all_keys() {
  Keys keys;
  for (Keys (*group)() : {job_keys, workload_keys, time_keys, check_keys, repeat_keys, limit_keys,
                          launch_keys, submit_keys, variant_keys}) {
    for (SpecKey& key : group()) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

const std::vector<SpecKey>& spec_keys() {
  static const std::vector<SpecKey> kKeys = all_keys();
  return kKeys;
}

}  // namespace kstar
