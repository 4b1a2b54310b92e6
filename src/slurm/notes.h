#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/study.h"
#include "launch/slurm_client.h"
#include "slurm/parts.h"

/// What a study says about the jobs that were submitted for it.
namespace kstar {

inline constexpr std::string_view kJobSubmitted = "slurm-job";
inline constexpr std::string_view kJobCancelled = "slurm-cancelled";  ///< by kstar itself
inline constexpr std::string_view kJobEnded = "slurm-ended";          ///< of a packed study

struct NotedJob {
  std::string id;
  std::string part;  ///< the name of its files
  bool operator==(const NotedJob&) const = default;
};

/// The text of a note about a job: "job 12: b0-k4-t0".
std::string job_text(const NotedJob& job);

/// The jobs in the notes of one kind.
std::vector<NotedJob> noted_jobs(const Study& study, std::string_view what);

/// The session of a run that was a job of its own.
std::string session_of(const std::string& id);

/// What the names of a study's jobs start with, and tells them from others.
std::string study_tag(const SlurmParts& parts, const StudyHeader& header);

/// How a job ended: "NODE_FAIL (NodeDown), exit code 0:0".
std::string end_words(const JobEnd& end);

}  // namespace kstar
