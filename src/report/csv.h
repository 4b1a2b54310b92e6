#pragma once

#include <string>

namespace kstar {

/// One cell as RFC 4180 has it. A spreadsheet takes what starts with one of =+-@ for a formula:
/// unless it is a number, an apostrophe before it says that it is text.
std::string csv_cell(const std::string& text);

/// What is not there, and what has no bound, is an empty cell.
std::string csv_number(double value);

}  // namespace kstar
