#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/csv/columns.h"

/// Questions about the columns of a table by what they hold.
namespace kstar {

using Facts = std::vector<ColumnFacts>;

/// The names of these columns, for a message.
std::string listed(const Facts& columns, const std::vector<std::size_t>& chosen);

std::vector<std::size_t> all_of(const Facts& columns, ColumnKind kind);

/// The column of that kind where there is one and no other.
std::optional<std::size_t> only(const Facts& columns, ColumnKind kind);

/// The columns of that kind whose names leave the least doubt; of those with numbers, if asked.
std::vector<std::size_t> surest(const Facts& columns, ColumnKind kind, bool numbers = true);

/// The column that a flag names.
Result<std::size_t> named_column(const Input& input, const Facts& columns, std::string_view flag,
                                 const std::string& name);

}  // namespace kstar
