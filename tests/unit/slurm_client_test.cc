#include <gtest/gtest.h>

#include <cstdlib>

#include "base/words.h"
#include "kstar/placeholders.h"
#include "launch/slurm_client.h"
#include "slurm/parts.h"
#include "slurm/script.h"
#include "support/fake_executor.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

/// One command's answer: what Slurm 22.05 prints.
FakeExecutor saying(int status, const std::string& output, const std::string& error = "") {
  return FakeExecutor([=](const LaunchPlan&, std::size_t) {
    Outcome outcome;
    outcome.exit_status = status;
    outcome.output = output;
    outcome.error_output = error;
    return Result<Outcome>(outcome);
  });
}

constexpr const char* kDown =
    "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n";

TEST(SlurmClient, TellsAControllerThatIsDownFromARefusal) {
  FakeExecutor down = saying(1, "", kDown);
  EXPECT_FALSE(SlurmClient(down).queue({"7"}).value);
  EXPECT_FALSE(SlurmClient(down).queue({"7"}).refused);
  EXPECT_FALSE(SlurmClient(down).look_at("7").value);
  FakeExecutor refuses = saying(1, "", "sbatch: error: invalid partition specified: xx\n");
  EXPECT_TRUE(SlurmClient(refuses).submit({"a.sh"}).refused);
}

TEST(SlurmClient, ACommandThatHangsIsNoAnswerAboutTheJob) {
  FakeExecutor hangs = FakeExecutor::taking([](const LaunchPlan&, std::size_t) { return 1e6; });
  const auto answer = SlurmClient(hangs).submit({"a.sh"});
  EXPECT_FALSE(answer.value);
  EXPECT_FALSE(answer.refused);
}

TEST(SlurmClient, AJobThatIsForgottenIsNotInTheQueueAndHasNoState) {
  FakeExecutor gone = saying(1, "", "slurm_load_jobs error: Invalid job id specified\n");
  EXPECT_TRUE(SlurmClient(gone).queue({"7"}).value->empty());
  EXPECT_EQ(SlurmClient(gone).look_at("7").value->state, "");
}

TEST(SlurmClient, ReadsTheQueueWithReasonsThatHoldBlanks) {
  FakeExecutor queue = saying(0,
                              "3|PENDING|PartitionNodeLimit|kstar-1-b0-k5-t0\n"
                              "6|PENDING|ReqNodeNotAvail, UnavailableNodes:n[3-4]|x\n");
  const auto jobs = *SlurmClient(queue).queue({"3", "6"}).value;
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[1].reason, "ReqNodeNotAvail, UnavailableNodes:n[3-4]");
  EXPECT_EQ(jobs[0].name, "kstar-1-b0-k5-t0");
  EXPECT_EQ(queue.plans[0].command[3], "3,6");
}

TEST(SlurmClient, ReadsWhatBecameOfAJob) {
  FakeExecutor shown =
      saying(0,
             "JobId=2 JobName=wrap UserId=root(0) JobState=NODE_FAIL Reason=NodeDown Requeue=0 "
             "ExitCode=1:0 ReqNodeList=(null) ExcNodeList=(null) NodeList=n[1-2] BatchHost=n1 \n");
  const JobEnd end = *SlurmClient(shown).look_at("2").value;
  EXPECT_EQ(end.state, "NODE_FAIL");
  EXPECT_EQ(end.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(end_words(end), "NODE_FAIL (NodeDown), exit code 1:0");
  EXPECT_TRUE(is_cluster_fault(end.state));
  EXPECT_FALSE(is_cluster_fault("FAILED"));
}

TEST(SlurmClient, TakesTheIdAndNothingElseForOne) {
  FakeExecutor warns = saying(0, "site: use the new partition\n42\n");
  EXPECT_EQ(*SlurmClient(warns).submit({"a.sh"}).value, "42");
  FakeExecutor other = saying(0, "42;elsewhere\n");
  EXPECT_TRUE(SlurmClient(other).submit({"a.sh"}).refused);
}

// --- Scripts ---

TEST(SlurmScript, PassesEveryWordToTheProgramAsItIs) {
  const TempFolder folder;
  const std::string out = folder / "it's; rm -rf $HOME `x` \"q\"\n%j.id";
  BatchJob job{.name = "kstar-1", .id_file = out, .command = {"/usr/bin/printf", "%s|", "a b"}};
  for (const char* word : {"$HOME", "`id`", "it's", "a\nb", "", "#SBATCH -N9", "\\", "*"}) {
    job.command.emplace_back(word);
  }
  const std::string script = folder / "a.sh";
  std::FILE* file = std::fopen(script.c_str(), "w");
  const std::string text = batch_script(job);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  const std::string words[] = {"sh", script};
  std::FILE* pipe = popen(("SLURM_JOB_ID=12 " + join_words(words)).c_str(), "r");
  char printed[512] = {};
  const std::size_t size = std::fread(printed, 1, sizeof printed, pipe);
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(std::string(printed, size), "a b|$HOME|`id`|it's|a\nb||#SBATCH -N9|\\|*|");
  EXPECT_EQ(std::system(("test -f " + join_words(std::vector{out})).c_str()), 0);
}

TEST(SlurmScript, AsksForTheShapeAndNoMore) {
  const std::string text = batch_script(
      {.name = "n", .nodes = 2, .ranks = 4, .threads = 3, .seconds = 61, .command = {"x"}});
  EXPECT_NE(text.find("#SBATCH --nodes=2-2 --ntasks-per-node=4 --cpus-per-task=3\n"),
            std::string::npos);
  EXPECT_NE(text.find("#SBATCH --time=2\n"), std::string::npos);
  EXPECT_NE(text.find("#SBATCH --no-requeue\n"), std::string::npos);
}

TEST(SlurmScript, KeepsPercentSignsOfAFolder) {
  EXPECT_EQ(batch_file_name("/a/100%j/x.out"), "/a/100%%j/x.out");
}

TEST(SlurmScript, RefusesOptionsThatUndoWhatItSays) {
  EXPECT_TRUE(check_submit_options({"-p", "batch", "--account=x", "-t", "10", "--exclusive"}));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-N4"},
                                                {"--nodes=4"},
                                                {"-n", "4"},
                                                {"--array", "1-3"},
                                                {"-M", "other"},
                                                {"--requeue"},
                                                {"script.sh"},
                                                {"-p", "batch", "script.sh"}}) {
    const Result<void> checked = check_submit_options(words);
    ASSERT_FALSE(checked) << words[0];
    EXPECT_EQ(checked.error().where, "--submit-options");
  }
}

// --- Parts ---

TEST(SlurmParts, NamesReadBack) {
  for (const PartName& name :
       {PartName{.block = 3, .workers = 128, .attempt = 2},
        PartName{.block = 0, .role = Role::kBaseline, .workers = 1, .attempt = 0}}) {
    EXPECT_EQ(PartName::parse(name.text()), name) << name.text();
  }
  for (const char* text : {"", "pack-t0", "b1-k2", "b1-k-t0", "bx-k2-t0", "b1-k2-t0-x"}) {
    EXPECT_FALSE(PartName::parse(text)) << text;
  }
}

TEST(SlurmParts, APartIsOneRunOfItsPoint) {
  MeasureSpec spec;
  spec.command = {"./prog", "{K}"};
  spec.baseline = {"./serial"};
  spec.workers = {1, 8};
  spec.launcher = "mpi";
  spec.per_node = 4;
  spec.warm_up_runs = 2;
  spec.submit = true;
  const MeasureSpec part = part_spec(spec, {.block = 1, .workers = 8}, "/x/part.jsonl");
  EXPECT_EQ(part.workers, (std::vector<std::int64_t>{8}));
  EXPECT_EQ(shape_at(part, 8), (Shape{.nodes = 2, .ranks = 4, .threads = 1}));
  EXPECT_EQ(part.runs, 1);
  EXPECT_EQ(part.warm_up_runs, 0);
  EXPECT_TRUE(part.baseline.empty());
  EXPECT_FALSE(part.submit);
  EXPECT_EQ(read_spec(spec_toml(part), "part")->output, "/x/part.jsonl");
  const MeasureSpec base = part_spec(spec, {.role = Role::kBaseline}, "/x/part.jsonl");
  EXPECT_EQ(base.command, spec.baseline);
  EXPECT_EQ(shape_at(base, 1), Shape{});
}

TEST(SlurmNotes, JobsReadBack) {
  Study study;
  study.notes.push_back({.what = "slurm-job", .values = job_values({"12", "b0-k4-t0"})});
  study.notes.push_back({.what = "slurm-job", .text = "written by hand"});
  study.notes.push_back({.what = "other", .values = job_values({"13", "b0-k4-t0"})});
  EXPECT_EQ(noted_jobs(study, kJobSubmitted), (std::vector<NotedJob>{{"12", "b0-k4-t0"}}));
}

}  // namespace
}  // namespace kstar
