#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dag/read/ninja_manifest.h"

/// Dependencies that ninja finds while building: they are not in build.ninja.
namespace kstar::dag {

/// The dyndep files of build statements, which are written by the build itself: ninja reads each
/// before it starts what it is about. Of a file that is not there a note is made.
Result<void> add_dyndeps(const std::string& folder, NinjaManifest& manifest);

/// What one command read, by its output.
struct NinjaDeps {
  std::string_view output;
  std::vector<std::string_view> inputs;
};

/// .ninja_deps of versions 3 and 4, as far as its records are whole; the last of each output
/// counts. Nothing of another file.
std::vector<NinjaDeps> parse_ninja_deps(std::string_view bytes);

/// Files that the build makes and commands read, though build.ninja does not let them wait. What
/// it orders already, and files that are there before the build, change no schedule.
void add_ninja_deps(const std::string& path, NinjaManifest& manifest);

}  // namespace kstar::dag
