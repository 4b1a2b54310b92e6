#include "tools/kstar_mpi/communicators.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

namespace kstar::inside {

namespace {

/// Which key is which communicator. Looked through from its start: threads know by heart what they
/// use.
struct Registered {
  Key key;
  std::uint16_t index;
};
constexpr std::size_t kMostRegistered = 2 * kMostCommunicators;  // a C and a Fortran handle each
Registered registered[kMostRegistered];
std::size_t registered_count = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Handle world_group = 0;

class Lock {
 public:
  Lock() { ::pthread_mutex_lock(&mutex); }
  ~Lock() { ::pthread_mutex_unlock(&mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

Handle communicator_handle(Key key) {
  return (key & kFortranKey) != 0 ? real_mpi.comm_f2c(static_cast<int>(key & 0xffffffffU)) : key;
}

std::uint64_t mix(std::uint64_t value) {  // the end of splitmix64
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// Fills in who the members are. Local calls only.
void describe(Communicator& made, Handle handle) {
  int size = 0, rank = 0, inter = 0;
  real_mpi.comm_size(handle, &size);
  real_mpi.comm_rank(handle, &rank);
  real_mpi.comm_test_inter(handle, &inter);
  made.size = size;
  made.rank = rank;
  made.inter = inter != 0 ? 1 : 0;
  made.leader = -1;
  made.members = mix(static_cast<std::uint64_t>(size) * 2 + made.inter + 1);
  auto* ranks = static_cast<int*>(std::calloc(2 * static_cast<std::size_t>(size), sizeof(int)));
  if (ranks == nullptr) return;
  int* in_world = ranks + size;
  for (int i = 0; i < size; ++i) ranks[i] = i;
  Handle group = 0;
  real_mpi.comm_group(handle, &group);
  real_mpi.group_translate_ranks(group, size, ranks, world_group, in_world);
  real_mpi.group_free(&group);
  for (int i = 0; i < size; ++i) {
    made.members =
        mix(made.members ^ (static_cast<std::uint64_t>(in_world[i]) + 1) * 0x9e3779b97f4a7c15U);
  }
  if (size > 0 && in_world[0] >= 0) made.leader = in_world[0];
  std::free(ranks);
}

/// All members make and free the communicators among themselves in the same order. So the n-th with
/// the same members has the same id on each of them, and one that follows a freed one takes its
/// place on each of them.
std::uint16_t place_of(const Communicator& made) {
  std::uint64_t same = 0;
  for (std::uint32_t i = 1; i < head->communicators; ++i) {
    Communicator& old = head->communicator[i];
    if (old.members != made.members || old.size != made.size) continue;
    if (old.freed != 0) {
      old.freed = 0;
      return static_cast<std::uint16_t>(i);
    }
    ++same;
  }
  if (head->communicators >= kOtherCommunicators) return kOtherCommunicators;
  const std::uint32_t place = head->communicators;
  Communicator& fresh = head->communicator[place];
  fresh = made;
  fresh.id = mix(made.members + same);
  head->communicators = place + 1;
  return static_cast<std::uint16_t>(place);
}

/// Under the lock.
std::uint16_t find_registered(Key key) {
  for (std::size_t i = 0; i < registered_count; ++i) {
    if (registered[i].key == key) return registered[i].index;
  }
  return kNoCommunicator;
}

void add_registered(Key key, std::uint16_t index) {
  if (registered_count < kMostRegistered) registered[registered_count++] = {key, index};
}

void set_name(Communicator& communicator, const char* name, std::size_t length) {
  const std::size_t kept =
      length < sizeof communicator.name - 1 ? length : sizeof communicator.name - 1;
  std::memset(communicator.name, 0, sizeof communicator.name);
  std::memcpy(communicator.name, name, kept);
}

}  // namespace

void forget_handles() {
  __atomic_fetch_add(&handle_generation, 1, __ATOMIC_RELEASE);
}

void refresh_known(Thread& thread) {
  for (auto& known : thread.communicator) known.key = 0;
  for (auto& known : thread.type) known.key = 0;
  thread.generation = __atomic_load_n(&handle_generation, __ATOMIC_ACQUIRE);
}

std::uint16_t look_up_communicator(Key key, const char* made_by) {
  const Lock lock;
  if (const std::uint16_t index = find_registered(key); index != kNoCommunicator) return index;
  const Handle handle = communicator_handle(key);
  if (handle == real_mpi.no_communicator || handle == 0) return kNoCommunicator;
  if (handle != key) {  // a Fortran handle of one that C knows
    if (const std::uint16_t index = find_registered(handle); index != kNoCommunicator) {
      add_registered(key, index);
      return index;
    }
  }
  Communicator made{};
  describe(made, handle);
  set_name(made, made_by != nullptr ? made_by : "", made_by != nullptr ? std::strlen(made_by) : 0);
  const std::uint16_t index = place_of(made);
  add_registered(handle, index);
  if (handle != key) add_registered(key, index);
  return index;
}

std::uint64_t look_up_type(Key key) {
  const Handle handle =
      (key & kFortranKey) != 0 ? real_mpi.type_f2c(static_cast<int>(key & 0xffffffffU)) : key;
  int size = 0;
  real_mpi.type_size(handle, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

void start_communicators() {
  real_mpi.comm_group(real_mpi.world, &world_group);
  head->communicators = 1;  // kNoCommunicator
  set_name(head->communicator[kOtherCommunicators], "others", 6);
  look_up_communicator(real_mpi.world, "world");
  look_up_communicator(real_mpi.self, "self");
}

void communicator_freed(Key key) {
  const std::uint16_t index = look_up_communicator(key, nullptr);
  const Lock lock;
  if (index == kNoCommunicator) return;
  if (index != kOtherCommunicators) head->communicator[index].freed = 1;
  std::size_t kept = 0;
  const Handle handle = communicator_handle(key);
  for (std::size_t i = 0; i < registered_count; ++i) {
    const bool gone = index == kOtherCommunicators
                          ? registered[i].key == key || registered[i].key == handle
                          : registered[i].index == index;
    if (!gone) registered[kept++] = registered[i];
  }
  registered_count = kept;
  forget_handles();
}

void communicator_named(Key key, const char* name, std::size_t length) {
  const std::uint16_t index = look_up_communicator(key, nullptr);
  const Lock lock;
  if (index == kNoCommunicator || index == kOtherCommunicators) return;
  set_name(head->communicator[index], name, length);
}

}  // namespace kstar::inside
