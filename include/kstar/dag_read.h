#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kstar/dag_graph.h"
#include "kstar/export.h"
#include "kstar/result.h"

/// Other people's graphs of tasks.
namespace kstar {

/// One of the formats that can be read.
struct GraphFormat {
  std::string_view name;
  std::string_view help;
};
KSTAR_EXPORT std::span<const GraphFormat> graph_formats();

struct GraphReadOptions {
  std::string format;  ///< its name; "": known by its beginning
  std::string log;     ///< the .ninja_log of a build.ninja that has another name or place
  std::string times;   ///< a table of tasks and their times, for a file that has none
};

/// A file, several of one format, or a folder: of ninja, of Snakemake, of clang's time traces.
KSTAR_EXPORT Result<TaskGraph> read_graph(std::span<const std::string> paths,
                                          const GraphReadOptions& options = {});

/// A file's text. It knows no other file: a build.ninja includes nothing and has no log.
KSTAR_EXPORT Result<TaskGraph> read_graph_text(std::string_view text, std::string_view name,
                                               const GraphReadOptions& options = {});

}  // namespace kstar
