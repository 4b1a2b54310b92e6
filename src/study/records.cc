#include "study/records.h"

#include <fmt/format.h>

#include "kstar/study_file.h"
#include "study/fields.h"
#include "study/object_writer.h"

namespace kstar {

namespace {

template <typename Record>
Result<std::string> line_of(const Record& record) {
  JsonText text;
  write_object(text, record);
  return text.take();
}

/// Without a number where it is the only one of its kind.
bool add_line(std::string& text, Result<std::string> line, std::optional<Error>& error,
              std::string_view kind, std::optional<std::size_t> index = {}) {
  if (!line) {
    error = std::move(line.error());
    const std::string place = index ? fmt::format("{} {}", kind, *index + 1) : std::string(kind);
    error->where = fmt::format("{}: {}", place, error->where);
    return false;
  }
  text.append(*line).append("\n");
  return true;
}

Result<std::string> unknown_line(const std::string& record) {
  if (json_keys(record)) return one_line(record);
  return fail(expected("record", "the text of a JSON object", record));
}

}  // namespace

Result<std::string> header_line(const StudyHeader& header) {
  if (header.schema == kStudySchema) return line_of(header);
  StudyHeader current = header;
  current.schema = kStudySchema;
  return line_of(current);
}

Result<std::string> run_line(const Run& run) {
  return line_of(run);
}

Result<std::string> note_line(const Note& note) {
  Note whole = note;
  whole.text = note_sentence(note);
  return line_of(whole);
}

Result<std::string> to_lines(const Study& study) {
  std::string text;
  std::optional<Error> error;
  bool good = add_line(text, header_line(study.header), error, "header");
  for (std::size_t i = 0; good && i < study.runs.size(); ++i) {
    good = add_line(text, run_line(study.runs[i]), error, "run", i);
  }
  for (std::size_t i = 0; good && i < study.notes.size(); ++i) {
    good = add_line(text, note_line(study.notes[i]), error, "note", i);
  }
  for (std::size_t i = 0; good && i < study.unknown.size(); ++i) {
    good = add_line(text, unknown_line(study.unknown[i]), error, "record", i);
  }
  if (!good) return fail(std::move(*error));
  return text;
}

}  // namespace kstar
