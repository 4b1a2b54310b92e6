// How fast traces are read, and in how much memory, next to simdjson's walk over the same bytes
// that does nothing with them.
//   bench_trace_speed TRACE.json.gz [RANKS]
// Bars: 400 MB/s of plain JSON on two cores, under 100 MiB, also for ten times as many ranks, and
// for ranks ten times as long; 150 MB/s of unpacked JSON per core from gzip; half the speed of the
// walk.
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "kstar/trace.h"

namespace {

namespace fs = std::filesystem;

struct Cost {
  double wall = 0, cpu = 0, peak_mib = 0;
  bool fine = false;
};

/// In a process of its own: what it costs, whatever ran before.
Cost cost_of(const std::function<bool()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  Cost cost;
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cost.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  cost.fine = status == 0;
  return cost;
}

/// The one with the least wall time of several: the machine may have other work.
Cost best_of(int times, const std::function<bool()>& work) {
  Cost best = cost_of(work);
  for (int i = 1; i < times; ++i) {
    const Cost again = cost_of(work);
    if (again.wall < best.wall) best = again;
  }
  return best;
}

bool analyze(const std::vector<std::string>& paths, int threads) {
  kstar::TraceOptions options;
  options.threads = threads;
  return kstar::analyze_traces(paths, options).has_value();
}

bool walk(const std::string& path) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text) != simdjson::SUCCESS) return false;
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  if (parser.iterate(text).get(document) != simdjson::SUCCESS) return false;
  simdjson::ondemand::array events;
  if (document["traceEvents"].get_array().get(events) != simdjson::SUCCESS) return false;
  std::size_t count = 0;
  for (auto event : events) count += event.error() == simdjson::SUCCESS ? 1U : 0U;
  return count > 0;
}

/// The same events `times` times, as of a longer run.
bool write_longer(const fs::path& plain, const fs::path& longer, int times) {
  const auto file = kstar::read_file(plain.string(), std::size_t{1} << 33);
  if (!file) return false;
  const std::string_view text = file->view();
  const std::size_t begin = text.find('[', text.find("\"traceEvents\"")) + 1;
  const std::size_t end = text.rfind(']');
  std::ofstream out(longer, std::ios::binary);
  out << text.substr(0, begin);
  for (int i = 0; i < times; ++i) out << (i > 0 ? "," : "") << text.substr(begin, end - begin);
  out << text.substr(end);
  return out.good();
}

std::vector<std::string> links(const fs::path& folder, const fs::path& file, int count) {
  std::vector<std::string> names;
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    const fs::path name = folder / fmt::format("rank{:05}{}", i, file.extension().string());
    fs::create_hard_link(file, name);
    names.push_back(name.string());
  }
  return names;
}

void row(const char* what, const Cost& cost, double megabytes, const char* bar) {
  fmt::print("{:<42} {:>7.0f} MB/s {:>7.0f} MB/s of CPU {:>6.1f} MiB   {}{}\n", what,
             megabytes / cost.wall, megabytes / cost.cpu, cost.peak_mib, bar,
             cost.fine ? "" : "  FAILED");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_trace_speed TRACE.json.gz [RANKS]\n");
    return 2;
  }
  const int ranks = argc > 2 ? std::max(1, std::atoi(argv[2])) : 8;
  std::string pattern = (fs::temp_directory_path() / "kstar_trace_XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  const fs::path plain = folder / "t.json", packed = folder / "t.gz";
  const Cost unpacked = cost_of([&] {  // not here: a child has the memory of its parent
    const auto text = kstar::read_file(argv[1], std::size_t{1} << 33);
    if (!text) return false;
    std::ofstream(plain, std::ios::binary) << text->view();
    return true;
  });
  if (!unpacked.fine) {
    fmt::print(stderr, "cannot read {}\n", argv[1]);
    return 1;
  }
  fs::copy_file(argv[1], packed);
  const double one = static_cast<double>(fs::file_size(plain)) / 1e6;

  const auto few = links(folder / "few", plain, ranks);
  const auto many = links(folder / "many", plain, 10 * ranks);
  const fs::path longer = folder / "longer.json";
  if (!cost_of([&] { return write_longer(plain, longer, 10); }).fine) return 1;
  const auto longer_ones = links(folder / "longer", longer, ranks);
  const auto gzipped = links(folder / "gzip", packed, ranks);
  fmt::print("{:.1f} MB of JSON a rank, {} ranks\n\n", one, ranks);
  const Cost read = best_of(5, [&] { return analyze({few[0]}, 1); });
  const Cost walked = best_of(5, [&] { return walk(few[0]); });
  row("one rank, one thread", read, one, "");
  row("simdjson's on-demand walk, one thread", walked, one, "");
  fmt::print("{:<42} {:>7.2f}  {:>7.2f} of CPU{:>18}\n", "  ratio", walked.wall / read.wall,
             walked.cpu / read.cpu, "bar: 0.5");
  row(fmt::format("{} ranks, two threads", ranks).c_str(),
      best_of(3, [&] { return analyze(few, 2); }), one * ranks, "bar: 400 MB/s, 100 MiB");
  row(fmt::format("{} ranks, two threads", 10 * ranks).c_str(),
      best_of(1, [&] { return analyze(many, 2); }), 10 * one * ranks, "bar: 100 MiB");
  row(fmt::format("{} ranks ten times as long, two threads", ranks).c_str(),
      best_of(1, [&] { return analyze(longer_ones, 2); }), 10 * one * ranks, "bar: 100 MiB");
  row("gzip, one thread", best_of(3, [&] { return analyze({gzipped[0]}, 1); }), one,
      "bar: 150 MB/s");
  fs::remove_all(folder);
  return 0;
}
