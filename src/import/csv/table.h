#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/csv/reader.h"
#include "kstar/import.h"

/// A table, whatever it was written in: names of columns, and rows of cells.
namespace kstar {

struct TextTable {
  Input input;
  std::vector<std::string> names;
  std::vector<Cell> cells;  ///< row after row
  bool has_header = true;
  bool header_in_comment = false;
  bool key_is_guess = false;      ///< column 0 holds the keys of an object, which nobody named
  char separator = ',';           ///< kBlanks too; 0 where there is none
  std::size_t comments = 0;       ///< lines that were skipped
  std::size_t headers_again = 0;  ///< rows that repeat the header
  std::size_t others = 0;         ///< tables of the same text that were not read
  std::string title;              ///< the lines above it
  /// Where rows begin anew behind an empty line or a comment: the row, and what stands above it.
  std::vector<std::pair<std::size_t, std::string>> blocks;
  std::string heading;  ///< of a block that is a table of its own
  /// Texts that do not stand in the input so.
  std::shared_ptr<std::deque<std::string>> owned = std::make_shared<std::deque<std::string>>();

  std::size_t width() const { return names.size(); }
  std::size_t rows() const { return names.empty() ? 0 : cells.size() / names.size(); }
  Cell at(std::size_t row, std::size_t column) const { return cells[row * width() + column]; }
  Cell own(std::string text) { return owned->emplace_back(std::move(text)); }
  /// What is known of it, without rows.
  TextTable without_rows() const;
  void copy_row(const TextTable& from, std::size_t row);
};

/// A table of rows whose fields come with their names, and may differ from row to row.
class TableMaker {
 public:
  using Fields = std::vector<std::pair<std::string, Cell>>;

  explicit TableMaker(const Input& input) {
    table_.input = input;
    table_.separator = '\0';
  }
  /// What cells point into that do not stand in the input.
  void keep(std::shared_ptr<std::deque<std::string>> texts) { table_.owned = std::move(texts); }
  Cell own(std::string text) { return table_.own(std::move(text)); }
  void add(const Fields& fields);
  bool empty() const { return rows_.empty(); }
  TextTable table();

 private:
  TextTable table_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::pair<std::size_t, Cell>>> rows_;
};

/// No table has more.
inline constexpr std::size_t kMostTableCells = 64'000'000;

/// The tables in a text, in their order: separated values, Markdown, columns lined up with blanks
/// under a header, behind # or ruled. An error where a row does not fit its header.
Result<std::vector<TextTable>> tables_in(const Input& input, const ImportOptions& options);

/// What a program printed as "name: value" or "name = value", as a table: a row for each value of
/// the name that comes last, with the last value before it of every other. No rows where nothing
/// repeats.
TextTable records_in(const Input& input);

/// K across the columns: a row for each K. The table itself where its header counts nothing.
Result<TextTable> with_k_in_rows(TextTable table, const ImportOptions& options);

/// Whether the names of several columns differ in a number that may be K.
bool may_run_across(const TextTable& table);

/// An error at a cell, with its place where it stands in the text.
Error cell_error(const TextTable& table, Cell cell, std::string message, std::string hint = {});
Error unexpected_cell(const TextTable& table, Cell cell, std::string_view what,
                      std::string hint = {});

}  // namespace kstar
