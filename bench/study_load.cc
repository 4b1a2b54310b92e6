// How long a study of a million runs takes to load, next to nlohmann::json on the same lines.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "kstar/study_file.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// CPU time tells what the work costs on a machine that others use, too.
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// What `kstar measure` records of a local run, with times that use all their digits.
kstar::Run measured_run(int i, std::mt19937_64& random) {
  std::uniform_real_distribution<double> noise(0.9, 1.1);
  kstar::Run run;
  run.workers = 1 << (i % 8);
  run.order = i;
  run.block = i / 8;
  run.session = std::to_string(i / 100000);
  run.start = 1767225600.0 + i * 1.7 * noise(random);
  run.wall = noise(random) / run.workers;
  run.setup = 0.01 * noise(random);
  run.exit_status = 0;
  run.usage.cpu_user = *run.wall * run.workers * noise(random);
  run.usage.cpu_system = 0.003 * noise(random);
  run.usage.peak_memory = 100'000'000 + i % 4096 * 1024;
  run.usage.minor_faults = 12000 + i % 100;
  run.usage.major_faults = 0;
  run.usage.voluntary_switches = i % 1000;
  run.usage.involuntary_switches = i % 77;
  return run;
}

/// Writes the file piece by piece, so that the peak belongs to loading.
void write_study(const std::string& path, int runs) {
  std::ofstream file(path, std::ios::binary);
  std::mt19937_64 random(7);
  kstar::Study piece;
  file << kstar::to_lines(piece).value();
  for (int i = 0; i < runs; ++i) {
    piece.runs.push_back(measured_run(i, random));
    if (piece.runs.size() < 10000 && i + 1 < runs) continue;
    const std::string lines = kstar::to_lines(piece).value();
    file << lines.substr(lines.find('\n') + 1);
    piece.runs.clear();
  }
}

double peer_seconds(const std::string& path) {
  const auto start = Clock::now();
  std::ifstream file(path);
  double sum = 0;
  for (std::string line; std::getline(file, line);) {
    sum += nlohmann::json::parse(line).value("wall", 0.0);
  }
  if (sum < 0) std::puts("");  // the work must not be optimised away
  return seconds_since(start);
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 1'000'000;
  const std::string path = std::filesystem::temp_directory_path() /
                           ("kstar-bench-" + std::to_string(::getpid()) + ".jsonl");
  auto start = Clock::now();
  write_study(path, runs);
  const double writing = seconds_since(start);
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::printf("%d runs, %.0f MB, written in %.2f s (peak %.0f MiB)\n", runs, megabytes, writing,
              peak_mib());

  start = Clock::now();
  const double cpu_before = cpu_seconds();
  const auto study = kstar::load_study(path);
  const double loading = seconds_since(start);
  const double cpu = cpu_seconds() - cpu_before;
  const bool good = study && study->runs.size() == static_cast<std::size_t>(runs);
  std::printf("kstar load_study      %6.2f s  %6.0f MB/s  cpu %.2f s  peak %.0f MiB%s\n", loading,
              megabytes / loading, cpu, peak_mib(), good ? "" : "  FAILED");
  const double peer = peer_seconds(path);
  std::printf("nlohmann parse only   %6.2f s  %6.0f MB/s  (%.1f times kstar's time)\n", peer,
              megabytes / peer, peer / loading);
  std::filesystem::remove(path);
  return good ? 0 : 1;
}
