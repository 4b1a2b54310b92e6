#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"
#include "launch/slurm_client.h"

/// What a study that is measured by jobs has beside its runs: their files, and notes of their ids.
namespace kstar {

/// One run that is a job of its own, by the name of its files and its job: b3-k8-t0 is the first
/// try at K = 8 in block 3, b3-base-t0 the baseline's.
struct PartName {
  int block = 0;
  Role role = Role::kParallel;
  int workers = 1;
  int attempt = 0;

  std::string text() const;
  static std::optional<PartName> parse(std::string_view text);
  bool operator==(const PartName&) const = default;
};

/// Whether it names files of a part, or of a packed study ("pack-t0"): such a name comes out of a
/// study that somebody else may have written, and must not lead out of the folder.
bool is_part_name(std::string_view text);

/// What a job left in its study.
struct JobPart {
  std::optional<Run> run;             ///< absent: it did not come to its end
  std::string answer;                 ///< for the check across K; empty when there is none
  Environment environment;            ///< of the job's first node
  std::vector<std::string> warnings;  ///< of the launcher
};

/// The folder beside a study in which the jobs' scripts, studies and outputs are.
class SlurmParts {
 public:
  explicit SlurmParts(const std::string& study);

  Result<void> create() const;
  const std::string& folder() const { return folder_; }
  /// STUDY.jobs/NAME.ENDING, from the root.
  std::string file(const std::string& name, std::string_view ending) const;
  Result<void> write(const std::string& name, std::string_view ending, std::string_view text) const;
  /// The parts that were written here, submitted or not.
  std::vector<PartName> names() const;
  JobPart read(const std::string& name) const;
  /// The id that the job itself wrote when it started; empty when it did not.
  std::string id_of(const std::string& name) const;
  /// The end of what the job printed.
  std::string output(const std::string& name) const;
  void remove(const std::string& name) const;
  /// The folder itself, when nothing is left in it.
  void remove_if_empty() const;

 private:
  std::string folder_;
};

/// The spec of one run of a point: exactly one run, here and now, into `file`.
MeasureSpec part_spec(const MeasureSpec& spec, const PartName& name, const std::string& file);

inline constexpr std::string_view kPackPart = "pack-t";  ///< before the number of the try
inline constexpr std::string_view kJobSubmitted = "slurm-job";
inline constexpr std::string_view kJobCancelled = "slurm-cancelled";  ///< by kstar itself
inline constexpr std::string_view kJobEnded = "slurm-ended";          ///< of a packed study

struct NotedJob {
  std::string id;
  std::string part;  ///< the name of its files
  bool operator==(const NotedJob&) const = default;
};

/// The values of a note about a job.
NoteValues job_values(const NotedJob& job);

/// The jobs in the notes of one kind, as far as their ids and parts are such.
std::vector<NotedJob> noted_jobs(const Study& study, std::string_view what);

/// The session of a run that was a job of its own.
std::string session_of(const std::string& id);

/// What the names of a study's jobs start with, and tells them from others.
std::string study_tag(const SlurmParts& parts, const StudyHeader& header);

/// What the jobs saw of their nodes becomes the header's hosts; a warning says where nodes differ.
void take_node_facts(const SlurmParts& parts, Study& study);

/// The files of runs that ended well are not needed once their study is saved.
void remove_finished_parts(const SlurmParts& parts, const Study& study);

/// How a job ended: "NODE_FAIL (NodeDown), exit code 0:0".
std::string end_words(const JobEnd& end);

}  // namespace kstar
