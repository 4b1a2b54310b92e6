#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace kstar {

/// One gzip member, the same bytes for the same text: it holds no time and no name.
std::string gzip(std::string_view text);

/// Unpacks every member of a gzip file. An early end, a wrong checksum, bytes behind the last
/// member, more than `most` bytes, or a line of more than `longest_line` is an error; `path` stands
/// for the file in it.
Result<FileText> gunzip(std::string_view packed, std::string_view path, std::size_t most,
                        std::size_t longest_line = std::string::npos);

/// The same from pieces, as they come and as far as there is room.
class GunzipStream {
 public:
  /// `path` must outlive this.
  GunzipStream(std::string_view path, std::size_t most);
  ~GunzipStream();

  /// Unpacks into `to` from the beginning of `packed`, and takes off there what was used. How many
  /// bytes it put; none where it needs more of what is packed. What is good comes before an error.
  Result<std::size_t> unpack(std::string_view& packed, char* to, std::size_t room);
  /// An error where the file must not end yet.
  Result<void> finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The most that so many packed bytes may unpack to: a small file must not be able to fill the
/// memory.
std::size_t most_unpacked(std::size_t packed);

/// The first `most` bytes, or what there is of them before the data ends or breaks: for looking at,
/// not for keeping.
std::string gunzip_start(std::string_view packed, std::size_t most);

}  // namespace kstar
