#pragma once

#include <span>
#include <string>

#include "kstar/page.h"

/// The parts of the page, from the answer down to what it rests on. A part that has nothing to say
/// is empty. `level` is that of its heading.
namespace kstar {

/// The answer and how far it can be trusted; of several studies, one after the other.
std::string answer_part(std::span<const Subject> subjects, const PageOptions& options);

/// Every chart that there is, with what the script needs to bring it to life.
std::string charts_part(std::span<const Subject> subjects);

/// T(K) and E(K) of several studies, side by side.
std::string comparison_part(std::span<const Subject> subjects);

/// What was skipped, failed, lost or guessed.
std::string notes_part(const Subject& subject, int level);

/// The raw runs as a table. `number` tells the studies of a page apart.
std::string runs_part(const Subject& subject, std::size_t number, int level);

/// What can be taken out of the page, and the study itself. Fails where the study cannot be
/// written.
Result<std::string> data_part(const Subject& subject, std::size_t number,
                              const PageOptions& options, int level);

/// The name of a subject, or what stands for one.
std::string name_of(const Subject& subject);

}  // namespace kstar
