#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "kstar/result.h"

/// What an operation is, by its name: the last resort, where the trace itself does not say it.
namespace kstar::tracing {

enum class Kind : std::uint8_t {
  kCompute,
  kCommunication,
  kCopy,
  kNone,         ///< no work: a mark, a wait of the host
  kUnclassified  ///< no rule knows it; it counts as compute
};

struct Rule {
  Pattern pattern;
  Kind kind = Kind::kCompute;
  std::string collective;  ///< all-reduce, all-gather ...; "" where the name does not tell
  std::string library;     ///< NCCL, gloo ...
  bool host = false;       ///< on the host it is the work itself, not the call that starts it
};

/// The first rule that matches decides; those of the user come first.
class Rules {
 public:
  /// The built-in ones, with those of `path` before them ("" for none).
  static Result<Rules> load(const std::string& path);
  const Rule* find(std::string_view name) const;

 private:
  Result<void> add(std::string_view text, std::string_view where);
  std::vector<Rule> rules_;
};

/// One word for a collective, however it is written: "_allgather_base" is all-gather.
std::string collective_name(std::string_view text);

}  // namespace kstar::tracing
