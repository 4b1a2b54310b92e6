#include "inside/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/inside_windows.h"

namespace kstar {

using namespace inside;

namespace {

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
