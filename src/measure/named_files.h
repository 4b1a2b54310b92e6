#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kstar/study.h"

/// The files that a command line names: the program, a script, what it reads, what it writes.
namespace kstar {

inline constexpr std::string_view kJobWrites = "job-writes";  ///< a note; `where` is the file

/// The words of the command and of the baseline, the programs as they are found in PATH.
std::vector<std::string> named_words(const std::vector<std::string>& command,
                                     const std::vector<std::string>& baseline);

/// What tells one build of the programs from another: for every word a hash (FNV-1a, 64 bits) of
/// the bytes of the file that it names, or "-". A script is as much the job as its interpreter.
std::string marks_of_files(const std::vector<std::string>& words);

/// The first file whose mark differs, where the job does not write it itself, as the notes of `old`
/// say; empty when there is none.
std::string changed_file(const Study& old, const StudyHeader& now);

/// Sees which of the named files the runs change.
class WrittenFiles {
 public:
  explicit WrittenFiles(const StudyHeader& header);
  /// Those that were changed since the last look, each told once.
  std::vector<std::string> changed();

 private:
  using Time = std::filesystem::file_time_type;
  std::map<std::string, std::optional<Time>> files_;
};

}  // namespace kstar
