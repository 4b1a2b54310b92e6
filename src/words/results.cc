#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "kstar/words.h"

namespace kstar {

namespace {

/// Nothing was drawn: then the interval is all that was measured, and says nothing.
std::string range_of(const Bend& bend) {
  if (std::isnan(bend.agreement)) return "";
  if (!bend.high) return fmt::format("{} or more", bend.low);
  return bend.low != *bend.high ? fmt::format("{} to {}", bend.low, *bend.high) : "";
}

}  // namespace

std::string cause_words(CauseKind kind) {
  return std::string(about(kind).words);
}

std::string listed_words(const std::vector<CauseKind>& kinds) {
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) text += i + 1 == kinds.size() ? " or " : ", ";
    text += cause_words(kinds[i]);
  }
  return text;
}

std::string cause_words(const Cause& cause) {
  std::vector<CauseKind> kinds = {cause.kind};
  kinds.insert(kinds.end(), cause.or_else.begin(), cause.or_else.end());
  return listed_words(kinds);
}

std::string bend_words(const std::optional<Bend>& bend) {
  if (!bend) return "no measured K";
  std::string more = range_of(*bend);
  if (std::isfinite(bend->agreement)) {
    more += fmt::format("{}{} of the evidence", more.empty() ? "" : "; ",
                        chance_words(bend->agreement));
  }
  return fmt::format("K = {}{}", bend->first_bad, more.empty() ? "" : fmt::format(" ({})", more));
}

std::string note_text(const Note& note) {
  return fmt::format(
      "{}{}{}", note.severity == Severity::kInfo ? "" : fmt::format("{}: ", name_of(note.severity)),
      note.where.empty() ? "" : note.where + ": ", note_sentence(note));
}

}  // namespace kstar
