#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/document.h"

namespace kstar {

namespace {

/// Words are not squeezed into less, even if the line becomes too long then.
constexpr std::size_t kLeastWords = 15;

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

std::size_t widest_cell(const Table& table, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : table.rows) width = std::max(width, display_width(row[column]));
  return width;
}

/// A column's head in lines, bottom-aligned when they are printed: broken at blanks where the table
/// would not fit otherwise, and no narrower than the cells below.
std::vector<std::vector<std::string>> heads_of(const Table& table, bool broken) {
  std::vector<std::vector<std::string>> heads;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    std::size_t width = widest_cell(table, c);
    for (const std::string& word : wrap(name, 1)) width = std::max(width, display_width(word));
    heads.push_back(broken ? wrap(name, width) : std::vector<std::string>{name});
  }
  return heads;
}

std::vector<std::size_t> widths_of(const Table& table,
                                   const std::vector<std::vector<std::string>>& heads) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = widest_cell(table, c);
    for (const std::string& line : heads[c]) width = std::max(width, display_width(line));
    widths.push_back(width);
  }
  return widths;
}

/// Whether a rule stands before a column of the group. Where one stands behind column 0, it stands
/// there in every group.
bool has_rule(const Table& table, const std::vector<std::size_t>& group, std::size_t column) {
  const bool second = group.size() == 1 || group[1] == column;
  return table.columns[column].new_group || (second && table.columns[1].new_group);
}

/// What column `c` takes beside those that stand in the group already.
std::size_t room_for(const Table& table, const std::vector<std::size_t>& widths,
                     const std::vector<std::size_t>& group, std::size_t c) {
  return widths[c] + 2 + (has_rule(table, group, c) ? 2 : 0);
}

/// The same with all columns that are joined to it.
std::size_t room_for_joined(const Table& table, const std::vector<std::size_t>& widths,
                            const std::vector<std::size_t>& group, std::size_t c) {
  std::size_t room = room_for(table, widths, group, c);
  for (++c; c < widths.size() && table.columns[c].joined; ++c) room += widths[c] + 2;
  return room;
}

/// The columns in groups that each fit the width; every group after the first repeats column 0.
/// What is joined is parted only where it would not fit into a group of its own.
std::vector<std::vector<std::size_t>> fit_columns(const Table& table,
                                                  const std::vector<std::size_t>& widths,
                                                  std::size_t limit) {
  std::vector<std::vector<std::size_t>> groups = {{0}};
  std::size_t used = widths[0];
  for (std::size_t c = 1; c < widths.size(); ++c) {
    const std::size_t joined = room_for_joined(table, widths, groups.back(), c);
    const bool torn = used + joined > limit && widths[0] + joined <= limit;
    const bool full = used + room_for(table, widths, groups.back(), c) > limit;
    if ((full || torn) && groups.back().size() > 1) {
      groups.push_back({0});
      used = widths[0];
    }
    used += room_for(table, widths, groups.back(), c);
    groups.back().push_back(c);
  }
  return groups;
}

/// The columns of the screen that the widest of the other columns leaves for the first one.
std::size_t remaining_width(const Table& table, const std::vector<std::size_t>& widths,
                            std::size_t limit) {
  std::size_t widest = 0;
  for (std::size_t c = 1; c < widths.size(); ++c) {
    widest = std::max(widest, widths[c] + 2 + (table.columns[c].new_group ? 2 : 0));
  }
  return limit - std::min(limit, widest);
}

std::string line_of(const Table& table, const std::vector<std::size_t>& group,
                    const std::vector<std::size_t>& widths, const TerminalStyle& style,
                    const std::vector<std::string>& cells) {
  std::string line;
  for (const std::size_t c : group) {
    if (c != group[0]) line += "  ";
    if (c != group[0] && has_rule(table, group, c)) line += style.unicode ? "│ " : "| ";
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

/// The table with as many cells in every row as there are columns, safe to print.
Table complete(const Table& table) {
  Table safe = table;
  for (TableColumn& column : safe.columns) column.name = printable(column.name);
  for (auto& row : safe.rows) {
    row.resize(safe.columns.size());
    for (std::string& cell : row) cell = printable(cell);
  }
  return safe;
}

/// The table with the words of its first column in lines of at most `columns`, the other cells
/// beside the last of them.
Table narrowed(const Table& table, std::size_t columns) {
  Table narrow{table.columns, {}};
  for (const auto& row : table.rows) {
    const std::size_t blanks = std::min(row[0].find_first_not_of(' '), row[0].size());
    std::string indent(blanks, ' ');
    for (const std::string& line : wrap(row[0], columns - std::min(columns, blanks + 2))) {
      narrow.rows.emplace_back(row.size())[0] = indent + line;
      indent = std::string(blanks + 2, ' ');
    }
    std::copy(row.begin() + 1, row.end(), narrow.rows.back().begin() + 1);
  }
  return narrow;
}

struct TerminalWriter {
  const TerminalStyle& style;
  std::string text;

  void operator()(const Heading& heading) {
    for (const std::string& line :
         wrap(printable(heading.text), static_cast<std::size_t>(style.width))) {
      text += bold(line, style) + "\n";
    }
  }

  void operator()(const Paragraph& paragraph) {
    for (const std::string& line :
         wrap(printable(whole_text(paragraph)), static_cast<std::size_t>(style.width))) {
      text += line + "\n";
    }
  }

  void operator()(const Items& items) {
    if (!items.title.empty()) (*this)(Heading{items.title});
    for (std::size_t i = 0; i < items.items.size(); ++i) {
      const char* bullet = "  - ";
      for (const std::string& line :
           wrap(printable(item_line(items, i)),
                static_cast<std::size_t>(std::max(10, style.width - 4)))) {
        text += fmt::format("{}{}\n", bullet, line);
        bullet = "    ";
      }
    }
  }

  void operator()(const Table& given) {
    if (given.columns.empty()) return;
    const auto limit = static_cast<std::size_t>(style.width);
    Table table = complete(given);
    auto heads = heads_of(table, false);
    auto widths = widths_of(table, heads);
    if (fit_columns(table, widths, limit).size() > 1 ||
        remaining_width(table, widths, limit) < widths[0]) {
      heads = heads_of(table, true);
      widths = widths_of(table, heads);
    }
    const std::size_t room = remaining_width(table, widths, limit);
    if (table.columns[0].left && room < widths[0]) {
      table = narrowed(table, std::max(room, kLeastWords));
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
