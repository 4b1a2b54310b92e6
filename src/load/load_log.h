#pragma once

#include <string>

#include "base/file.h"
#include "kstar/load.h"

namespace kstar {

/// A header and a line per request, each written as it ends: what was written survives the end of
/// this process, however it comes.
class LoadLog {
 public:
  static Result<LoadLog> open(const LoadSpec& spec);

  struct Entry {
    std::size_t index = 0;
    double due = 0, sent = 0, latency = 0;
    int status = 0;
    std::string error;
    bool unanswered = false;
  };
  void add(const Entry& entry);
  /// How many requests had been sent by then.
  void note_sent(double now, std::size_t sent);
  void close(double now, std::size_t sent);
  /// Writes what was added.
  Result<void> flush();

 private:
  FileHandle file_;
  std::string path_;
  std::string waiting_;
};

}  // namespace kstar
