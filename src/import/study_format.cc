#include "base/text.h"
#include "base/try.h"
#include "import/importer.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

bool sniff_study(std::string_view start) {
  const std::string_view line = trim(start.substr(0, start.find('\n')));
  return line.find("\"kstar\"") != std::string_view::npos &&
         line.find("\"study\"") != std::string_view::npos;
}

/// A study may be far larger than what others write: its file has a reader of its own.
Result<Study> read_study(Reader& reader, const ImportOptions&) {
  if (reader.is_file()) return load_study(reader.name());
  KSTAR_TRY(const auto input, reader.whole());
  return parse_study(input.text, input.name);
}

}  // namespace

const Importer& study_importer() {
  static const Importer kImporter = {
      {"study", "a kstar study (docs/study-format.md)"}, &sniff_study, &read_study, true};
  return kImporter;
}

}  // namespace kstar
