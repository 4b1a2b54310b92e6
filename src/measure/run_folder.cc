#include "measure/run_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace kstar {

Result<RunFolder> RunFolder::make(bool wanted, const std::string& parent) {
  RunFolder folder;
  if (!wanted) return folder;
  std::error_code none;
  std::filesystem::path place = parent;
  if (parent.empty()) place = std::filesystem::temp_directory_path(none);
  std::string name = ((none ? "/tmp" : place) / "kstar-run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    Error error = file_error(name, "create", errno);
    error.hint = parent.empty()
                     ? "the marks of a run go there; TMPDIR names another folder"
                     : "the marks of a run go beside the study, where every node must see them";
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
