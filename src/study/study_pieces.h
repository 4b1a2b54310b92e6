#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/gzip.h"
#include "base/source_line.h"

namespace kstar {

/// The text of a study's file, plain or packed, as it comes.
class StudyPieces {
 public:
  /// Both must outlive this.
  StudyPieces(const FileHandle& file, const std::string& path);

  /// The next bytes; none at the end. More than a study may have is an error, and so is an endless
  /// line.
  Result<std::size_t> read(char* to, std::size_t room);
  /// Reads to the end: an Error where the packed text is damaged further on.
  Result<void> check_rest();
  /// What the records may take: a small packed file must not be able to fill the memory.
  std::size_t most_memory() const;
  /// Of the text, where that is known; otherwise 0.
  std::size_t size() const { return unpack_ ? 0 : file_size_; }

 private:
  Result<std::size_t> read_packed(char* to, std::size_t room);
  Result<std::size_t> read_raw(char* to, std::size_t room);

  const FileHandle& file_;
  const std::string& path_;
  LineWatch lines_;
  std::size_t file_size_ = 0;
  std::size_t read_ = 0;   ///< as it is in the file
  std::size_t total_ = 0;  ///< as text
  bool begun_ = false;
  std::string packed_;        ///< read, and not unpacked yet
  std::string_view waiting_;  ///< of `packed_`
  std::optional<GunzipStream> unpack_;
};

}  // namespace kstar
