#include "study/study_pieces.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/text.h"
#include "base/try.h"
#include "study/study_reader.h"

namespace kstar {

namespace {

constexpr std::size_t kPackedPiece = std::size_t{256} << 10U;

/// What so many packed bytes may unpack to. Studies shrink to a tenth. Of a pipe nobody knows.
std::size_t most_text(std::size_t packed) {
  constexpr std::size_t kAlways = std::size_t{32} << 20U, kTimes = 30;
  if (packed == 0) return kMostStudyBytes;
  return std::min(kMostStudyBytes, std::max(kAlways, kTimes * packed));
}

}  // namespace

StudyPieces::StudyPieces(const FileHandle& file, const std::string& path)
    : file_(file), path_(path), lines_(path, kLongestStudyLine) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    file_size_ = static_cast<std::size_t>(facts.st_size);
  }
}

/// The runs of a measurement take about fifteen times what they take packed.
std::size_t StudyPieces::most_memory() const {
  constexpr std::size_t kAlways = 512'000'000, kTimes = 60;
  if (!unpack_) return std::numeric_limits<std::size_t>::max();
  return std::max(kAlways, kTimes * std::max(file_size_, read_));
}

Result<std::size_t> StudyPieces::read_raw(char* to, std::size_t room) {
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), to, room);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail(file_error(path_, "read", errno));
  read_ += static_cast<std::size_t>(got);
  return static_cast<std::size_t>(got);
}

Result<std::size_t> StudyPieces::read_packed(char* to, std::size_t room) {
  for (;;) {
    KSTAR_TRY(const std::size_t put, unpack_->unpack(waiting_, to, room));
    if (put > 0) return put;
    if (!waiting_.empty()) continue;
    packed_.resize(kPackedPiece);
    KSTAR_TRY(const std::size_t got, read_raw(packed_.data(), packed_.size()));
    waiting_ = std::string_view(packed_).substr(0, got);
    if (got > 0) continue;
    KSTAR_CHECK(unpack_->finish());
    return std::size_t{0};
  }
}

Result<void> StudyPieces::check_rest() {
  std::string ignored(unpack_ ? kPackedPiece : 0, '\0');
  for (std::size_t got = ignored.size(); got > 0;) {
    KSTAR_TRY(got, read_packed(ignored.data(), ignored.size()));
  }
  return {};
}

Result<std::size_t> StudyPieces::read(char* to, std::size_t room) {
  if (!begun_) {
    begun_ = true;
    KSTAR_CHECK(check_lines(file_, path_, kLongestStudyLine));
    packed_.resize(kPackedPiece);
    KSTAR_TRY(const std::size_t got, read_raw(packed_.data(), packed_.size()));
    waiting_ = std::string_view(packed_).substr(0, got);
    if (is_gzip(waiting_)) unpack_.emplace(path_, most_text(file_size_));
  }
  std::size_t got = 0;
  if (unpack_) {
    KSTAR_TRY(got, read_packed(to, room));
  } else if (!waiting_.empty()) {
    got = waiting_.copy(to, room);
    waiting_.remove_prefix(got);
  } else {
    KSTAR_TRY(got, read_raw(to, room));
  }
  if (auto endless = lines_.see({to, got})) return fail(std::move(*endless));
  total_ += got;
  if (total_ > kMostStudyBytes) {
    return fail({.where = printable(path_),
                 .message = fmt::format("is larger than {} MiB, the most that is read",
                                        kMostStudyBytes >> 20U)});
  }
  return got;
}

}  // namespace kstar
