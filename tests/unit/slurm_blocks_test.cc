// Jobs of a Slurm that is played: every answer, and every silence, at the moment that matters.
#include "slurm/blocks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>

#include "kstar/slurm_submit.h"
#include "measure/point.h"
#include "slurm/parts.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

/// What becomes of a job, by its part's name: COMPLETED by default.
using Fates = std::map<std::string, std::string>;

/// sbatch, squeue, scontrol and scancel in memory. A job that completes leaves a part's study.
class FakeSlurm final : public Executor {
 public:
  explicit FakeSlurm(std::string folder) : folder_(std::move(folder)) {}

  Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) override {
    work();
    ++asked;
    const std::string& program = plan.command[0];
    if (on_ask) on_ask(plan);
    if (silent_for > 0) {
      --silent_for;
      return says(1, "", "slurm_load_jobs error: Unable to contact slurm controller");
    }
    if (program == "sbatch") return submit(plan);
    if (program == "squeue") return queue(plan);
    if (program == "scontrol") return show(plan.command.back());
    for (std::size_t i = 1; i < plan.command.size(); ++i) end(plan.command[i], "CANCELLED");
    return says(0, "");
  }

  struct Job {
    std::string name, part, state = "PENDING";
    int looks = 0;  ///< squeue has shown it so often
  };

  std::function<void(const LaunchPlan&)> on_ask;
  Fates fates;
  std::set<std::string> stay;           ///< parts that stay in the queue
  std::map<std::string, Job> jobs;      ///< by id
  std::map<std::string, double> walls;  ///< by part; 1 s by default
  int silent_for = 0;                   ///< questions
  bool swallow_next = false;            ///< sbatch submits, and does not say so
  int asked = 0;

  /// The job has run, as `fate` says.
  void end(const std::string& id, const std::string& fate) {
    Job& job = jobs[id];
    if (is_over(job.state)) return;
    job.state = fate;
    if (fate == "COMPLETED") write_part(job.part);
  }

 private:
  static Result<Outcome> says(int status, std::string output, std::string error = "") {
    Outcome outcome;
    outcome.exit_status = status;
    outcome.output = std::move(output);
    outcome.error_output = std::move(error);
    return outcome;
  }

  Result<Outcome> submit(const LaunchPlan& plan) {
    if (plan.command[1] == "--test-only" || plan.command[2] == "--test-only") return says(0, "");
    std::string file = plan.command.back();
    std::ifstream script(file);
    std::string line, name;
    while (std::getline(script, line)) {
      if (line.starts_with("#SBATCH --job-name=")) name = line.substr(19);
    }
    file = file.substr(file.rfind('/') + 1);
    const std::string id = std::to_string(++last_);
    jobs[id] = {.name = name, .part = file.substr(0, file.size() - 3)};
    if (std::exchange(swallow_next, false)) {
      return says(1, "", "sbatch: error: Batch job submission failed: Socket timed out on send");
    }
    return says(0, id + "\n");
  }

  Result<Outcome> queue(const LaunchPlan& plan) {
    const bool all =
        std::find(plan.command.begin(), plan.command.end(), "all") != plan.command.end();
    std::string text;
    for (auto& [id, job] : jobs) {
      if (!all && job.looks++ > 0 && !stay.contains(job.part)) {
        end(id, fates.contains(job.part) ? fates[job.part] : "COMPLETED");
      }
      if (all || !is_over(job.state))
        text += id + "|" + job.state + "|Resources|" + job.name + "\n";
    }
    return says(0, text);
  }

  Result<Outcome> show(const std::string& id) {
    if (!jobs.contains(id)) return says(1, "", "slurm_load_jobs error: Invalid job id specified");
    return says(0, "JobId=" + id + " JobName=" + jobs[id].name + " JobState=" + jobs[id].state +
                       " NodeList=n1 \n");
  }

  void write_part(const std::string& part) {
    const PartName name = *PartName::parse(part);
    Study study;
    study.header.writer = "test";
    Run run;
    run.workers = name.workers;
    run.exit_status = 0;
    run.wall = walls.contains(part) ? walls[part] : 1.0;
    study.runs.push_back(run);
    ASSERT_TRUE(save_study(study, folder_ + "/" + part + ".jsonl"));
  }

  std::string folder_;
  int last_ = 0;
};

class SlurmStudy : public ::testing::Test {
 protected:
  SlurmStudy() : slurm(folder / "study.jsonl.jobs") {
    spec.command = {"job", "{K}"};
    spec.workers = {1, 2, 4};
    spec.runs = 4;
    spec.seed = 7;
    spec.submit = true;
    spec.patience = 60;
    spec.output = folder / "study.jsonl";
  }

  WatchClock clock() {
    const auto pass = [this](double seconds) { now += seconds; };
    return {.now = [this] { return now; }, .pause = pass, .rest = pass};
  }

  /// One life of kstar; `resume` goes on with the study.
  Result<MeasureResult> measure_it(bool resume = false) {
    const auto header = study_header(spec);
    EXPECT_TRUE(header);
    Study earlier;
    if (resume) {
      auto resumed = StudyWriter::resume(spec.output);
      if (!resumed) return fail(resumed.error());
      SlurmBlocks blocks(spec, resumed->study.header, "kstar", slurm, stop, clock());
      return measure(spec, resumed->study.header,
                     {slurm, resumed->writer, resumed->study, stop, quiet, &blocks});
    }
    auto writer = StudyWriter::create(spec.output, *header);
    EXPECT_TRUE(writer);
    SlurmBlocks blocks(spec, *header, "kstar", slurm, stop, clock());
    return measure(spec, *header, {slurm, *writer, earlier, stop, quiet, &blocks});
  }

  Study study() { return *load_study(spec.output); }

  /// Good runs by K and block: each must be there once.
  void expect_whole() {
    std::map<std::pair<int, int>, int> seen;
    std::map<int, int> good;
    std::set<std::string> sessions;
    for (const kstar::Run& run : study().runs) {
      EXPECT_TRUE(sessions.insert(run.session).second) << "twice: " << run.session;
      if (failed(run)) continue;
      ++good[run.workers];
      ++seen[{run.workers, *run.block}];
    }
    for (const auto& [key, count] : seen) EXPECT_EQ(count, 1) << key.first << " " << key.second;
    EXPECT_EQ(good, (std::map<int, int>{{1, 4}, {2, 4}, {4, 4}}));
  }

  TempFolder folder;
  MeasureSpec spec;
  FakeSlurm slurm;
  std::atomic<bool> stop{false};
  Quiet quiet;
  double now = 0;
};

TEST_F(SlurmStudy, EveryKAndBlockIsAJobAndARun) {
  ASSERT_TRUE(measure_it());
  expect_whole();
  EXPECT_EQ(slurm.jobs.size(), 12U);
  EXPECT_EQ(study().runs[0].hosts, std::vector<std::string>{"n1"});
}

TEST_F(SlurmStudy, KeepsToItsNumberOfJobsAtOnce) {
  spec.jobs_at_once = 2;
  std::size_t most = 0;
  slurm.on_ask = [&](const LaunchPlan&) {
    most = std::max<std::size_t>(most, static_cast<std::size_t>(std::count_if(
                                           slurm.jobs.begin(), slurm.jobs.end(), [](auto& each) {
                                             return !is_over(each.second.state);
                                           })));
  };
  ASSERT_TRUE(measure_it());
  expect_whole();
  EXPECT_EQ(most, 2U);
}

TEST_F(SlurmStudy, ARunThatTheClusterLosesIsRecordedAndTriedAgainInItsBlock) {
  spec.max_failures = 1;
  slurm.fates = {{"b1-k4-t0", "NODE_FAIL"}, {"b1-k4-t1", "PREEMPTED"}};
  ASSERT_TRUE(measure_it());
  expect_whole();
  int lost = 0;
  for (const kstar::Run& run : study().runs) lost += run.lost ? 1 : 0;
  EXPECT_EQ(lost, 2);
}

TEST_F(SlurmStudy, AClusterThatLosesEverythingIsNotTriedForever) {
  spec.workers = {4};
  spec.max_failures = 1;
  for (int i = 0; i < 100; ++i) slurm.fates["b0-k4-t" + std::to_string(i)] = "NODE_FAIL";
  const auto result = measure_it();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, MeasureEnd::kLimit);
  EXPECT_EQ(slurm.jobs.size(), 4U);
}

TEST_F(SlurmStudy, AJobThatFailsSpeaksAgainstItsK) {
  spec.max_failures = 2;
  for (const char* part : {"b0-k4-t0", "b1-k4-t0"}) slurm.fates[part] = "TIMEOUT";
  const auto result = measure_it();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, MeasureEnd::kLimit);
  EXPECT_TRUE(result->points[2].given_up);
  EXPECT_EQ(slurm.jobs.size(), 10U);  // 4 each at the others
}

TEST_F(SlurmStudy, WaitsForAControllerThatIsRestarted) {
  slurm.on_ask = [&](const LaunchPlan&) {
    if (slurm.asked == 15 || slurm.asked == 40) slurm.silent_for = 5;
  };
  ASSERT_TRUE(measure_it());
  expect_whole();
  EXPECT_EQ(slurm.jobs.size(), 12U);
}

TEST_F(SlurmStudy, GivesUpOnASilentSlurmAndGoesOnLaterWithTheSameJobs) {
  slurm.on_ask = [&](const LaunchPlan&) {
    if (slurm.asked == 20) slurm.silent_for = 1 << 30;
  };
  const auto result = measure_it();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "slurm");
  slurm.silent_for = 0;
  ASSERT_TRUE(measure_it(true));
  expect_whole();
  EXPECT_EQ(slurm.jobs.size(), 12U);
}

TEST_F(SlurmStudy, AJobThatSbatchTookWithoutSayingSoIsFoundAndNotSubmittedAgain) {
  slurm.on_ask = [&](const LaunchPlan&) {
    if (slurm.asked == 5) slurm.swallow_next = true;
  };
  ASSERT_TRUE(measure_it());
  expect_whole();
  EXPECT_EQ(slurm.jobs.size(), 12U);
}

struct Killed {};

/// kstar dies at every question that it asks, and goes on.
TEST_F(SlurmStudy, LosesNothingWhereverItIsKilled) {
  for (int at = 4; at < 200; ++at) {
    SCOPED_TRACE(at);
    slurm.jobs.clear();
    slurm.asked = 0;
    std::filesystem::remove_all(folder / "study.jsonl.jobs");
    std::filesystem::remove(spec.output);
    bool killed = false;
    slurm.on_ask = [&](const LaunchPlan&) {
      if (slurm.asked == at && !std::exchange(killed, true)) throw Killed();
    };
    try {
      ASSERT_TRUE(measure_it());
    } catch (const Killed&) {
      ASSERT_TRUE(measure_it(true));
    }
    expect_whole();
    EXPECT_EQ(slurm.jobs.size(), 12U);
    if (!killed) return;
  }
}

/// Killed after sbatch has submitted the job, and before kstar knows its id.
TEST_F(SlurmStudy, FindsAJobByItsNameWhenItsIdWasNotNoted) {
  slurm.swallow_next = false;
  int after = -1;
  slurm.on_ask = [&](const LaunchPlan& plan) {
    if (after == 0) throw Killed();
    if (after > 0) --after;
    if (plan.command[0] == "sbatch" && plan.command[2] != "--test-only" && slurm.jobs.size() == 4 &&
        after < 0) {
      slurm.swallow_next = true;
      after = 0;
    }
  };
  EXPECT_THROW(static_cast<void>(measure_it()), Killed);
  slurm.on_ask = nullptr;
  EXPECT_EQ(slurm.jobs.size(), 5U);
  ASSERT_TRUE(measure_it(true));
  expect_whole();
  EXPECT_EQ(slurm.jobs.size(), 12U);
}

TEST_F(SlurmStudy, CancelsItsJobsWhenItIsStoppedAndTakesThoseThatHadEnded) {
  slurm.stay = {"b1-k1-t0", "b1-k2-t0", "b1-k4-t0"};
  slurm.on_ask = [&](const LaunchPlan& plan) {
    if (plan.command[0] != "squeue" || slurm.jobs.size() < 6) return;
    for (auto& [id, job] : slurm.jobs) {
      if (job.part == "b1-k2-t0") slurm.end(id, "COMPLETED");
    }
    stop = true;
  };
  const auto result = measure_it();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, MeasureEnd::kInterrupted);
  for (const auto& [id, job] : slurm.jobs) EXPECT_TRUE(is_over(job.state)) << id;
  for (const kstar::Run& run : study().runs) EXPECT_FALSE(failed(run)) << run.failure;
  EXPECT_EQ(study().runs.size(), 4U);
  stop = false;
  slurm.on_ask = nullptr;
  slurm.stay.clear();
  ASSERT_TRUE(measure_it(true));
  expect_whole();
}

TEST_F(SlurmStudy, SaysWhyJobsWait) {
  ASSERT_TRUE(measure_it());
  EXPECT_TRUE(quiet.waited_for.contains("3 jobs: 0 running, 3 waiting (Resources)"));
}

TEST_F(SlurmStudy, AnotherAnswerThanThatOfTheFirstRunIsAFailedRun) {
  spec.check_pattern = "sum (\\d+)";
  const auto header = study_header(spec);
  SlurmBlocks blocks(spec, *header, "kstar", slurm, stop, clock());
  ASSERT_TRUE(blocks.prepare({{.workers = 1}}, Study{}));
  kstar::Run run;
  run.workers = 1;
  EXPECT_TRUE(blocks.check()->compare("12", run));
  EXPECT_FALSE(blocks.check()->compare("13", run));
  EXPECT_EQ(blocks.check()->reference(), "12");
}

}  // namespace
}  // namespace kstar
