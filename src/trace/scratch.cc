#include "trace/scratch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kstar::tracing {

namespace {

int open_nameless() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return -1;
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  std::string name = (folder / "kstar_XXXXXX").string();  // a file system without such files
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile(ScratchFile&& other) noexcept {
  *this = std::move(other);
}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(in_memory_, other.in_memory_);
  std::swap(written_, other.written_);
  std::swap(rest_, other.rest_);
  return *this;
}

ScratchFile::~ScratchFile() {
  if (file_ >= 0) close(file_);
}

bool ScratchFile::write(const char* data, std::size_t bytes) {
  if (file_ < 0) file_ = open_nameless();
  if (file_ < 0) return false;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pwrite(file_, data + done, bytes - done, static_cast<off_t>(written_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  written_ += bytes;
  return true;
}

void ScratchFile::append(const void* data, std::size_t bytes) {
  const char* const text = static_cast<const char*>(data);
  in_memory_ = in_memory_ || !write(text, bytes);
  if (in_memory_) rest_.append(text, bytes);
}

void ScratchFile::read(void* to, std::size_t bytes, std::uint64_t from) const {
  char* const out = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < bytes && from + done < written_) {
    const std::size_t most = std::min<std::uint64_t>(bytes - done, written_ - from - done);
    const ssize_t count = pread(file_, out + done, most, static_cast<off_t>(from + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw std::system_error(count < 0 ? errno : EIO, std::generic_category(),
                              "a temporary file cannot be read");
    }
    done += static_cast<std::size_t>(count);
  }
  if (done < bytes) std::memcpy(out + done, rest_.data() + (from + done - written_), bytes - done);
}

}  // namespace kstar::tracing
