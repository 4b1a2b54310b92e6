#include "tools/kstar_mpi/recorder.h"

#include "base/inside_windows.h"

namespace kstar::inside {

namespace {

constexpr std::size_t kMostProbes = 64;

/// The cell of a call on a communicator; null when the table is full around it.
Cell* cell_of(ThreadBlock& block, std::uint16_t call, std::uint16_t communicator) {
  std::size_t place = call + std::size_t{communicator} * 61;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, ++place) {
    Cell& cell = block.cell[place % kCells];
    if (cell.call == call && cell.communicator == communicator && cell.used != 0) return &cell;
    if (cell.used == 0) {
      cell.call = call;
      cell.communicator = communicator;
      cell.used = 1;
      return &cell;
    }
  }
  return nullptr;
}

}  // namespace

void lose_call() {
  __atomic_fetch_add(&head->lost_calls, 1, __ATOMIC_RELAXED);
}

void record(ThreadBlock& block, const Event& event) {
  block.last_leave = event.leave;
  block.enter = 0;
  Cell* cell = cell_of(block, event.call, event.communicator);
  if (cell == nullptr) cell = cell_of(block, event.call, kOtherCommunicators);
  if (cell == nullptr) return lose_call();
  ++cell->calls;
  cell->bytes += event.bytes;
  cell->time += event.leave - event.enter;
  Window& window = add_to_windows(block, head->init_leave, event.enter, event.leave);
  ++window.calls;
  window.bytes += event.bytes;
}

}  // namespace kstar::inside
