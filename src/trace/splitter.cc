#include "trace/splitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/try.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kstar::tracing {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 19;
constexpr std::size_t kFirstBlock = std::size_t{1} << 15;  // most texts of a test are no longer
constexpr std::size_t kPadding = 64;
/// One event, or one value beside the events. Larger ones are no trace.
constexpr std::size_t kMostValue = std::size_t{1} << 26;

/// Which of 64 bytes are what, one bit for each.
struct Bits {
  std::uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#ifdef __SSE2__
std::uint64_t equal_bits(const __m128i (&v)[4], char c) {
  const __m128i wanted = _mm_set1_epi8(c);
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(v[i], wanted));
    bits |= static_cast<std::uint64_t>(static_cast<unsigned>(mask)) << (16 * i);
  }
  return bits;
}

Bits bits_of(const char* p) {
  __m128i v[4];
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
  }
  return {equal_bits(v, '"'), equal_bits(v, '\\'), equal_bits(v, '{'), equal_bits(v, '}')};
}
#else
Bits bits_of(const char* p) {
  Bits bits;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (p[i] == '"') bits.quote |= bit;
    if (p[i] == '\\') bits.backslash |= bit;
    if (p[i] == '{') bits.open |= bit;
    if (p[i] == '}') bits.close |= bit;
  }
  return bits;
}
#endif

/// The bytes behind an odd number of backslashes. `carry`: the first one is, or will be.
std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) {
  std::uint64_t escaped = carry;
  carry = 0;
  std::uint64_t rest = backslash & ~escaped;
  while (rest != 0) {
    const int at = std::countr_zero(rest);
    if (at == 63) {
      carry = 1;
      break;
    }
    escaped |= std::uint64_t{1} << (at + 1);
    rest &= ~(std::uint64_t{3} << at);
  }
  return escaped;
}

/// Bit i is the parity of the bits up to i: inside of a string, from a quote on.
std::uint64_t running_parity(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

const char* end_of_object(const char* begin, const char* end, EventText& out) {
  std::uint64_t in_string = 0, carry = 0;
  std::int64_t depth = 0;
  out.inner = out.inner_end = 0;
  for (const char* p = begin; p < end; p += 64) {
    Bits bits = bits_of(p);
    if (end - p < 64) {
      const std::uint64_t there = (std::uint64_t{1} << (end - p)) - 1;
      bits = {bits.quote & there, bits.backslash & there, bits.open & there, bits.close & there};
    }
    if ((bits.backslash | carry) != 0) bits.quote &= ~escaped_bytes(bits.backslash, carry);
    const std::uint64_t inside = running_parity(bits.quote) ^ in_string;
    in_string = static_cast<std::uint64_t>(static_cast<std::int64_t>(inside) >> 63);
    std::uint64_t braces = (bits.open | bits.close) & ~inside;
    while (braces != 0) {
      const int at = std::countr_zero(braces);
      const char* const place = p + at;
      if (*place == '{') {
        if (++depth == 2 && out.inner == 0) out.inner = static_cast<std::size_t>(place - begin);
      } else {
        --depth;
        if (depth == 1 && out.inner_end == 0 && out.inner != 0) {
          out.inner_end = static_cast<std::size_t>(place - begin) + 1;
        }
        if (depth <= 0) {
          out.text = std::string_view(begin, static_cast<std::size_t>(place + 1 - begin));
          return place + 1;
        }
      }
      braces &= braces - 1;
    }
  }
  return nullptr;
}

EventSplitter::EventSplitter(BlockSource& source) : source_(source) {}

EventSplitter::~EventSplitter() {
  std::free(data_);
}

/// Keeps what is not yet taken, and reads behind it.
Result<bool> EventSplitter::more() {
  if (ended_) return false;
  if (position_ > 0) {
    std::memmove(data_, data_ + position_, size_ - position_);
    taken_ += position_;
    size_ -= position_;
    position_ = 0;
  }
  if (room_ - size_ < std::min(kBlock, room_ / 2 + 1)) {
    const std::size_t wanted = room_ == 0 ? kFirstBlock : std::max(2 * kBlock, 2 * size_);
    if (size_ > kMostValue) {
      return fail({.where = fmt::format("byte {}", taken_),
                   .message = "expected an event of at most 64 MiB, got a larger one"});
    }
    void* grown = std::realloc(data_, wanted + kPadding);
    if (grown == nullptr) return fail({.message = "not enough memory for one event"});
    data_ = static_cast<char*>(grown);
    room_ = wanted;
  }
  KSTAR_TRY(const std::size_t count, source_.read(data_ + size_, room_ - size_));
  size_ += count;
  std::memset(data_ + size_, 0, kPadding);
  if (count == 0) ended_ = true;
  return count > 0;
}

/// To a byte that is no blank and no comma; false at the end.
Result<bool> EventSplitter::skip_to_value() {
  for (;;) {
    while (position_ < size_ && (is_blank(at()) || at() == ',')) ++position_;
    if (position_ < size_) return true;
    KSTAR_TRY(const bool any, more());
    if (!any) return false;
  }
}

/// The end of the value at `from`, which `position_` is not beyond; false where the file ends in
/// it. `from` and `end` are relative to position_, which may move.
Result<bool> EventSplitter::take_value(std::size_t from, std::size_t& end) {
  std::size_t i = from;
  int depth = 0;
  bool in_string = false;
  for (;;) {
    for (; position_ + i < size_; ++i) {
      const char c = data_[position_ + i];
      if (in_string) {
        if (c == '\\') ++i;
        if (c != '"') continue;
        in_string = false;
        if (depth == 0) return end = i + 1, true;
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return end = i, true;  // the end of what is around a number
        if (--depth == 0) return end = i + 1, true;
      } else if (depth == 0 && (c == ',' || is_blank(c)) && i > from) {
        return end = i, true;
      }
    }
    const std::size_t known = i;
    KSTAR_TRY(const bool any, more());
    if (!any) return false;
    i = known;
  }
}

/// `"key": value`; the events are not taken as one. False at the end of the file.
Result<bool> EventSplitter::take_member(HeaderText& header) {
  std::size_t key_end = 0;
  KSTAR_TRY(const bool has_key, take_value(0, key_end));
  if (!has_key) return false;
  std::size_t value = key_end;
  for (;;) {
    while (position_ + value < size_ &&
           (is_blank(data_[position_ + value]) || data_[position_ + value] == ':')) {
      ++value;
    }
    if (position_ + value < size_) break;
    KSTAR_TRY(const bool any, more());
    if (!any) return false;
  }
  const std::string_view key(data_ + position_ + 1, key_end >= 2 ? key_end - 2 : 0);
  if (key == "traceEvents" && data_[position_ + value] == '[') {
    position_ += value + 1;
    place_ = Place::kEvents;
    saw_list_ = true;
    header = {};
    return true;
  }
  std::size_t value_end = 0;
  KSTAR_TRY(const bool whole, take_value(value, value_end));
  if (!whole) return false;
  header.key = {data_ + position_ + 1, key_end >= 2 ? key_end - 2 : 0};
  header.value = {data_ + position_ + value, value_end - value};
  position_ += std::max(value_end, std::size_t{1});
  return true;
}

Result<EventSplitter::Found> EventSplitter::next(EventText& event, HeaderText& header) {
  for (;;) {
    KSTAR_TRY(const bool any, skip_to_value());
    if (!any) {
      torn_ = torn_ || place_ == Place::kMembers || place_ == Place::kEvents || source_.broken();
      return Found::kEnd;
    }
    if (place_ == Place::kBehind) {  // another text behind it: blanks alone are fine
      ++strange_;
      return Found::kEnd;
    }
    if (place_ == Place::kStart) {
      if (data_[position_] == '\xEF' && size_ - position_ >= 3)
        position_ += 3;  // a byte order mark
      if (position_ < size_ && at() == '{') {
        in_object_ = true;
        place_ = Place::kMembers;
      } else if (position_ < size_ && at() == '[') {
        place_ = Place::kEvents;
        saw_list_ = true;
      } else {
        return fail({.message = "expected JSON: an object with traceEvents, or a list of events"});
      }
      ++position_;
      continue;
    }
    if (place_ == Place::kMembers) {
      if (at() == '}') {
        ++position_;
        place_ = Place::kBehind;
        continue;
      }
      if (at() != '"') {
        ++strange_;
        ++position_;
        continue;
      }
      KSTAR_TRY(const bool whole, take_member(header));
      if (!whole) {
        torn_ = true;
        return Found::kEnd;
      }
      if (place_ == Place::kMembers) return Found::kHeader;
      continue;
    }
    if (at() == '{') {
      for (;;) {
        const char* const begin = data_ + position_;
        const char* const end = end_of_object(begin, data_ + size_, event);
        if (end != nullptr) {
          position_ = static_cast<std::size_t>(end - data_);
          return Found::kEvent;
        }
        // Twice as much each time: a long event is not searched from its start for every block.
        for (const std::size_t seen = size_ - position_; size_ - position_ < 2 * seen;) {
          KSTAR_TRY(const bool longer, more());
          if (longer) continue;
          if (size_ - position_ > seen) break;
          torn_ = true;
          return Found::kEnd;
        }
      }
    }
    if (at() == ']') {
      ++position_;
      place_ = in_object_ ? Place::kMembers : Place::kBehind;
      continue;
    }
    ++strange_;  // a number, a text, null: no event
    std::size_t end = 0;
    KSTAR_TRY(const bool whole, take_value(0, end));
    if (!whole) {
      torn_ = true;
      return Found::kEnd;
    }
    position_ += std::max(end, std::size_t{1});
  }
}

}  // namespace kstar::tracing
