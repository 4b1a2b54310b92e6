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

/// What `changed_file` says of the files as they are now: a warning where a program or a script was
/// replaced while the study was measured.
std::optional<Note> program_changed(const Study& study);

/// Sees which of the named files the runs write. A job that writes a file does so from its first
/// run on, and not to a program: what changes otherwise is somebody's new build.
class WrittenFiles {
 public:
  explicit WrittenFiles(const StudyHeader& header);
  /// Those that the first run changed, at the first call; nothing afterwards.
  std::vector<std::string> changed();

 private:
  using Time = std::filesystem::file_time_type;
  std::map<std::string, std::optional<Time>> files_;
};

}  // namespace kstar
