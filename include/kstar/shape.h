#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/export.h"

/// How K workers are laid out: K = nodes x ranks x threads.
namespace kstar {

struct Shape {
  int nodes = 1;
  int ranks = 1;    ///< a node
  int threads = 1;  ///< a rank

  int tasks() const { return nodes * ranks; }
  int on_a_node() const { return ranks * threads; }
  int workers() const { return nodes * ranks * threads; }
  bool operator==(const Shape&) const = default;
};

/// In which order workers take cores. Either way a core's second hardware thread is taken only when
/// every core has a worker.
enum class Placement {
  kCompact,  ///< neighbours first: one package is filled before the next, caches are shared
  kSpread    ///< packages in turn: every worker gets as much memory bandwidth as there is
};

/// "2x4x2": nodes, ranks a node, threads a rank.
KSTAR_EXPORT std::string shape_text(const Shape& shape);

/// The same read back; nothing when it is none, or when K is above 1e9.
KSTAR_EXPORT std::optional<Shape> parse_shape(std::string_view text);

}  // namespace kstar
