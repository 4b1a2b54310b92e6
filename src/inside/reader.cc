#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "inside/file.h"
#include "inside/rank.h"
#include "inside/run_waiting.h"
#include "kstar/inside.h"

namespace kstar {

namespace {

namespace fs = std::filesystem;
using Files = std::vector<InsideFile>;

Result<std::vector<std::string>> paths_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == inside::kFileEnding) paths.push_back(entry->path().string());
  }
  if (error)
    return fail({.where = folder, .message = "cannot read the folder: " + error.message()});
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The files of ranks, by rank. One that was killed inside MPI_Init has none, and is a note.
Result<Files> read_files(const std::string& folder, std::vector<Note>& notes) {
  const auto paths = paths_in(folder);
  if (!paths) return fail(paths.error());
  Files files;
  for (const std::string& path : *paths) {
    Result<InsideFile> file = read_inside_file(path);
    if (!file) return fail(file.error());
    if (file->head->rank >= 0 && file->head->init_leave != 0) {
      files.push_back(std::move(*file));
      continue;
    }
    notes.push_back({.severity = Severity::kWarning,
                     .what = "inside-no-rank",
                     .where = path,
                     .text = "a process of the program never came out of MPI_Init"});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.head->rank < b.head->rank; });
  return files;
}

Result<void> check_one_run(const Files& files) {
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto &before = *files[i - 1].head, &here = *files[i].head;
    constexpr std::string_view kHint = "every run needs a folder of its own";
    if (here.world != before.world) {
      return fail(expected(files[i].path, fmt::format("a rank of {}", before.world),
                           fmt::format("one of {}", here.world), kHint));
    }
    if (here.rank == before.rank) {
      return fail(expected(files[i].path, "each rank once",
                           fmt::format("rank {} again, after {}", here.rank, files[i - 1].path),
                           kHint));
    }
  }
  return {};
}

/// The last moment that is known of any rank on each clock: a rank that was killed inside a call
/// was in it at least as long as others on its clock still did something.
std::map<std::uint64_t, std::uint64_t> last_moments(const Files& files) {
  std::map<std::uint64_t, std::uint64_t> last;
  for (const InsideFile& file : files) {
    std::uint64_t& known = last[file.head->clock];
    known = std::max(known, file.last_seen());
  }
  return last;
}

/// Two windows become one until they are as wide as `width`; widths are powers of two.
void widen(std::vector<InsideWindow>& windows, double width) {
  while (!windows.empty() && windows.size() > 1 &&
         windows.front().end - windows.front().begin < 0.75 * width) {
    std::vector<InsideWindow> merged;
    for (std::size_t i = 0; i < windows.size(); i += 2) {
      InsideWindow window = windows[i];
      if (i + 1 < windows.size()) {
        const InsideWindow& next = windows[i + 1];
        window.end = next.end;
        window.useful += next.useful;
        window.mpi += next.mpi;
        window.calls += next.calls;
        window.bytes += next.bytes;
      }
      merged.push_back(window);
    }
    windows = std::move(merged);
  }
}

void make_windows_equal(std::vector<InsideRank>& ranks) {
  double width = 0;
  for (const InsideRank& rank : ranks) {
    if (!rank.windows.empty()) {
      width = std::max(width, rank.windows.front().end - rank.windows.front().begin);
    }
  }
  for (InsideRank& rank : ranks) widen(rank.windows, width);
}

void note_missing(InsideRun& run) {
  const auto here = static_cast<int>(run.ranks.size());
  if (here < run.world) {
    run.notes.push_back(
        {.severity = Severity::kWarning,
         .what = "inside-missing",
         .text = fmt::format("{} of {} ranks left no file", run.world - here, run.world)});
  }
  for (const InsideRank& rank : run.ranks) {
    if (rank.lost_calls > 0) {
      run.notes.push_back({.severity = Severity::kWarning,
                           .what = "inside-lost",
                           .where = fmt::format("rank {}", rank.rank),
                           .text = fmt::format("{} calls were not recorded: too many threads, or "
                                               "calls and communicators",
                                               rank.lost_calls)});
    }
  }
}

}  // namespace

std::string_view name_of(InsideKind kind) {
  constexpr std::string_view kNames[] = {"send",       "receive",          "complete",
                                         "collective", "collective-start", "one-sided",
                                         "file",       "communicator"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(InsideEnd end) {
  constexpr std::string_view kNames[] = {"finalized", "aborted", "exited", "killed"};
  return kNames[static_cast<std::size_t>(end)];
}

Result<InsideRun> read_inside(const std::string& folder) {
  InsideRun run;
  const Result<Files> files = read_files(folder, run.notes);
  if (!files) return fail(files.error());
  if (files->empty()) {
    return fail({.where = folder,
                 .message = "expected the file of at least one MPI rank, found none",
                 .hint = "was the program started with libkstar_mpi.so in LD_PRELOAD, on every "
                         "host, and does it call MPI_Init?"});
  }
  if (auto good = check_one_run(*files); !good) return fail(good.error());
  const inside::Head& first = *files->front().head;
  run.world = first.world;
  run.mpi = first.flavour == inside::Flavour::kOpenMpi ? "Open MPI" : "MPICH";
  const auto last = last_moments(*files);
  for (const InsideFile& file : *files) {
    run.ranks.push_back(rank_of(file, last.at(file.head->clock)));
  }
  make_windows_equal(run.ranks);
  note_missing(run);
  add_waiting(*files, run);
  return run;
}

PerWorker inside_per_worker(const InsideRun& run) {
  PerWorker workers;
  bool all_waits = true, any_file = false;
  for (const InsideRank& rank : run.ranks) {
    all_waits = all_waits && rank.wait.has_value();
    any_file = any_file || rank.file > 0;
  }
  for (const InsideRank& rank : run.ranks) {
    const double wait = all_waits ? *rank.wait : 0;
    workers.host.push_back(rank.host);
    workers.compute.push_back(rank.useful);
    workers.communicate.push_back(std::max(0.0, rank.mpi - rank.file - wait));
    if (all_waits) workers.wait.push_back(wait);
    if (any_file) workers.load.push_back(rank.file);
  }
  return workers;
}

}  // namespace kstar
