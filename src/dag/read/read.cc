#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/source.h"

namespace kstar {

namespace {

using dag::Source;

constexpr std::size_t kLargestGraph = std::size_t{4} << 30U;
constexpr std::size_t kLookedAt = std::size_t{64} << 10U;

/// One format. The first whose `sniff` knows the beginning of a file reads it.
struct GraphReader {
  GraphFormat format;
  bool (*sniff)(std::string_view head);
  Result<TaskGraph> (*read)(const Source& source, const GraphReadOptions& options);
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool is_json(std::string_view head) {
  return head.starts_with('{') || head.starts_with('[');
}

/// Behind comments.
bool is_dot(std::string_view head) {
  while (head.starts_with("//") || head.starts_with("/*") || head.starts_with('#')) {
    const bool block = head.starts_with("/*");
    const std::size_t end = block ? head.find("*/") : head.find('\n');
    if (end == head.npos) return false;
    head = trim(head.substr(end + (block ? 2 : 1)));
  }
  const std::string start = lower_case(head.substr(0, 16));
  return start.starts_with("digraph") || start.starts_with("strict") ||
         (start.starts_with("graph") && contains(head, "{"));
}

/// A number alone, then a line of three or more whole numbers that begins with 0 or 1.
bool is_stg(std::string_view head) {
  std::string_view line = trim(dag::take_line(head));
  const auto number = [](std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
  };
  if (!number(line)) return false;
  const std::vector<std::string_view> words = dag::words_of(dag::take_line(head));
  return words.size() >= 3 && (words[0] == "0" || words[0] == "1") && number(words[2]);
}

bool is_ninja(std::string_view head) {
  for (std::string_view rest = head; !rest.empty();) {
    const std::string_view line = dag::take_line(rest);
    if (line.starts_with("ninja_required_version") || line.starts_with("rule ")) return true;
    if (line.starts_with("build ") && contains(line, ":")) return true;
  }
  return false;
}

constexpr GraphReader kReaders[] = {
    {{"ninja-log", ".ninja_log alone: times, and no dependencies"},
     [](std::string_view head) { return head.starts_with("# ninja log v"); },
     dag::read_ninja_log_text},
    {{"time-trace", "JSON of clang -ftime-trace"},
     [](std::string_view head) {
       return is_json(head) && contains(head, "\"traceEvents\"") &&
              (contains(head, "\"ExecuteCompiler\"") || contains(head, "\"Frontend\"") ||
               contains(head, "\"InstantiateFunction\"") || contains(head, "\"ParseClass\""));
     },
     dag::read_time_trace},
    {{"trace", "Chrome trace (JSON) with flows"},
     [](std::string_view head) {
       return is_json(head) && (contains(head, "\"traceEvents\"") || contains(head, "\"ph\""));
     },
     dag::read_trace},
    {{"wfcommons", "workflow of WfCommons (WfFormat JSON)"},
     [](std::string_view head) { return is_json(head) && contains(head, "\"workflow\""); },
     dag::read_wfcommons},
    {{"dot", "digraph of Graphviz, with weights of nodes and edges"}, is_dot, dag::read_dot},
    {{"nextflow", "trace.txt of Nextflow: times, and no dependencies"},
     [](std::string_view head) {
       const std::string_view line = dag::take_line(head);
       return contains(line, "\t") && contains(line, "task_id") && contains(line, "status");
     },
     dag::read_nextflow},
    {{"stg", "Standard Task Graph"}, is_stg, dag::read_stg},
    {{"ninja", "build.ninja, with the .ninja_log of its folder"}, is_ninja, dag::read_ninja_text},
    {{"csv", "table: from,to[,cost] or task,seconds[,after]"},
     [](std::string_view) { return true; },
     dag::read_table},
};

Error unknown_format(std::string_view name) {
  std::vector<std::string> names;
  for (const GraphReader& reader : kReaders) names.emplace_back(reader.format.name);
  const std::string near = did_you_mean(name, names);
  return expected("--as", fmt::format("one of {}", fmt::join(names, ", ")), name,
                  near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

Result<const GraphReader*> reader_for(std::string_view text, const GraphReadOptions& options) {
  if (!options.format.empty()) {
    for (const GraphReader& reader : kReaders) {
      if (reader.format.name == options.format) return &reader;
    }
    return fail(unknown_format(options.format));
  }
  std::string_view head = text.substr(0, kLookedAt);
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head = trim(head);
  return std::find_if(std::begin(kReaders), std::end(kReaders),
                      [&](const GraphReader& reader) { return reader.sniff(head); });
}

Result<TaskGraph> read_source(const Source& source, const GraphReadOptions& options) {
  if (trim(source.text.substr(0, kLookedAt)).empty() && trim(source.text).empty()) {
    return fail({.where = printable(source.name), .message = "is empty"});
  }
  KSTAR_TRY(const GraphReader* reader, reader_for(source.text, options));
  KSTAR_TRY(TaskGraph graph, reader->read(source, options));
  if (graph.name.empty()) graph.name = source.name;
  graph.format = reader->format.name;
  return graph;
}

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<TaskGraph> named(Result<TaskGraph> graph, const std::string& name, const char* format) {
  if (!graph) return graph;
  graph->name = name;
  graph->format = format;
  return graph;
}

Result<TaskGraph> read_one(const std::string& path, const GraphReadOptions& options);

/// The graphs side by side.
TaskGraph joined(std::vector<TaskGraph> graphs) {
  TaskGraph all = std::move(graphs.front());
  for (std::size_t g = 1; g < graphs.size(); ++g) {
    TaskGraph& one = graphs[g];
    const auto tasks = static_cast<std::uint32_t>(all.size());
    const auto edges = static_cast<std::uint32_t>(all.edges());
    all.names.insert(all.names.end(), one.names.begin(), one.names.end());
    all.times.insert(all.times.end(), one.times.begin(), one.times.end());
    for (std::size_t i = 1; i < one.first.size(); ++i) all.first.push_back(one.first[i] + edges);
    for (const std::uint32_t next : one.next) all.next.push_back(next + tasks);
    all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
    all.facts.insert(all.facts.end(), one.facts.begin(), one.facts.end());
  }
  return all;
}

/// Compilations are independent of each other; of other files nobody knows.
Result<TaskGraph> read_several(std::span<const std::string> paths,
                               const GraphReadOptions& options) {
  std::vector<TaskGraph> graphs;
  for (const std::string& path : paths) {
    KSTAR_TRY(TaskGraph graph, read_one(path, options));
    if (graph.format != "time-trace") {
      return fail({.where = printable(path),
                   .message = fmt::format("expected one {} file: several are read only of clang's "
                                          "time traces",
                                          graph.format)});
    }
    graphs.push_back(std::move(graph));
  }
  TaskGraph all = joined(std::move(graphs));
  all.name = fmt::format("{} compilations", paths.size());
  return all;
}

/// JSON files of clang beside object files, wherever they are below a folder.
std::vector<std::string> time_traces_in(const std::string& path) {
  std::set<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".json" || !entry->is_regular_file(error)) continue;
    constexpr std::size_t kLargest = std::size_t{256} << 20U;
    const Result<FileText> text = read_regular_file(entry->path().string(), kLargest);
    if (!text) continue;
    const Result<const GraphReader*> reader = reader_for(text->view(), {});
    if (reader && (*reader)->format.name == "time-trace") found.insert(entry->path().string());
  }
  return {found.begin(), found.end()};
}

Result<TaskGraph> read_folder(const std::string& path, const GraphReadOptions& options) {
  const fs::path folder(path);
  const bool manifest = is_there(folder / "build.ninja");
  const bool log = is_there(folder / ".ninja_log") || !options.log.empty();
  if (manifest || log) {
    const std::string log_path = !options.log.empty() ? options.log
                                 : manifest           ? ""
                                                      : (folder / ".ninja_log").string();
    return named(
        dag::read_ninja_folder(manifest ? (folder / "build.ninja").string() : "", log_path), path,
        "ninja");
  }
  if (is_there(folder / ".snakemake" / "metadata")) {
    return named(dag::read_snakemake_folder(path), path, "snakemake");
  }
  const std::vector<std::string> traces = time_traces_in(path);
  if (!traces.empty()) return named(read_several(traces, options), path, "time-trace");
  return fail({.where = printable(path),
               .message = "expected a folder with build.ninja, .ninja_log, .snakemake/metadata or "
                          "clang's time traces"});
}

Result<TaskGraph> read_one(const std::string& path, const GraphReadOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path, options);
  KSTAR_TRY(const FileText text, read_file(path, kLargestGraph));
  const Source source{text.view(), path};
  if (trim(source.text.substr(0, kLookedAt)).empty() && trim(source.text).empty()) {
    return fail({.where = printable(path), .message = "is empty"});
  }
  KSTAR_TRY(const GraphReader* reader, reader_for(source.text, options));
  if (reader->format.name == "ninja") {
    return named(dag::read_ninja_folder(path, options.log), path, "ninja");
  }
  if (reader->format.name == "ninja-log" && options.log.empty()) {
    const fs::path manifest = fs::path(path).parent_path() / "build.ninja";
    if (fs::path(path).filename() == ".ninja_log" && is_there(manifest)) {
      return named(dag::read_ninja_folder(manifest.string(), path), path, "ninja");
    }
  }
  return read_source(source, options);
}

/// A flag that does nothing for this graph is refused; a table has its times already.
Result<TaskGraph> with_options(Result<TaskGraph> graph, const GraphReadOptions& options) {
  if (!graph) return graph;
  const auto refuse = [&](const char* flag, std::string message) {
    return fail(Error{.where = flag, .message = std::move(message), .code = ExitCode::kUsage});
  };
  if (!options.log.empty() && graph->format != "ninja") {
    return refuse("--log", fmt::format("is for build.ninja: {} is read as {}",
                                       printable(graph->name), graph->format));
  }
  if (options.times.empty() || graph->format == "csv") return graph;
  if (graph->timed) {
    return refuse("--times", fmt::format("is for graphs without times: {} has its own",
                                         printable(graph->name)));
  }
  KSTAR_CHECK(dag::set_times_of(options.times, *graph));
  return graph;
}

}  // namespace

std::span<const GraphFormat> graph_formats() {
  static const std::vector<GraphFormat> kFormats = [] {
    std::vector<GraphFormat> formats;
    for (const GraphReader& reader : kReaders) formats.push_back(reader.format);
    formats.push_back({"snakemake", "folder of a workflow, with its .snakemake/metadata"});
    return formats;
  }();
  return kFormats;
}

Result<TaskGraph> read_graph(std::span<const std::string> paths, const GraphReadOptions& options) {
  if (paths.size() == 1) return with_options(read_one(paths[0], options), options);
  return with_options(read_several(paths, options), options);
}

Result<TaskGraph> read_graph_text(std::string_view text, std::string_view name,
                                  const GraphReadOptions& options) {
  const FileText padded(text);
  return with_options(read_source({padded.view(), name}, options), options);
}

}  // namespace kstar
