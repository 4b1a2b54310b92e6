#pragma once

#include <string>
#include <string_view>

#include "base/source_line.h"
#include "kstar/dag_read.h"

/// What every reader of a graph is given, and how it talks about it.
namespace kstar::dag {

/// A text with FileText::kPadding readable bytes behind it.
struct Source {
  std::string_view text;
  std::string_view name;  ///< stands for the file in messages
};

/// An error at that byte of the text: file:line:column, the line and a caret.
Error error_at(const Source& source, const char* at, std::string message, std::string hint = {});

/// "expected <what>, got '<value>'" at the value, which is a part of the text.
Error wrong_value(const Source& source, std::string_view value, std::string_view what,
                  std::string hint = {});

/// A time or a cost: finite, 0 or more.
Result<double> read_amount(const Source& source, std::string_view value, std::string_view what);

/// Takes the first line off `rest`, without its end.
std::string_view take_line(std::string_view& rest);

/// The words of a line, between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// One reader for each format.
Result<TaskGraph> read_dot(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_stg(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_table(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_wfcommons(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_nextflow(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_trace(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_time_trace(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_ninja_text(const Source& source, const GraphReadOptions& options);
Result<TaskGraph> read_ninja_log_text(const Source& source, const GraphReadOptions& options);

/// The times of a table of tasks and seconds become those of a graph that has none.
Result<void> set_times_of(const std::string& path, TaskGraph& graph);

// What lies in several files.
Result<TaskGraph> read_ninja_folder(const std::string& manifest, const std::string& log);
Result<TaskGraph> read_snakemake_folder(const std::string& path);

}  // namespace kstar::dag
