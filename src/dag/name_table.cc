#include "dag/name_table.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kstar::dag {

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32U;
  value *= 0x9E3779B97F4A7C15U;
  return value ^ (value >> 29U);
}

std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = name.size() * 0xFF51AFD7ED558CCDU;
  while (name.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data(), sizeof word);
    hash = mixed(hash ^ word) + 0x632BE59BD9B4E019U;
    name.remove_prefix(sizeof word);
  }
  std::uint64_t word = 0;
  if (!name.empty()) std::memcpy(&word, name.data(), name.size());
  return mixed(mixed(hash ^ word));
}

}  // namespace

NameTable::Slot NameTable::slot_of(std::string_view name, std::uint64_t hash) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
  return {name.data(), kNone, static_cast<std::uint16_t>(std::min(name.size(), kMost)),
          static_cast<std::uint16_t>(hash >> 48U)};
}

bool NameTable::is_at(const Slot& slot, const Slot& wanted, std::string_view name) const {
  if (slot.hash != wanted.hash || slot.length != wanted.length) return false;
  const bool whole = slot.length < std::numeric_limits<std::uint16_t>::max();
  return (whole ? std::string_view(slot.text, slot.length) : names_[slot.number]) == name;
}

std::size_t NameTable::place(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const Slot wanted = slot_of(name, hash);
  std::size_t at = hash & mask;
  while (slots_[at].number != kNone && !is_at(slots_[at], wanted, name)) at = (at + 1) & mask;
  return at;
}

void NameTable::grow() {
  constexpr std::size_t kFirst = 64;
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? kFirst : 2 * old.size(), {});
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kNone) continue;
    std::size_t at = name_hash(names_[slot.number]) & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::uint32_t NameTable::add(std::string_view name) {
  names_.push_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::uint32_t NameTable::hashed_number(std::string_view name, std::uint64_t hash) {
  if (2 * hashed_ >= slots_.size()) grow();
  Slot& slot = slots_[place(name, hash)];
  if (slot.number == kNone) {
    ++hashed_;
    slot = slot_of(name, hash);
    slot.number = add(name);
  }
  return slot.number;
}

std::uint32_t NameTable::new_number(std::string_view name, std::uint32_t numeral) {
  if (names_.empty()) {
    stem_ = name.substr(0, 1 + name.find_last_not_of("0123456789"));
    numeral = numeral_of(name);
  }
  if (numeral == kNone) return hashed_number(name, name_hash(name));
  const std::size_t page = numeral / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page].empty()) pages_[page].assign(kPage, kNone);
  return pages_[page][numeral % kPage] = add(name);
}

// A look-up of a hashed name reads a slot, and the text of the name that is there: two waits for
// memory one after the other, which are shared here by all names.
void NameTable::fetch(std::span<const std::string_view> names,
                      std::span<const std::uint32_t> numerals) {
  const std::size_t mask = slots_.size() - 1;
  const auto for_each_hashed = [&](const auto& take) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (numerals[i] == kNone) take(i);
    }
  };
  for_each_hashed([&](std::size_t i) {
    hashes_[i] = name_hash(names[i]);
    if (!slots_.empty()) __builtin_prefetch(&slots_[hashes_[i] & mask]);
  });
  if (slots_.empty()) return;
  for_each_hashed([&](std::size_t i) { __builtin_prefetch(slots_[hashes_[i] & mask].text); });
}

void NameTable::number_all(std::span<const std::string_view> names,
                           std::span<std::uint32_t> numbers) {
  if (names_.empty() && !names.empty()) number(names[0]);  // numerals need the stem
  bool hashed = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers[i] = numeral_of(names[i]);
    hashed = hashed || numbers[i] == kNone;
    __builtin_prefetch(numbered(numbers[i]));
  }
  if (hashed) {
    hashes_.resize(names.size());
    fetch(names, numbers);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers[i] =
        numbers[i] == kNone ? hashed_number(names[i], hashes_[i]) : number_at(names[i], numbers[i]);
  }
}

std::uint32_t NameTable::find(std::string_view name) const {
  const std::uint32_t numeral = numeral_of(name);
  if (const std::uint32_t* known = numbered(numeral)) return *known;
  if (numeral != kNone || slots_.empty()) return kNone;
  return slots_[place(name, name_hash(name))].number;
}

}  // namespace kstar::dag
