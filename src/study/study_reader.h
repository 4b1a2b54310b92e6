#pragma once

#include <cstddef>
#include <string_view>

#include "base/file.h"
#include "kstar/result.h"
#include "kstar/study.h"

namespace kstar {

/// More than this, unpacked, is not read: a million runs take half a gigabyte.
inline constexpr std::size_t kMostStudyBytes = std::size_t{8} << 30U;
/// A line takes four times its length as index while it is read.
inline constexpr std::size_t kLongestStudyLine = std::size_t{512} << 20U;

/// A study, and what a writer that goes on must know about its file.
struct ReadStudy {
  Study study;
  std::size_t whole_bytes = 0;    ///< up to the end of the last whole line
  std::size_t torn_bytes = 0;     ///< of an unfinished last line
  bool ends_with_newline = true;  ///< false when the last record is whole but for its newline
};

Result<ReadStudy> read_study(const FileText& text, std::string_view name);

/// The same from an open file, from its start, piece by piece: the text is never in memory as a
/// whole.
Result<ReadStudy> read_study_file(const FileHandle& file, const std::string& path);

}  // namespace kstar
