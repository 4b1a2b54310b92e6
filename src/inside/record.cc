// What every rank counted, as the bounded record of a Run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kstar/inside.h"

namespace kstar {

namespace {

/// The rows behind the largest become one.
template <typename Row, typename Add>
void bound(std::vector<Row>& rows, Row others, const Add& add) {
  if (rows.size() <= kMostInsideRows) return;
  for (std::size_t i = kMostInsideRows; i < rows.size(); ++i) add(others, rows[i]);
  rows.resize(kMostInsideRows);
  rows.push_back(std::move(others));
}

std::vector<CallSum> sum_calls(const InsideRun& run) {
  struct Sum {
    CallSum row;
    std::size_t ranks = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const InsideRank& rank : run.ranks) {
    std::map<std::pair<std::string, std::string>, double> seconds;
    for (const InsideCall& call : rank.by_call) {
      // Groups that one split made have names of their own, or share a row.
      CallSum& row = sums[{call.call, call.communicator}].row;
      row.calls += call.calls;
      row.bytes += call.bytes;
      seconds[{call.call, call.communicator}] += call.seconds;
    }
    for (const auto& [key, one] : seconds) {
      Sum& sum = sums[key];
      sum.row.seconds += one;
      sum.row.seconds_min = sum.ranks == 0 ? one : std::min(sum.row.seconds_min, one);
      sum.row.seconds_max = std::max(sum.row.seconds_max, one);
      ++sum.ranks;
    }
  }
  std::vector<CallSum> rows;
  for (auto& [key, sum] : sums) {
    sum.row.call = key.first;
    sum.row.communicator = key.second;
    if (sum.ranks < run.ranks.size()) sum.row.seconds_min = 0;
    rows.push_back(std::move(sum.row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CallSum& a, const CallSum& b) { return a.seconds > b.seconds; });
  CallSum others;
  others.call = kOtherRows;
  bound(rows, std::move(others), [](CallSum& all, const CallSum& one) {
    all.calls += one.calls;
    all.bytes += one.bytes;
    all.seconds += one.seconds;
    all.seconds_max = std::max(all.seconds_max, one.seconds_max);
  });
  return rows;
}

std::vector<CommunicatorSum> sum_communicators(const InsideRun& run) {
  // Every rank has a MPI_COMM_SELF: those of one member are one row, where they were used.
  std::map<std::pair<std::uint64_t, std::string>, CommunicatorSum> sums;
  for (const InsideRank& rank : run.ranks) {
    for (const InsideCommunicator& one : rank.communicators) {
      const bool alone = one.size < 2;
      if (alone && one.collectives == 0) continue;
      CommunicatorSum& sum = alone ? sums[{0, one.name}] : sums[{one.id, ""}];
      sum.name = one.name;
      sum.size = one.size;
      sum.collectives = std::max(sum.collectives, one.collectives);
      if (one.wait) sum.wait = sum.wait.value_or(0) + *one.wait;
    }
  }
  std::vector<CommunicatorSum> rows;
  for (auto& [id, sum] : sums) rows.push_back(std::move(sum));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CommunicatorSum& a, const CommunicatorSum& b) {
                     return a.wait.value_or(0) > b.wait.value_or(0);
                   });
  CommunicatorSum others;
  others.name = kOtherRows;
  bound(rows, std::move(others), [](CommunicatorSum& all, const CommunicatorSum& one) {
    all.collectives += one.collectives;
    if (one.wait) all.wait = all.wait.value_or(0) + *one.wait;
  });
  return rows;
}

std::optional<WindowSums> sum_windows(const InsideRun& run) {
  std::size_t count = 0;
  WindowSums sums;
  for (const InsideRank& rank : run.ranks) {
    count = std::max(count, rank.windows.size());
    if (rank.windows.empty()) continue;
    const InsideWindow& first = rank.windows.front();
    sums.seconds = std::max(sums.seconds, first.end - first.begin);
  }
  if (count == 0) return std::nullopt;
  const auto ranks = static_cast<double>(run.ranks.size());
  sums.bytes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    double least = -1, most = 0, useful = 0, mpi = 0;
    for (const InsideRank& rank : run.ranks) {
      const InsideWindow window = i < rank.windows.size() ? rank.windows[i] : InsideWindow{};
      least = least < 0 ? window.useful : std::min(least, window.useful);
      most = std::max(most, window.useful);
      useful += window.useful;
      mpi += window.mpi;
      sums.bytes[i] += window.bytes;
    }
    sums.useful_min.push_back(std::max(0.0, least));
    sums.useful_mean.push_back(useful / ranks);
    sums.useful_max.push_back(most);
    sums.mpi_mean.push_back(mpi / ranks);
  }
  if (run.ranks.size() > kMostWindowedRanks) return sums;
  for (const InsideRank& rank : run.ranks) {
    std::vector<double>& row = sums.useful.emplace_back();
    for (const InsideWindow& window : rank.windows) row.push_back(window.useful);
  }
  return sums;
}

/// In words, without repeating one for every rank.
std::vector<std::string> note_texts(const InsideRun& run) {
  constexpr std::size_t kMost = 16;
  std::vector<std::string> texts;
  for (const Note& note : run.notes) {
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("and {} more like these", run.notes.size() - kMost));
      break;
    }
    texts.push_back(note.where.empty() ? note_sentence(note)
                                       : fmt::format("{}: {}", note.where, note_sentence(note)));
  }
  return texts;
}

}  // namespace

Inside inside_record(const InsideRun& run) {
  Inside record;
  record.mpi = run.mpi;
  record.world = run.world;
  record.clock_error = run.clock_error;
  record.wait_coverage = run.wait_coverage;
  bool all_finalized = true, any_call = false;
  for (const InsideRank& rank : run.ranks) {
    record.span.push_back(rank.span);
    record.init.push_back(rank.init);
    record.calls.push_back(rank.calls);
    record.bytes.push_back(rank.bytes_sent);
    all_finalized = all_finalized && rank.end == InsideEnd::kFinalized;
    any_call = any_call || !rank.last_call.empty();
  }
  for (const InsideRank& rank : run.ranks) {
    if (static_cast<int>(run.ranks.size()) != run.world) record.rank.push_back(rank.rank);
    if (!all_finalized) record.end.emplace_back(name_of(rank.end));
    if (any_call) record.last_call.push_back(rank.last_call);
  }
  record.by_call = sum_calls(run);
  record.communicators = sum_communicators(run);
  record.windows = sum_windows(run);
  record.notes = note_texts(run);
  return record;
}

}  // namespace kstar
