#include "measure/run_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace kstar {

Result<RunFolder> RunFolder::make(bool wanted) {
  RunFolder folder;
  if (!wanted) return folder;
  std::error_code none;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  std::string name = ((none ? "/tmp" : parent) / "kstar-run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    Error error = file_error(name, "create", errno);
    error.hint = "the marks of a run go there; TMPDIR names another folder";
    return fail(std::move(error));
  }
  folder.path_ = std::move(name);
  return folder;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace kstar
