#include <fmt/format.h>

#include "kstar/document.h"

namespace kstar {

namespace {

/// Text from outside stays text: nothing in it starts a table cell, a tag, a link or emphasis.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#&!~").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

struct MarkdownWriter {
  std::string text;

  void operator()(const Heading& heading) { text += fmt::format("## {}\n", escaped(heading.text)); }

  void operator()(const Paragraph& paragraph) { text += escaped(paragraph.text) + "\n"; }

  void operator()(const Items& items) {
    text += fmt::format("**{}**\n\n", escaped(items.title));
    for (const std::string& item : items.items) text += fmt::format("- {}\n", escaped(item));
  }

  void operator()(const Table& table) {
    std::string rule;
    for (const TableColumn& column : table.columns) {
      text += fmt::format("| {} ", escaped(column.name));
      rule += column.left ? "|:---" : "|---:";
    }
    text += fmt::format("|\n{}|\n", rule);
    for (const auto& row : table.rows) {
      for (const std::string& cell : row) text += fmt::format("| {} ", escaped(cell));
      text += "|\n";
    }
  }

  void operator()(const Chart& chart) {
    const std::string drawing = to_terminal(chart, {.width = 80, .color = false, .unicode = true});
    text += fmt::format("```text\n{}```\n", drawing);
  }
};

}  // namespace

std::string to_markdown(const Document& document) {
  MarkdownWriter writer;
  for (const Block& block : document.blocks) {
    if (!writer.text.empty()) writer.text += "\n";
    std::visit(writer, block);
  }
  return writer.text;
}

}  // namespace kstar
