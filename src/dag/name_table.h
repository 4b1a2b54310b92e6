#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kstar::dag {

/// Names to numbers, counted from 0 as they come. The texts must outlive it: a table of a million
/// names keeps no copies.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// The number of a name, a new one where it is new.
  std::uint32_t number(std::string_view name);
  /// kNone where it is not there.
  std::uint32_t find(std::string_view name) const;

  std::size_t size() const { return names_.size(); }
  std::string_view name(std::uint32_t number) const { return names_[number]; }

 private:
  std::size_t place(std::string_view name, std::uint64_t hash) const;
  void grow();

  /// Open addressing, at most half full; half of the hash is kept to spare most comparisons.
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t hash = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::string_view> names_;
};

}  // namespace kstar::dag
