#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

/// JSON objects whose members are known by their names.
namespace kstar::tail {

/// The numbers and texts of an object by their names, and the lists of them in arrays; those of
/// objects inside it, or in its arrays, by names with dots.
struct Flat {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::vector<double>, std::less<>> lists;
  std::map<std::string, std::vector<std::string>, std::less<>> words;

  std::optional<double> number(std::string_view name) const;
  /// The list of that name; empty where there is none.
  const std::vector<double>& list(std::string_view name) const;
  const std::vector<std::string>& words_of(std::string_view name) const;
  /// Calls take(rest of the name, number) for each whose name begins with `prefix`.
  template <typename Take>
  void each_number(std::string_view prefix, const Take& take) const {
    for (auto at = numbers.lower_bound(prefix);
         at != numbers.end() && at->first.starts_with(prefix); ++at) {
      take(std::string_view(at->first).substr(prefix.size()), at->second);
    }
  }
};

bool take_object(const JsonObject& object, Flat& flat);

/// One object; `document` is used again for the next.
bool flatten(JsonDocument& document, std::string_view text, Flat& flat);

Error json_error(const std::string& name, std::string_view text);

/// The file as one object.
Result<Flat> read_object(LineStream& stream);

/// Calls take(Line, Flat) for each line, all of which are objects.
template <typename Take>
Result<void> each_object(LineStream& stream, bool tolerate_last, const Take& take) {
  JsonDocument document;
  std::optional<Error> torn;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    if (trim(line.text).empty()) return {};
    if (torn) return fail(*torn);  // it was not the last
    Flat flat;
    if (!flatten(document, line.text, flat)) {
      torn = line_error(line, json_fault_place(line.text), "expected one JSON object");
      return {};
    }
    return take(line, flat);
  }));
  if (torn && !tolerate_last) return fail(*torn);
  return {};
}

}  // namespace kstar::tail
