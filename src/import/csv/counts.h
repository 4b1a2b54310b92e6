#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/csv/facts.h"

namespace kstar {

/// The columns that make K: the product of all of them.
struct CsvCounts {
  std::vector<std::size_t> columns;
  std::optional<std::size_t> nodes;    ///< how many nodes, where that is known beside K
  std::optional<std::size_t> threads;  ///< of a rank, where K is ranks times threads
};

/// Those that the user names ("gpus", or "nodes*gpus"); else the count of the smallest part of the
/// machine, times what each part has where names say so (nodes and gpus per node, ranks and
/// threads). Several counts that may mean two things are an error.
Result<CsvCounts> choose_counts(const Input& input, const CsvSurvey& survey, const Facts& columns,
                                const ImportOptions& options);

/// The hint where two counts may be meant.
std::string which_is_k(std::string_view outer, std::string_view inner);

}  // namespace kstar
