#include <fmt/format.h>

#include <filesystem>

#include "base/try.h"
#include "cli/comm/commands.h"
#include "kstar/comm_report.h"
#include "kstar/study_file.h"

/// Studies of collectives in `kstar report`: their times are by size, and there is no T(K) of them.
namespace kstar {

namespace {

/// By the header of a study, which says what was run. A pipe can be read only once.
bool is_of_collectives(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const Result<StudyHeader> header = load_header(path);
  return header && is_collective_study(*header);
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
