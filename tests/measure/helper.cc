// A program that behaves well or badly, as its first argument says. A second argument TOKEN is only
// there to find the process by.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

double now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void sleep_long() {
  for (int i = 0; i < 60; ++i) ::sleep(1);
}

/// Forks twice, with a session of its own, as a daemon does.
void daemonise(bool stubborn) {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  if (stubborn) ::signal(SIGTERM, SIG_IGN);
  sleep_long();
  ::_exit(0);
}

int leave(int count, bool stubborn) {
  for (int i = 0; i < count; ++i) daemonise(stubborn);
  while (::wait(nullptr) > 0) {
  }
  return 0;
}

/// Doubles until there are about 2^depth processes, in groups of their own here and there.
int bomb(int depth) {
  for (int level = 0; level < depth; ++level) {
    if (::fork() == 0 && level % 3 == 0) ::setsid();
  }
  sleep_long();
  return 0;
}

int span(double milliseconds) {
  const double begin = now();
  while (now() < begin + milliseconds / 1e3) {
  }
  std::printf("%.9f %.9f\n", begin, now());
  return 0;
}

int flood(std::size_t bytes) {
  const std::string line = std::string(1023, 'x') + "\n";
  std::fputs("first\n", stdout);
  for (std::size_t i = 0; i < bytes; i += line.size()) {
    std::fputs(line.c_str(), stdout);
    if (i % (1U << 20U) == 0) std::fputs(line.c_str(), stderr);
  }
  std::fputs("last\n", stdout);
  return 0;
}

int burn(double seconds) {
  while (now(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
  }
  return 0;
}

int use_memory(std::size_t mib) {
  const std::size_t size = mib << 20U;
  char* memory = static_cast<char*>(std::malloc(size));
  std::memset(memory, 1, size);
  return memory[size / 2] == 1 ? 0 : 1;
}

/// Moves to the next CPU that it may use, `count` times.
int migrate(int count) {
  cpu_set_t all;
  ::sched_getaffinity(0, sizeof all, &all);
  for (std::size_t cpu = 0; count > 0; cpu = (cpu + 1) % CPU_SETSIZE) {
    if (!CPU_ISSET(cpu, &all)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    --count;
  }
  return 0;
}

int show_cpus() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) std::printf("%zu ", cpu);
  }
  return 0;
}

/// What a well-kept process starts with: open files, blocked or ignored signals, its group.
int show_state() {
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("fd%d ", fd);
  }
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (::sigismember(&mask, signal) == 1) std::printf("blocked%d ", signal);
    if (action.sa_handler != SIG_DFL) std::printf("handled%d ", signal);
  }
  char byte = 0;
  std::printf("stdin=%zd group=%d\n", ::read(0, &byte, 1), ::getpgrp() == ::getpid() ? 1 : 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const double number = argc > 3 ? std::atof(argv[3]) : 0;
  if (what == "exit") return static_cast<int>(number);
  if (what == "signal") return ::raise(static_cast<int>(number));
  if (what == "sleep") sleep_long();
  if (what == "stubborn") {
    ::signal(SIGTERM, SIG_IGN);
    sleep_long();
  }
  if (what == "stopped") ::raise(SIGSTOP);
  if (what == "leave") return leave(static_cast<int>(number), false);
  if (what == "leave-stubborn") return leave(static_cast<int>(number), true);
  if (what == "leave-and-stay") {
    leave(static_cast<int>(number), true);
    std::puts("ready");
    std::fflush(stdout);
    sleep_long();
  }
  if (what == "kill-parent") {
    leave(3, true);
    ::kill(::getppid(), SIGKILL);
    sleep_long();
  }
  if (what == "bomb") return bomb(static_cast<int>(number));
  if (what == "span") return span(number);
  if (what == "flood") return flood(static_cast<std::size_t>(number));
  if (what == "burn") return burn(number);
  if (what == "burn-below") {
    if (::fork() == 0) return burn(number);
    ::wait(nullptr);
  }
  if (what == "memory") return use_memory(static_cast<std::size_t>(number));
  if (what == "migrate") return migrate(static_cast<int>(number));
  if (what == "cpus") return show_cpus();
  if (what == "state") return show_state();
  if (what == "variable") std::puts(std::getenv(argv[3]) ? std::getenv(argv[3]) : "unset");
  if (what == "folder") {
    char path[4096];
    std::puts(::getcwd(path, sizeof path));
  }
  return 0;
}
