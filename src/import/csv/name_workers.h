#pragma once

#include "import/input.h"
#include "kstar/import.h"

namespace kstar {

/// K of a file whose text has no place for it: as --k says, as --k-regex finds it in the path or in
/// the text, or the number in the file's name that stands beside a word for workers (8gpu, np4), is
/// the whole name (8.log) or stands behind a bare k, n or p. The last is a guess, and `study` gets
/// a note of it.
Result<int> workers_of_file(const Input& input, const ImportOptions& options, Study& study);

}  // namespace kstar
