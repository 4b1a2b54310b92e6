#include "import/reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/source_line.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10U;
static_assert(kBlock >= Reader::kHead);

std::size_t size_of(const FileHandle& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0
             ? static_cast<std::size_t>(std::max<off_t>(facts.st_size, 0))
             : 0;
}

}  // namespace

Reader::Reader(FileHandle file, std::string path) : name_(std::move(path)), file_(std::move(file)) {
  std::string start(kBlock, '\0');
  const auto got = read_raw(start.data(), start.size());
  if (!got) {
    load();
    return;
  }
  start.resize(*got);
  buffer_ = FileText(kBlock);
  if (is_gzip(start)) {
    gzip_.emplace(name_, most_unpacked(size_of(file_)));
    packed_buffer_ = std::move(start);
    packed_ = packed_buffer_;
    return;
  }
  std::copy(start.begin(), start.end(), buffer_.data());
  end_ = start.size();
  ended_ = start.empty();
}

Reader::Reader(std::string_view text, std::string_view name)
    : name_(name), is_loaded_(true), buffer_(text) {
  end_ = text.size();
  ended_ = true;
}

void Reader::load() {
  is_loaded_ = ended_ = true;
  begin_ = end_ = 0;
  fault_.reset();
  auto text = read_open_file(file_, name_, kMostBytes, kLongestLine);
  if (text) {
    buffer_ = std::move(*text);
    end_ = buffer_.view().size();
  } else {
    fault_ = std::move(text.error());
  }
}

Result<std::size_t> Reader::read_raw(char* to, std::size_t room) {
  ssize_t got = 0;
  do {
    got = ::pread(file_.get(), to, room, offset_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail(file_error(name_, "read", errno));
  offset_ += got;
  return static_cast<std::size_t>(got);
}

Result<std::size_t> Reader::read(char* to, std::size_t room) {
  if (!gzip_) return read_raw(to, room);
  while (true) {
    const auto got = gzip_->unpack(packed_, to, room);
    if (!got || *got > 0) return got;
    if (!packed_.empty()) continue;
    packed_buffer_.resize(kBlock);
    const auto more = read_raw(packed_buffer_.data(), packed_buffer_.size());
    if (!more) return more;
    packed_ = std::string_view(packed_buffer_).substr(0, *more);
    if (!packed_.empty()) continue;
    KSTAR_CHECK(gzip_->finish());
    return std::size_t{0};
  }
}

/// Reads more behind what is there, moves that to the front where it must, and makes room for a
/// long line.
void Reader::fill() {
  if (ended_ || fault_) return;
  if (end_ == buffer_.view().size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    if (end_ == buffer_.view().size()) buffer_.resize(2 * end_, end_);
  }
  const auto got = read(buffer_.data() + end_, std::min(buffer_.view().size() - end_, kBlock));
  if (!got) {
    fault_ = got.error();
    return;
  }
  end_ += *got;
  ended_ = *got == 0;
}

std::string_view Reader::head() {
  while (end_ < kHead && !ended_ && !fault_) fill();
  return ahead().substr(0, kHead);
}

Result<bool> Reader::next_line(Input& line) {
  std::size_t looked = 0;
  std::size_t length = 0;
  while ((length = ahead().find('\n', looked)) == std::string_view::npos) {
    looked = ahead().size();
    if (fault_) return fail(*fault_);
    if (ended_ || looked > kLongestLine) break;
    fill();
  }
  if (!is_loaded_ && std::min(length, ahead().size()) > kLongestLine) {
    fault_ = LineWatch(name_, kLongestLine, line_ + 1).see(ahead());
    return fail(*fault_);
  }
  if (length == std::string_view::npos && looked == 0) return false;
  line = {ahead().substr(0, length), name_, ++line_};
  begin_ += std::min(line.text.size() + 1, end_ - begin_);
  return true;
}

Result<std::string_view> Reader::next_block() {
  if (begin_ == end_) fill();
  if (begin_ == end_ && fault_) return fail(*fault_);
  const std::string_view block = ahead();
  begin_ = end_;
  return block;
}

Result<Input> Reader::whole() {
  if (!is_loaded_) load();
  if (fault_) return fail(*fault_);
  return Input{buffer_.view(), name_};
}

Result<void> Reader::check_rest() {
  const bool is_taken = begin_ > 0 || line_ > 0;
  if (!gzip_ || is_loaded_ || !is_taken) return {};
  while (!ended_ && !fault_) {
    begin_ = end_;
    fill();
  }
  if (fault_) return fail(*fault_);
  return {};
}

}  // namespace kstar
