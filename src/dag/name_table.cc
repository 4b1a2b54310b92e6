#include "dag/name_table.h"

#include <cstring>

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

std::size_t NameTable::place(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  const auto kept = static_cast<std::uint32_t>(hash >> 32U);
  while (slots_[at].number != kNone &&
         (slots_[at].hash != kept || names_[slots_[at].number] != name)) {
    at = (at + 1) & mask;
  }
  return at;
}

void NameTable::grow() {
  constexpr std::size_t kFirst = 64;
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? kFirst : 4 * old.size(), {});
  for (const Slot& slot : old) {
    if (slot.number == kNone) continue;
    const std::string_view name = names_[slot.number];
    slots_[place(name, name_hash(name))] = slot;
  }
}

std::uint32_t NameTable::add(std::string_view name) {
  names_.push_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::uint32_t NameTable::hashed_number(std::string_view name) {
  if (2 * hashed_ >= slots_.size()) grow();
  const std::uint64_t hash = name_hash(name);
  Slot& slot = slots_[place(name, hash)];
  if (slot.number == kNone) {
    ++hashed_;
    slot = {add(name), static_cast<std::uint32_t>(hash >> 32U)};
  }
  return slot.number;
}

std::uint32_t NameTable::new_number(std::string_view name, std::uint32_t numeral) {
  if (names_.empty()) {
    stem_ = name.substr(0, 1 + name.find_last_not_of("0123456789"));
    numeral = numeral_of(name);
  }
  if (numeral == kNone) return hashed_number(name);
  const std::size_t page = numeral / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page].empty()) pages_[page].assign(kPage, kNone);
  return pages_[page][numeral % kPage] = add(name);
}

void NameTable::number_all(std::span<const std::string_view> names,
                           std::span<std::uint32_t> numbers) {
  if (names_.empty() && !names.empty()) number(names[0]);  // numerals need the stem
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers[i] = numeral_of(names[i]);
    __builtin_prefetch(numbered(numbers[i]));
  }
  for (std::size_t i = 0; i < names.size(); ++i) numbers[i] = number_at(names[i], numbers[i]);
}

std::uint32_t NameTable::find(std::string_view name) const {
  const std::uint32_t numeral = numeral_of(name);
  if (const std::uint32_t* known = numbered(numeral)) return *known;
  if (numeral != kNone || slots_.empty()) return kNone;
  return slots_[place(name, name_hash(name))].number;
}

}  // namespace kstar::dag
