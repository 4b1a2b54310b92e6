#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kstar/chart.h"
#include "kstar/export.h"
#include "kstar/terminal.h"

/// What a person is to read, before it is known where: a terminal, a wiki, a file.
namespace kstar {

struct Heading {
  std::string text;
  bool part = false;  ///< of what an earlier heading names
};

struct Paragraph {
  std::string text;
};

struct Items {
  std::string title;
  std::vector<std::string> items;
  bool are_notes =
      false;  ///< of the study or its analysis, which a page has a place of its own for
};

struct TableColumn {
  std::string name;        ///< "communi- cation" may be broken there, where room is short
  bool left = false;       ///< aligned to the left: words, not numbers
  bool new_group = false;  ///< a rule stands before it
  bool joined = false;     ///< not parted from the column before it: a number and its interval
};

/// The name, where there is room for it in one piece.
inline std::string whole_name(const TableColumn& column) {
  const std::size_t at = column.name.find("- ");
  return at == std::string::npos ? column.name
                                 : column.name.substr(0, at) + column.name.substr(at + 2);
}

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

using Block = std::variant<Heading, Paragraph, Items, Table, Chart>;

struct Document {
  std::vector<Block> blocks;
};

KSTAR_EXPORT std::string to_terminal(const Document& document, const TerminalStyle& style);

/// Charts come out as fenced text.
KSTAR_EXPORT std::string to_markdown(const Document& document);

}  // namespace kstar
