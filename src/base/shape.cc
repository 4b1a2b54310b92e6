#include "kstar/shape.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "kstar/limits.h"

namespace kstar {

std::string shape_text(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.nodes, shape.ranks, shape.threads);
}

std::optional<Shape> parse_shape(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() != 3) return std::nullopt;
  std::int64_t factors[3];
  std::int64_t workers = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<std::int64_t> factor = parse_integer(parts[i]);
    if (!factor || *factor < 1 || *factor > kMostWorkers / workers) return std::nullopt;
    factors[i] = *factor;
    workers *= *factor;
  }
  return Shape{.nodes = static_cast<int>(factors[0]),
               .ranks = static_cast<int>(factors[1]),
               .threads = static_cast<int>(factors[2])};
}

}  // namespace kstar
