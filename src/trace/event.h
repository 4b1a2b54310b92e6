#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/splitter.h"

/// The fields of an event, without building anything. Times are whole nanoseconds.
namespace kstar::tracing {

/// The members of an event that stand beside its args. Texts are as they stand in the file, without
/// quotes and with their escapes; numbers are their digits.
struct EventFields {
  char phase = 0;  ///< X, M, i, s, f ...; 0: none
  std::string_view category, name, process, thread;
  std::int64_t start = 0, duration = 0;
  bool has_start = false, has_duration = false;
  bool fractions = false;  ///< its start has digits behind the point
  bool bad_time = false;   ///< a time that is no number, is negative, or is beyond 292 years
  std::string_view args;   ///< from { to }; empty: none
};

/// False where it is no object of members. What is not asked for (a flow, an instant) is left
/// early: only `phase` and what stood before it is known then.
bool read_event(const EventText& text, EventFields& out);

/// Calls take(key, value) for the members of the object `text` ({ to }) until it returns false. A
/// value is its text, without quotes where it is a string.
template <typename Take>
void each_member(std::string_view text, const Take& take);

/// Microseconds as text to nanoseconds, rounded. False where it is none.
bool read_microseconds(std::string_view text, std::int64_t& out, bool& fractions);

/// A whole number, or 0 and false.
bool read_whole(std::string_view text, std::int64_t& out);

/// The text that JSON's escapes stand for.
std::string unescaped(std::string_view text);

const char* skip_value(const char* p, const char* end);  ///< of any kind, from its first byte
inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) ++p;
  return p;
}
/// From behind a quote to the closing one, or `end`.
const char* end_of_string(const char* p, const char* end);

/// The key at `p` and its value; false at the end. `p` is behind the value then.
inline bool next_member(const char*& p, const char* end, std::string_view& key,
                        std::string_view& value) {
  p = skip_blanks(p, end);
  if (p < end && *p == ',') p = skip_blanks(p + 1, end);
  if (p >= end || *p != '"') return false;
  const char* const key_end = end_of_string(p + 1, end);
  if (key_end >= end) return false;
  key = {p + 1, static_cast<std::size_t>(key_end - p - 1)};
  p = skip_blanks(key_end + 1, end);
  if (p >= end || *p != ':') return false;
  p = skip_blanks(p + 1, end);
  if (p >= end) return false;
  const char* const begin = p;
  p = skip_value(p, end);
  value = *begin == '"' && p - begin >= 2
              ? std::string_view(begin + 1, static_cast<std::size_t>(p - begin - 2))
              : std::string_view(begin, static_cast<std::size_t>(p - begin));
  return p > begin;
}

template <typename Take>
void each_member(std::string_view text, const Take& take) {
  if (text.size() < 2) return;
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  std::string_view key, value;
  while (next_member(p, end, key, value)) {
    if (!take(key, value)) return;
  }
}

}  // namespace kstar::tracing
