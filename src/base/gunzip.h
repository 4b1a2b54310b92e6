#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file.h"

namespace kstar {

/// Unpacks every member of a gzip file. An early end, a wrong checksum, bytes behind the last
/// member, or more than `most` bytes is an error (with `where` left for the caller).
Result<FileText> gunzip(std::string_view packed, std::size_t most);

/// The first `most` bytes, or what there is of them before the data ends or breaks: for looking at,
/// not for keeping.
std::string gunzip_start(std::string_view packed, std::size_t most);

}  // namespace kstar
