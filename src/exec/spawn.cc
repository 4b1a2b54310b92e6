// The way of posix_spawn in glibc: clone(2) with CLONE_VM and CLONE_VFORK, which copies no page
// tables, so that the cost does not grow with the caller. posix_spawn itself can neither bind to
// CPUs nor ask for a parent-death signal.
#include "exec/spawn.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "exec/left_behind.h"
#include "exec/program.h"

namespace kstar {

namespace {

constexpr std::size_t kStackSize = std::size_t{64} << 10U;

/// What the new process sees of its parent: they share their memory until it has its program.
struct Start {
  const PreparedJob* job = nullptr;
  StandardFiles files;
  pid_t parent = 0;
  StartStep failed = StartStep::kNone;
  int reason = 0;
};

int give_up(Start& start, StartStep step) {
  start.failed = step;
  start.reason = errno;
  return 127;
}

/// Runs in the new process; system calls only.
int become_job(void* argument) {
  Start& start = *static_cast<Start*>(argument);
  const PreparedJob& job = *start.job;
  // Not setsid(): that makes a scheduling group (sched_autogroup) for every run, which costs time.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) return 127;  // it had died before it could be asked for
  if (::dup2(start.files.input, STDIN_FILENO) < 0 ||
      ::dup2(start.files.output, STDOUT_FILENO) < 0 ||
      ::dup2(start.files.error, STDERR_FILENO) < 0) {
    return give_up(start, StartStep::kPipes);
  }
  if (!job.folder.empty() && ::chdir(job.folder.c_str()) != 0) {
    return give_up(start, StartStep::kFolder);
  }
  if (job.cpus && ::sched_setaffinity(0, job.cpus_size, job.cpus.get()) != 0) {
    return give_up(start, StartStep::kCpus);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(job.program.c_str(), job.arguments.data(), job.environment.data());
  return give_up(start, StartStep::kProgram);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

PreparedJob::PreparedJob(const LaunchPlan& plan)
    : folder(plan.folder), time_limit(plan.time_limit), grace(plan.grace), words_(plan.command) {
  take_environment(plan);
  take_cpus(plan.cpus);
  arguments = pointers_to(words_);
  environment = pointers_to(settings_);
  const auto path = std::find_if(settings_.begin(), settings_.end(),
                                 [](const std::string& s) { return s.starts_with("PATH="); });
  if (!words_.empty()) {
    program = find_program(words_[0], path == settings_.end() ? nullptr : path->c_str() + 5);
  }
}

void PreparedJob::take_environment(const LaunchPlan& plan) {
  auto variables = plan.variables;
  variables.insert(variables.begin(), {kOwnerVariable, owner_mark()});  // unless the plan says so
  if (!plan.marks_folder.empty()) variables.emplace_back("KSTAR_MARKS", plan.marks_folder);
  const auto is_replaced = [&](std::string_view setting) {
    const std::string_view name = setting.substr(0, setting.find('='));
    return std::any_of(variables.begin(), variables.end(),
                       [&](const auto& variable) { return variable.first == name; });
  };
  for (char** setting = ::environ; setting && *setting; ++setting) {
    if (!is_replaced(*setting)) settings_.emplace_back(*setting);
  }
  for (auto variable = variables.begin(); variable != variables.end(); ++variable) {
    const bool set_again = std::any_of(std::next(variable), variables.end(), [&](const auto& next) {
      return next.first == variable->first;
    });
    if (!set_again) settings_.push_back(variable->first + "=" + variable->second);
  }
}

void PreparedJob::take_cpus(const std::vector<int>& numbers) {
  if (numbers.empty()) return;
  const int most = *std::max_element(numbers.begin(), numbers.end());
  cpus.reset(CPU_ALLOC(static_cast<std::size_t>(most) + 1));
  cpus_size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most) + 1);
  CPU_ZERO_S(cpus_size, cpus.get());
  for (const int number : numbers) {
    CPU_SET_S(static_cast<std::size_t>(number), cpus_size, cpus.get());
  }
}

Spawned spawn(const PreparedJob& job, const StandardFiles& files) {
  alignas(16) static char stack[kStackSize];
  Start start{&job, files, ::getpid(), StartStep::kNone, 0};
  if (job.program.empty()) return {-1, StartStep::kProgram, ENOENT};
  const pid_t process =
      ::clone(&become_job, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (process < 0) return {-1, StartStep::kProcess, errno};
  return {process, start.failed, start.reason};
}

}  // namespace kstar
