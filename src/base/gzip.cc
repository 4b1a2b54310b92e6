#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace kstar {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
/// Numbers hardly get smaller at a higher one, which takes four times as long.
constexpr int kLevel = 3;
constexpr int kMemory = 8;

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

}  // namespace kstar
