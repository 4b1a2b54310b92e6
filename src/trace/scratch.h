#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kstar::tracing {

/// Bytes that are written once and read again: a file without a name in the folder for temporary
/// files ($TMPDIR, else /tmp), gone with this object. Where nothing can be written there, the bytes
/// stay in memory.
class ScratchFile {
 public:
  ScratchFile() = default;
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;
  ~ScratchFile();

  void append(const void* data, std::size_t bytes);
  /// From the `from`-th byte on; they must have been appended. Throws std::system_error where the
  /// file cannot be read.
  void read(void* to, std::size_t bytes, std::uint64_t from) const;

 private:
  bool write(const char* data, std::size_t bytes);

  int file_ = -1;
  bool in_memory_ = false;  ///< from here on: the file took no more
  std::uint64_t written_ = 0;
  std::string rest_;
};

}  // namespace kstar::tracing
