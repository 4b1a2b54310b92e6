#pragma once

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/console.h"
#include "kstar/comm_fit.h"
#include "kstar/comm_predict.h"
#include "kstar/document.h"

/// The commands below `kstar comm`, and what they share.
namespace kstar {

Command comm_measure_command();
Command comm_predict_command();

/// --collective, --gradient, --bytes, --workers and --compute.
std::vector<Flag> comm_question_flags();
/// What is asked of a network; nothing where no size was given.
Result<std::optional<CommQuestion>> comm_question(const Arguments& arguments,
                                                  const std::vector<double>& usual_workers);

/// 180ms, 10us: seconds; nothing for a number without a unit, which could be any.
std::optional<double> time_with_unit(std::string_view text);

/// --link, --node-workers, --ranks, --nodes and --in-place.
std::vector<Flag> comm_file_flags();
/// Reads all files, fits them, and shows what was asked.
Result<ExitCode> show_comm(const Arguments& arguments, Console& console,
                           const std::vector<std::string>& paths);

/// "log.txt: 4 sweeps".
std::string comm_title(const CommAnalysis& analysis);

/// What `kstar report` shows of studies of collectives; nothing where none of them is one.
Result<std::optional<Document>> collectives_document(const std::vector<std::string>& paths,
                                                     bool page);

/// Reads logs and studies; what cannot be read is a note where others can.
Result<CommData> read_comm_files(const std::vector<std::string>& paths,
                                 std::optional<Collective> unnamed = std::nullopt);

}  // namespace kstar
