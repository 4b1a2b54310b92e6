#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kstar/export.h"

/// Tasks, how long each takes, and which must wait for which.
namespace kstar {

/// At most `depth` of its tasks run at a time.
struct TaskPool {
  std::string name;
  int depth = 1;
};

/// One run of the tasks, where the file recorded one.
struct TaskRecord {
  /// By task, in seconds from the start of the run; NaN of a task that did not run in it. Empty
  /// where nothing was recorded.
  std::vector<double> start, end;
  std::optional<double> makespan;  ///< as the file states it
  std::optional<int> workers;      ///< likewise
  std::string name;                ///< "the build that ran most of it", of several
  bool here = false;  ///< what the tasks made is still there, as they left it: they ran here
};

struct TaskGraph {
  std::string name;     ///< the file or folder that it came from
  std::string format;   ///< ninja, dot, stg ...
  bool seconds = true;  ///< times are seconds; otherwise they are in units of the file's own
  bool timed = true;    ///< false: the file has no times, every task counts 1
  /// False: which task waits for which is not in the file, and there are no edges.
  bool ordered = true;
  /// True: tasks may have used several cores each, so that K tasks at a time are not K cores.
  bool wide = false;

  // Of the tasks, in the order of the file. A task of no time needs no worker: it only orders.
  std::vector<std::string> names;
  std::vector<std::string> ids;  ///< where the file calls them otherwise than people; may be empty
  std::vector<double> times;
  std::vector<std::uint16_t> pool_of;  ///< 1 + its place in `pools`, 0 for none; may be empty
  std::vector<TaskPool> pools;

  // The tasks that wait for task i are next[first[i]] to next[first[i + 1] - 1].
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> next;
  std::vector<double> costs;  ///< of each edge, where its two ends run on different workers

  /// Times are what a cache of compilations left to do, and another build may find less in it.
  bool cached = false;
  /// Where a task that was cached took much longer earlier, `times` have that. Here are the last
  /// times of all; empty where none did.
  std::vector<double> last_times;

  TaskRecord record;
  std::optional<double> stated_depth{};  ///< where the file states the length of its longest path
  std::vector<std::string> notes;        ///< what was skipped or assumed, for people
  std::vector<std::string> unread;       ///< columns of a table that mean nothing here
  std::vector<std::string> facts;        ///< what else the file says of its tasks
  /// Why nothing can be recommended: the times of many tasks are not in the file. "": it can.
  std::string undecided;

  std::size_t size() const { return times.size(); }
  std::size_t edges() const { return next.size(); }
};

}  // namespace kstar
