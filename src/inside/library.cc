#include <cstdlib>
#include <filesystem>

#include "kstar/inside.h"

namespace kstar {

namespace {

namespace fs = std::filesystem;
constexpr char kLibrary[] = "libkstar_mpi.so";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> inside_library() {
  std::error_code error;
  if (const std::string told = environment("KSTAR_MPI_LIBRARY"); !told.empty()) {
    if (fs::is_regular_file(told, error)) return fs::absolute(told).string();
    return fail(expected("KSTAR_MPI_LIBRARY", "the path of libkstar_mpi.so", told));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path();
  for (const fs::path& place : {folder, folder / ".." / KSTAR_LIBRARY_FOLDER}) {
    const fs::path library = (place / kLibrary).lexically_normal();
    if (fs::is_regular_file(library, error)) return library.string();
  }
  return fail({.where = kLibrary,
               .message = "expected it next to  " + program.string() + " or in ../" +
                          KSTAR_LIBRARY_FOLDER + ", found it in neither",
               .hint = "set KSTAR_MPI_LIBRARY to its path"});
}

std::map<std::string, std::string> inside_variables(const std::string& library,
                                                    const std::string& folder) {
  const std::string before = environment("LD_PRELOAD");
  return {{"LD_PRELOAD", before.empty() ? library : before + ":" + library},
          {"KSTAR_INSIDE", std::filesystem::absolute(folder).string()}};
}

}  // namespace kstar
