#include <gtest/gtest.h>

#include "support/import_files.h"

// What names of columns are taken for, and what they are not.
namespace kstar {
namespace {

Study table(std::string_view text, const ImportOptions& options = {}) {
  auto study = import_text(text, "t.csv", options);
  if (study) {
    EXPECT_TRUE(to_lines(*study).has_value());
    return *study;
  }
  ADD_FAILURE() << text << study.error().where << ": " << study.error().message << "\n"
                << study.error().hint;
  return {};
}

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
    EXPECT_NE(fault(text).find("several columns could hold the values"), std::string::npos)
        << text << fault(text);
  }
}

TEST(ImportCsvNames, RepeatsCountOn) {
  for (const std::string_view names :
       {"t1,t2", "run_0,run_1", "time 2 (s),time 1 (s)", "trial 1,trial 2",
        "gcc run 1 (s),gcc run 2 (s)", "throughput1,throughput2", "epoch1_s,epoch2_s"}) {
    const std::string text = "workers," + std::string(names) + "\n1,10,30\n2,6,16\n";
    EXPECT_EQ(table(text).runs.size(), 4U) << text;
  }
  const Study odd = table("K,t1,t2,run_3\n1,10,10,1\n2,6,6,2\n");
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
    const Study study = table(text);
    for (const Workload& problem : study.header.workload) {
      EXPECT_FALSE(problem.steps) << text;
      EXPECT_NE(problem.unit, "epochs") << text;
    }
    EXPECT_TRUE(has_note(study, "left-out")) << text;
    EXPECT_NE(has_note(study, "per-step"), has_note(study, "rate")) << text;
  }
  const Study trained = table(
      "gpus,batch size,steps,samples,step time (s)\n1,32,1000,32000,1\n2,64,500,32000,1.02\n");
  EXPECT_FALSE(trained.runs.at(0).work);
  const Study whole = table("nodes,time(s),iterations\n1,100,500\n2,52,500\n");
  EXPECT_EQ(whole.header.workload.at(0).steps, 500);
  EXPECT_FALSE(has_note(whole, "per-step"));
}

TEST(ImportCsvNames, TheUnitOfARateIsKept) {
  const Study study = table("gpus,global batch,tokens/s\n1,32,50000\n2,64,99000\n");
  EXPECT_EQ(study.header.workload.at(0).unit, "tokens");
  EXPECT_EQ(study.header.workload.at(0).batch, 32);
}

}  // namespace
}  // namespace kstar
