#pragma once

#include <string>
#include <vector>

#include "import/csv/reader.h"

namespace kstar {

/// The names of a table's columns.
struct CsvHeader {
  std::vector<std::string> names;
  bool given = true;        ///< else the table has none
  bool in_comment = false;  ///< it stands behind a #, as plotting programs want it

  /// Whether the row is this header once more, as in files that were joined.
  bool stands_in(const std::vector<Cell>& row) const;
};

/// Reads the header where there is one. Afterwards the reader stands before the first row.
Result<CsvHeader> read_header(const Input& input, CsvReader& reader);

}  // namespace kstar
