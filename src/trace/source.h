#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kstar/result.h"

/// The bytes of a file as they come: plain, gzip (ISA-L where it was built in, else zlib) or zstd,
/// known by the first bytes and not by the name.
namespace kstar::tracing {

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Up to `room` bytes; 0 at the end.
  virtual Result<std::size_t> read(char* to, std::size_t room) = 0;
  /// Packed data ended before its end, or broke: what came before is good.
  virtual bool broken() const { return false; }
};

Result<std::unique_ptr<BlockSource>> open_source(const std::string& path);

/// From memory, for tests and fuzzing. The text must outlive it.
std::unique_ptr<BlockSource> text_source(std::string_view text);

}  // namespace kstar::tracing
