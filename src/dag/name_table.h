#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kstar::dag {

/// Names to numbers, counted from 0 as they come. The texts must outlive it: a table of a million
/// names keeps no copies. Most names of large tables are one stem and a numeral, as the first name
/// has it (t0, t17): these are found by their numeral, all others by a hash.
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

 private:
  /// What stands behind the stem; kNone where the name is no such name.
  std::uint32_t numeral_of(std::string_view name) const {
    constexpr std::size_t kMostDigits = 7;
    const std::size_t digits = name.size() - stem_.size();
    if (digits - 1 >= kMostDigits) return kNone;  // or the name is shorter than the stem
    for (std::size_t i = 0; i < stem_.size(); ++i) {
      if (name[i] != stem_[i]) return kNone;
    }
    const char* digit = name.data() + stem_.size();
    if (*digit == '0' && digits > 1) return kNone;  // t7 and t007 are two names
    std::uint32_t numeral = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const auto value = static_cast<std::uint32_t>(digit[i] - '0');
      if (value > 9) return kNone;
      numeral = 10 * numeral + value;
    }
    return numeral;
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
  std::uint32_t hashed_number(std::string_view name);
  std::size_t place(std::string_view name, std::uint64_t hash) const;
  void grow();

  /// Open addressing, at most half full; half of the hash is kept to spare most comparisons.
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t hash = 0;
  };
  std::vector<Slot> slots_;
  std::size_t hashed_ = 0;  ///< how many of the slots are taken
  std::string_view stem_;
  static constexpr std::size_t kPage = 1024;
  std::vector<std::vector<std::uint32_t>> pages_;  ///< by numeral; empty where there is none
  std::vector<std::string_view> names_;
};

}  // namespace kstar::dag
