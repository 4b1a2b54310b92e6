#include "measure/template_text.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace kstar {

namespace {

constexpr std::string_view kBraces = "a brace that is meant as a brace is written {{ or }}";

constexpr std::pair<std::string_view, Placeholder> kNames[] = {
    {"K", Placeholder::kWorkers},    {"nodes", Placeholder::kNodes},
    {"ranks", Placeholder::kRanks},  {"threads", Placeholder::kThreads},
    {"tasks", Placeholder::kTasks},  {"size", Placeholder::kSize},
    {"batch", Placeholder::kBatch},  {"batch/K", Placeholder::kBatchShare},
    {"output", Placeholder::kOutput}};

std::optional<Placeholder> placeholder_named(std::string_view name) {
  for (const auto& [known, placeholder] : kNames) {
    if (known == name) return placeholder;
  }
  return std::nullopt;
}

std::string meant_by(std::string_view name) {
  for (const std::string_view workers : {"workers", "procs", "gpus", "np", "n", "p", "N", "P"}) {
    if (name == workers) return "K";
  }
  std::vector<std::string> known;
  for (const auto& [one, placeholder] : kNames) known.emplace_back(one);
  return did_you_mean(name, known);
}

Error unknown(std::string_view name, std::string_view where) {
  const std::string near = meant_by(name);
  const std::string hint =
      near.empty() ? std::string(kBraces) : fmt::format("did you mean {{{}}}? {}", near, kBraces);
  return expected(where, "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}",
                  fmt::format("{{{}}}", name), hint);
}

}  // namespace

Result<std::vector<TemplatePiece>> parse_template(std::string_view text, std::string_view where) {
  std::vector<TemplatePiece> pieces(1);
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
    pieces.back().placeholder = placeholder_named(name);
    if (!pieces.back().placeholder) return fail(unknown(name, where));
    pieces.emplace_back();
    at = close;
  }
  return pieces;
}

}  // namespace kstar
