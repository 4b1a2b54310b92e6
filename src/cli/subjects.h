#pragma once

#include "cli/arguments.h"
#include "kstar/view.h"

/// The studies that a report or a figure is about.
namespace kstar {

/// The flags about what is read, and how it is analysed.
std::vector<Flag> subject_flags();

/// STUDY...
Positional subjects_positional();

/// What they are read for: only a text and a page are audited, and only a page lets its reader move
/// the threshold and the price.
enum class SubjectUse { kFigure, kText, kPage };

/// Reads and analyses every STUDY. Names are those of the files, as short as tells them
/// apart; with --redact, numbers, and what is read is redacted before anything looks at it.
Result<std::vector<Subject>> read_subjects(const Arguments& arguments, SubjectUse use);

/// The short names of files: without folder and endings, but where two would be the same.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace kstar
