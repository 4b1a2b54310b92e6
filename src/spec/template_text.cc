#include "spec/template_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::string_view kBraces = "write a literal brace as {{ or }}";

/// In the order of Placeholder.
constexpr std::string_view kPlaceholders[] = {"K",    "nodes", "ranks",   "threads", "tasks",
                                              "size", "batch", "batch/K", "output"};

std::string meant_by(std::string_view name, std::span<const std::string_view> names) {
  for (const std::string_view workers : {"workers", "procs", "gpus", "np", "n", "p", "N", "P"}) {
    if (name == workers) return "K";
  }
  const std::vector<std::string> known(names.begin(), names.end());
  return did_you_mean(name, known);
}

/// "{K}, {size} or {batch}"
std::string list_of_words(std::span<const std::string_view> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " or " : ", ";
    list += fmt::format("{{{}}}", names[i]);
  }
  return list;
}

Error unknown(std::string_view name, std::string_view where,
              std::span<const std::string_view> names) {
  const std::string near = meant_by(name, names);
  const std::string hint =
      near.empty() ? std::string(kBraces) : fmt::format("did you mean {{{}}}? {}", near, kBraces);
  // The check command alone has an output, and the docs of that one say it.
  const bool ours = names.data() == std::data(kPlaceholders);
  return expected(where, list_of_words(ours ? names.first(names.size() - 1) : names),
                  fmt::format("{{{}}}", name), hint);
}

}  // namespace

Result<std::vector<BracePiece>> parse_braces(std::string_view text, std::string_view where,
                                             std::span<const std::string_view> names) {
  std::vector<BracePiece> pieces(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      pieces.back().text += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {
      pieces.back().text += c;
      ++at;
      continue;
    }
    const std::size_t close = c == '{' ? text.find('}', at) : text.npos;
    if (close == text.npos) {
      const std::string_view what = c == '{' ? "a } for every {" : "a { before every }";
      return fail(expected(where, what, text, kBraces));
    }
    const std::string_view name = text.substr(at + 1, close - at - 1);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return fail(unknown(name, where, names));
    pieces.back().name = static_cast<std::size_t>(found - names.begin());
    pieces.emplace_back();
    at = close;
  }
  return pieces;
}

bool is_placeholder(std::string_view name) {
  return std::find(std::begin(kPlaceholders), std::end(kPlaceholders), name) !=
         std::end(kPlaceholders);
}

Result<std::vector<TemplatePiece>> parse_template(std::string_view text, std::string_view where) {
  KSTAR_TRY(const std::vector<BracePiece> parsed, parse_braces(text, where, kPlaceholders));
  std::vector<TemplatePiece> pieces;
  for (const BracePiece& piece : parsed) {
    TemplatePiece& last = pieces.emplace_back();
    last.text = piece.text;
    if (piece.name) last.placeholder = static_cast<Placeholder>(*piece.name);
  }
  return pieces;
}

}  // namespace kstar
