#pragma once

#include <cstddef>
#include <string_view>

#include "base/file.h"

namespace kstar {

/// Unpacks every member of a gzip file. An early end, a wrong checksum, bytes behind the last
/// member, or more than `most` bytes is an error (with `where` left for the caller).
Result<FileText> gunzip(std::string_view packed, std::size_t most);

}  // namespace kstar
