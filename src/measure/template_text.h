#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

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

/// Takes the placeholders out of a text; {{ and }} are braces. Any other brace is an error at
/// `where`.
Result<std::vector<TemplatePiece>> parse_template(std::string_view text, std::string_view where);

}  // namespace kstar
