#include "trace/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "base/gzip.h"
#include "base/text.h"
#include "base/try.h"

#ifdef KSTAR_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef KSTAR_ZSTD
#include <zstd.h>
#endif

namespace kstar::tracing {

namespace {

constexpr std::size_t kPackedBlock = std::size_t{1} << 18;

class PlainSource : public BlockSource {
 public:
  PlainSource(FileHandle file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::size_t> read(char* to, std::size_t room) override {
    for (;;) {
      const ssize_t count = ::read(file_.get(), to, room);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return fail(file_error(path_, "read", errno));
    }
  }

 private:
  FileHandle file_;
  std::string path_;
};

/// Puts back the bytes by which the kind of file was found.
class PrefixedSource : public BlockSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<BlockSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<std::size_t> read(char* to, std::size_t room) override {
    if (used_ == prefix_.size()) return rest_->read(to, room);
    const std::size_t count = std::min(room, prefix_.size() - used_);
    std::memcpy(to, prefix_.data() + used_, count);
    used_ += count;
    return count;
  }

 private:
  std::string prefix_;
  std::unique_ptr<BlockSource> rest_;
  std::size_t used_ = 0;
};

/// What unpackers share: a block of packed bytes, refilled when it is used up.
class PackedSource : public BlockSource {
 public:
  explicit PackedSource(std::unique_ptr<BlockSource> packed)
      : packed_(std::move(packed)), block_(kPackedBlock) {}
  bool broken() const override { return broken_; }

 protected:
  /// False at the end of the packed file.
  Result<bool> refill() {
    KSTAR_TRY(const std::size_t count, packed_->read(block_.data(), block_.size()));
    from_ = 0;
    to_ = count;
    return count > 0;
  }

  std::unique_ptr<BlockSource> packed_;
  std::vector<char> block_;
  std::size_t from_ = 0, to_ = 0;
  bool broken_ = false, done_ = false;
};

#ifdef KSTAR_ISAL
class GzipSource : public PackedSource {
 public:
  explicit GzipSource(std::unique_ptr<BlockSource> packed) : PackedSource(std::move(packed)) {
    start();
  }

  Result<std::size_t> read(char* to, std::size_t room) override {
    room = std::min<std::size_t>(room, std::size_t{1} << 30);
    while (!done_) {
      if (from_ == to_) {
        KSTAR_TRY(const bool more, refill());
        if (!more) {
          broken_ = broken_ || in_member_;
          done_ = true;
          break;
        }
      }
      if (!in_member_ && !begin_member()) break;
      const std::size_t count = unpack(to, room);
      if (count > 0) return count;
    }
    return 0;
  }

 private:
  void start() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    in_member_ = true;
    any_ = false;
  }

  /// Another member, or zeros that pad the file.
  bool begin_member() {
    while (from_ < to_ && block_[from_] == 0) ++from_;
    if (from_ == to_) return true;
    if (static_cast<unsigned char>(block_[from_]) != 0x1F) {
      broken_ = done_ = true;
      return false;
    }
    start();
    return true;
  }

  std::size_t unpack(char* to, std::size_t room) {
    if (from_ == to_ && !any_) return 0;
    state_.next_in = reinterpret_cast<std::uint8_t*>(block_.data() + from_);
    state_.avail_in = static_cast<std::uint32_t>(to_ - from_);
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = static_cast<std::uint32_t>(room);
    const int status = isal_inflate(&state_);
    from_ = to_ - state_.avail_in;
    any_ = true;
    const std::size_t count = room - state_.avail_out;
    if (status != ISAL_DECOMP_OK) broken_ = done_ = true;
    if (state_.block_state == ISAL_BLOCK_FINISH) in_member_ = false;
    return count;
  }

  inflate_state state_{};
  bool in_member_ = false, any_ = false;
};
#else
class GzipSource : public PackedSource {
 public:
  explicit GzipSource(std::unique_ptr<BlockSource> packed)
      : PackedSource(std::move(packed)), stream_("trace", std::string::npos) {}

  Result<std::size_t> read(char* to, std::size_t room) override {
    while (!done_) {
      std::string_view rest(block_.data() + from_, to_ - from_);
      const auto count = stream_.unpack(rest, to, room);
      from_ = to_ - rest.size();
      if (!count) {
        broken_ = done_ = true;
        return std::size_t{0};
      }
      if (*count > 0) return *count;
      KSTAR_TRY(const bool more, refill());
      if (more) continue;
      done_ = true;
      broken_ = !stream_.finish();
    }
    return std::size_t{0};
  }

 private:
  GunzipStream stream_;
};
#endif

#ifdef KSTAR_ZSTD
class ZstdSource : public PackedSource {
 public:
  explicit ZstdSource(std::unique_ptr<BlockSource> packed)
      : PackedSource(std::move(packed)), context_(ZSTD_createDCtx()) {}
  ~ZstdSource() override { ZSTD_freeDCtx(context_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  Result<std::size_t> read(char* to, std::size_t room) override {
    while (!done_) {
      if (from_ == to_ && !full_) {
        KSTAR_TRY(const bool more, refill());
        if (!more) {
          done_ = true;
          broken_ = wanted_ != 0;
          break;
        }
      }
      ZSTD_inBuffer in{block_.data(), to_, from_};
      ZSTD_outBuffer out{to, room, 0};
      wanted_ = ZSTD_decompressStream(context_, &out, &in);
      from_ = in.pos;
      full_ = out.pos == room;
      if (ZSTD_isError(wanted_) != 0) broken_ = done_ = true;
      if (out.pos > 0) return out.pos;
    }
    return std::size_t{0};
  }

 private:
  ZSTD_DCtx* context_;
  std::size_t wanted_ = 0;
  bool full_ = false;
};
#endif

class TextSource : public BlockSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* to, std::size_t room) override {
    const std::size_t count = std::min(room, text_.size());
    std::memcpy(to, text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

bool is_zstd(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\x28\xB5\x2F\xFD", 4));
}

Result<std::unique_ptr<BlockSource>> unpacked(std::unique_ptr<BlockSource> file,
                                              std::string_view start, const std::string& path) {
  if (is_gzip(start)) return std::unique_ptr<BlockSource>(new GzipSource(std::move(file)));
  if (!is_zstd(start)) return file;
#ifdef KSTAR_ZSTD
  (void)path;
  return std::unique_ptr<BlockSource>(new ZstdSource(std::move(file)));
#else
  return fail({.where = printable(path),
               .message = "is packed with zstd, which this kstar was built without",
               .hint = "unpack it: zstd -d"});
#endif
}

}  // namespace

Result<std::unique_ptr<BlockSource>> open_source(const std::string& path) {
  KSTAR_TRY(FileHandle file, open_file(path, O_RDONLY, "read"));
  struct stat info {};
  if (fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return fail({.where = printable(path), .message = "is a folder"});
  }
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  std::unique_ptr<BlockSource> plain = std::make_unique<PlainSource>(std::move(file), path);
  std::string start(4, '\0');
  std::size_t count = 0;
  while (count < start.size()) {
    KSTAR_TRY(const std::size_t piece, plain->read(start.data() + count, start.size() - count));
    if (piece == 0) break;
    count += piece;
  }
  start.resize(count);
  auto whole = std::make_unique<PrefixedSource>(start, std::move(plain));
  return unpacked(std::move(whole), start, path);
}

std::unique_ptr<BlockSource> text_source(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

}  // namespace kstar::tracing
