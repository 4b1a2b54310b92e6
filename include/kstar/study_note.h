#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kstar/export.h"

/// What was skipped, failed, lost or guessed: a code and its values. A sentence is made from them
/// where one is shown or written, and by nobody else; nobody reads it back.
namespace kstar {

enum class Severity : std::uint8_t { kInfo, kWarning, kError };

/// A number, a text or a list of texts.
struct NoteValue {
  std::variant<double, std::string, std::vector<std::string>> value;

  NoteValue() = default;
  template <typename Number>
  requires std::is_arithmetic_v<Number> NoteValue(Number number)
      : value(static_cast<double>(number)) {}
  NoteValue(const char* text) : value(std::string(text)) {}
  NoteValue(std::string_view text) : value(std::string(text)) {}
  NoteValue(std::string text) : value(std::move(text)) {}
  NoteValue(std::vector<std::string> list) : value(std::move(list)) {}
  bool operator==(const NoteValue&) const = default;
};

using NoteValues = std::map<std::string, NoteValue, std::less<>>;

struct Note {
  Severity severity = Severity::kInfo;
  std::string what;   ///< the code, a short fixed name: torn-line, merged, run-failed
  std::string where;  ///< file:line, a run, a host; may be empty
  NoteValues values;  ///< by name
  /// The sentence itself, where no value says it: one of 0.1.0, of a newer kstar, or what another
  /// program said. note_sentence() is what people are shown.
  std::string text;
  std::string extra;
  bool operator==(const Note&) const = default;
};

/// One sentence for people.
KSTAR_EXPORT std::string note_sentence(const Note& note);

/// The text of that name; "" where there is none.
KSTAR_EXPORT std::string text_value(const Note& note, std::string_view name);

}  // namespace kstar
