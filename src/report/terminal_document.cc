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

/// A column's head in lines, bottom-aligned when they are printed: broken at blanks where the table
/// would not fit otherwise.
std::vector<std::vector<std::string>> heads_of(const Table& table, bool broken) {
  std::vector<std::vector<std::string>> heads;
  for (const TableColumn& column : table.columns) {
    heads.push_back(broken ? wrap(column.name, 1) : std::vector<std::string>{column.name});
  }
  return heads;
}

std::vector<std::size_t> widths_of(const Table& table,
                                   const std::vector<std::vector<std::string>>& heads) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = 0;
    for (const std::string& line : heads[c]) width = std::max(width, display_width(line));
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

/// The lines above the rows of one group of columns.
std::vector<std::string> head_lines(const Table& table, const std::vector<std::size_t>& group,
                                    const std::vector<std::size_t>& widths,
                                    const TerminalStyle& style,
                                    const std::vector<std::vector<std::string>>& heads) {
  std::size_t height = 0;
  for (const std::size_t c : group) height = std::max(height, heads[c].size());
  std::vector<std::string> lines;
  for (std::size_t above = height; above > 0; --above) {
    std::vector<std::string> cells(table.columns.size());
    for (const std::size_t c : group) {
      if (above <= heads[c].size()) cells[c] = heads[c][heads[c].size() - above];
    }
    lines.push_back(line_of(table, group, widths, style, cells));
    lines.back().pop_back();
  }
  return lines;
}

struct TerminalWriter {
  const TerminalStyle& style;
  std::string text;

  void operator()(const Heading& heading) {
    for (const std::string& line : wrap(heading.text, static_cast<std::size_t>(style.width))) {
      text += bold(line, style) + "\n";
    }
  }

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
    const auto limit = static_cast<std::size_t>(style.width);
    auto heads = heads_of(table, false);
    auto widths = widths_of(table, heads);
    if (fit_columns(table, widths, limit).size() > 1 || widths[0] + widths.back() + 2 > limit) {
      heads = heads_of(table, true);
      widths = widths_of(table, heads);
    }
    bool first = true;
    for (const auto& group : fit_columns(table, widths, limit)) {
      if (!first) text += "\n";
      first = false;
      for (const std::string& line : head_lines(table, group, widths, style, heads)) {
        text += dim(line, style) + "\n";
      }
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
