#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/try.h"
#include "inside/file.h"
#include "inside/waiting.h"
#include "kstar/inside.h"

namespace kstar {

using namespace inside;

namespace {

namespace fs = std::filesystem;
using Files = std::vector<InsideFile>;

/// One process in a communicator.
struct Member {
  std::size_t file = 0;
  std::size_t index = 0;  ///< of the communicator in the file
};

/// The communicators of more than one process, by what is the same on all members.
using Communicators = std::map<std::uint64_t, std::vector<Member>>;

Communicators communicators_of(const Files& files) {
  Communicators found;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const Head& head = *files[f].head;
    for (std::size_t i = 1; i < head.communicators && i < kOtherCommunicators; ++i) {
      const Communicator& one = head.communicator[i];
      if (one.size > 1 && one.inter == 0) found[one.id].push_back({f, i});
    }
  }
  for (auto& [id, members] : found) {
    std::sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
      return files[a.file].head->communicator[a.index].rank <
             files[b.file].head->communicator[b.index].rank;
    });
  }
  return found;
}

/// Numbers of calls that mean the same in all files, whatever table each brought along.
class CallNumbers {
 public:
  std::uint16_t number(const Head& head, std::uint16_t call) {
    const std::string name = field_text(head.call[call].name);
    const auto [place, fresh] = numbers_.try_emplace(name, sync_of_.size());
    if (fresh) sync_of_.push_back(head.call[call].sync);
    return static_cast<std::uint16_t>(place->second);
  }
  const SyncOf& sync_of() const { return sync_of_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  SyncOf sync_of_;
};

MemberLog log_of(const InsideFile& file, std::size_t index, CallNumbers& numbers) {
  const Head& head = *file.head;
  MemberLog log{.clock = head.clock,
                .kernel = head.kernel,
                .at_init = head.real_at_init,
                .at_finalize = head.real_at_finalize,
                .init = head.init_leave,
                .finalize = head.end == End::kFinalized ? head.finalize_enter : 0};
  for (std::uint32_t i = 0; i < head.log_entries; ++i) {
    if (head.log[i].communicator != index) continue;
    log.entries.push_back(head.log[i]);
    log.entries.back().call = numbers.number(head, head.log[i].call);
  }
  return log;
}

/// The blocking collectives that can hold a rank up, by the main thread: calls and time.
struct Made {
  std::uint64_t calls = 0;
  double seconds = 0;
};

std::map<std::uint16_t, Made> made_by(const InsideFile& file, std::size_t index,
                                      CallNumbers& numbers) {
  std::map<std::uint16_t, Made> made;
  for (const Cell& cell : file.threads.front().cell) {
    if (cell.used == 0 || cell.communicator != index) continue;
    if (file.head->call[cell.call].sync == Sync::kNone) continue;
    Made& sum = made[numbers.number(*file.head, cell.call)];
    sum.calls += cell.calls;
    sum.seconds += static_cast<double>(cell.time) / 1e9;
  }
  return made;
}

/// What all communicators add up to.
struct Totals {
  std::vector<bool> known;  ///< by rank: false when the waiting of one communicator is not
  bool any = false;         ///< there was a collective at all
  double made = 0;          ///< collectives
  double matched = 0;       ///< of these, those that the waiting was found from
};

/// The waiting of one member: what was found in the matched collectives, for all of them.
double scaled_wait(const std::map<std::uint16_t, CollectiveWaits::Sum>& found,
                   const std::map<std::uint16_t, Made>& made, Totals& totals) {
  double wait = 0;
  for (const auto& [call, sum] : made) {
    totals.made += static_cast<double>(sum.calls);
    const auto here = found.find(call);
    if (here == found.end() || here->second.matched == 0) continue;
    const auto matched = static_cast<double>(here->second.matched);
    totals.matched += std::min(matched, static_cast<double>(sum.calls));
    wait += std::min(here->second.seconds / matched * static_cast<double>(sum.calls), sum.seconds);
  }
  return wait;
}

class RunWaiting {
 public:
  RunWaiting(const Files& files, InsideRun& run) : files_(files), run_(run) {
    totals_.known.assign(files.size(), true);
  }

  void add(const std::vector<Member>& members) {
    std::vector<std::map<std::uint16_t, Made>> made;
    bool used = false;
    for (const Member& member : members) {
      made.push_back(made_by(files_[member.file], member.index, numbers_));
      used = used || !made.back().empty();
    }
    if (!used) return;
    totals_.any = true;
    const CollectiveWaits waits = waits_among(members);
    if (!waits.problem.empty()) return give_up(members, waits.problem);
    if (waits.clock_error) {
      run_.clock_error = std::max(run_.clock_error.value_or(0), *waits.clock_error);
    }
    for (std::size_t m = 0; m < members.size(); ++m) {
      InsideRank& rank = run_.ranks[members[m].file];
      const double wait = scaled_wait(waits.members[m], made[m], totals_);
      rank.communicators[members[m].index - 1].wait = wait;
      rank.wait = rank.wait.value_or(0) + wait;
    }
  }

  void finish() {
    if (totals_.made > 0) run_.wait_coverage = totals_.matched / totals_.made;
    for (std::size_t r = 0; r < run_.ranks.size(); ++r) {
      InsideRank& rank = run_.ranks[r];
      if (!totals_.known[r]) rank.wait.reset();
      // A rank that took part in no collective waited in none, where others are known.
      // One that is alone has nobody to wait for.
      if (totals_.known[r] && (totals_.any || run_.world == 1)) rank.wait = rank.wait.value_or(0);
      if (rank.wait) rank.wait = std::min(*rank.wait, rank.mpi);
    }
    if (run_.wait_coverage < 1) {
      run_.notes.push_back(
          {.what = "inside-sampled",
           .text = fmt::format(
               "waiting was computed from {:.1f}% of the collectives, which represent all",
               100 * run_.wait_coverage)});
    }
  }

 private:
  CollectiveWaits waits_among(const std::vector<Member>& members) {
    const Communicator& first =
        files_[members.front().file].head->communicator[members.front().index];
    if (members.size() != static_cast<std::size_t>(first.size)) {
      return {.problem = fmt::format("there are files of {} of its {} members", members.size(),
                                     first.size)};
    }
    std::vector<MemberLog> logs;
    for (const Member& member : members) {
      logs.push_back(log_of(files_[member.file], member.index, numbers_));
    }
    return waits_of(logs, numbers_.sync_of());
  }

  void give_up(const std::vector<Member>& members, const std::string& problem) {
    for (const Member& member : members) totals_.known[member.file] = false;
    const Member& first = members.front();
    run_.notes.push_back(
        {.severity = Severity::kWarning,
         .what = "inside-wait",
         .where = name_of(files_[first.file].head->communicator[first.index], first.index),
         .text = "waiting cannot be separated from transfer: " + problem});
  }

  const Files& files_;
  InsideRun& run_;
  CallNumbers numbers_;
  Totals totals_;
};

/// Fills in the waiting of every rank and communicator from the files, which are in the order of
/// run.ranks. Where only some collectives were logged, those stand for all.
void add_waiting(const Files& files, InsideRun& run) {
  RunWaiting waiting(files, run);
  for (const auto& [id, members] : communicators_of(files)) waiting.add(members);
  waiting.finish();
}

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
  KSTAR_TRY(const auto paths, paths_in(folder));
  Files files;
  for (const std::string& path : paths) {
    KSTAR_TRY(InsideFile file, read_inside_file(path));
    if (file.head->rank >= 0 && file.head->init_leave != 0) {
      files.push_back(std::move(file));
      continue;
    }
    notes.push_back({.severity = Severity::kWarning,
                     .what = "inside-no-rank",
                     .where = path,
                     .text = "a process of the program never returned from MPI_Init"});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.head->rank < b.head->rank; });
  return files;
}

Result<void> check_one_run(const Files& files) {
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto &before = *files[i - 1].head, &here = *files[i].head;
    constexpr std::string_view kHint = "every run needs a separate folder";
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
         .text = fmt::format("{} of {} ranks wrote no file", run.world - here, run.world)});
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
  KSTAR_TRY(const Files files, read_files(folder, run.notes));
  if (files.empty()) {
    return fail({.where = folder,
                 .message = "expected the file of at least one MPI rank, found none",
                 .hint = "make sure that LD_PRELOAD contains libkstar_mpi.so on every host, and "
                         "that the program calls MPI_Init"});
  }
  KSTAR_CHECK(check_one_run(files));
  const inside::Head& first = *files.front().head;
  run.world = first.world;
  run.mpi = first.flavour == inside::Flavour::kOpenMpi ? "Open MPI" : "MPICH";
  const auto last = last_moments(files);
  for (const InsideFile& file : files) {
    run.ranks.push_back(rank_of(file, last.at(file.head->clock)));
  }
  make_windows_equal(run.ranks);
  note_missing(run);
  add_waiting(files, run);
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
