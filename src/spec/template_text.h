#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// Literal text, then a name in braces or the end.
struct BracePiece {
  std::string text;
  std::optional<std::size_t> name;  ///< into the names that there are
};

/// Takes {NAME} for each of `names` out of a text; {{ and }} are braces. Any other brace is an
/// error at `where`.
Result<std::vector<BracePiece>> parse_braces(std::string_view text, std::string_view where,
                                             std::span<const std::string_view> names);

/// What can stand in a command.
enum class Placeholder : std::uint8_t {
  kWorkers,
  kNodes,
  kRanks,
  kThreads,
  kTasks,
  kSize,
  kBatch,
  kBatchShare,
  kOutput
};

/// Literal text, then a placeholder or the end.
struct TemplatePiece {
  std::string text;
  std::optional<Placeholder> placeholder;
};

/// Whether {NAME} has a meaning of its own.
bool is_placeholder(std::string_view name);

/// The pieces of one word of a command.
Result<std::vector<TemplatePiece>> parse_template(std::string_view text, std::string_view where);

}  // namespace kstar
