// What each launcher makes of a request, word by word. Programs that only print a version stand in
// for those of MPI, Slurm and PyTorch: the words are what these programs' manuals ask for, and
// tests/launch runs the real ones where they are installed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <optional>

#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "launch/launcher_mpi.h"
#include "launch/launcher_template.h"
#include "support/fake_executor.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using Words = std::vector<std::string>;

constexpr const char* kNode = "package:1 core:4 pu:2";

/// A variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class LauncherWords : public testing::Test {
 protected:
  /// A program that prints `text`.
  std::string program(const std::string& name, const std::string& text) {
    std::string path = folder_ / name;
    write_text(path, fmt::format("#!/bin/sh\ncat <<'END'\n{}\nEND\n", text));
    ::chmod(path.c_str(), 0755);
    return path;
  }

  static Result<Launch> ask(const char* launcher, const LaunchRequest& request) {
    return find_launcher(launcher).value().launch(request);
  }

  /// The launched words behind the program, and without --allow-run-as-root, as one text.
  static std::string words(const Result<Launch>& launch) {
    if (!launch) return launch.error().message;
    Words all = launch->plan.command;
    all.erase(all.begin());
    std::erase(all, "--allow-run-as-root");
    return fmt::format("{}", fmt::join(all, " "));
  }

  TempFolder folder_;
  Variable no_job_{"SLURM_JOB_ID", nullptr};
};

TEST(MpiVersions, AreToldApartByWhatTheyPrint) {
  const auto kind = [](std::string_view text) { return mpi_version(text).kind; };
  EXPECT_EQ(mpi_version("mpirun (Open MPI) 4.1.4\n\nReport bugs to\n").text, "Open MPI 4.1.4");
  EXPECT_EQ(mpi_version("mpirun (Open MPI) 5.0.3\n").major, 5);
  EXPECT_EQ(mpi_version("mpirun.openmpi (OpenRTE) 4.1.4\n").text, "Open MPI 4.1.4");
  EXPECT_EQ(mpi_version("prterun (PRRTE) 3.0.2\n").major, 5);
  EXPECT_EQ(mpi_version("HYDRA build details:\n    Version:      4.0.2\n").text, "MPICH 4.0.2");
  EXPECT_EQ(mpi_version("Intel(R) MPI Library for Linux* OS, Version 2021.8 Build 20221129\n").text,
            "Intel MPI 2021.8");
  EXPECT_EQ(kind("Intel(R) MPI Library for Linux* OS, Version 2021.8"), MpiKind::kIntel);
  EXPECT_EQ(kind(""), MpiKind::kUnknown);
  EXPECT_EQ(mpi_version("aprun \x1b[31m 6.0\n").text, "unknown: aprun \\x1b[31m 6.0");
}

TEST_F(LauncherWords, OpenMpiMapsRanksWithTheirThreadsToCores) {
  const std::string mpirun = program("mpirun", "mpirun (Open MPI) 4.1.4");
  LaunchRequest request{.command = {"./job", "x"},
                        .shape = {.nodes = 1, .ranks = 2, .threads = 2},
                        .topology = kNode,
                        .options = {"--mca", "pml", "ob1"},
                        .program = mpirun,
                        .variables = {{"A", "1"}},
                        .marks = true};
  const auto launch = ask("mpi", request);
  EXPECT_EQ(words(launch),
            "-np 2 --map-by ppr:2:node:PE=2 --bind-to core -x OMP_NUM_THREADS -x A -x KSTAR_MARKS "
            "--mca pml ob1 ./job x");
  EXPECT_EQ(launch->plan.command[0], mpirun);
  EXPECT_EQ(::geteuid() == 0, launch->plan.command[1] == "--allow-run-as-root");
  EXPECT_THAT(launch->plan.variables, ElementsAre(Pair("OMP_NUM_THREADS", "2"), Pair("A", "1")));
  EXPECT_EQ(launch->binding, "Open MPI 4.1.4: --map-by ppr:2:node:PE=2 --bind-to core");
  EXPECT_THAT(launch->versions, ElementsAre(Pair("mpi", "Open MPI 4.1.4")));
  EXPECT_TRUE(launch->warnings.empty());
  request.bind = false;
  request.variables = {{"OMP_NUM_THREADS", "7"}};
  request.marks = false;
  EXPECT_EQ(words(ask("mpi", request)),
            "-np 2 --map-by ppr:2:node --bind-to none -x OMP_NUM_THREADS --mca pml ob1 ./job x");
}

TEST_F(LauncherWords, OpenMpiGetsTheFirstHostsWithTheirSlots) {
  LaunchRequest request{.command = {"./job"},
                        .shape = {.nodes = 2, .ranks = 4},
                        .topology = kNode,
                        .hosts = {"a", "b", "c"},
                        .program = program("mpirun", "mpirun (Open MPI) 4.1.4")};
  const auto launch = ask("mpi", request);
  EXPECT_EQ(words(launch),
            "-np 8 --host a:4,b:4 --map-by ppr:4:node:PE=1 --bind-to core -x OMP_NUM_THREADS "
            "./job");
  EXPECT_THAT(launch->hosts, ElementsAre("a", "b"));
  EXPECT_GT(launch->plan.grace, 0);
  request.shape.nodes = 4;
  EXPECT_EQ(ask("mpi", request).error().message,
            "expected at most 3 nodes: --hosts names no more, got '4x4x1'");
  request.hosts.clear();
  EXPECT_EQ(ask("mpi", request).error().message,
            "expected at most 1 node: without --hosts or an allocation there is no more, got "
            "'4x4x1'");
}

TEST_F(LauncherWords, OversubscriptionIsAskedForAndSaid) {
  LaunchRequest request{.command = {"./job"},
                        .shape = {.nodes = 1, .ranks = 9},
                        .topology = kNode,
                        .program = program("mpirun", "mpirun (Open MPI) 4.1.4")};
  auto launch = ask("mpi", request);
  EXPECT_EQ(words(launch),
            "-np 9 --map-by ppr:9:node --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 "
            "-x OMP_NUM_THREADS ./job");
  EXPECT_TRUE(launch->oversubscribed);
  EXPECT_THAT(launch->binding, HasSubstr("(oversubscribed)"));
  EXPECT_THAT(launch->warnings, ElementsAre(HasSubstr("9 workers on the 8 CPUs of a node")));
  request.program = program("mpirun5", "mpirun (Open MPI) 5.0.3");
  EXPECT_THAT(words(ask("mpi", request)), HasSubstr("--map-by ppr:9:node:OVERSUBSCRIBE --bind-to "
                                                    "none --mca mpi_yield_when_idle 1"));
}

TEST_F(LauncherWords, SecondHardwareThreadsAreTakenWhenTheCoresAreFull) {
  LaunchRequest request{.command = {"./job"},
                        .shape = {.nodes = 1, .ranks = 8},
                        .topology = kNode,
                        .program = program("mpirun", "mpirun (Open MPI) 4.1.4")};
  EXPECT_THAT(words(ask("mpi", request)),
              HasSubstr("--use-hwthread-cpus --map-by ppr:8:node:PE=1 --bind-to hwthread"));
  EXPECT_TRUE(ask("mpi", request)->shares_cores);
  EXPECT_FALSE(ask("mpi", request)->oversubscribed);
}

TEST_F(LauncherWords, HydraHasItsOwnWords) {
  LaunchRequest request{.command = {"./job"},
                        .shape = {.nodes = 2, .ranks = 2, .threads = 2},
                        .topology = kNode,
                        .hosts = {"a", "b"},
                        .program = program("mpiexec", "HYDRA build details:\n Version: 4.0.2")};
  EXPECT_EQ(words(ask("mpi", request)),
            "-n 4 -ppn 2 -hosts a,b -bind-to core:2 -genv OMP_NUM_THREADS 2 ./job");
  request.bind = false;
  EXPECT_THAT(words(ask("mpi", request)), HasSubstr("-bind-to none"));
  request.program = program("intel", "Intel(R) MPI Library for Linux* OS, Version 2021.8 Build");
  EXPECT_EQ(words(ask("mpi", request)),
            "-n 4 -ppn 2 -hosts a,b -genv OMP_NUM_THREADS 2 -genv I_MPI_PIN 0 ./job");
}

TEST_F(LauncherWords, AnUnknownMpiIsOnlyToldTheRanks) {
  const auto launch = ask("mpi", {.command = {"./job"},
                                  .shape = {.nodes = 1, .ranks = 2},
                                  .topology = kNode,
                                  .program = program("mpirun", "something else 1.0")});
  EXPECT_EQ(words(launch), "-n 2 ./job");
  EXPECT_THAT(launch->warnings, ElementsAre(HasSubstr("an unknown MPI")));
  EXPECT_EQ(launch->versions.at("mpi"), "unknown: something else 1.0");
}

TEST_F(LauncherWords, TheBaselineNeedsNoMpirun) {
  const auto launch = ask("mpi", {.command = {"./serial"}, .baseline = true});
  EXPECT_THAT(launch->plan.command, ElementsAre("./serial"));
}

TEST_F(LauncherWords, AProgramThatIsNotThereIsNamed) {
  const auto none = ask("mpi", {.command = {"./job"}, .program = "/no/such/mpirun"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, "--launcher-program");
  const Variable path("PATH", folder_.path().c_str());
  EXPECT_EQ(ask("mpi", {.command = {"./job"}}).error().message,
            "expected mpirun or mpiexec in PATH for mpi, found neither");
}

TEST_F(LauncherWords, SlurmRunsStepsOnTheFirstNodesOfItsAllocation) {
  LaunchRequest request{.command = {"./job"},
                        .shape = {.nodes = 2, .ranks = 2, .threads = 2},
                        .options = {"--mpi=pmix"},
                        .program = program("srun", "slurm 22.05.8")};
  EXPECT_EQ(ask("slurm", request).error().message,
            "slurm runs steps inside an allocation, but SLURM_JOB_ID is not set");
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n[1-3]"),
      cpus("SLURM_JOB_CPUS_PER_NODE", "4(x2),2");
  const auto launch = ask("slurm", request);
  EXPECT_EQ(words(launch),
            "-N 2 -n 4 --ntasks-per-node=2 -c 2 -w n1,n2 --export=ALL --cpu-bind=cores --mpi=pmix "
            "./job");
  EXPECT_THAT(launch->hosts, ElementsAre("n1", "n2"));
  EXPECT_EQ(launch->binding, "srun --cpu-bind=cores");
  request.bind = false;
  EXPECT_THAT(words(ask("slurm", request)), HasSubstr("--cpu-bind=none"));
  request.hosts = {"n2", "n1"};
  EXPECT_THAT(ask("slurm", request)->hosts, ElementsAre("n2", "n1"));
}

TEST_F(LauncherWords, AStepThatSlurmCouldNotBeginIsToldFromAProgramThatFails) {
  const LaunchRequest request{.command = {"./job"}, .program = program("srun", "slurm 22.05.8")};
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n1");
  const auto launch = ask("slurm", request);
  const auto never_began = [&](int status, const std::string& words) {
    Outcome outcome;
    outcome.exit_status = status;
    outcome.error_output = words;
    return launch->never_began(outcome);
  };
  const std::string away = "Unable to contact slurm controller (connect failure)\n";
  EXPECT_TRUE(never_began(1, "srun: error: Unable to confirm allocation for job 12: " + away));
  EXPECT_TRUE(never_began(1, "hello\nsrun: error: Unable to create step for job 12: " + away));
  EXPECT_TRUE(never_began(1,
                          "srun: error: Unable to create step for job 41: Memory required by "
                          "task is not available\n"));
  EXPECT_FALSE(never_began(0, "srun: error: Unable to confirm allocation for job 12: " + away));
  EXPECT_FALSE(never_began(1, "the program: " + away));
  EXPECT_FALSE(never_began(1, "srun: error: Unable to create step for job 12: Invalid account\n"));
}

TEST_F(LauncherWords, ARunThatNeverBeganIsMadeAgainAndIsNoFailure) {
  MeasureSpec spec;
  spec.command = {"./job"};
  spec.workers = {1};
  spec.shapes = {Shape{}};
  spec.launcher = "slurm";
  spec.launcher_program = program("srun", "slurm 22.05.8");
  spec.runs = 2;
  spec.output = folder_ / "study.jsonl";
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n1");
  FakeExecutor executor([](const LaunchPlan&, std::size_t run) {
    Outcome outcome;
    outcome.wall = 0.25;
    outcome.exit_status = run == 1 ? 1 : 0;
    if (run == 1) {
      outcome.error_output =
          "srun: error: Unable to create step for job 77: Unable to contact slurm controller\n";
    }
    return Result<Outcome>(outcome);
  });
  const StudyHeader header = study_header(spec).value();
  std::atomic<bool> never{false};
  Quiet observer;
  auto writer = StudyWriter::create(spec.output, header, Existing::kRefuse).value();
  ASSERT_TRUE(measure(spec, header, {executor, writer, Study{}, never, observer}));
  const Study study = load_study(spec.output).value();
  EXPECT_EQ(executor.plans.size(), 3U);
  ASSERT_EQ(study.runs.size(), 2U);
  for (const auto& run : study.runs) EXPECT_FALSE(failed(run));
  ASSERT_EQ(observer.notes.size(), 2U);
  EXPECT_EQ(observer.notes[0].what, "slurm-silent");
  EXPECT_EQ(observer.notes[1].what, "slurm-answers");
}

TEST_F(LauncherWords, AStepLargerThanTheAllocationIsRefusedBeforeItRuns) {
  LaunchRequest request{
      .command = {"./job"}, .shape = {.nodes = 4}, .program = program("srun", "slurm 22.05.8")};
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n[1-3]"),
      cpus("SLURM_JOB_CPUS_PER_NODE", "4(x2),2");
  EXPECT_EQ(ask("slurm", request).error().message,
            "expected at most 3 nodes: the allocation has no more, got '4x1x1'");
  request.shape = {.nodes = 3, .ranks = 3};
  EXPECT_EQ(ask("slurm", request).error().message,
            "expected at most 2 CPUs per node, as the allocation has on n3, got '3x3x1: 3 ranks x "
            "1 threads'");
  request.shape = {.nodes = 2, .ranks = 4};
  EXPECT_TRUE(ask("slurm", request));
  request.hosts = {"n1", "elsewhere"};
  EXPECT_EQ(ask("slurm", request).error().message,
            "expected nodes of job 77: n1,n2,n3, got 'elsewhere'");
}

TEST_F(LauncherWords, AnAllocationThatCannotBeReadIsAnError) {
  const LaunchRequest request{.command = {"./job"}, .program = program("srun", "")};
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n[1-");
  EXPECT_EQ(ask("slurm", request).error().where, "SLURM_JOB_NODELIST");
  const Variable good("SLURM_JOB_NODELIST", "n1"), cpus("SLURM_JOB_CPUS_PER_NODE", "4(x");
  EXPECT_EQ(ask("slurm", request).error().where, "SLURM_JOB_CPUS_PER_NODE");
}

TEST_F(LauncherWords, TorchrunStandsAloneOnOneNode) {
  LaunchRequest request{.command = {"train.py", "--x"},
                        .shape = {.nodes = 1, .ranks = 2, .threads = 2},
                        .topology = kNode,
                        .program = program("torchrun", "")};
  const auto launch = ask("torchrun", request);
  EXPECT_EQ(words(launch),
            "--standalone --nnodes 1 --nproc_per_node 2 --monitor_interval 0.1 train.py --x");
  EXPECT_THAT(launch->plan.variables, ElementsAre(Pair("OMP_NUM_THREADS", "2")));
  EXPECT_THAT(launch->plan.cpus, ElementsAre(0, 2, 4, 6));
  request.command = {"python3", "train.py"};
  EXPECT_EQ(words(ask("torchrun", request)),
            "--standalone --nnodes 1 --nproc_per_node 2 --monitor_interval 0.1 --no_python python3 "
            "train.py");
}

TEST_F(LauncherWords, ATorchrunThatCannotStartAJobIsRefusedWithAWayOut) {
  const std::string torchrun = folder_ / "torchrun";
  const auto launch = [&](const char* python, const std::string& about) {
    write_text(torchrun, fmt::format("#!{}\n", program(python, about)));
    ::chmod(torchrun.c_str(), 0755);
    return ask("torchrun", {.command = {"train.py"}, .topology = kNode, .program = torchrun});
  };
  const auto broken = launch("python3.11", "hello\n1.13.0\nit cannot read its defaults");
  EXPECT_EQ(broken.error().message,
            "torchrun of PyTorch 1.13.0 cannot start a job: it cannot read its defaults");
  EXPECT_THAT(broken.error().hint, HasSubstr("--launcher-options '--redirects 0:2 --tee 0:2'"));
  EXPECT_EQ(launch("python3.12", "2.5.1\n")->versions.at("torch"), "2.5.1");
  EXPECT_TRUE(launch("sh", "1.13.0\nit is no Python")->versions.empty());
}

TEST_F(LauncherWords, TorchrunOnSeveralNodesMeetsOnTheFirst) {
  LaunchRequest request{.command = {"train.py"},
                        .shape = {.nodes = 2, .ranks = 4},
                        .program = program("torchrun", "")};
  EXPECT_EQ(ask("torchrun", request).error().message,
            "torchrun on 2 nodes needs a Slurm allocation, but SLURM_JOB_ID is not set");
  const Variable job("SLURM_JOB_ID", "77"), nodes("SLURM_JOB_NODELIST", "n[1-3]");
  program("srun", "");
  const Variable path("PATH", (folder_.path() + ":/usr/bin:/bin").c_str());
  const auto launch = ask("torchrun", request);
  EXPECT_EQ(words(launch),
            fmt::format("-N 2 -n 2 --ntasks-per-node=1 -c 4 -w n1,n2 --export=ALL {} --nnodes 2 "
                        "--nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint n1:22857 "
                        "--rdzv_id kstar-77-8 --monitor_interval 0.1 train.py",
                        request.program));
  EXPECT_THAT(launch->hosts, ElementsAre("n1", "n2"));
}

constexpr const char* kFlux = R"([launcher.flux]
summary = "Flux"
command = ["flux", "run", "-N", "{nodes}", "-n{tasks}", "-c", "{threads}", "{command}", "--end"]
variables = { RANKS = "{ranks}" }
)";

TEST(LauncherTemplates, BecomeTheWordsOfTheJob) {
  const auto forms = read_launchers(kFlux, "launchers.toml");
  ASSERT_TRUE(forms) << forms.error().message;
  const auto launch = launch_with_template(
      forms->at(0), {.command = {"./job", "a b"}, .shape = {2, 4, 3}, .options = {"--exclusive"}});
  EXPECT_THAT(launch->plan.command, ElementsAre("flux", "run", "-N", "2", "-n8", "-c", "3",
                                                "--exclusive", "./job", "a b", "--end"));
  EXPECT_THAT(launch->plan.variables,
              ElementsAre(Pair("OMP_NUM_THREADS", "3"), Pair("RANKS", "4")));
  EXPECT_EQ(launch->binding, "as flux does: flux run -N 2 -n8 -c 3 --exclusive");
  EXPECT_THAT(launch->versions.at("launcher"), HasSubstr("flux run -N"));
}

TEST(LauncherTemplates, AreFoundByNameBesideTheBuiltInOnes) {
  const TempFolder folder;
  write_text(folder / "mine.toml", kFlux);
  EXPECT_EQ(find_launcher("flux", folder / "mine.toml")->summary, "Flux");
  const Variable file("KSTAR_LAUNCHERS", (folder / "mine.toml").c_str());
  EXPECT_EQ(all_launchers()->back().name, "flux");
  EXPECT_EQ(find_launcher("flu").error().hint, "did you mean 'flux'?");
  EXPECT_EQ(find_launcher("flux", folder / "none.toml").error().where, folder / "none.toml");
  EXPECT_TRUE(find_launcher("local", folder / "none.toml"));
}

TEST(LauncherTemplates, StandInTheFolderForSettings) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "kstar");
  const Variable unset("KSTAR_LAUNCHERS", nullptr);
  const Variable settings("XDG_CONFIG_HOME", folder.path().c_str());
  EXPECT_EQ(all_launchers()->size(), launchers().size());
  write_text(folder / "kstar/launchers.toml", kFlux);
  EXPECT_EQ(all_launchers()->back().name, "flux");
}

TEST(LauncherTemplates, HostsAreThoseOfTheRequest) {
  const auto forms = read_launchers("[launcher.x]\ncommand = [\"x\", \"{hosts}\", \"{command}\"]\n",
                                    "launchers.toml");
  const auto launch = launch_with_template(
      forms->at(0), {.command = {"j"}, .shape = {.nodes = 2}, .hosts = {"a", "b", "c"}});
  EXPECT_THAT(launch->plan.command, ElementsAre("x", "a,b", "j"));
  EXPECT_THAT(launch->hosts, ElementsAre("a", "b"));
}

TEST(LauncherTemplates, MistakesAreShownWhereTheyStand) {
  struct Wrong {
    const char* toml;
    const char* where;
    const char* message;
  };
  const Wrong kWrong[] = {
      {"[launcher.x]\ncommand = [\"x\", \"{node}\", \"{command}\"]\n", "l.toml:2:17",
       "expected {K}, {nodes}, {ranks}, {threads}, {tasks} or {hosts}, got '{node}'"},
      {"[launcher.x]\ncommand = [\"x\"]\n", "l.toml:2:11",
       "expected {command} once, as a separate argument, got it 0 times"},
      {"[launcher.x]\ncommand = [\"x\", \"sh -c {command}\"]\n", "l.toml:2:17",
       "expected {K}, {nodes}, {ranks}, {threads}, {tasks} or {hosts}, got '{command}'"},
      {"[launcher.x]\ncommand = [\"{command}\"]\n", "l.toml:2:11",
       "expected a program before {command}"},
      {"[launcher.x]\nsummary = \"s\"\n", "l.toml:1:11",
       "expected command = [...] in [launcher.x]"},
      {"[launcher.mpi]\ncommand = [\"x\", \"{command}\"]\n", "l.toml:1:11",
       "expected a name that is not a built-in launcher, got 'mpi'"},
      {"[launcher.x]\ncomand = []\n", "l.toml:2:1",
       "expected summary, command or variables, got 'comand'"},
      {"[launcher.x]\ncommand = [1, \"{command}\"]\n", "l.toml:2:12",
       "expected a quoted argument, got '1'"},
      {"[launcher.x]\ncommand = \"x\"\n", "l.toml:2:11",
       "expected a list of arguments such as [\"flux\", \"{command}\"], got 'x'"},
      {"[launcher.x]\ncommand = [\"x\", \"{command}\"]\nvariables = { \"a b\" = \"1\" }\n",
       "l.toml:3:15", "expected NAME = \"value\", the name of letters, digits and _, got 'a b'"},
      {"[launch.x]\n", "l.toml:1:2", "expected tables such as [launcher.NAME], got 'launch'"},
      {"[launcher.\"a b\"]\n", "l.toml:1:11",
       "expected a name of letters, digits, - and _, got 'a b'"},
  };
  for (const Wrong& wrong : kWrong) {
    const auto forms = read_launchers(wrong.toml, "l.toml");
    ASSERT_FALSE(forms) << wrong.toml;
    EXPECT_EQ(forms.error().where, wrong.where) << wrong.toml;
    EXPECT_EQ(forms.error().message.substr(0, forms.error().message.find('\n')), wrong.message);
  }
}

}  // namespace
}  // namespace kstar
