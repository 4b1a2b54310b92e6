#pragma once

#include "tools/kstar_mpi/communicators.h"
#include "tools/kstar_mpi/persistent.h"

/// The bytes of a call, from its arguments.
namespace kstar::inside {

/// Reads the arguments of one call as its language has them.
template <Language kLanguage, bool kWide>
struct Arguments {
  const Word* words;
  Thread& thread;

  std::uint64_t number(int place) const {
    if constexpr (kLanguage == Language::kFortran) return element(words[place], 0);
    if constexpr (kWide) return not_negative(static_cast<std::int64_t>(words[place]));
    return not_negative(static_cast<std::int32_t>(words[place]));
  }
  /// An int, whatever the width of counts: a rank, a number of requests.
  std::int32_t rank(int place) const {
    if constexpr (kLanguage == Language::kFortran) {
      return *as_pointer<std::int32_t>(words[place]);
    }
    return static_cast<std::int32_t>(words[place]);
  }
  std::uint64_t number_at(int place, int index) const { return element(words[place], index); }

  /// `count` elements of the type; a type that nothing is sent of may be invalid, and is not
  /// asked.
  std::uint64_t bytes(std::uint64_t count, int type) const {
    return count == 0 ? 0 : count * type_size(thread, key_of<kLanguage>(words[type]));
  }
  std::uint64_t bytes_typed(std::uint64_t count, int types, int index) const {
    return count == 0 ? 0 : count * type_size(thread, key_in(types, index));
  }
  /// The key of an element of an array of handles.
  Key key_in(int place, int index) const {
    const bool pointers = kLanguage == Language::kC && real_mpi.flavour == Flavour::kOpenMpi;
    return key_at<kLanguage>(words[place] +
                             static_cast<Word>(index) * (pointers ? sizeof(Word) : sizeof(int)));
  }

 private:
  static std::uint64_t not_negative(std::int64_t value) {
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  }
  static std::uint64_t element(Word address, int index) {
    if constexpr (kWide) return not_negative(as_pointer<std::int64_t>(address)[index]);
    return not_negative(as_pointer<std::int32_t>(address)[index]);
  }
};

template <CallId kCall, Language kLanguage>
std::uint64_t bytes_of(const Word* words, Thread& thread, const Communicator& on) {
  using Shape = ByteRule::Shape;
  constexpr ByteRule kRule = kCalls[kCall].bytes;
  const Arguments<kLanguage, kCalls[kCall].wide> given{words, thread};
  // Between two groups the arrays are as long as the other group: left out.
  const int members = on.inter != 0 ? 0 : on.size;
  if constexpr (kRule.shape == Shape::kNothing) {
    return 0;
  } else if constexpr (kRule.shape == Shape::kOne) {
    return given.bytes(1, kRule.type);
  } else if constexpr (kRule.shape == Shape::kFlat) {
    return given.bytes(given.number(kRule.count), kRule.type);
  } else if constexpr (kRule.shape == Shape::kTimesSize) {
    return given.bytes(given.number(kRule.count) * static_cast<std::uint64_t>(members), kRule.type);
  } else if constexpr (kRule.shape == Shape::kOwnOf) {
    return members == 0 ? 0 : given.bytes(given.number_at(kRule.count, on.rank), kRule.type);
  } else if constexpr (kRule.shape == Shape::kSumOf) {
    std::uint64_t count = 0;
    for (int i = 0; i < members; ++i) count += given.number_at(kRule.count, i);
    return given.bytes(count, kRule.type);
  } else if constexpr (kRule.shape == Shape::kSumOfTyped) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < members; ++i) {
      bytes += given.bytes_typed(given.number_at(kRule.count, i), kRule.type, i);
    }
    return bytes;
  } else if constexpr (kRule.shape == Shape::kRequests) {
    const int count = kRule.count == kAbsent ? 1 : given.rank(kRule.count);
    std::uint64_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += bytes_of_request(given.key_in(kRule.type, i));
    return bytes;
  } else {
    if (members == 0) return 0;
    if (given.rank(kRule.root) != on.rank) {
      return given.bytes(given.number(kRule.count), kRule.type);
    }
    const std::uint64_t count = kRule.shape == Shape::kRooted
                                    ? given.number(kRule.root_count)
                                    : given.number_at(kRule.root_count, on.rank);
    return given.bytes(count, kRule.root_type);
  }
}

}  // namespace kstar::inside
