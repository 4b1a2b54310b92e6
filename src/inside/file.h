#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/inside_layout.h"
#include "kstar/result.h"

/// One file of libkstar_mpi.so.
namespace kstar {

/// Its bytes as they are; every index and size in them was checked against the tables.
struct InsideFile {
  std::string path;
  std::unique_ptr<inside::Head> head;
  std::vector<inside::ThreadBlock> threads;

  /// The last moment that is known of the rank.
  std::uint64_t last_seen() const;
};

Result<InsideFile> parse_inside(std::string_view bytes, const std::string& path);
Result<InsideFile> read_inside_file(const std::string& path);

/// Text of a fixed field.
template <std::size_t N>
std::string field_text(const char (&field)[N]) {
  const std::string_view whole(field, N);
  return std::string(whole.substr(0, whole.find('\0')));
}

}  // namespace kstar
