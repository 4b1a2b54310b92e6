#include "compare/differences.h"

#include <fmt/format.h>

#include <utility>

namespace kstar::comparing {

Note note(Severity severity, std::string what, std::string where, std::string text) {
  return {.severity = severity,
          .what = std::move(what),
          .where = std::move(where),
          .text = std::move(text),
          .extra = {}};
}

std::string unknown_text(const char* what, bool before, bool after) {
  const char* who = !before && !after ? "neither study says"
                    : !before         ? "the study before does not say"
                                      : "the study after does not say";
  return fmt::format("{} {}: that it is the same is taken for granted", who, what);
}

}  // namespace kstar::comparing
