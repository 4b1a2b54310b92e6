#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/evidence.h"

/// What the file says about the problem at each K, and what workers counted.
namespace kstar {

struct WorkAt {
  int workers = 1;
  double amount = 0;
};

/// One source of how much work there is.
struct WorkSource {
  std::string name;             ///< "batch", "size", "work done by the workers"
  std::vector<WorkAt> amounts;  ///< by K, of those that the source knows
  bool steps_alone = false;     ///< it counts steps, and says nothing of how large each is
};

/// Whether the file says the problem at this K, by more than the work that an import counts seconds
/// for.
bool says_problem(const Evidence& evidence, int workers);

/// Those that know two K or more.
std::vector<WorkSource> work_sources(const Evidence& evidence);

/// What work does from one K to the next.
enum class WorkStep { kFixed, kInProportion, kOther };
WorkStep step_between(const WorkAt& from, const WorkAt& to);

/// What work does over all K.
enum class WorkWay { kUnknown, kSame, kGrows, kOther };
WorkWay way_of(const std::vector<WorkSource>& sources);
WorkWay work_way(const Evidence& evidence);

/// "the same at every K", "the same on each worker: weak scaling" or "different at each K".
std::string words_of(WorkWay way);

/// " (batch is 64 at K = 1 and 512 at K = 8)"; "" where nobody knows.
std::string work_text(const Evidence& evidence);

/// Times of a batch that grows with K, where nobody declares the regime: if a time is that of the
/// whole training, the job is the same at every K, and no efficiency is above 1; as the time of one
/// batch all are far above. What there is to ask; "" where the times are no such.
std::string perhaps_whole_jobs(const Evidence& evidence);

/// A number that the file has at each K under a name that nobody knows, and that grows as K does:
/// it may be the size of the problem.
std::optional<WorkSource> perhaps_size(const Evidence& evidence);
std::string perhaps_text(const WorkSource& source);

/// "batch is 64 at K = 1 and 512 at K = 8".
std::string at_two(const WorkSource& source, const WorkAt& from, const WorkAt& to);

/// The settings of the program by name, and at each K.
std::map<std::string, std::map<int, std::string>> settings_at(const Study& study);

}  // namespace kstar
