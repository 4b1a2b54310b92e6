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
  slots_.assign(slots_.empty() ? kFirst : 4 * slots_.size(), {});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    const std::uint64_t hash = name_hash(names_[i]);
    std::size_t at = hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = {i, static_cast<std::uint32_t>(hash >> 32U)};
  }
}

std::uint32_t NameTable::number(std::string_view name) {
  if (2 * names_.size() >= slots_.size()) grow();
  const std::uint64_t hash = name_hash(name);
  Slot& slot = slots_[place(name, hash)];
  if (slot.number == kNone) {
    slot = {static_cast<std::uint32_t>(names_.size()), static_cast<std::uint32_t>(hash >> 32U)};
    names_.push_back(name);
  }
  return slot.number;
}

std::uint32_t NameTable::find(std::string_view name) const {
  return slots_.empty() ? kNone : slots_[place(name, name_hash(name))].number;
}

}  // namespace kstar::dag
