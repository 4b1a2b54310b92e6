#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dag/word_text.h"

namespace kstar::dag {

/// Names to numbers, counted from 0 as they come. The texts must outlive it: a table of a million
/// names keeps no copies. Most names of large tables are one stem and a numeral, as the first name
/// has it (t0, t17, t0042): these are found by their numeral, all others by a hash.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// The number of a name, a new one where it is new.
  std::uint32_t number(std::string_view name) { return number_at(name, numeral_of(name)); }
  /// The same for many, which is several times faster where the table is larger than the caches:
  /// all are looked up at the same time.
  void number_all(std::span<const std::string_view> names, std::span<std::uint32_t> numbers);
  /// kNone where it is not there.
  std::uint32_t find(std::string_view name) const;

  std::size_t size() const { return names_.size(); }
  std::string_view name(std::uint32_t number) const { return names_[number]; }
  std::span<const std::string_view> all() const { return names_; }

 private:
  /// Where the name is among all that are the stem and some digits; kNone where it is no such name.
  std::uint32_t numeral_of(std::string_view name) const {
    // Those of one digit, then those of two ...: t7 and t007 are two names.
    constexpr std::uint32_t kBefore[] = {0, 0, 10, 110, 1'110, 11'110, 111'110, 1'111'110};
    constexpr std::size_t kMostDigits = 7;
    const std::size_t digits = name.size() - stem_.size();
    if (digits - 1 >= kMostDigits) return kNone;  // or the name is shorter than the stem
    for (std::size_t i = 0; i < stem_.size(); ++i) {
      if (name[i] != stem_[i]) return kNone;
    }
    const std::uint32_t value = digits_value(name.substr(stem_.size()), kNone);
    return value == kNone ? kNone : value + kBefore[digits];
  }
  /// Where the number of that numeral is; null where none has come yet.
  const std::uint32_t* numbered(std::uint32_t numeral) const {
    const std::size_t page = numeral / kPage;
    return page < pages_.size() && !pages_[page].empty() ? &pages_[page][numeral % kPage] : nullptr;
  }
  std::uint32_t number_at(std::string_view name, std::uint32_t numeral) {
    const std::uint32_t* known = numbered(numeral);
    return known != nullptr && *known != kNone ? *known : new_number(name, numeral);
  }
  std::uint32_t new_number(std::string_view name, std::uint32_t numeral);
  std::uint32_t add(std::string_view name);
  std::uint32_t hashed_number(std::string_view name, std::uint64_t hash);
  std::size_t place(std::string_view name, std::uint64_t hash) const;
  /// Fetches what looking these up will read.
  void fetch(std::span<const std::string_view> names, std::span<const std::uint32_t> numerals);
  void grow();

  /// Open addressing, at most half full. A part of the hash and the length spare most comparisons,
  /// and where the text is spares a look at `names_`.
  struct Slot {
    const char* text = nullptr;
    std::uint32_t number = kNone;
    std::uint16_t length = 0;  ///< or the largest
    std::uint16_t hash = 0;
  };
  static Slot slot_of(std::string_view name, std::uint64_t hash);
  bool is_at(const Slot& slot, const Slot& wanted, std::string_view name) const;
  std::vector<Slot> slots_;
  std::size_t hashed_ = 0;  ///< how many of the slots are taken
  std::string_view stem_;
  static constexpr std::size_t kPage = 1024;
  std::vector<std::vector<std::uint32_t>> pages_;  ///< by numeral; empty where there is none
  std::vector<std::string_view> names_;
  std::vector<std::uint64_t> hashes_;  ///< of number_all(), kept for the next call
};

}  // namespace kstar::dag
