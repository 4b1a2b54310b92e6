#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/document.h"

namespace kstar {

namespace {

std::string bold(const std::string& text, const TerminalStyle& style) {
  return style.color ? fmt::format("\x1b[1m{}\x1b[0m", text) : text;
}

std::string dim(const std::string& text, const TerminalStyle& style) {
  return style.color ? fmt::format("\x1b[2m{}\x1b[0m", text) : text;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].name);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

/// The columns in groups that each fit the width; every group after the first repeats column 0.
std::vector<std::vector<std::size_t>> fit_columns(const Table& table,
                                                  const std::vector<std::size_t>& widths,
                                                  std::size_t limit) {
  std::vector<std::vector<std::size_t>> groups = {{0}};
  std::size_t used = widths[0];
  for (std::size_t c = 1; c < widths.size(); ++c) {
    const std::size_t needed = widths[c] + 2 + (table.columns[c].new_group ? 2 : 0);
    if (used + needed > limit && groups.back().size() > 1) {
      groups.push_back({0});
      used = widths[0];
    }
    groups.back().push_back(c);
    used += needed;
  }
  return groups;
}

std::string line_of(const Table& table, const std::vector<std::size_t>& group,
                    const std::vector<std::size_t>& widths, const TerminalStyle& style,
                    const std::vector<std::string>& cells) {
  std::string line;
  for (const std::size_t c : group) {
    if (c != group[0]) line += "  ";
    if (table.columns[c].new_group && c != group[0]) line += style.unicode ? "│ " : "| ";
    line += padded(cells[c], widths[c], table.columns[c].left);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

struct TerminalWriter {
  const TerminalStyle& style;
  std::string text;

  void operator()(const Heading& heading) { text += bold(heading.text, style) + "\n"; }

  void operator()(const Paragraph& paragraph) {
    for (const std::string& line : wrap(paragraph.text, static_cast<std::size_t>(style.width))) {
      text += line + "\n";
    }
  }

  void operator()(const Items& items) {
    text += bold(items.title, style) + "\n";
    for (const std::string& item : items.items) {
      const char* bullet = "  - ";
      for (const std::string& line :
           wrap(item, static_cast<std::size_t>(std::max(20, style.width - 4)))) {
        text += fmt::format("{}{}\n", bullet, line);
        bullet = "    ";
      }
    }
  }

  void operator()(const Table& table) {
    const std::vector<std::size_t> widths = widths_of(table);
    std::vector<std::string> names;
    for (const TableColumn& column : table.columns) names.push_back(column.name);
    bool first = true;
    for (const auto& group : fit_columns(table, widths, static_cast<std::size_t>(style.width))) {
      if (!first) text += "\n";
      first = false;
      std::string head = line_of(table, group, widths, style, names);
      head.pop_back();
      text += dim(head, style) + "\n";
      for (const auto& row : table.rows) text += line_of(table, group, widths, style, row);
    }
  }

  void operator()(const Chart& chart) { text += to_terminal(chart, style); }
};

}  // namespace

std::string to_terminal(const Document& document, const TerminalStyle& style) {
  TerminalWriter writer{style, {}};
  for (const Block& block : document.blocks) {
    if (!writer.text.empty()) writer.text += "\n";
    std::visit(writer, block);
  }
  return writer.text;
}

}  // namespace kstar
