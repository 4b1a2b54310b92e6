#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// Eight characters at a time, in one word: the first is the lowest byte.
namespace kstar::dag {

inline constexpr std::uint64_t every_byte(std::uint8_t value) {
  return 0x0101010101010101U * value;
}

template <typename Word>
Word load_word(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = sizeof word == 8 ? static_cast<Word>(__builtin_bswap64(word))
                            : static_cast<Word>(__builtin_bswap32(word));
  }
  return word;
}

/// The high bit of bytes that are below `limit` (of 1 to 128); the lowest of them is right.
inline std::uint64_t bytes_below(std::uint64_t word, std::uint8_t limit) {
  return (word - every_byte(limit)) & ~word & every_byte(0x80);
}

/// Likewise of bytes that are `sign`.
inline std::uint64_t bytes_equal(std::uint64_t word, char sign) {
  return bytes_below(word ^ every_byte(static_cast<std::uint8_t>(sign)), 1);
}

/// 1 to 7 characters in the low bytes; nothing else is read.
inline std::uint64_t load_few(const char* at, std::size_t count) {
  if (count >= sizeof(std::uint32_t)) {
    const std::size_t rest = count - sizeof(std::uint32_t);
    return load_word<std::uint32_t>(at) | std::uint64_t{load_word<std::uint32_t>(at + rest)}
                                              << (8 * rest);
  }
  const auto byte = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  };
  return byte(0) | byte(count / 2) | byte(count - 1);
}

/// The value of 1 to 7 digits; `otherwise` where one is no digit.
inline std::uint32_t digits_value(std::string_view digits, std::uint32_t otherwise) {
  const std::size_t unused = 8 * (sizeof(std::uint64_t) - digits.size());
  std::uint64_t word = load_few(digits.data(), digits.size()) << unused;
  word |= every_byte('0') >> (64 - unused);
  constexpr std::uint64_t kHigh = every_byte(0xF0);
  if (((word & kHigh) | (((word + every_byte(6)) & kHigh) >> 4U)) != every_byte(0x33)) {
    return otherwise;
  }
  // Pairs of digits, then of pairs, then of those, each in one multiplication.
  word -= every_byte('0');
  word = word * 10 + (word >> 8U);
  constexpr std::uint64_t kPairs = 0x000000FF000000FFU;
  const std::uint64_t value = (word & kPairs) * ((1'000'000ULL << 32U) + 100) +
                              ((word >> 16U) & kPairs) * ((10'000ULL << 32U) + 1);
  return static_cast<std::uint32_t>(value >> 32U);
}

}  // namespace kstar::dag
