#include "support/audited_studies.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "kstar/import.h"
#include "support/planted_study.h"

namespace kstar::audited {

namespace {

Study need(Result<Study> study) {
  if (study) return std::move(*study);
  std::cerr << study.error().where << ": " << study.error().message << "\n";
  std::exit(1);
}

Study table(const std::string& text) {
  return need(import_text(text, "table.csv", {.claims = true}));
}

/// A simulated job, with what an honest author writes down.
Study job(const planted::Job& job) {
  Study study = planted::simulate(job);
  StudyHeader& header = study.header;
  header.command = {"./job", "--workers", "{K}"};
  header.regime = job.weak ? Regime::kWeak : Regime::kStrong;
  header.baseline.kind = BaselineKind::kParallelWithOne;
  header.protocol.stopping = std::to_string(job.runs) + " runs at each K";
  header.workload.clear();
  for (const int k : job.workers) {
    header.workload.push_back({.workers = k, .batch = job.weak ? 1024.0 * k : 1024.0});
  }
  for (std::size_t i = 0; i < study.runs.size(); ++i) study.runs[i].order = static_cast<int>(i);
  return study;
}

using Change = std::function<void(Run&)>;

Study with(Study study, const std::function<bool(const Run&)>& which, const Change& change) {
  for (Run& run : study.runs) {
    if (which(run)) change(run);
  }
  return study;
}

Change slower(double factor) {
  return [factor](Run& run) {
    for (double& step : run.steps) step *= factor;
    if (run.wall) *run.wall *= factor;
  };
}

bool is_alone(const Run& run) {
  return run.workers == 1;
}
bool any(const Run&) {
  return true;
}

/// A single-worker program that takes `factor` of T(1).
Study with_single(Study study, BaselineKind kind, double factor) {
  study.header.baseline.kind = kind;
  study.header.baseline.command = {"./single"};
  std::vector<Run> added;
  for (Run run : study.runs) {
    if (run.workers != 1) continue;
    slower(factor)(run);
    run.role = Role::kBaseline;
    run.order = static_cast<int>(study.runs.size() + added.size());
    run.per_worker = {};
    added.push_back(run);
  }
  study.runs.insert(study.runs.end(), added.begin(), added.end());
  return study;
}

void keep_if(Study& study, const std::function<bool(const Run&)>& which) {
  std::vector<Run> kept;
  for (const Run& run : study.runs) {
    if (which(run)) kept.push_back(run);
  }
  study.runs = std::move(kept);
}

/// The fastest run at each K.
Study best_of_all(Study study) {
  std::map<int, double> best;
  for (const Run& run : study.runs) {
    const double time = *steady_time(run);
    const auto [at, is_new] = best.emplace(run.workers, time);
    if (!is_new) at->second = std::min(at->second, time);
  }
  keep_if(study, [&](const Run& run) { return *steady_time(run) == best.at(run.workers); });
  return study;
}

Study without_numbers(Study study) {
  for (Run& run : study.runs) run.order.reset();
  return study;
}

Study without_workers(Study study, int workers) {
  keep_if(study, [&](const Run& run) { return run.workers != workers; });
  return study;
}

/// Only T(K) is left, with so many digits behind the point.
Study rounded(Study study, double unit) {
  for (Run& run : study.runs) {
    run.wall = std::round(*steady_time(run) / unit) * unit;
    run.setup.reset();
    run.steps.clear();
    run.per_worker = {};
  }
  return study;
}

/// From this K on every run is the first one.
Study copied(Study study, int from) {
  std::map<int, double> first;
  for (Run& run : study.runs) {
    const double time = first.try_emplace(run.workers, *steady_time(run)).first->second;
    if (run.workers < from) continue;
    run.wall = time;
    run.setup.reset();
    run.steps.clear();
    run.per_worker = {};
  }
  return study;
}

Study batches(Study study, const std::function<double(int)>& batch) {
  study.header.workload.clear();
  std::map<int, bool> seen;
  for (const Run& run : study.runs) seen[run.workers] = true;
  for (const auto& [k, there] : seen) {
    study.header.workload.push_back({.workers = k, .batch = batch(k)});
  }
  return study;
}

/// A table whose runs are numbered at each K, but for those that `left_out` takes.
std::string numbered_table(const std::function<bool(int run, int workers)>& left_out) {
  std::string text = "run,threads,time_s\n";
  for (int run = 0; run < 8; ++run) {
    for (const int k : {1, 2, 4, 8}) {
      if (left_out(run, k)) continue;
      text += std::to_string(run) + "," + std::to_string(k) + "," +
              std::to_string(100.0 / k + 2 + 0.1 * ((7 * run + 3 * k) % 5)) + "\n";
    }
  }
  return text;
}

/// What a table has beside its rows in a column, kept for each K.
Study with_setting(Study study, const std::function<std::string(int)>& setting) {
  for (Workload& load : study.header.workload) load.extra = setting(*load.workers);
  return study;
}

/// The second half of the runs was made in a later session, which counts on.
Study in_two_sessions(Study study) {
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    study.runs[i].session = i < study.runs.size() / 2 ? "monday" : "tuesday";
  }
  return study;
}

/// Repeats around means that lie on the ideal line exactly.
Study drawn_with_a_ruler() {
  Study study;
  for (const int k : {1, 2, 4, 8, 16}) {
    for (const double noise : {-0.03, -0.01, 0.01, 0.03}) {
      Run run;
      run.workers = k;
      // Another spread at each K, and the same mean.
      run.wall = 100.0 / k * (1 + noise * (1 + 0.1 * k));
      study.runs.push_back(run);
    }
  }
  return study;
}

}  // namespace

std::vector<HonestStudy> honest_studies(const std::string& examples) {
  std::vector<HonestStudy> all;
  for (const char* name :
       {"clean-mpi-strong", "clean-mpi-weak", "clean-threads-strong", "clean-threads-weak",
        "clean-mpi-strong-wide", "clean-threads-weak-wide", "imbalance-1", "memory-bound-5",
        "random-straggler-2", "serial-5", "slow-allreduce-3", "straggler-3"}) {
    all.push_back({name, need(import_file(examples + "/" + name + ".jsonl.gz"))});
  }
  const planted::Job serial = {.serial = 0.05};
  all.push_back({"simulated: serial", job(serial)});
  all.push_back({"simulated: ideal but for noise", job({.seed = 3})});
  all.push_back({"simulated: weak", job({.weak = true, .seed = 4, .communication = 0.1})});
  all.push_back({"simulated: noisy", job({.seed = 5, .run_noise = 0.1, .communication = 0.05})});
  all.push_back({"a single-worker program that is faster",
                 with_single(job(serial), BaselineKind::kFastestSingle, 0.8)});
  all.push_back({"stopped before its end", [&] {
                   Study study = job(serial);
                   study.runs.resize(study.runs.size() - 7);
                   return study;
                 }()});
  all.push_back({"no K = 1", [&] {
                   Study study = without_workers(job(serial), 1);
                   for (std::size_t i = 0; i < study.runs.size(); ++i) {
                     study.runs[i].order = static_cast<int>(i);
                   }
                   std::erase_if(study.header.workload,
                                 [](const Workload& load) { return load.workers == 1; });
                   return study;
                 }()});
  all.push_back({"a table with rates and their speedups",
                 table("gpus,images_per_s,speedup,efficiency\n1,100,1.0,100%\n2,190,1.9,95%\n"
                       "4,361,3.6,90%\n8,652,6.5,82%\n")});
  all.push_back({"a table with times alone", table("K,time_s\n1,100\n2,52\n4,29\n8,19\n")});
  all.push_back({"a declared mixture", [] {
                   Study study = batches(job({}), [](int k) { return 512 + 100.0 * k; });
                   study.header.regime = Regime::kMixed;
                   keep_if(study, any);
                   for (Run& run : study.runs) run.per_worker = {};
                   return study;
                 }()});
  all.push_back({"a declared mixture that grows from K = 4 on", [] {
                   Study study = batches(job({}), [](int k) { return k < 4 ? 256.0 : 64.0 * k; });
                   study.header.regime = Regime::kMixed;
                   for (Run& run : study.runs) run.per_worker = {};
                   return study;
                 }()});
  const std::string rows = "1,101\n1,96\n1,103\n2,52\n2,50\n2,51\n4,27\n4,28\n4,26\n";
  all.push_back({"speedups row by row, against the mean",
                 table("threads,time_s,speedup\n1,101,0.990\n1,96,1.042\n1,103,0.971\n"
                       "2,52,1.923\n2,50,2.000\n2,51,1.961\n4,27,3.704\n4,28,3.571\n"
                       "4,26,3.846\n")});
  all.push_back({"speedups row by row, against the base of the row",
                 table("threads,time,speedup\n1,10,1\n2,5.2,1.923\n4,3.1,3.226\n1,10.4,1\n"
                       "2,5.3,1.962\n4,3.0,3.467\n")});
  all.push_back({"the slowest rank", table("ranks,max time (s)\n1,100\n2,52\n4,28\n")});
  all.push_back({"the lowest rate", table("ranks,min_rate\n1,100\n2,190\n4,360\n")});
  all.push_back({"weak efficiencies, and no regime",
                 table("gpus,time_s,efficiency\n8,10,1\n16,10.2,0.98\n32,10.5,0.95\n")});
  for (const char* name : {"after_debugging.csv", "best run.csv", "x_dbg.csv"}) {
    all.push_back({name, need(import_text("threads,time_s\n" + rows, name, {.claims = true}))});
  }
  all.push_back({"runs numbered at each K", table(numbered_table([](int, int) { return false; }))});
  all.push_back({"a K that was precise enough early",
                 table(numbered_table([](int run, int k) { return k == 8 && run > 4; }))});
  all.push_back({"gone on with on another day", in_two_sessions(job(serial))});
  all.push_back({"every run a job of its own", [&] {
                   Study study = job(serial);
                   for (Run& run : study.runs) run.session = "job " + std::to_string(*run.order);
                   return study;
                 }()});
  all.push_back({"noisy at the largest K alone",
                 with(
                     job({.run_noise = 0.002, .step_noise = 0.001, .serial = 0.02}),
                     [](const Run& run) { return run.workers == 16; },
                     [](Run& run) { slower(1 + 0.05 * ((*run.order * 7) % 5 - 2))(run); })});
  all.push_back({"an optimised build at every K", with_setting(job(serial), [](int) {
                   return std::string(R"({"cflags":"-O3 -g"})");
                 })});
  all.push_back({"trained until it has converged",
                 table("gpus,time_s,epochs,batch\n1,100,44,256\n1,104,46,256\n2,53,45,256\n"
                       "2,51,43,256\n4,30,46,256\n4,29,44,256\n")});
  return all;
}

std::vector<DoctoredStudy> doctored_studies(const std::string& examples) {
  const Study mpi = need(import_file(examples + "/clean-mpi-strong.jsonl.gz"));
  const Study threads = need(import_file(examples + "/serial-5.jsonl.gz"));
  const Study serial = job({.runs = 10, .serial = 0.05});
  const Study quiet = job({.run_noise = 0.004, .step_noise = 0.001, .serial = 0.05});
  std::vector<DoctoredStudy> all;
  const auto add = [&](std::string name, std::string rule, Study study) {
    all.push_back({std::move(name), std::move(rule), std::move(study)});
  };
  add("a slow program called the fastest", "best-single-worker",
      with_single(serial, BaselineKind::kFastestSingle, 1.5));
  add("speedups against the slower program", "best-single-worker",
      with_single(serial, BaselineKind::kParallelWithOne, 0.6));
  add("T(1) twice as slow", "superlinear", with(serial, is_alone, slower(2)));
  add("T(1) measured twice as slow", "superlinear", with(mpi, is_alone, slower(2)));
  add("a debug build", "optimised-build", [&] {
    Study study = mpi;
    study.header.command.emplace_back("--kernels=build/debug/libgemm.so");
    return study;
  }());
  add("kernels one at a time", "optimised-build", [&] {
    Study study = mpi;
    study.header.environment.variables["CUDA_LAUNCH_BLOCKING"] = "1";
    return study;
  }());
  add("checkpointing in the baseline alone", "optimised-build", [&] {
    Study study = with_single(serial, BaselineKind::kFastestSingle, 1);
    study.header.baseline.text = "mixed precision with gradient checkpointing";
    return study;
  }());
  add("a machine that swaps", "memory-pressure",
      with(mpi, is_alone, [](Run& run) { run.usage.major_faults = 50000; }));
  add("batch grown in secret", "same-problem",
      with(
          serial, [](const Run& run) { return run.workers >= 4; },
          [](Run& run) {
            for (double& work : run.per_worker->work) work *= run.workers / 2.0;
          }));
  add("batch grown, and called strong", "same-problem",
      batches(serial, [](int k) { return 64.0 * k; }));
  add("a batch for each device, and called strong", "same-problem", [&] {
    Study study = rounded(serial, 1e-9);
    study.header.workload.clear();
    study.header.command = {"./train", "--per_device_train_batch_size", "32"};
    return study;
  }());
  add("a target relaxed with K", "same-problem", [&] {
    Study study = serial;
    for (Workload& load : study.header.workload) {
      load.stopping = *load.workers < 8 ? "loss below 1.0" : "loss below 1.2";
    }
    return study;
  }());
  add("another precision at the base", "same-problem",
      table("gpus,precision,time_s\n1,fp32,100\n2,amp,30\n4,amp,16\n8,amp,9\n"));
  add("regime switched in mid-curve", "one-regime", [&] {
    Study study = batches(rounded(serial, 1e-9), [](int k) { return k < 4 ? 256.0 : 64.0 * k; });
    study.header.regime.reset();
    return study;
  }());
  add("half of the problem from K = 8 on", "gustafson-line",
      with(
          rounded(threads, 1e-9), [](const Run& run) { return run.workers >= 8; }, slower(0.55)));
  add("a bare straight line", "bare-line", need(import_pairs("1:100,2:50,4:25,8:12.5", "data")));
  add("a bare line of speedups", "bare-line", table("K,speedup\n1,1\n2,2\n4,4\n8,8\n"));
  add("a curve drawn with a ruler", "too-straight", drawn_with_a_ruler());
  add("best of ten", "nothing-left-out", best_of_all(serial));
  add("best of ten, numbers erased", "nothing-left-out", without_numbers(best_of_all(serial)));
  add("one K dropped", "nothing-left-out", without_workers(serial, 8));
  add("one K dropped, numbers erased", "nothing-left-out",
      without_numbers(without_workers(serial, 8)));
  add("best of ten, and said so", "typical-runs", [&] {
    Study study = without_numbers(best_of_all(serial));
    study.header.protocol.stopping = "best of 10";
    return study;
  }());
  add("a table of the shortest times", "typical-runs",
      table("K,min_time_s\n1,100\n2,52\n4,29\n8,19\n"));
  add("a speedup of the best run", "typical-runs",
      table("K,t1,t2,t3,speedup\n1,100,101,99,1.0\n2,50,60,61,2.0\n4,30,31,32,3.33\n"));
  add("one run copied at every K", "hidden-spread", copied(quiet, 1));
  add("one run copied behind K = 1", "hidden-spread", copied(rounded(quiet, 1e-4), 2));
  add("warm-up left in the times", "warm-up", [&] {
    Study study = serial;
    for (Run& run : study.runs) {
      run.warm_up_steps = 0;
      run.steps.insert(run.steps.begin(), 5 * run.steps[0]);
    }
    return study;
  }());
  add("an efficiency that the times do not give", "claims-follow",
      table("K,time_s,efficiency\n1,100,1.0\n2,52,0.96\n4,29,0.86\n8,19,0.90\n"));
  add("a speedup that the rates do not give", "claims-follow",
      table("gpus,images_per_s,speedup\n1,100,1\n2,190,1.9\n4,360,3.6\n8,600,7.2\n"));
  add("a claim outside the interval", "claims-in-interval",
      table("K,t1,t2,t3,t4,speedup\n1,100,101,99,100,1.0\n2,52,53,52,53,1.9\n"
            "4,29,30,29,30,3.9\n"));
  add("a base of four taken for ideal", "base-of-one",
      table("nodes,time_s,speedup\n4,100,4\n8,55,7.27\n16,32,12.5\n"));
  add("ratios averaged", "ratios-not-averaged",
      table("K,t1,t2,t3,speedup\n1,100,100,100,1.0\n2,30,60,90,2.04\n4,20,40,60,3.06\n"));
  add("three runs left out at one K", "nothing-left-out", table(numbered_table([](int run, int k) {
        return k == 8 && (run == 2 || run > 4) && run < 7;
      })));
  add("one run left out at every K", "nothing-left-out",
      table(numbered_table([](int run, int) { return run == 3; })));
  add("the first runs left out at one K", "nothing-left-out",
      table(numbered_table([](int run, int k) { return k == 4 && run < 2; })));
  add("the first day left out", "nothing-left-out", [&] {
    Study study = in_two_sessions(serial);
    keep_if(study, [](const Run& run) { return run.session == "tuesday"; });
    return study;
  }());
  add("a speedup of one row that its time does not give", "claims-follow",
      table("threads,time_s,speedup\n1,101,0.990\n1,96,1.042\n1,103,0.971\n2,52,1.923\n"
            "2,50,2.000\n2,51,1.961\n4,27,3.704\n4,28,3.571\n4,26,4.2\n"));
  add("the highest rate", "typical-runs", table("gpus,max images/s\n1,100\n2,190\n4,360\n"));
  add("fewer epochs on more workers", "same-problem",
      table("gpus,time_s,epochs,batch\n1,100,90,64\n2,55,90,64\n4,28,80,64\n8,14,60,64\n"));
  add("a larger batch on each worker, beside rates", "same-problem",
      table("gpus,images/s,batch size\n1,100,64\n2,190,128\n4,380,512\n8,780,2048\n"));
  add("no optimisation at the base alone", "optimised-build", with_setting(serial, [](int k) {
        return std::string(k == 1 ? R"({"cflags":"-O0"})" : R"({"cflags":"-O3"})");
      }));
  add("a debug build at the base, run by run", "optimised-build", with(serial, any, [](Run& run) {
        run.extra = run.workers == 1 ? R"({"columns":{"build":"debug"}})"
                                     : R"({"columns":{"build":"release"}})";
      }));
  add("flags that change with K in a table", "optimised-build",
      table("gpus,time_s,cflags\n1,100,-O0\n2,55,-O3\n4,28,-O3\n"));
  add("a library built for debugging", "optimised-build", [&] {
    Study study = serial;
    study.header.environment.versions["library_build_type"] = "debug";
    return study;
  }());
  return all;
}

}  // namespace kstar::audited
