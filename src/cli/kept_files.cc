#include "cli/kept_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/arguments.h"

namespace kstar {

namespace {

/// The flags that name what is written. All others that name a file name one to read.
constexpr std::array<std::string_view, 4> kWritten = {"output", "live", "card", "badge"};

bool is_written(std::string_view flag) {
  return std::find(kWritten.begin(), kWritten.end(), flag) != kWritten.end();
}

/// What stands for standard input is the file behind it.
std::string input_path(const std::string& path) {
  return path == "-" ? "/dev/stdin" : path;
}

std::vector<std::string> inputs_of(const Arguments& arguments) {
  std::vector<std::string> inputs;
  const std::vector<Positional>& places = arguments.command->positionals;
  if (!places.empty() && places.front().file) {
    for (const std::string& path : arguments.positionals) inputs.push_back(input_path(path));
  }
  for (const Flag& flag : arguments.command->flags) {
    if (!flag.file || is_written(flag.name) || !arguments.has(flag.name)) continue;
    inputs.push_back(input_path(arguments.text(flag.name)));
  }
  return inputs;
}

std::filesystem::path place_of(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  return failed ? std::filesystem::path(path) : place;
}

/// The first bytes; empty where they cannot be read.
std::string start_of(const std::string& path, std::size_t bytes) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";  // a pipe would wait
  std::string start(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
}

}  // namespace

bool same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  const bool there = ::stat(one.c_str(), &first) == 0;
  if (there != (::stat(other.c_str(), &second) == 0)) return false;
  if (!there) return place_of(one) == place_of(other);
  return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool holds_study(const std::string& path) {
  constexpr std::string_view kStart = "{\"kstar\":\"study\"";
  return start_of(path, kStart.size()) == kStart;
}

Result<void> require_other_file(const std::string& flag, const std::string& path,
                                const std::string& other, const std::string& what) {
  if (path.empty() || path == "-" || !same_file(path, other)) return {};
  return fail(
      usage(expected(fmt::format("--{}", flag), fmt::format("a different file than {}", what), path,
                     "choose another name: the input would be overwritten")));
}

Result<void> keep_inputs(const Arguments& arguments) {
  // Both write nothing, and --times may be the study of -o that is gone on with.
  if (arguments.has("dry-run") || arguments.has("print-spec")) return {};
  const std::vector<std::string> inputs = inputs_of(arguments);
  for (const std::string_view name : kWritten) {
    const std::string flag(name);
    for (const std::string& input : inputs) {
      if (auto kept = require_other_file(flag, arguments.text(flag), input, "the input"); !kept) {
        return kept;
      }
    }
  }
  return {};
}

void remove_leftovers(const Arguments& arguments) {
  if (arguments.has("dry-run") || arguments.has("print-spec")) return;  // they write nothing
  for (const std::string_view flag : kWritten) {
    const std::string path = arguments.text(flag);
    if (!path.empty() && path != "-") remove_abandoned(path);
  }
}

Result<void> keep_study(const std::string& flag, const std::string& path) {
  if (!holds_study(path)) return {};
  return fail(
      usage(expected(fmt::format("--{}", flag), "a file for the result, but this file is a study",
                     path, "choose another name, or delete the study")));
}

Result<void> keep_all_but_pages(const std::string& flag, const std::string& path) {
  constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"kstar";
  constexpr std::size_t kHead = 4096;  // it is among the first lines of a page
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_empty(path, ignored)) {
    return {};
  }
  if (start_of(path, kHead).find(kGenerator) != std::string::npos) return {};
  return fail(usage(expected(fmt::format("--{}", flag), "a new file, or a page of kstar to replace",
                             path, "choose another name, or delete that file")));
}

}  // namespace kstar
