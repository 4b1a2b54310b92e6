#include "inside/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/file.h"
#include "base/inside_windows.h"
#include "base/try.h"

namespace kstar {

using namespace inside;

namespace {

constexpr std::size_t kMostBytes = kHeadBytes + kMostThreads * kThreadBytes;
constexpr int kMostRanks = 100'000'000;
constexpr std::uint64_t kMostTime = std::uint64_t{1} << 62;  // 146 years
constexpr std::uint32_t kMostShift = 56;                     // of windows

Error damaged(const std::string& path, std::string_view what, std::uint64_t got) {
  return expected(path, what, std::to_string(got),
                  "the file is damaged: delete it, or run the program again");
}

Error too_many(const std::string& path, std::string_view what, std::size_t most,
               std::uint64_t got) {
  return damaged(path, fmt::format("at most {} {}", most, what), got);
}

Result<void> check_start(std::string_view bytes, const std::string& path) {
  if (bytes.size() < sizeof kMagic ||
      bytes.substr(0, sizeof kMagic) != std::string_view(kMagic, sizeof kMagic)) {
    return fail(expected(path, "a file of libkstar_mpi.so", "another file"));
  }
  if (bytes.size() < kHeadBytes) {
    return fail(expected(path, fmt::format("at least {} bytes", kHeadBytes),
                         std::to_string(bytes.size()), "the file is truncated"));
  }
  return {};
}

Result<void> check_version(const Head& head, const std::string& path) {
  if (head.byte_order != kByteOrder) {
    return fail(expected(path, "the byte order of this machine", "a different one",
                         "read it on a machine with the byte order of the writer"));
  }
  if (head.version != kVersion || head.head_bytes != kHeadBytes ||
      head.thread_bytes != kThreadBytes) {
    return fail(expected(path, fmt::format("version {}", kVersion), std::to_string(head.version),
                         "libkstar_mpi.so and kstar must have the same version"));
  }
  return {};
}

Result<void> check_tables(const Head& head, const std::string& path) {
  if (head.calls > kMostCalls)
    return fail(too_many(path, "kinds of calls", kMostCalls, head.calls));
  if (head.communicators > kMostCommunicators) {
    return fail(too_many(path, "communicators", kMostCommunicators, head.communicators));
  }
  if (head.threads > kMostThreads) {
    return fail(too_many(path, "threads", kMostThreads, head.threads));
  }
  if (head.log_entries > kMostLogEntries) {
    return fail(too_many(path, "entries in the log", kMostLogEntries, head.log_entries));
  }
  if (head.rank >= 0 && (head.world > kMostRanks || head.rank >= head.world)) {
    return fail(expected(path, fmt::format("a rank below {}", head.world),
                         std::to_string(head.rank), "the file is damaged"));
  }
  for (std::uint32_t i = 0; i < head.calls; ++i) {
    const CallName& call = head.call[i];
    if (static_cast<std::uint8_t>(call.kind) >= kKinds ||
        static_cast<std::uint8_t>(call.sync) >= kSyncs) {
      return fail(damaged(path, "a known kind of call", static_cast<std::uint8_t>(call.kind)));
    }
  }
  for (std::uint32_t i = 0; i < head.log_entries; ++i) {
    const LogEntry& entry = head.log[i];
    if (entry.call >= head.calls) return fail(damaged(path, "a call of its table", entry.call));
    if (entry.communicator >= kMostCommunicators) {
      return fail(damaged(path, "a communicator of its table", entry.communicator));
    }
    if (entry.enter > entry.leave || entry.leave > kMostTime) {
      return fail(damaged(path, "a collective that ends after it began", entry.leave));
    }
  }
  return {};
}

Result<void> check_times(const InsideFile& file) {
  const Head& head = *file.head;
  if (head.rank < 0) return {};
  for (const std::uint64_t time :
       {head.init_enter, head.init_leave, head.finalize_enter, head.finalize_leave}) {
    if (time > kMostTime) return fail(damaged(file.path, "a time since the machine started", time));
  }
  if (head.init_leave < head.init_enter || file.last_seen() < head.init_leave) {
    return fail(damaged(file.path, "an end of MPI_Init after its start", head.init_leave));
  }
  if (head.finalize_leave != 0 && head.finalize_leave < head.finalize_enter) {
    return fail(damaged(file.path, "an end of MPI_Finalize after its start", head.finalize_leave));
  }
  return {};
}

Result<void> check_thread(const ThreadBlock& thread, const InsideFile& file) {
  const Head& head = *file.head;
  if (thread.call >= kMostCalls) return fail(damaged(file.path, "a known call", thread.call));
  if (thread.last_leave > kMostTime || thread.enter > kMostTime) {
    return fail(damaged(file.path, "a time since the machine started", thread.last_leave));
  }
  if (thread.window_shift < kFirstWindowShift || thread.window_shift > kMostShift) {
    return fail(damaged(file.path, "windows of 2^20 to 2^56 ns", thread.window_shift));
  }
  std::uint64_t total = 0;
  for (const Cell& cell : thread.cell) {
    if (cell.used == 0) continue;
    if (cell.call >= head.calls || cell.communicator >= kMostCommunicators) {
      return fail(damaged(file.path, "a call of its table", cell.call));
    }
    if (cell.time > kMostTime - total) return fail(damaged(file.path, "a sum of times", cell.time));
    total += cell.time;
  }
  return {};
}

static_assert(static_cast<int>(InsideKind::kCommunicator) ==
                  static_cast<int>(Kind::kCommunicator) &&
              static_cast<int>(InsideKind::kFile) == static_cast<int>(Kind::kFile));

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

double between(std::uint64_t earlier, std::uint64_t later) {
  return later > earlier ? seconds(later - earlier) : 0;
}

InsideEnd end_kind(const Head& head) {
  switch (head.end) {
    case End::kFinalized:
      return InsideEnd::kFinalized;
    case End::kAborted:
      return InsideEnd::kAborted;
    case End::kExited:
      return InsideEnd::kExited;
    default:
      return InsideEnd::kKilled;
  }
}

std::string call_name(const Head& head, std::size_t call) {
  return "MPI_" + field_text(head.call[call].name);
}

/// Where a sum goes, by what its call does.
void count_bytes(InsideRank& rank, InsideKind kind, std::uint64_t bytes) {
  if (kind == InsideKind::kReceive) {
    rank.bytes_offered += bytes;
  } else if (kind == InsideKind::kFile) {
    rank.bytes_file += bytes;
  } else {
    rank.bytes_sent += bytes;
  }
}

using ByCall = std::map<std::pair<std::uint16_t, std::uint16_t>, InsideCall>;

void add_cell(const Head& head, const Cell& cell, bool main, InsideRank& rank, ByCall& by_call) {
  InsideCall& call = by_call[{cell.call, cell.communicator}];
  call.call = call_name(head, cell.call);
  call.kind = static_cast<InsideKind>(head.call[cell.call].kind);
  call.communicator = name_of(head.communicator[cell.communicator], cell.communicator);
  call.calls += cell.calls;
  call.bytes += cell.bytes;
  call.seconds += seconds(cell.time);
  rank.calls += cell.calls;
  count_bytes(rank, call.kind, cell.bytes);
  if (!main) {
    rank.other_threads_mpi += seconds(cell.time);
    return;
  }
  call.main_seconds += seconds(cell.time);
  rank.mpi += seconds(cell.time);
  if (call.kind == InsideKind::kFile) rank.file += seconds(cell.time);
}

void add_windows(ThreadBlock block, double span, InsideRank& rank) {
  const double width = seconds(std::uint64_t{1} << block.window_shift);
  for (std::size_t i = 0; i < kWindows && static_cast<double>(i) * width < span; ++i) {
    InsideWindow window{.begin = static_cast<double>(i) * width};
    window.end = std::min(window.begin + width, span);
    window.mpi = std::min(seconds(block.window[i].time), window.end - window.begin);
    window.useful = window.end - window.begin - window.mpi;
    window.calls = block.window[i].calls;
    window.bytes = block.window[i].bytes;
    rank.windows.push_back(window);
  }
}

}  // namespace

std::uint64_t InsideFile::last_seen() const {
  if (head->finalize_enter != 0) return head->finalize_enter;
  std::uint64_t last = head->init_leave;
  for (const ThreadBlock& thread : threads)
    last = std::max({last, thread.last_leave, thread.enter});
  return last;
}

Result<InsideFile> parse_inside(std::string_view bytes, const std::string& path) {
  KSTAR_CHECK(check_start(bytes, path));
  InsideFile file{.path = path, .head = std::make_unique<Head>()};
  std::memcpy(file.head.get(), bytes.data(), sizeof(Head));
  KSTAR_CHECK(check_version(*file.head, path));
  KSTAR_CHECK(check_tables(*file.head, path));
  const std::size_t needed = kHeadBytes + file.head->threads * kThreadBytes;
  if (bytes.size() < needed) {
    return fail(expected(path, fmt::format("{} bytes", needed), std::to_string(bytes.size()),
                         "the file is truncated"));
  }
  file.threads.resize(file.head->threads);
  for (std::size_t i = 0; i < file.threads.size(); ++i) {
    std::memcpy(&file.threads[i], bytes.data() + kHeadBytes + i * kThreadBytes,
                sizeof(ThreadBlock));
    KSTAR_CHECK(check_thread(file.threads[i], file));
  }
  if (file.head->rank >= 0 && file.threads.empty()) {
    return fail(damaged(path, "at least one thread", 0));
  }
  KSTAR_CHECK(check_times(file));
  return file;
}

Result<InsideFile> read_inside_file(const std::string& path) {
  KSTAR_TRY(const FileText text, read_regular_file(path, kMostBytes));
  return parse_inside(text.view(), path);
}

std::string name_of(const Communicator& communicator, std::size_t index) {
  if (index == kNoCommunicator) return "";
  std::string name = field_text(communicator.name);
  if (index == kOtherCommunicators || name == "world" || name == "self") return name;
  return fmt::format("{} of {} from rank {}", name.empty() ? "one" : name, communicator.size,
                     communicator.leader);
}

std::uint64_t end_of(const InsideFile& file, std::uint64_t end) {
  const bool in_call = file.head->finalize_enter == 0 && file.threads.front().enter != 0;
  return in_call ? std::max(end, file.last_seen()) : file.last_seen();
}

InsideRank rank_of(const InsideFile& file, std::uint64_t end) {
  const Head& head = *file.head;
  end = end_of(file, end);
  InsideRank rank{.host = field_text(head.host),
                  .rank = head.rank,
                  .end = end_kind(head),
                  .threads = static_cast<int>(file.threads.size()),
                  .init = between(head.init_enter, head.init_leave),
                  .span = between(head.init_leave, end),
                  .lost_calls = head.lost_calls};
  if (head.finalize_leave != 0) rank.finalize = between(head.finalize_enter, head.finalize_leave);
  ByCall by_call;
  for (std::size_t t = 0; t < file.threads.size(); ++t) {
    for (const Cell& cell : file.threads[t].cell) {
      if (cell.used != 0) add_cell(head, cell, t == 0, rank, by_call);
    }
  }
  ThreadBlock main = file.threads.front();
  if (main.enter != 0 && main.enter <= end && rank.end != InsideEnd::kFinalized) {
    rank.last_call = call_name(head, main.call);
    rank.mpi += between(main.enter, end);
    add_to_windows(main, head.init_leave, main.enter, end);
  }
  rank.mpi = std::min(rank.mpi, rank.span);
  rank.useful = rank.span - rank.mpi;
  add_windows(main, rank.span, rank);
  for (auto& [key, call] : by_call) rank.by_call.push_back(std::move(call));
  std::stable_sort(rank.by_call.begin(), rank.by_call.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  for (std::size_t i = 1; i < head.communicators; ++i) {
    const Communicator& communicator = head.communicator[i];
    rank.communicators.push_back({.id = communicator.id,
                                  .name = name_of(communicator, i),
                                  .size = communicator.size,
                                  .rank = communicator.rank,
                                  .collectives = communicator.sequence});
  }
  return rank;
}

}  // namespace kstar
