#pragma once

#include "cli/command.h"

/// One function a command, one file each; program() puts them into the table.
namespace kstar {

Command predict_command();
Command plan_command();
Command roofline_command();
Command dag_command();
Command trace_command();
Command comm_command();
Command tail_command();
Command analyze_command();
Command audit_command();
Command compare_command();
Command figure_command();
Command report_command();
Command measure_command();
Command launchers_command();
Command import_command();
Command merge_command();
Command explain_command();
Command completions_command();
Command manual_command();

}  // namespace kstar
