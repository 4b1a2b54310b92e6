#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "dag/name_table.h"
#include "dag/read/source.h"

namespace kstar::dag {

/// One build statement. Paths are numbers of NinjaManifest::paths.
struct NinjaStep {
  std::vector<std::uint32_t> outputs;
  std::vector<std::uint32_t> inputs;  ///< explicit, implicit and order-only: all come first
  std::string pool;
  std::string dyndep;  ///< the file that has more of its inputs and outputs; "" for none
  bool phony = false;
  bool cached = false;     ///< runs through a cache of compilations
  bool generator = false;  ///< writes build.ninja, before the build itself
};

struct NinjaManifest {
  NameTable paths;
  std::vector<NinjaStep> steps;
  std::map<std::string, int, std::less<>> pools = {{"console", 1}};
  std::vector<std::uint32_t> defaults;  ///< paths that are built where none is named
  std::string build_folder;             ///< where the log is, below the folder of build.ninja
  std::vector<std::string> missing;
  std::vector<std::string> notes;  ///< on dependencies that are found while building

  /// The same number for the same path, which is kept.
  std::uint32_t path(std::string text);

 private:
  std::deque<std::string> kept_;
};

/// With what it includes, from `folder`; "" where no other file may be read.
Result<NinjaManifest> parse_manifest(const Source& source, const std::string& folder);

/// The steps as tasks that take no time yet.
TaskGraph steps_graph(const NinjaManifest& manifest);

/// Without "." and "..", as ninja writes it.
std::string canonical_path(std::string_view path);

}  // namespace kstar::dag
