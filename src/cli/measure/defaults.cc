#include "cli/measure/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/number.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "kstar/measure.h"

namespace kstar {

namespace {

constexpr std::string_view kEnding = ".kstar.jsonl";

/// The program's name as part of a file's: "./job-{K}" is job-K.
std::string program_name(const MeasureSpec& spec) {
  std::string first = spec.command[0];
  if (spec.shell) first = first.substr(0, first.find_first_of(" \t;|&"));
  std::string name;
  for (const char c : std::filesystem::path(first).filename().string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (plain || (c == '.' && !name.empty())) name += c;
  }
  while (name.starts_with('-')) name.erase(0, 1);
  return name.empty() ? "study" : name;
}

/// The highest number among the files prog-N.kstar.jsonl here; 0: there is none.
std::int64_t highest_number(const std::string& program) {
  const std::string start = program + "-";
  std::int64_t highest = 0;
  std::error_code problem;
  for (std::filesystem::directory_iterator files(".", problem), end; !problem && files != end;
       files.increment(problem)) {
    const std::string name = files->path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(kEnding)) continue;
    const std::size_t length = name.size() - std::min(name.size(), start.size() + kEnding.size());
    highest = std::max(highest, parse_integer(name.substr(start.size(), length)).value_or(0));
  }
  return highest;
}

}  // namespace

Result<std::string> fill_workers(MeasureSpec& spec) {
  if (!spec.workers.empty() || spec.command.empty()) return std::string();
  Result<UsualWorkers> found = usual_workers(spec);
  if (!found) return fail(usage(found.error()));
  spec.workers = std::move(found->workers);
  return fmt::format("K = {}, {} (--workers chooses others)", fmt::join(spec.workers, ", "),
                     found->reason);
}

Result<std::string> fill_output(MeasureSpec& spec, bool resumes) {
  if (!spec.output.empty() || spec.command.empty()) return std::string();
  const std::string program = program_name(spec);
  const std::int64_t highest = highest_number(program);
  if (resumes && highest == 0) {
    return fail({.where = "--resume",
                 .message = fmt::format("there is no study to resume: no {}-1{} in this folder",
                                        printable(program), kEnding),
                 .hint = "omit --resume to start one, or say its file: -o FILE"});
  }
  spec.output = fmt::format("{}-{}{}", program, resumes ? highest : highest + 1, kEnding);
  return fmt::format("{} {}", resumes ? "resumes" : "writes", printable(spec.output));
}

}  // namespace kstar
