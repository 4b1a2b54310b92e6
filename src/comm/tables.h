#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/launch.h"
#include "kstar/comm.h"

/// What the readers of the benchmarks share.
namespace kstar::comm {

/// Where a file is and what it has said so far that holds for the tables below.
struct LogContext {
  std::string_view name;  ///< of the file
  CommData& data;
  std::vector<std::string_view> words;  ///< of the line at hand
  std::string above;                    ///< the last line of prose above a table
  std::string program;                  ///< the last benchmark program named: "all_reduce_perf"
  Launch asked;                         ///< by the last command line: -np 16
  double ranks_told = 0;                ///< "nranks 16" in a line of NCCL's own
  std::size_t line = 0;
  bool alone = false;  ///< a table of one process was left out: it sends nothing

  /// The file's name without its folders, for messages.
  std::string place() const;
  /// Each sentence once.
  void note(std::string text);
  /// Likewise, of wrong results.
  void fail(std::string text);
  void skip(std::string name);
};

/// One benchmark's reader. It sees every line, and takes those that are its own.
class TableReader {
 public:
  virtual ~TableReader() = default;
  /// True where the line is one of its own.
  virtual bool see(std::string_view line, LogContext& context) = 0;
  /// The file is over.
  virtual void finish(LogContext& context) = 0;
};

/// A sweep that has samples goes to the data.
void keep(CommSweep sweep, LogContext& context);

}  // namespace kstar::comm
