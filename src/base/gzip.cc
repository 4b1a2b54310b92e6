#include "base/gzip.h"

#include <fmt/format.h>

#include <zlib.h>
#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
/// Numbers hardly get smaller at a higher one, which takes four times as long.
constexpr int kLevel = 3;
constexpr int kMemory = 8;

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

/// zlib counts in unsigned int: a larger buffer is given in pieces.
unsigned int piece(std::size_t size) {
  return static_cast<unsigned int>(
      std::min<std::size_t>(size, std::numeric_limits<unsigned int>::max()));
}

Error gzip_error(std::string_view path, std::string message) {
  return {.where = printable(path), .message = std::move(message)};
}

/// zlib's interface is older than const.
Bytef* bytes_of(const char* data) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data));
}

}  // namespace

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipOnly, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  constexpr std::size_t kMost = std::numeric_limits<unsigned int>::max();  // zlib's counters
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::size_t taken = 0, filled = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t in = std::min(text.size() - taken, kMost);
    const std::size_t room = std::min(packed.size() - filled, kMost);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data() + taken));
    stream.avail_in = static_cast<unsigned int>(in);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + filled);
    stream.avail_out = static_cast<unsigned int>(room);
    state = deflate(&stream, taken + in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    taken += in - stream.avail_in;
    filled += room - stream.avail_out;
  }
  deflateEnd(&stream);
  packed.resize(filled);
  return packed;
}

std::string gunzip_start(std::string_view packed, std::size_t most) {
  Inflater inflater;
  std::string text(inflater.ready() ? most : 0, '\0');
  z_stream& stream = inflater.stream();
  stream.next_in = bytes_of(packed.data());
  stream.avail_in = piece(packed.size());
  stream.next_out = bytes_of(text.data());
  stream.avail_out = piece(text.size());
  if (!text.empty()) inflate(&stream, Z_SYNC_FLUSH);
  text.resize(text.size() - stream.avail_out);
  return text;
}

struct GunzipStream::State {
  std::string_view path;
  std::size_t most;
  std::size_t unpacked = 0;
  bool at_end = false;  ///< of a member: another may follow
  std::optional<Error> fault;
  Inflater inflater;
};

GunzipStream::GunzipStream(std::string_view path, std::size_t most)
    : state_(new State{.path = path, .most = most, .fault = {}, .inflater = {}}) {
  if (!state_->inflater.ready())
    state_->fault = gzip_error(path, "not enough memory to decompress");
}
GunzipStream::~GunzipStream() = default;

Result<std::size_t> GunzipStream::unpack(std::string_view& packed, char* to, std::size_t room) {
  if (state_->fault) return fail(*state_->fault);
  if (packed.empty()) return std::size_t{0};
  z_stream& stream = state_->inflater.stream();
  if (state_->at_end) inflateReset(&stream);  // the next member, or what is none
  const unsigned int in = piece(packed.size());
  const unsigned int out = piece(room);
  stream.next_in = bytes_of(packed.data());
  stream.avail_in = in;
  stream.next_out = bytes_of(to);
  stream.avail_out = out;
  const int state = inflate(&stream, Z_NO_FLUSH);
  packed.remove_prefix(in - stream.avail_in);
  state_->unpacked += out - stream.avail_out;
  state_->at_end = state == Z_STREAM_END;
  if (state_->unpacked > state_->most) {
    state_->fault =
        gzip_error(state_->path,
                   fmt::format("decompresses to more than {} MiB, the limit", state_->most >> 20U));
  } else if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
    state_->fault = gzip_error(state_->path,
                               fmt::format("is damaged gzip data ({})",
                                           stream.msg != nullptr ? stream.msg : "unknown reason"));
  }
  if (state_->fault && out == stream.avail_out) return fail(*state_->fault);
  return out - stream.avail_out;
}

Result<void> GunzipStream::finish() const {
  if (state_->fault) return fail(*state_->fault);
  if (!state_->at_end) return fail(gzip_error(state_->path, "is a truncated gzip file"));
  return {};
}

std::size_t most_unpacked(std::size_t packed) {
  // Text unpacks to some twenty times its size. Far beyond that a small file is a bomb.
  constexpr std::size_t kMostPacked = 100;
  constexpr std::size_t kAnyUnpacked = std::size_t{256} << 20U;
  return std::max(kAnyUnpacked, kMostPacked * packed);
}

Result<FileText> gunzip(std::string_view packed, std::string_view path, std::size_t most,
                        std::size_t longest_line) {
  GunzipStream stream(path, most);
  FileText text(std::min(most, std::max(packed.size() * 4, FileText::kFirstPiece)) + 1);
  LineWatch lines(path, longest_line);
  std::size_t filled = 0;
  while (!packed.empty()) {
    if (filled == text.view().size()) text.resize(std::min(filled * 2, most + 1), filled);
    KSTAR_TRY(const auto got,
              stream.unpack(packed, text.data() + filled, text.view().size() - filled));
    if (auto endless = lines.see({text.data() + filled, got})) return fail(std::move(*endless));
    filled += got;
  }
  KSTAR_CHECK(stream.finish());
  text.resize(filled, filled);
  return text;
}

}  // namespace kstar
