#include <gtest/gtest.h>

#include "support/import_files.h"

// What names of columns are taken for, and what they are not.
namespace kstar {
namespace {

std::string fault(std::string_view text, const ImportOptions& options = {}) {
  const auto study = import_text(text, "t.csv", options);
  return study ? "" : study.error().message + "; " + study.error().hint;
}

TEST(ImportCsvNames, NumbersThatCountNoRepeatsAreNotPooled) {
  for (const std::string_view names :
       {"p50_ms,p99_ms", "latency p50 (ms),latency p99 (ms)", "time_n1000,time_n2000",
        "gcc 12 (s),gcc 13 (s)", "A100 (s),H100 (s)", "time 512 (s),time 1024 (s)", "t2,t4",
        "time_n1,time_n2", "gcc 1 (s),gcc 2 (s)", "time 1 (s),time 1 (s)"}) {
    const std::string text = "workers," + std::string(names) + "\n1,10,30\n2,6,16\n";
    EXPECT_NE(fault(text).find("several columns could be the values"), std::string::npos)
        << text << fault(text);
  }
}

TEST(ImportCsvNames, RepeatsCountOn) {
  for (const std::string_view names :
       {"t1,t2", "run_0,run_1", "time 2 (s),time 1 (s)", "trial 1,trial 2",
        "gcc run 1 (s),gcc run 2 (s)", "throughput1,throughput2", "epoch1_s,epoch2_s",
        "images/s 1,images/s 2"}) {
    const std::string text = "workers," + std::string(names) + "\n1,10,30\n2,6,16\n";
    EXPECT_EQ(table_study(text).runs.size(), 4U) << text;
  }
  const Study odd = table_study("K,t1,t2,run_3\n1,10,10,1\n2,6,6,2\n");
  EXPECT_EQ(odd.runs.size(), 4U);
  EXPECT_FALSE(odd.runs.at(0).block);
  ASSERT_TRUE(has_note(odd, "left-out"));
}

TEST(ImportCsvNames, SeveralRatesAskForARateColumn) {
  const std::string said = fault("gpus,resnet50 (img/s),resnet101 (img/s)\n1,300,170\n2,590,330\n");
  EXPECT_NE(said.find("--rate-column 'resnet50 (img/s)'"), std::string::npos) << said;
}

TEST(ImportCsvNames, WhatARunDoesIsNotWhatAStepDoes) {
  for (const std::string_view names :
       {"step time (ms),epochs", "epoch_time_s,epochs", "time per iteration (s),iterations",
        "ms/step,steps", "tokens/s,steps", "images/s,epochs", "s/it,iterations"}) {
    const std::string text = "gpus," + std::string(names) + "\n1,100,90\n2,102,90\n";
    const Study study = table_study(text);
    for (const Workload& problem : study.header.workload) {
      EXPECT_FALSE(problem.steps) << text;
      EXPECT_NE(problem.unit, "epochs") << text;
    }
    EXPECT_TRUE(has_note(study, "left-out")) << text;
    EXPECT_NE(has_note(study, "per-step"), has_note(study, "rate")) << text;
  }
  const Study trained = table_study(
      "gpus,batch size,steps,samples,step time (s)\n1,32,1000,32000,1\n2,64,500,32000,1.02\n");
  EXPECT_FALSE(trained.runs.at(0).work);
  const Study whole = table_study("nodes,time(s),iterations\n1,100,500\n2,52,500\n");
  EXPECT_EQ(whole.header.workload.at(0).steps, 500);
  EXPECT_FALSE(has_note(whole, "per-step"));
}

TEST(ImportCsvNames, TheUnitOfARateIsKept) {
  const Study study = table_study("gpus,global batch,tokens/s\n1,32,50000\n2,64,99000\n");
  EXPECT_EQ(study.header.workload.at(0).unit, "tokens");
  EXPECT_EQ(study.header.workload.at(0).batch, 32);
}

TEST(ImportCsvNames, ASizeOfOneWorkerIsNotTheWholeSize) {
  for (const std::string_view name : {"elements per core", "cells/core", "DOFs/core",
                                      "size per core", "local size", "problem size per process"}) {
    const std::string text = "cores," + std::string(name) + ",time\n1,1000,20\n8,1000,20.9\n";
    const Study study = table_study(text);
    ASSERT_EQ(study.header.workload.size(), 2U) << text;
    EXPECT_EQ(study.header.workload.at(0).size, 1000) << text;
    EXPECT_EQ(study.header.workload.at(1).size, 8000) << text;
    EXPECT_TRUE(has_note(study, "product")) << text;
  }
  const Study nodes =
      table_study("nodes,cores,cells per node,time\n1,48,1000,20\n2,96,1000,21\n4,192,1000,22\n");
  EXPECT_EQ(nodes.header.workload.at(2).workers, 192);
  EXPECT_EQ(nodes.header.workload.at(2).size, 4000);
  const Study huge = table_study("local size,time,K\n1e308,5,1000\n1e308,5,2000\n");
  EXPECT_FALSE(huge.header.workload.at(0).size);
  const Study unknown = table_study("cores,cells per node,time\n48,1000,20\n96,1000,21\n");
  EXPECT_TRUE(unknown.header.workload.empty());
}

TEST(ImportCsvNames, ABatchOfOneWorkerIsNoSize) {
  const Study step = table_study("gpus,batch_size_per_gpu,step time (ms)\n1,32,100\n2,32,102\n");
  EXPECT_EQ(step.header.workload.at(1).batch, 64);
  EXPECT_FALSE(step.header.workload.at(1).size);
  for (const std::string_view time : {"time_s", "epoch_time_s"}) {
    const Study study = table_study("gpus,batch_size_per_gpu," + std::string(time) +
                                    ",speedup\n1,32,100,1\n2,32,51,1.96\n");
    EXPECT_TRUE(study.header.workload.empty()) << time;
  }
  const Study both =
      table_study("gpus,batch per gpu,global batch,images/s\n1,128,128,780\n8,128,512,5980\n");
  EXPECT_EQ(both.header.workload.at(1).batch, 512);
}

TEST(ImportCsvNames, AStateOrAnExitCodeTellsFailures) {
  const Study state = table_study(
      "job_id,nodes,elapsed,state,ExitCode\n1,1,01:02:03,COMPLETED,0:0\n2,2,00:32:10,COMPLETED,0:"
      "0\n"
      "3,4,00:10:01,TIMEOUT,0:0\n4,4,00:10:01,COMPLETED,1:0\n");
  ASSERT_EQ(state.runs.size(), 4U);
  EXPECT_FALSE(failed(state.runs[1]));
  EXPECT_TRUE(failed(state.runs[2]));
  EXPECT_TRUE(failed(state.runs[3]));
  for (const std::string_view name : {"rc", "exit_code", "returncode", "return code"}) {
    const Study study = table_study("K,time," + std::string(name) + "\n1,9,0\n2,5,0\n2,1,137\n");
    EXPECT_FALSE(failed(study.runs.at(1))) << name;
    EXPECT_TRUE(failed(study.runs.at(2))) << name;
  }
  const Study asked = table_study("K,time,success\n1,9,1\n2,5,yes\n2,1,0\n");
  EXPECT_FALSE(failed(asked.runs.at(0)));
  EXPECT_TRUE(failed(asked.runs.at(2)));
}

TEST(ImportCsvNames, APointElsewhereSettlesWhatACommaIs) {
  for (const std::string_view rest : {"speedup\n1,\"12,345\",1.00\n2,\"24,100\",1.95\n",
                                      "efficiency\n1,\"12,345\",100%\n2,\"24,100\",97.6%\n",
                                      "loss\n1,\"12,345\",10.5\n2,\"24,100\",5.4\n"}) {
    const Study study = table_study("gpus,tokens/s," + std::string(rest));
    EXPECT_NEAR(*study.runs.at(0).wall, 1 / 12345.0, 1e-9) << rest;
  }
  EXPECT_NE(fault("gpus,tokens/s,gcc version\n1,\"12,345\",12.3\n2,\"24,100\",12.3\n"), "");
}

TEST(ImportCsvNames, AHeaderMayStandBehindAHash) {
  const Study csv = table_study("# made by hand\n#threads,time_ms\n1,1000\n2,520\n");
  EXPECT_DOUBLE_EQ(*csv.runs.at(0).wall, 1);
  EXPECT_FALSE(has_note(csv, "guessed"));
  const Study blanks =
      table_study("\xEF\xBB\xBF# threads time_ms\n# ------\n1 1000\n2 520\n# end\n");
  EXPECT_DOUBLE_EQ(*blanks.runs.at(1).wall, 0.52);
  const Study wide =
      table_study("# processes,Time,Speedup,Efficiency (%)\n1,512.3,1.0,100\n2,260.1,1.97,98.5\n");
  EXPECT_EQ(wide.runs.size(), 2U);
  EXPECT_DOUBLE_EQ(*table_study("# threads: 4, seed = 1\n1,10\n2,6\n").runs.at(0).wall, 10);
  EXPECT_DOUBLE_EQ(*table_study("# threads, time_ms\nthreads,time_s\n1,10\n2,6\n").runs.at(0).wall,
                   10);
}

TEST(ImportCsvNames, AHeaderThatComesAgainIsSkipped) {
  const Study study = table_study("threads,time\n1,10.1\n2,5.3\nthreads,time\n1,10.3\n2,5.1\n");
  EXPECT_EQ(study.runs.size(), 4U);
  EXPECT_TRUE(has_note(study, "skipped"));
}

TEST(ImportCsvNames, AWordForAFailureIsAFailedRun) {
  const Study study = table_study("gpus,time\n1,100\n2,OOM\n4,timeout\n8,14\n");
  ASSERT_EQ(study.runs.size(), 4U);
  EXPECT_EQ(study.runs[1].failure, "OOM");
  EXPECT_TRUE(failed(study.runs[2]));
  EXPECT_EQ(table_study("gpus,t1,t2\n1,100,101\n2,OOM,51\n").runs.size(), 4U);
}

TEST(ImportCsvNames, KnowsNamesOfWorkers) {
  for (const std::string_view name :
       {"gpu_count", "GPU count", "n_gpu", "ngpu", "nGPU", "node count", "thread count",
        "worker count", "nproc", "num_proc", "CPU cores", "vCPUs", "PEs", "nb_threads", "p",
        "number of GPU"}) {
    EXPECT_EQ(table_study(std::string(name) + ",time\n1,10\n8,2\n").runs.at(1).workers, 8) << name;
  }
  for (const std::string_view name : {"node number", "rank_no", "n", "N_K"}) {
    EXPECT_NE(fault(std::string(name) + ",time\n1,10\n8,2\n"), "") << name;
  }
  const Study loaders = table_study("gpus,num_workers,throughput\n1,4,100\n2,4,190\n");
  EXPECT_EQ(loaders.runs.at(1).workers, 2);
  EXPECT_EQ(table_study("p,cores,time\n2,8,100\n2,16,55\n").runs.at(1).workers, 16);
}

TEST(ImportCsvNames, KnowsNamesOfTimes) {
  for (const std::string_view name :
       {"real", "wall-clock", "Ttotal", "compute time", "wallclock (s)"}) {
    const Study study = table_study("np," + std::string(name) + "\n1,10\n2,6\n");
    EXPECT_EQ(study.runs.at(0).wall, 10) << name;
    EXPECT_EQ(has_note(study, "guessed"), name == "compute time") << name;
  }
  EXPECT_EQ(table_study("np,real,user,sys\n1,10,9,1\n2,5,10,1\n").runs.at(0).wall, 10);
  EXPECT_EQ(table_study("procs,Tcomp,Tcomm,Ttotal\n1,100,0,101\n2,50,2,52\n").runs.at(0).wall, 101);
  EXPECT_NE(fault("np,compute time,wait time\n1,9,1\n2,5,1\n"), "");
}

TEST(ImportCsvNames, RemarksAndMeasurementsTellNoSeriesApart) {
  for (const std::string_view name :
       {"notes", "comment", "remark", "tag", "user", "host", "hostname", "node_name", "job",
        "jobid", "date", "timestamp"}) {
    const std::string text = "gpus,run,time_s," + std::string(name) +
                             "\n1,1,10,a\n1,2,11,b\n2,1,5,a\n2,2,6,b\n2,3,6,b\n";
    const Study study = table_study(text);
    EXPECT_EQ(study.runs.size(), 5U) << name;
    EXPECT_TRUE(has_note(study, "left-out")) << name;
  }
  for (const std::string_view name :
       {"cg_iters", "residual", "grad_norm", "ppl", "bleu", "clock", "swap", "queue", "attempts"}) {
    const std::string text =
        "gpus,run,time_s," + std::string(name) + "\n1,1,10,40\n1,2,11,41\n2,1,5,40\n2,2,6,41\n";
    EXPECT_EQ(table_study(text).runs.size(), 4U) << name;
  }
  const std::string campaigns = "gpus,time_s,date\n1,10,mon\n2,5,mon\n1,11,tue\n2,6,tue\n";
  EXPECT_NE(fault(campaigns).find("several series"), std::string::npos);
}

TEST(ImportCsvNames, AColumnCanBeIgnored) {
  const std::string text = "gpus,time_s,variant\n1,10,a\n2,5,a\n1,11,b\n2,6,b\n";
  EXPECT_NE(fault(text).find("--ignore 'variant'"), std::string::npos) << fault(text);
  const Study study = table_study(text, {.ignored_columns = {"variant"}});
  EXPECT_EQ(study.runs.size(), 4U);
  EXPECT_TRUE(has_note(study, "left-out"));
  EXPECT_NE(fault(text, {.ignored_columns = {"varinat"}}), "");
}

TEST(ImportCsvNames, SaysPercentOfPercentages) {
  const Study study = table_study("gpus,Scaling %,step time (ms)\n1,100,636\n2,99.0,643\n");
  std::string said;
  for (const Note& note : study.notes) said += note_sentence(note);
  EXPECT_NE(said.find("no value is above 100%"), std::string::npos) << said;
}

TEST(ImportCsvNames, ALetterIsNoCertainKWhereTGrowsFasterThanIt) {
  const std::string_view table = "p,T(p)\n11,3.8508\n17,12.2346\n97,812.4619\n";
  const Error error = import_error(table);
  EXPECT_EQ(error.message, "T grows faster than 'p': it may be a size, and not K");
  EXPECT_EQ(error.hint, "--k-column 'p' if 'p' counts workers");
  EXPECT_EQ(table_study(table, {.worker_column = "p"}).runs.size(), 3U);
  EXPECT_EQ(table_study("p,T(p)\n1,10.5\n2,12.25\n4,15.5\n").runs.size(), 3U);
  EXPECT_EQ(table_study("threads,time_s\n1,1.5\n2,4.25\n4,9.5\n").runs.size(), 3U);
}

TEST(ImportCsvNames, EfficienciesOfStrongScalingContradictAWeakName) {
  const std::string_view strong = "threads,time_s,efficiency\n1,10,1\n2,8,0.625\n4,5,0.5\n";
  const auto asked = import_text(strong, "weak_scaling.csv");
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().message.find("'efficiency' is T(1) / (K T)"), std::string::npos);
  EXPECT_TRUE(import_text(strong, "weak_scaling.csv", {.regime = Regime::kWeak}));
  const auto weak =
      import_text("threads,time_s,efficiency\n1,10,1\n2,12.5,0.8\n4,20,0.5\n", "weak_scaling.csv");
  ASSERT_TRUE(weak) << weak.error().message;
  EXPECT_EQ(weak->header.regime, Regime::kWeak);
}

TEST(ImportCsvNames, APointMayStandBetweenThousands) {
  EXPECT_NE(fault("clients,tps,lat (ms)\n1,1.436,0.70\n4,5.082,0.79\n8,10.088,0.8\n",
                  {.rate_column = "tps"})
                .find("'1.436' is ambiguous"),
            std::string::npos);
  EXPECT_NE(fault("threads,items/s\n1,980\n2,1.436\n4,2.751\n").find("'1.436' is ambiguous"),
            std::string::npos);
  // Decimals stay decimals.
  EXPECT_EQ(fault("threads,time_s\n1,10.125\n2,5.250\n4,2.751\n"), "");
  EXPECT_EQ(fault("threads,time_s\n1,120\n2,61.234\n4,32.125\n"), "");
  EXPECT_EQ(fault("threads,images/s\n1,10.125\n2,20.250\n4,32.751\n"), "");
  EXPECT_EQ(fault("threads,tps\n1,436.123\n2,1082.456\n"), "");
  EXPECT_EQ(fault("threads,tps,share\n1,1.436,0.125\n2,2.082,0.250\n"), "");
}

TEST(ImportCsvNames, NoColumnIsOfferedAsKThatTheSpeedupsOutrun) {
  const std::string outrun = fault("test,time_s,speedup\n1,3.3,14.5\n2,18.2,41.8\n3,182,66.5\n");
  EXPECT_EQ(outrun.find("--k-column"), std::string::npos) << outrun;
  const std::string fitting = fault("test,time_s,speedup\n1,9,1\n2,4,2.2\n3,3,3\n");
  EXPECT_NE(fitting.find("--k-column 'test'"), std::string::npos) << fitting;
}

TEST(ImportCsvNames, NoStudiesOfOneKAreOffered) {
  const std::string one = fault("threads,part,time_s\n1,a,4\n1,b,5\n2,c,3\n2,d,3\n");
  EXPECT_NE(one.find("each series has one K only"), std::string::npos) << one;
  EXPECT_EQ(one.find("--select"), std::string::npos) << one;
  EXPECT_EQ(one.find("--series"), std::string::npos) << one;
  const std::string few = fault("threads,part,time_s\n1,a,4\n1,b,5\n2,a,3\n2,c,3\n");
  EXPECT_NE(few.find("--select 'part=a'"), std::string::npos) << few;
  EXPECT_EQ(few.find("--series"), std::string::npos) << few;
  const std::string all = fault("threads,part,time_s\n1,a,4\n1,b,5\n2,a,3\n2,b,3\n");
  EXPECT_NE(all.find("--series 'part'"), std::string::npos) << all;
}

}  // namespace
}  // namespace kstar
