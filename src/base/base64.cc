#include "base/base64.h"

#include <array>
#include <cstdint>

namespace kstar {

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::int8_t kNone = -1, kBlank = -2;

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  for (std::int8_t& value : values) value = kNone;
  for (const char c : {' ', '\t', '\r', '\n'}) values[static_cast<unsigned char>(c)] = kBlank;
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      word = (word << 8U) | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    text += kLetters[word >> 18U];
    text += kLetters[(word >> 12U) & 63U];
    text += left > 1 ? kLetters[(word >> 6U) & 63U] : '=';
    text += left > 2 ? kLetters[word & 63U] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  unsigned int letters = 0, padding = 0;
  for (const char c : text) {
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kBlank) continue;
    if (c == '=' && letters % 4 >= 2) {
      ++padding;
      if (letters % 4 + padding > 4) return std::nullopt;
      continue;
    }
    if (value == kNone || padding > 0) return std::nullopt;
    word = (word << 6U) | static_cast<std::uint32_t>(value);
    if (++letters % 4 != 0) continue;
    for (const unsigned int shift : {16U, 8U, 0U}) bytes += static_cast<char>(word >> shift);
  }
  const unsigned int rest = letters % 4;
  if (rest == 1 || (rest + padding) % 4 != 0) return std::nullopt;
  if (rest >= 2) bytes += static_cast<char>(word >> (rest == 2 ? 4U : 10U));
  if (rest == 3) bytes += static_cast<char>(word >> 2U);
  return bytes;
}

}  // namespace kstar
