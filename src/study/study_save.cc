#include <fcntl.h>
#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "kstar/study_file.h"
#include "study/object_writer.h"
#include "study/records.h"
#include "study/study_lock.h"

namespace kstar {

namespace {

bool add_line(std::string& text, Result<std::string> line, std::optional<Error>& error,
              std::string_view place) {
  if (!line) {
    error = std::move(line.error());
    error->where = fmt::format("{}: {}", place, error->where);
    return false;
  }
  text.append(*line).append("\n");
  return true;
}

Result<std::string> unknown_line(const std::string& record) {
  if (auto line = one_line_object(record)) return *line;
  return fail(expected("record", "the text of a JSON object", record));
}

}  // namespace

Result<std::string> to_lines(const Study& study) {
  std::string text;
  std::optional<Error> error;
  bool good = add_line(text, header_line(study.header), error, "header");
  for (std::size_t i = 0; good && i < study.runs.size(); ++i) {
    good = add_line(text, run_line(study.runs[i]), error, fmt::format("run {}", i + 1));
  }
  for (std::size_t i = 0; good && i < study.notes.size(); ++i) {
    good = add_line(text, note_line(study.notes[i]), error, fmt::format("note {}", i + 1));
  }
  for (std::size_t i = 0; good && i < study.unknown.size(); ++i) {
    good = add_line(text, unknown_line(study.unknown[i]), error, fmt::format("record {}", i + 1));
  }
  if (!good) return fail(std::move(*error));
  return text;
}

Result<void> save_study(const Study& study, const std::string& path) {
  const auto text = to_lines(study);
  if (!text) return fail(text.error());
  // The lock of the old file, if there is one: a measurement may be writing it. Held to the end.
  const auto old = open_file(path, O_RDONLY | O_NONBLOCK, "read");
  if (old) {
    if (const auto lock = lock_study(*old, path); !lock) return fail(lock.error());
  }
  return write_file_atomically(path, *text);
}

}  // namespace kstar
