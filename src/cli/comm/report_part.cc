#include <fmt/format.h>

#include <fstream>

#include "base/text.h"
#include "base/try.h"
#include "cli/comm/commands.h"
#include "kstar/comm_report.h"
#include "kstar/study_file.h"

/// Studies of collectives in `kstar report`: their times are by size, and there is no T(K) of them.
namespace kstar {

namespace {

/// By the first line of a study, which says what was run.
bool is_of_collectives(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.find("\"study\"") == std::string::npos) return false;
  const Result<Study> header = parse_study(line, path);
  return header && is_collective_study(header->header);
}

}  // namespace

Result<std::optional<Document>> collectives_document(const std::vector<std::string>& paths,
                                                     bool page) {
  std::size_t count = 0;
  for (const std::string& path : paths) count += is_of_collectives(path) ? 1U : 0U;
  if (count == 0) return std::optional<Document>();
  if (count < paths.size()) {
    return fail(usage({.where = "kstar report",
                       .message = "expected studies of programs or of collectives, got both",
                       .hint = "make a page of each"}));
  }
  KSTAR_TRY(CommData data, read_comm_files(paths));
  apply_given({}, data);
  CommReport report;
  KSTAR_TRY(report.analysis, analyze_comm(data));
  report.title = comm_title(report.analysis);
  return to_document(report, CommView{.full = page, .chart = page});
}

}  // namespace kstar
