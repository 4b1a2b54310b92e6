#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "import/input.h"

/// Records of separated values (RFC 4180, and what people make of it), one at a time.
namespace kstar {

/// A cell as it stands in the text, without its quotes and the blanks around it.
using Cell = std::string_view;

/// What a cell means as a text: doubled quotes are one.
std::string cell_text(Cell cell);

/// A blank as separator stands for any run of blanks.
inline constexpr char kBlanks = ' ';

/// The separator of the record that begins at `line`: a bar, a tab, a semicolon or a comma, in this
/// order, where one stands outside of quotes; else blanks.
char separator_of(std::string_view line);

/// Whether a line is drawn between a header and its rows: ----, ===, +---+---+, |---|:--|.
bool is_ruled_line(std::string_view line);

class CsvReader {
 public:
  /// Starts behind a byte order mark. Empty lines, rules and lines that begin with '#' are
  /// no records.
  explicit CsvReader(const Input& input);

  void separate_at(char separator) { separator_ = separator; }
  char separator() const { return separator_; }

  /// The next record's cells, or an error; false at the end of the text.
  Result<bool> next(std::vector<Cell>& cells);

  /// Where the record begins that next() gave last.
  const char* record() const { return record_; }
  std::size_t comments() const { return comments_; }

 private:
  bool skip_to_record();
  Result<Cell> next_cell(bool& last);
  Result<Cell> quoted_cell();

  Input input_;
  std::size_t at_ = 0;
  const char* record_ = nullptr;
  std::size_t comments_ = 0;
  char separator_ = '\0';  ///< not known yet
};

}  // namespace kstar
