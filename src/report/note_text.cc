#include "report/note_text.h"

#include <fmt/format.h>

namespace kstar {

std::string note_text(const Note& note) {
  return fmt::format(
      "{}{}{}", note.severity == Severity::kInfo ? "" : fmt::format("{}: ", name_of(note.severity)),
      note.where.empty() ? "" : note.where + ": ", note.text);
}

}  // namespace kstar
