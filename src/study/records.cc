#include "study/records.h"

#include "study/fields.h"

namespace kstar {

namespace {

template <typename Record>
Result<std::string> line_of(const Record& record) {
  JsonText text;
  write_object(text, record);
  return text.take();
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
  return line_of(note);
}

}  // namespace kstar
