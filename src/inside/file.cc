#include "inside/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"

namespace kstar {

using namespace inside;

namespace {

constexpr std::size_t kMostBytes = kHeadBytes + kMostThreads * kThreadBytes;
constexpr int kMostRanks = 100'000'000;
constexpr std::uint64_t kMostTime = std::uint64_t{1} << 62;  // 146 years
constexpr std::uint32_t kMostShift = 56;                     // of windows

Error damaged(const std::string& path, std::string_view what, std::uint64_t got) {
  return expected(path, what, std::to_string(got),
                  "the file is damaged: leave it out, or run the program again");
}

Error too_many(const std::string& path, std::string_view what, std::size_t most,
               std::uint64_t got) {
  return damaged(path, fmt::format("at most {} {}", most, what), got);
}

Result<void> check_start(std::string_view bytes, const std::string& path) {
  if (bytes.size() < sizeof kMagic ||
      bytes.substr(0, sizeof kMagic) != std::string_view(kMagic, sizeof kMagic)) {
    return fail(expected(path, "a file of libkstar_mpi.so", "something else"));
  }
  if (bytes.size() < kHeadBytes) {
    return fail(expected(path, fmt::format("at least {} bytes", kHeadBytes),
                         std::to_string(bytes.size()), "the file was cut off"));
  }
  return {};
}

Result<void> check_version(const Head& head, const std::string& path) {
  if (head.byte_order != kByteOrder) {
    return fail(expected(path, "the byte order of this machine", "another one",
                         "read it on the kind of machine that wrote it"));
  }
  if (head.version != kVersion || head.head_bytes != kHeadBytes ||
      head.thread_bytes != kThreadBytes) {
    return fail(expected(path, fmt::format("version {}", kVersion), std::to_string(head.version),
                         "libkstar_mpi.so and kstar must be of one version"));
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

}  // namespace

std::uint64_t InsideFile::last_seen() const {
  if (head->finalize_enter != 0) return head->finalize_enter;
  std::uint64_t last = head->init_leave;
  for (const ThreadBlock& thread : threads)
    last = std::max({last, thread.last_leave, thread.enter});
  return last;
}

Result<InsideFile> parse_inside(std::string_view bytes, const std::string& path) {
  if (auto good = check_start(bytes, path); !good) return fail(good.error());
  InsideFile file{.path = path, .head = std::make_unique<Head>()};
  std::memcpy(file.head.get(), bytes.data(), sizeof(Head));
  if (auto good = check_version(*file.head, path); !good) return fail(good.error());
  if (auto good = check_tables(*file.head, path); !good) return fail(good.error());
  const std::size_t needed = kHeadBytes + file.head->threads * kThreadBytes;
  if (bytes.size() < needed) {
    return fail(expected(path, fmt::format("{} bytes", needed), std::to_string(bytes.size()),
                         "the file was cut off"));
  }
  file.threads.resize(file.head->threads);
  for (std::size_t i = 0; i < file.threads.size(); ++i) {
    std::memcpy(&file.threads[i], bytes.data() + kHeadBytes + i * kThreadBytes,
                sizeof(ThreadBlock));
    if (auto good = check_thread(file.threads[i], file); !good) return fail(good.error());
  }
  if (file.head->rank >= 0 && file.threads.empty()) {
    return fail(damaged(path, "at least one thread", 0));
  }
  if (auto good = check_times(file); !good) return fail(good.error());
  return file;
}

Result<InsideFile> read_inside_file(const std::string& path) {
  const Result<FileText> text = read_file(path, kMostBytes);
  if (!text) return fail(text.error());
  return parse_inside(text->view(), path);
}

}  // namespace kstar
