#include "cli/study_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "kstar/study_file.h"

namespace kstar {

Flag force_flag() {
  return {.name = "force", .help = "replace the study of -o if it is there"};
}

Error already_there(const std::string& path) {
  return {.where = printable(path),
          .message = "the file is there already",
          .hint = "choose another name, or say --force to replace it"};
}

Result<void> deliver_study(const Arguments& arguments, Console& console, const Study& study) {
  const std::string path = arguments.text("output");
  if (path.empty() || path == "-") {
    const Result<std::string> lines = to_lines(study);
    if (!lines) return fail(lines.error());
    console.print(*lines);
    return {};
  }
  std::error_code ignored;
  if (!arguments.has("force") && std::filesystem::is_regular_file(path, ignored)) {
    return fail(already_there(path));
  }
  if (Result<void> saved = save_study(study, path); !saved) return saved;
  const std::size_t runs = study.runs.size();
  console.note(fmt::format("wrote {}: {} run{}", printable(path), runs, runs == 1 ? "" : "s"));
  return {};
}

}  // namespace kstar
