#include "trace/event.h"

#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"

#ifdef __SSE2__
#include <emmintrin.h>

#include <bit>
#endif

namespace kstar::tracing {

namespace {

constexpr std::int64_t kMostMicroseconds = std::numeric_limits<std::int64_t>::max() / 1000 - 1;

/// The digits from `p` on; -1 where they are too many.
std::int64_t digits_from(const char*& p, const char* end) {
  constexpr std::ptrdiff_t kMost = 18;
  std::int64_t value = 0;
  const char* const begin = p;
  for (; p < end && is_digit(*p); ++p) {
    if (p - begin == kMost) return -1;
    value = 10 * value + (*p - '0');
  }
  return value;
}

/// With an exponent, or otherwise unusual.
bool read_unusual(std::string_view text, std::int64_t& out) {
  const auto value = parse_double(text);
  if (!value || std::fabs(*value) > static_cast<double>(kMostMicroseconds)) return false;
  out = static_cast<std::int64_t>(std::llround(static_cast<long double>(*value) * 1000));
  return true;
}

}  // namespace

bool read_microseconds(std::string_view text, std::int64_t& out, bool& fractions) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  if (p >= end || !is_digit(*p)) return false;
  std::int64_t whole = digits_from(p, end);
  if (whole < 0 || whole > kMostMicroseconds) return false;
  std::int64_t part = 0;
  if (p < end && *p == '.') {
    fractions = true;
    int count = 0;
    for (++p; p < end && is_digit(*p); ++p, ++count) {
      if (count < 3) part = 10 * part + (*p - '0');
      if (count == 3 && *p >= '5') ++part;  // the nearest nanosecond
    }
    for (; count < 3; ++count) part *= 10;
  }
  if (p != end) return read_unusual(text, out);
  out = 1000 * whole + part;
  if (negative) out = -out;
  return true;
}

bool read_whole(std::string_view text, std::int64_t& out) {
  const auto value = parse_integer(text);
  out = value.value_or(0);
  return value.has_value();
}

const char* end_of_string(const char* p, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  while (end - p >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash))));
    if (found == 0) {
      p += 16;
      continue;
    }
    p += std::countr_zero(found);
    if (*p == '"') return p;
    p += 2;
  }
#endif
  for (; p < end && *p != '"'; ++p) {
    if (*p == '\\') ++p;
  }
  return p < end ? p : end;
}

const char* skip_value(const char* p, const char* end) {
  if (*p == '"') {
    p = end_of_string(p + 1, end);
    return p < end ? p + 1 : end;
  }
  if (*p != '{' && *p != '[') {
    const char* const begin = p;
    while (p < end && *p != ',' && *p != '}' && *p != ']' && *p != ' ' && *p != '\n') ++p;
    while (p > begin && (p[-1] == '\r' || p[-1] == '\t')) --p;
    return p;
  }
  int depth = 0;
  for (; p < end; ++p) {
    if (*p == '"') {
      p = end_of_string(p + 1, end);
      if (p >= end) return end;
    } else if (*p == '{' || *p == '[') {
      ++depth;
    } else if ((*p == '}' || *p == ']') && --depth == 0) {
      return p + 1;
    }
  }
  return end;
}

bool read_event(const EventText& text, EventFields& out) {
  out = {};
  const char* const base = text.text.data();
  const char* p = base + 1;
  const char* const end = base + text.text.size() - 1;
  for (;;) {
    p = skip_blanks(p, end);
    if (p < end && *p == ',') p = skip_blanks(p + 1, end);
    if (p >= end) return true;
    if (*p != '"') return false;
    const char* const key = p + 1;
    const char* const key_end = end_of_string(key, end);
    p = skip_blanks(key_end + 1, end);
    if (p >= end || *p != ':') return false;
    p = skip_blanks(p + 1, end);
    if (p >= end) return false;
    const char* const begin = p;
    const bool is_inner = text.inner != 0 && begin == base + text.inner && text.inner_end != 0;
    p = is_inner ? base + text.inner_end : skip_value(p, end);
    if (p == begin) return false;
    const bool quoted = *begin == '"' && p - begin >= 2;
    const std::string_view value(begin + (quoted ? 1 : 0),
                                 static_cast<std::size_t>(p - begin) - (quoted ? 2 : 0));
    const std::string_view name(key, static_cast<std::size_t>(key_end - key));
    switch (name.size()) {
      case 2:
        if (name == "ph") {
          out.phase = value.empty() ? '\0' : value[0];
          if (out.phase != 'X' && out.phase != 'M') return true;
        } else if (name == "ts") {
          out.has_start = read_microseconds(value, out.start, out.fractions);
          out.bad_time = out.bad_time || !out.has_start;
        }
        break;
      case 3:
        if (name == "cat") out.category = value;
        if (name == "pid") out.process = value;
        if (name == "tid") out.thread = value;
        if (name == "dur") {
          bool ignored = false;
          out.has_duration = read_microseconds(value, out.duration, ignored);
          out.bad_time = out.bad_time || !out.has_duration || out.duration < 0;
        }
        break;
      case 4:
        if (name == "name") out.name = value;
        if (name == "args" && *begin == '{') out.args = value;
        break;
      default:
        break;
    }
  }
}

std::string unescaped(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        out += "?";  // names are ASCII; what is not is not told apart
        i += 4;
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace kstar::tracing
