#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kstar {

/// The formats that --format takes.
inline const std::vector<std::string>& output_formats() {
  static const std::vector<std::string> kFormats = {"text", "json", "csv", "md"};
  return kFormats;
}

/// --format and -o, the same on every command that shows something.
inline Flag format_flag() {
  return {.name = "format",
          .value = "FORMAT",
          .help = "text unless said, or as the ending of -o says",
          .choices = output_formats()};
}

inline Flag output_flag() {
  return {.name = "output",
          .value = "FILE",
          .help = "write to this file in the place of standard output",
          .letter = 'o',
          .file = true};
}

}  // namespace kstar
