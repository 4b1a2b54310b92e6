#include "kstar/result.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kstar {

namespace {
constexpr std::size_t kLongestQuotedValue = 60;
}  // namespace

Error expected(std::string_view where, std::string_view what, std::string_view value,
               std::string_view hint) {
  return {.where = std::string(where),
          .message = fmt::format("expected {}, got '{}'", what,
                                 shorten(printable(value), kLongestQuotedValue)),
          .hint = std::string(hint)};
}

}  // namespace kstar
