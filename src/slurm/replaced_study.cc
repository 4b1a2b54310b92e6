#include "slurm/replaced_study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/text.h"
#include "kstar/study_file.h"
#include "slurm/parts.h"

namespace kstar {

Result<ReplacedStudy> ReplacedStudy::keep(const std::string& path) {
  ReplacedStudy replaced;
  replaced.path_ = resolved_path(path);
  const std::string old = replaced.path_ + ".old";
  if (::access(replaced.path_.c_str(), F_OK) != 0) return replaced;
  if (::link(replaced.path_.c_str(), old.c_str()) != 0) {
    Error error = file_error(old, "keep the old study there", errno);
    if (errno == EEXIST) error.hint = "move it away: it may be the study of an earlier --force";
    return fail(std::move(error));
  }
  replaced.old_ = old;
  return replaced;
}

Error ReplacedStudy::left(Error error) const {
  error.hint += fmt::format("{}the study that was there is {}", error.hint.empty() ? "" : "; ",
                            printable(old_));
  return error;
}

Result<PackEnd> ReplacedStudy::settle(Result<PackEnd> end) const {
  if (old_.empty()) return end;
  const Result<Study> now = load_study(path_);
  if (now && !now->runs.empty()) {
    ::unlink(old_.c_str());
    return end;
  }
  // Who knows what becomes of a job that Slurm has, and does not speak of.
  const bool in_queue = !end && now && !noted_jobs(*now, kJobSubmitted).empty();
  if (in_queue) return fail(left(end.error()));
  if (std::rename(old_.c_str(), path_.c_str()) != 0) {
    return fail(left(file_error(path_, "bring back", errno)));
  }
  if (end) end->old_study_stays = true;
  return end;
}

}  // namespace kstar
