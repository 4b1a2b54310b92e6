#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kstar/chart.h"
#include "kstar/export.h"
#include "kstar/terminal.h"

/// What a person is to read, before it is known where: a terminal, a wiki, a file.
namespace kstar {

struct Heading {
  std::string text;
  bool part = false;    ///< of what an earlier heading names
  bool folded = false;  ///< where things can be folded, all up to the next heading that is no part
};

struct Paragraph {
  std::string text;
  /// A command line that the text ends with, such as what to do next: a page has a button that
  /// copies it.
  std::string command{};
};

/// The paragraph as one text.
inline std::string whole_text(const Paragraph& paragraph) {
  const bool both = !paragraph.text.empty() && !paragraph.command.empty();
  return paragraph.text + (both ? " " : "") + paragraph.command;
}

struct Items {
  std::string title;
  std::vector<std::string> items;
  /// Of each item or of none: what it is, in a word ("missing"). A page shows a sign for it.
  std::vector<std::string> marks{};
  /// Of each item or of none: what it is the value of. A page sets them in a column.
  std::vector<std::string> names{};
  bool folded = false;  ///< where things can be folded, it is

  void add(std::string name, std::string value) {
    names.push_back(std::move(name));
    items.push_back(std::move(value));
  }
};

/// The item at `i` as a line of text: "missing: the item", "name: value".
inline std::string item_line(const Items& items, std::size_t i) {
  const bool marked = i < items.marks.size() && !items.marks[i].empty();
  const bool named = i < items.names.size();
  return (marked ? items.marks[i] + ": " : "") + (named ? items.names[i] + ": " : "") +
         items.items[i];
}

struct TableColumn {
  std::string name;        ///< "communi- cation" may be broken there, where room is short
  bool left = false;       ///< aligned to the left: words, not numbers
  bool new_group = false;  ///< a rule stands before it
  bool joined = false;     ///< not parted from the column before it: a number and its interval
};

/// The name, where there is room for it in one piece.
inline std::string whole_name(const TableColumn& column) {
  std::string name = column.name;
  for (std::size_t at; (at = name.find("- ")) != std::string::npos;) name.erase(at, 2);
  return name;
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

/// One HTML file in the style of kstar's report: it asks the network for nothing, and no text of
/// the document is markup. The first paragraph is the answer: its first sentence is set large, and
/// the first chart below the first heading stands beside it. Every heading that is no part starts a
/// section; one that repeats `title` is not shown twice.
KSTAR_EXPORT std::string document_page(const Document& document, const std::string& title);

}  // namespace kstar
