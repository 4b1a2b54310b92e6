#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file.h"

namespace kstar {

/// One gzip member, the same bytes for the same text: it holds no time and no name.
std::string gzip(std::string_view text);

/// Unpacks every member of a gzip file. An early end, a wrong checksum, bytes behind the last
/// member, more than `most` bytes, or a line of more than `longest_line` is an error; `path` stands
/// for the file in it.
Result<FileText> gunzip(std::string_view packed, std::string_view path, std::size_t most,
                        std::size_t longest_line = std::string::npos);

/// The first `most` bytes, or what there is of them before the data ends or breaks: for looking at,
/// not for keeping.
std::string gunzip_start(std::string_view packed, std::size_t most);

}  // namespace kstar
