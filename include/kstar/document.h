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
};

struct Paragraph {
  std::string text;
};

struct Items {
  std::string title;
  std::vector<std::string> items;
};

struct TableColumn {
  std::string name;
  bool left = false;       ///< aligned to the left: words, not numbers
  bool new_group = false;  ///< a rule stands before it
  bool joined = false;     ///< not parted from the column before it: a number and its interval
};

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
