#include "dag/read/ninja_found.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/levels.h"

namespace kstar::dag {

namespace {

constexpr std::size_t kLargestFound = std::size_t{1} << 30U;

/// Which step makes each path; kNone for those that nobody makes.
std::vector<std::uint32_t> makers_of(const NinjaManifest& manifest) {
  std::vector<std::uint32_t> made_by(manifest.paths.size(), NameTable::kNone);
  for (std::uint32_t step = 0; step < manifest.steps.size(); ++step) {
    for (const std::uint32_t output : manifest.steps[step].outputs) made_by[output] = step;
  }
  return made_by;
}

/// A dyndep file has build statements of the rule "dyndep": more outputs and inputs of theirs.
Result<void> add_dyndep(const Source& source, NinjaManifest& manifest) {
  KSTAR_TRY(const NinjaManifest more, parse_manifest(source, ""));
  const std::vector<std::uint32_t> made_by = makers_of(manifest);
  const auto take = [&](const std::vector<std::uint32_t>& from, std::size_t begin,
                        std::vector<std::uint32_t>& to) {
    for (std::size_t i = begin; i < from.size(); ++i) {
      to.push_back(manifest.path(std::string(more.paths.name(from[i]))));
    }
  };
  for (const NinjaStep& step : more.steps) {
    const std::uint32_t output = manifest.paths.find(more.paths.name(step.outputs[0]));
    if (output >= made_by.size() || made_by[output] == NameTable::kNone) continue;
    NinjaStep& known = manifest.steps[made_by[output]];
    take(step.outputs, 1, known.outputs);
    take(step.inputs, 0, known.inputs);
  }
  return {};
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// Which tasks come after `from`, directly or not.
std::vector<bool> tasks_after(const TaskGraph& graph, std::uint32_t from) {
  std::vector<bool> after(graph.size());
  std::vector<std::uint32_t> open = {from};
  while (!open.empty()) {
    const std::uint32_t task = open.back();
    open.pop_back();
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      if (after[graph.next[e]]) continue;
      after[graph.next[e]] = true;
      open.push_back(graph.next[e]);
    }
  }
  return after;
}

/// By the step that makes it: a path and the steps that read it.
struct Readers {
  std::uint32_t path = 0;
  std::set<std::uint32_t> steps;
};

std::map<std::uint32_t, Readers> readers_of_made(const std::vector<NinjaDeps>& all,
                                                 const NinjaManifest& manifest) {
  const std::vector<std::uint32_t> made_by = makers_of(manifest);
  const auto path_of = [&](std::string_view path) {
    return manifest.paths.find(canonical_path(path));
  };
  std::map<std::uint32_t, Readers> readers;
  for (const NinjaDeps& deps : all) {
    const std::uint32_t output = path_of(deps.output);
    if (output == NameTable::kNone || made_by[output] == NameTable::kNone) continue;
    for (const std::string_view input : deps.inputs) {
      const std::uint32_t path = path_of(input);
      if (path == NameTable::kNone || made_by[path] == NameTable::kNone) continue;
      if (made_by[path] == made_by[output]) continue;
      Readers& own = readers[made_by[path]];
      own.path = path;
      own.steps.insert(made_by[output]);
    }
  }
  return readers;
}

}  // namespace

Result<void> add_dyndeps(const std::string& folder, NinjaManifest& manifest) {
  std::set<std::string> files;
  for (const NinjaStep& step : manifest.steps) {
    if (!step.dyndep.empty()) files.insert(step.dyndep);
  }
  std::size_t missing = 0;
  for (const std::string& file : files) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    std::error_code ignored;
    if (folder.empty() || !std::filesystem::exists(path, ignored)) {
      ++missing;
      continue;
    }
    KSTAR_TRY(const FileText text, read_regular_file(path, kLargestFound));
    KSTAR_CHECK(add_dyndep({text.view(), path}, manifest));
  }
  if (missing > 0) {
    manifest.notes.push_back(fmt::format(
        "dependencies that are found while building are not all known: {} of {} missing", missing,
        count_text(files.size(), "dyndep file")));
  }
  return {};
}

// A head, then records. A record is its size and, in the highest bit of that, its kind: a path,
// whose number is its place among the paths; or an output's number, its time (8 bytes, once 4) and
// the numbers of its inputs.
std::vector<NinjaDeps> parse_ninja_deps(std::string_view bytes) {
  constexpr std::string_view kHead = "# ninjadeps\n";
  constexpr std::size_t kWord = 4;
  constexpr std::uint32_t kIsDeps = 0x80000000U;
  if (!bytes.starts_with(kHead) || bytes.size() < kHead.size() + kWord) return {};
  const std::uint32_t version = word_at(bytes, kHead.size());
  if (version != 3 && version != 4) return {};
  const std::size_t time_words = version == 3 ? 1 : 2;
  std::vector<std::string_view> paths;
  std::map<std::uint32_t, std::vector<std::uint32_t>> inputs_of;
  for (std::size_t at = kHead.size() + kWord; at + kWord <= bytes.size();) {
    const std::uint32_t head = word_at(bytes, at);
    const std::size_t size = head & ~kIsDeps;
    at += kWord;
    if (size > bytes.size() - at || size % kWord != 0 || size < 2 * kWord) break;
    const std::string_view record = bytes.substr(at, size);
    at += size;
    if ((head & kIsDeps) == 0) {  // behind the path are zeros, and a check
      std::string_view path = record.substr(0, size - kWord);
      while (path.ends_with('\0')) path.remove_suffix(1);
      paths.push_back(path);
      continue;
    }
    std::vector<std::uint32_t>& inputs = inputs_of[word_at(record, 0)];
    inputs.clear();
    for (std::size_t word = 1 + time_words; (word + 1) * kWord <= size; ++word) {
      inputs.push_back(word_at(record, word * kWord));
    }
  }
  std::vector<NinjaDeps> all;
  for (const auto& [output, inputs] : inputs_of) {
    if (output >= paths.size()) continue;
    NinjaDeps deps{paths[output], {}};
    for (const std::uint32_t input : inputs) {
      if (input < paths.size()) deps.inputs.push_back(paths[input]);
    }
    all.push_back(std::move(deps));
  }
  return all;
}

void add_ninja_deps(const std::string& path, NinjaManifest& manifest) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const Result<FileText> text = read_regular_file(path, kLargestFound);
  if (!text) return;
  const auto readers = readers_of_made(parse_ninja_deps(text->view()), manifest);
  if (readers.empty()) return;
  const TaskGraph graph = steps_graph(manifest);
  std::vector<NinjaStep> before = manifest.steps;
  std::set<std::uint32_t> added;
  std::string example;
  for (const auto& [maker, own] : readers) {
    const std::vector<bool> after = tasks_after(graph, maker);
    for (const std::uint32_t step : own.steps) {
      if (after[step]) continue;
      manifest.steps[step].inputs.push_back(own.path);
      added.insert(step);
      if (example.empty()) example = printable(manifest.paths.name(own.path));
    }
  }
  if (added.empty()) return;
  if (topological_order(graph) && !topological_order(steps_graph(manifest))) {
    manifest.steps = std::move(before);
    manifest.notes.emplace_back(
        ".ninja_deps would make commands wait for each other: it is of another build, and not "
        "used");
    return;
  }
  manifest.notes.push_back(fmt::format(
      "{} what the build makes, such as {}, and build.ninja does not say so: waited for here, by "
      ".ninja_deps",
      added.size() == 1 ? "1 command reads" : fmt::format("{} commands read", added.size()),
      example));
}

}  // namespace kstar::dag
