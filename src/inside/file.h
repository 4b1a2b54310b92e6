#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/inside_layout.h"
#include "kstar/inside.h"
#include "kstar/result.h"

/// One file of libkstar_mpi.so, and what it says about its rank.
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

/// What one file says about its rank, waiting left out. A rank that was killed inside a call was in
/// it until `end`.
InsideRank rank_of(const InsideFile& file, std::uint64_t end);

/// A communicator, for people.
std::string name_of(const inside::Communicator& communicator, std::size_t index);

/// The end of the rank's span.
std::uint64_t end_of(const InsideFile& file, std::uint64_t end);

}  // namespace kstar
