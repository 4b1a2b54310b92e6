#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dag/read/sessions.h"
#include "dag/read/source.h"

namespace kstar::dag {

struct NinjaLogEntry {
  double start = 0, end = 0;  ///< seconds from the start of ninja
  double written = 0;         ///< when the output was, or the command began; 0: not known
  double grain = 0;           ///< of `written`
  std::string_view output;
  std::string_view command;  ///< its hash
};

struct NinjaLog {
  std::vector<NinjaLogEntry> entries;  ///< in the order of the file
  std::size_t skipped = 0;             ///< lines that could not be read
  std::size_t first_skipped = 0;       ///< the number of the first of them in the file
  std::int64_t version = 0;

  /// Whether what the columns mean is known.
  bool is_known() const { return version <= 7; }
};

/// .ninja_log of versions 4 to 7: start, end, time of the output, output and hash, with tabs.
Result<NinjaLog> parse_ninja_log(const Source& source);

/// When ninja was started: the output was written while its command ran.
Origin origin_of(const NinjaLogEntry& entry);

/// Whether most outputs are still below that folder, with the time that the log has.
bool is_made_here(const NinjaLog& log, const std::string& folder);

/// Which entries are of one build. Where nothing else is known, the order of the log says it.
std::vector<std::uint32_t> log_sessions(const std::vector<TimedTask>& timed,
                                        const std::vector<Origin>& origins);

}  // namespace kstar::dag
