#pragma once

#include <cstdint>

#include "base/inside_layout.h"

/// The table of calls.def as constants, from which every wrapper is compiled.
namespace kstar::inside {

using Word = std::uintptr_t;  ///< an argument of an MPI call: all of them are words

/// What an argument points to.
template <typename T>
const T* as_pointer(Word argument) {
  return reinterpret_cast<const T*>(argument);  // NOLINT(performance-no-int-to-ptr)
}

inline constexpr int kAbsent = -1;

/// How to know a call's bytes from its arguments. Places of arguments, from 0.
struct ByteRule {
  enum class Shape : std::uint8_t {
    kNothing,
    kOne,         ///< one of `type`
    kFlat,        ///< count x type
    kTimesSize,   ///< count x type x size of the communicator
    kOwnOf,       ///< count[this rank] x type
    kSumOf,       ///< sum of count[] x type
    kSumOfTyped,  ///< sum of count[i] x type[i]
    kRequests,    ///< of `count` persistent requests at `type`; one where there is no count
    kRooted,      ///< on the root: root_count x root_type; else count x type
    kRootedOwn,   ///< on the root: root_count[this rank] x root_type; else count x type
  };
  Shape shape = Shape::kNothing;
  int count = kAbsent;
  int type = kAbsent;
  int root_count = kAbsent;
  int root_type = kAbsent;
  int root = kAbsent;

  constexpr ByteRule with_root(int place) const {
    ByteRule rule = *this;
    rule.root = place;
    return rule;
  }
};

constexpr ByteRule nothing() {
  return {};
}
constexpr ByteRule one(int type) {
  return {.shape = ByteRule::Shape::kOne, .type = type};
}
constexpr ByteRule request(int place) {
  return {.shape = ByteRule::Shape::kRequests, .type = place};
}
constexpr ByteRule requests(int count, int place) {
  return {.shape = ByteRule::Shape::kRequests, .count = count, .type = place};
}
constexpr ByteRule flat(int count, int type) {
  return {.shape = ByteRule::Shape::kFlat, .count = count, .type = type};
}
constexpr ByteRule times_size(int count, int type) {
  return {.shape = ByteRule::Shape::kTimesSize, .count = count, .type = type};
}
constexpr ByteRule own_of(int counts, int type) {
  return {.shape = ByteRule::Shape::kOwnOf, .count = counts, .type = type};
}
constexpr ByteRule sum_of(int counts, int type) {
  return {.shape = ByteRule::Shape::kSumOf, .count = counts, .type = type};
}
constexpr ByteRule sum_of_typed(int counts, int types) {
  return {.shape = ByteRule::Shape::kSumOfTyped, .count = counts, .type = types};
}
constexpr ByteRule rooted(int count, int type, int root_count, int root_type) {
  return {ByteRule::Shape::kRooted, count, type, root_count, root_type};
}
constexpr ByteRule rooted_own(int count, int type, int root_counts, int root_type) {
  return {ByteRule::Shape::kRootedOwn, count, type, root_counts, root_type};
}

struct Call {
  const char* name;
  Kind kind;
  Sync sync = Sync::kNone;
  int communicator = kAbsent;
  ByteRule bytes;
  bool wide = false;    ///< counts are MPI_Count
  int makes = kAbsent;  ///< place of a new communicator
  bool frees = false;   ///< argument 0 points to a communicator that goes
};

/// One constant a call, in the order of the table; then those with wide counts.
enum CallId : std::uint16_t {
#define KSTAR_CALL(name, lower, n, comm, bytes, kind) k##name,
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) k##name,
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) k##name,
#define KSTAR_BARRIER(name, lower, n, comm) k##name,
#define KSTAR_TEXT(name, lower, n, comm, bytes, kind) k##name,
#define KSTAR_MAKES(name, lower, n, comm, place) k##name,
#define KSTAR_FREES(name, lower) k##name,
#include "tools/kstar_mpi/calls.def"
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) k##name##_c,
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) k##name##_c,
#include "tools/kstar_mpi/calls.def"
  kCallCount
};

inline constexpr Call kCalls[] = {
#define KSTAR_CALL(name, lower, n, comm, bytes, kind) {#name, Kind::kind, Sync::kNone, comm, bytes},
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) \
  {#name, Kind::kind, Sync::kNone, comm, bytes},
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) \
  {#name, Kind::kCollective, Sync::sync, comm, (bytes).with_root(root)},
#define KSTAR_BARRIER(name, lower, n, comm) {#name, Kind::kCollective, Sync::kAll, comm, nothing()},
#define KSTAR_TEXT(name, lower, n, comm, bytes, kind) {#name, Kind::kind, Sync::kNone, comm, bytes},
#define KSTAR_MAKES(name, lower, n, comm, place) \
  {#name, Kind::kCommunicator, Sync::kNone, comm, nothing(), false, place},
#define KSTAR_FREES(name, lower) \
  {#name, Kind::kCommunicator, Sync::kNone, kAbsent, nothing(), false, kAbsent, true},
#include "tools/kstar_mpi/calls.def"
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) \
  {#name "_c", Kind::kind, Sync::kNone, comm, bytes, true},
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) \
  {#name "_c", Kind::kCollective, Sync::sync, comm, (bytes).with_root(root), true},
#include "tools/kstar_mpi/calls.def"
};

static_assert(kCallCount <= kMostCalls);

}  // namespace kstar::inside
