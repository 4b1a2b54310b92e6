#pragma once

#include "kstar/study.h"

/// Studies that tests write and read back.
namespace kstar {

/// What a run keeps of its ranks: every field is set.
inline Inside full_inside() {
  Inside inside;
  inside.mpi = "Open MPI";
  inside.world = 3;
  inside.clock_error = 1e-6;
  inside.wait_coverage = 0.5;
  inside.rank = {0, 2};
  inside.span = {1.5, 1.25};
  inside.init = {0.25, 0.125};
  inside.calls = {12, 18446744073709551615U};
  inside.bytes = {0, 800};
  inside.end = {"finalized", "killed"};
  inside.last_call = {"", "MPI_Recv"};
  inside.by_call = {{.call = "MPI_Allreduce",
                     .communicator = "world",
                     .calls = 24,
                     .bytes = 19200,
                     .seconds = 0.75,
                     .seconds_min = 0,
                     .seconds_max = 0.5,
                     .extra = R"({"kind":"collective"})"}};
  inside.communicators = {
      {.name = "world", .size = 3, .collectives = 12, .wait = 0.25, .extra = R"({"id":7})"}};
  inside.windows = {.seconds = 0.001048576,
                    .useful_min = {0, 0.5},
                    .useful_mean = {0.25, 0.75},
                    .useful_max = {0.5, 1},
                    .mpi_mean = {0.75, 0.25},
                    .bytes = {0, 800},
                    .useful = {{0, 0.5}, {0.5, 1}},
                    .extra = R"({"clock":"monotonic"})"};
  inside.notes = {"1 of 3 ranks wrote no file"};
  inside.extra = R"({"library":"0.1.0"})";
  return inside;
}

/// Every field of every record is set, and every object has unknown keys.
inline Run full_run() {
  Run run;
  run.workers = 8;
  run.work = 6400;
  run.fixed = 0.0625;
  run.nodes = 2;
  run.ranks = 2;
  run.threads = 2;
  run.order = 17;
  run.block = 3;
  run.role = Role::kBaseline;
  run.warm_up = true;
  run.timed_out = true;
  run.exit_status = -1;
  run.signal = 9;
  run.warm_up_steps = 1;
  run.session = "boot 2026-03-01";
  run.hosts = {"n1", "n2"};
  run.start = 1767225600.125;
  run.wall = 0.1;
  run.setup = 1.0 / 3;
  run.steps = {0.05, 0.025, 1e-9};
  run.usage.cpu_user = 12.5;
  run.usage.cpu_system = 0;
  run.usage.peak_memory = 9007199254740993;
  run.usage.minor_faults = 0;
  run.usage.major_faults = 1;
  run.usage.voluntary_switches = 2;
  run.usage.involuntary_switches = 3;
  run.usage.migrations = 4;
  run.work = 24000;
  run.fixed = 0.5;
  run.usage.load = 0.25;
  run.usage.cpu_others = 0.0625;
  run.usage.cpu_stolen = 0;
  run.usage.cpu_wait = 0.5;
  run.counters.emplace() = {.instructions = 3e9, .cycles = 2.5e9, .extra = {}};
  run.output = "quote \" backslash \\ newline \n tab \t K\xC3\xB6ln";
  PerWorker& per_worker = run.per_worker.emplace();
  per_worker.host = {"n1", "n2"};
  per_worker.compute = {1, 2};
  per_worker.communicate = {0.5, 0.25};
  per_worker.wait = {0, 0};
  per_worker.load = {0.125};
  per_worker.work = {480, 480};
  per_worker.extra = R"({"joules":[1.5,2.5]})";
  run.inside.emplace() = full_inside();
  run.job = "4711";
  run.lost = true;
  run.claim.emplace() = {.speedup = 7.1,
                         .efficiency = 0.8875,
                         .base = ClaimBase{.workers = 1, .seconds = 2.5, .extra = {}},
                         .line = 7,
                         .extra = {}};
  run.factors.emplace() = {{"load_balance", 0.9}, {"transfer_efficiency", 0.95}};
  run.settings.emplace() = {{"precision", "fp32"}};
  run.init = 12.5;
  run.extra = R"({"node_map":{"a":[1,2,{"b":null}]},"huge":1E5,"text":"\u00e4\n"})";
  return run;
}

inline Note full_note() {
  return {.severity = Severity::kWarning,
          .what = "run-failed",
          .where = "run 3",
          .values = {{"reason", "it failed"},
                     {"tries", 2},
                     {"hosts", std::vector<std::string>{"a", "b"}}},
          .text = {},
          .extra = R"({"advice":"retry"})"};
}

inline Host full_host() {
  Host host;
  host.name = "n1";
  host.cpu = "AMD EPYC 9654";
  host.sockets = 2;
  host.cores = 192;
  host.threads = 384;
  host.memory = 1'649'267'441'664;
  host.accelerators = {"NVIDIA H100"};
  host.kernel = "6.1.0-18-amd64";
  host.extra = R"({"microcode":"0xa10113e"})";
  return host;
}

inline Workload full_workload() {
  Workload workload;
  workload.workers = 8;
  workload.size = 1e6;
  workload.unit = "rows";
  workload.batch = 480;
  workload.steps = 12;
  workload.stopping = "12 steps";
  workload.settings = {{"precision", "fp16"}};
  workload.extra = R"({"width":512})";
  return workload;
}

inline StudyHeader full_header() {
  StudyHeader header;
  header.writer = "kstar 0.1.0";
  header.title = "a study with everything";
  header.command = {"./train", "--workers", "{K}"};
  header.launcher = "mpirun -n {K}";
  header.regime = Regime::kWeak;
  header.workload = {full_workload()};
  header.baseline = {.kind = BaselineKind::kFastestSingle,
                     .command = {"./train_single"},
                     .text = "one thread, no communication library",
                     .extra = R"({"precision":"fp32"})"};
  Protocol& protocol = header.protocol;
  protocol.warm_up_runs = 1;
  protocol.warm_up_steps = 0;
  protocol.setup = "process start and data loading";
  protocol.setup_method = "marks";
  protocol.order = "shuffled blocks";
  protocol.seed = 18446744073709551615U;
  protocol.stopping = "relative error below 1%";
  protocol.time_limit = 600;
  protocol.runs = 5;
  protocol.extra = R"({"cool_down":2})";
  header.environment = {.hosts = {full_host()},
                        .binding = "core",
                        .versions = {{"mpi", "Open MPI 4.1.4"}},
                        .variables = {{"OMP_NUM_THREADS", "1"}},
                        .extra = R"({"container":"none"})"};
  header.source = {.kind = SourceKind::kImported,
                   .format = "csv",
                   .files = {"times.csv"},
                   .summary = "mean",
                   .unused = {"comment"},
                   .extra = {}};
  header.time = TimeKind::kRate;
  header.changes = {{.name = "precision", .values = {"fp32", "fp16"}, .count = 3, .extra = {}}};
  header.mlperf = {.round = "v4.0",
                   .division = "closed",
                   .submitter = "Us",
                   .benchmark = "bert",
                   .accelerator = "A1",
                   .extra = {}};
  header.spec = "title = \"a\"\n";
  header.extra = R"({"project":{"id":7}})";
  return header;
}

inline Study full_study() {
  return {.header = full_header(),
          .runs = {full_run(), Run{}},
          .notes = {full_note()},
          .unknown = {R"({"record":"power","watts":[1,2]})"},
          .name = {}};
}

/// `runs` short runs over K = 1, 2, 4, 8.
inline Study small_study(int runs = 8) {
  Study study;
  study.header.command = {"./job"};
  study.header.regime = Regime::kStrong;
  for (int i = 0; i < runs; ++i) {
    Run& run = study.runs.emplace_back();
    run.workers = 1 << (i % 4);
    run.order = i;
    run.session = "a";
    run.start = 1767225600.0 + i;
    run.wall = 1.0 / run.workers + 0.01 * i;
  }
  return study;
}

}  // namespace kstar
