#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/document.h"

namespace kstar {

namespace {

/// Whether the text at `at` would become a link by itself: http://, www.
bool starts_link(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("://") ||
         (text[at] == '.' && at >= 3 && text.substr(at - 3, 3) == "www");
}

/// Text from outside stays text: nothing in it starts a table cell, a tag, a link, a formula or
/// emphasis.
std::string escaped(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  line = printable(line);
  std::string safe;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool special =
        std::string_view("\\`*_{}[]<>|#&!~$").find(line[i]) != std::string_view::npos;
    if (special || starts_link(line, i)) safe += '\\';
    safe += line[i];
  }
  return safe;
}

/// A text at the start of a line, where a dash or a number would start a list, and blanks code.
std::string escaped_line(std::string_view text) {
  const std::string safe = escaped(trim(text));
  const std::size_t digits = std::min(safe.find_first_not_of("0123456789"), safe.size());
  const bool list =
      !safe.empty() && std::string_view("-+=").find(safe[0]) != std::string_view::npos;
  const bool numbered = digits > 0 && digits < safe.size() &&
                        (safe[digits] == '.' || safe[digits] == ')') &&
                        (digits + 1 == safe.size() || safe[digits + 1] == ' ');
  if (list) return "\\" + safe;
  return numbered ? safe.substr(0, digits) + "\\" + safe.substr(digits) : safe;
}

/// A fence that nothing within the text can close.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

struct MarkdownWriter {
  std::string text;

  void operator()(const Heading& heading) {
    text += fmt::format("{} {}\n", heading.part ? "###" : "##", escaped(heading.text));
  }

  void operator()(const Paragraph& paragraph) {
    text += escaped_line(whole_text(paragraph)) + "\n";
  }

  void operator()(const Items& items) {
    if (!items.title.empty()) text += fmt::format("**{}**\n\n", escaped(trim(items.title)));
    for (std::size_t i = 0; i < items.items.size(); ++i) {
      text += fmt::format("- {}\n", escaped_line(item_line(items, i)));
    }
  }

  void operator()(const Table& table) {
    if (table.columns.empty()) return;
    std::string rule;
    for (const TableColumn& column : table.columns) {
      text += fmt::format("| {} ", escaped(whole_name(column)));
      rule += column.left ? "|:---" : "|---:";
    }
    text += fmt::format("|\n{}|\n", rule);
    for (const auto& row : table.rows) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        text += fmt::format("| {} ", c < row.size() ? escaped(row[c]) : "");
      }
      text += "|\n";
    }
  }

  void operator()(const Chart& chart) {
    const std::string drawing = to_terminal(chart, {.width = 80, .color = false, .unicode = true});
    const std::string fence = fence_for(drawing);
    text += fmt::format("{0}text\n{1}{0}\n", fence, drawing);
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
