#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/inside_windows.h"
#include "inside/file.h"

/// The files that libkstar_mpi.so leaves, made here.
namespace kstar::inside {

inline constexpr std::uint64_t kSecond = 1'000'000'000, kStart = 5000 * kSecond;

/// The file of a rank that was 10 s from MPI_Init to MPI_Finalize, 4 s of them in 8 all-reduces and
/// 1 s in a read of 100 bytes.
struct Example {
  std::unique_ptr<Head> head = std::make_unique<Head>();
  std::vector<ThreadBlock> threads{1};

  explicit Example(int rank = 0, int world = 1) {
    std::memcpy(head->magic, kMagic, sizeof kMagic);
    head->version = kVersion;
    head->byte_order = kByteOrder;
    head->head_bytes = kHeadBytes;
    head->thread_bytes = kThreadBytes;
    head->calls = 2;
    head->call[0] = {"Allreduce", Kind::kCollective, Sync::kAll};
    head->call[1] = {"File_read", Kind::kFile, Sync::kNone};
    head->communicators = 2;
    head->communicator[1] = {.id = 7, .sequence = 8, .size = world, .rank = rank, .name = "world"};
    head->end = End::kFinalized;
    head->rank = rank;
    head->world = world;
    head->threads = 1;
    head->clock = head->kernel = 1;
    head->init_enter = kStart - kSecond;
    head->init_leave = kStart;
    head->finalize_enter = kStart + 10 * kSecond;
    head->finalize_leave = head->finalize_enter + kSecond / 2;
    std::strcpy(head->host, "node1");
    threads[0].window_shift = kFirstWindowShift;
    add_call(1, 0, 1, 100, 1 * kSecond, 2 * kSecond);
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t enter = 2 * kSecond + i * kSecond;
      add_call(0, 1, 1, 800, enter, enter + kSecond / 2);
      if (world > 1)
        head->log[head->log_entries++] = {i, kStart + enter, kStart + enter + kSecond / 2, 1, 0,
                                          -1};
    }
  }

  void add_call(std::uint16_t call, std::uint16_t communicator, std::uint64_t calls,
                std::uint64_t bytes, std::uint64_t enter, std::uint64_t leave) {
    Cell& cell = threads[0].cell[call];
    cell.used = 1;
    cell.call = call;
    cell.communicator = communicator;
    cell.calls += calls;
    cell.bytes += bytes;
    cell.time += leave - enter;
    Window& window = add_to_windows(threads[0], head->init_leave, kStart + enter, kStart + leave);
    window.calls += calls;
    threads[0].last_leave = kStart + leave;
  }

  std::string bytes() const {
    std::string bytes(kHeadBytes + threads.size() * kThreadBytes, '\0');
    std::memcpy(bytes.data(), head.get(), sizeof(Head));
    for (std::size_t i = 0; i < threads.size(); ++i) {
      std::memcpy(bytes.data() + kHeadBytes + i * kThreadBytes, &threads[i], sizeof(ThreadBlock));
    }
    return bytes;
  }
};

}  // namespace kstar::inside
