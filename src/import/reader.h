#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/gzip.h"
#include "import/input.h"

namespace kstar {

/// What an importer reads: a file, plain or gzipped and unpacked as it goes, or a text in memory.
/// A format whose parts stand for themselves takes line after line, or block after block, of a file
/// that may be larger than the memory; one that needs all of it asks for the whole text.
class Reader {
 public:
  /// As much as shows what a file is.
  static constexpr std::size_t kHead = std::size_t{64} << 10U;
  /// More than this, packed or unpacked, is not read as a whole.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  /// JSON that somebody put into one line is long; nothing honest is longer than this.
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20U;

  /// A pipe cannot be looked at before it is read: of one no more than kMostBytes are.
  Reader(FileHandle file, std::string path);
  /// `text` need not be padded, and is not unpacked.
  Reader(std::string_view text, std::string_view name);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const std::string& name() const { return name_; }  ///< stands for the file in messages
  /// Whether its name opens the same again.
  bool is_file() const { return file_ && !is_loaded_; }

  /// The first kHead bytes, or what there is of them before the file ends or breaks. Asked before
  /// any line or block is taken.
  std::string_view head();

  /// Takes the next line off, without its end: an input of its own, which knows its number and can
  /// be read until the next one is taken. False at the end. One of more than kLongestLine bytes in
  /// a file is an error.
  Result<bool> next_line(Input& line);
  /// Takes off what comes next, in pieces of any size, likewise; empty at the end. Their lines are
  /// not counted.
  Result<std::string_view> next_block();

  /// All of it, where nothing has been taken off yet.
  Result<Input> whole();

  /// Of a packed file that is being taken line by line: reads on to its end, and says whether it is
  /// damaged or cut short. What was wrong with its text may come from there.
  Result<void> check_rest();

 private:
  void load();
  void fill();
  Result<std::size_t> read(char* to, std::size_t room);
  Result<std::size_t> read_raw(char* to, std::size_t room);
  std::string_view ahead() const { return buffer_.view().substr(begin_, end_ - begin_); }

  std::string name_;
  FileHandle file_;
  bool is_loaded_ = false;  ///< all of it is in the buffer
  off_t offset_ = 0;        ///< of what is read next from the file
  std::optional<GunzipStream> gzip_;
  std::string packed_buffer_;
  std::string_view packed_;  ///< what is not unpacked yet of it

  FileText buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< what is read, and not taken off
  std::size_t line_ = 0;             ///< the number of the last that was taken off
  bool ended_ = false;
  std::optional<Error> fault_;  ///< stands behind what is in the buffer
};

}  // namespace kstar
