#include "slurm/replaced_study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/second_name.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/study_file.h"
#include "slurm/parts.h"

namespace kstar {

namespace {

Error old_one_is(const std::string& old, Error error) {
  error.hint += fmt::format("{}the study that was there is {}", error.hint.empty() ? "" : "; ",
                            printable(old));
  return error;
}

}  // namespace

Result<PackEnd> settle_replaced(const std::string& study, Result<PackEnd> end) {
  const std::string path = resolved_path(study), old = path + ".old";
  const Result<Study> now = load_study(path);
  if (now && std::any_of(now->runs.begin(), now->runs.end(), counts)) {
    ::unlink(old.c_str());
    return end;
  }
  // Who knows what becomes of a job that Slurm has, and does not speak of.
  const bool in_queue = !end && now && !noted_jobs(*now, kJobSubmitted).empty();
  if (in_queue) return fail(old_one_is(old, end.error()));
  std::string failed;
  if (now && !now->runs.empty()) {
    KSTAR_TRY(failed, keep_failed(path, path));
  }
  if (std::rename(old.c_str(), path.c_str()) != 0) {
    return fail(old_one_is(old, file_error(path, "bring back", errno)));
  }
  if (end) end->old_study_stays = true;
  if (end) end->failed_study = failed;
  return end;
}

}  // namespace kstar
