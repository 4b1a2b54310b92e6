#pragma once

#include "import/reader.h"
#include "kstar/import.h"

namespace kstar {
struct TextTable;
}

/// One format. Importers do not know each other; the registry knows them all.
namespace kstar {

struct Importer {
  ImportFormat format;
  /// Whether the beginning of a file (Reader::kHead bytes, or all of it) looks like this format.
  bool (*sniff)(std::string_view head) = nullptr;
  Result<Study> (*read)(Reader& reader, const ImportOptions& options) = nullptr;
  bool own = false;  ///< it holds a Study of kstar's own, which stays as it is: no note is added
  /// Of a format that is a table: that, to make several studies of it.
  Result<TextTable> (*table)(const Input& input, const ImportOptions& options) = nullptr;
};

/// How a format is read that needs all of the text.
template <Result<Study> (*kRead)(const Input& input, const ImportOptions& options)>
Result<Study> read_whole(Reader& reader, const ImportOptions& options) {
  const auto input = reader.whole();
  if (!input) return fail(input.error());
  return kRead(*input, options);
}

const Importer& study_importer();
const Importer& report_importer();
const Importer& steps_importer();
const Importer& pytest_importer();
const Importer& jmh_importer();
const Importer& criterion_importer();
const Importer& extrap_json_importer();
const Importer& trainer_importer();
const Importer& lammps_importer();
const Importer& hpl_importer();
const Importer& gromacs_importer();
const Importer& torch_importer();
const Importer& gobench_importer();
const Importer& rows_importer();
const Importer& csv_importer();
const Importer& log_importer();
const Importer& mlperf_importer();
const Importer& hyperfine_importer();
const Importer& gbench_importer();
const Importer& gbench_text_importer();
const Importer& extrap_importer();
const Importer& reframe_importer();
const Importer& talp_importer();
const Importer& pop_importer();

}  // namespace kstar
