#include "dag/read/ninja_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar::dag {

namespace {

/// Times of files: nanoseconds since 1970, on Windows units of 100 ns since 2000, once seconds.
void set_written(double value, NinjaLogEntry& entry) {
  constexpr double kNanoseconds = 1e17, kWindows = 1e14;
  const double unit = value > kNanoseconds ? 1e-9 : value > kWindows ? 1e-7 : 1;
  entry.written = value * unit;
  entry.grain = unit == 1 ? 1 : 0;
}

bool read_entry(std::string_view line, NinjaLogEntry& entry) {
  const std::vector<std::string_view> cells = split(line, '\t');
  if (cells.size() < 5) return false;
  const auto start = parse_integer(cells[0]), end = parse_integer(cells[1]);
  const std::optional<double> written = parse_double(cells[2]);
  if (!start || !end || !written || *start < 0 || *end < *start || cells[3].empty()) return false;
  constexpr double kMilliseconds = 1e-3;
  entry.start = static_cast<double>(*start) * kMilliseconds;
  entry.end = static_cast<double>(*end) * kMilliseconds;
  entry.output = cells[3];
  entry.command = cells[4];
  if (*written > 0) set_written(*written, entry);
  return true;
}

}  // namespace

Result<NinjaLog> parse_ninja_log(const Source& source) {
  constexpr std::string_view kHead = "# ninja log v";
  constexpr std::int64_t kOldest = 4;
  if (!source.text.starts_with(kHead)) {
    return fail(
        error_at(source, source.text.data(), "expected '# ninja log v5' or another version"));
  }
  std::string_view rest = source.text;
  const std::string_view version = trim(take_line(rest).substr(kHead.size()));
  const std::optional<std::int64_t> number = parse_integer(version);
  if (!number || *number < kOldest) {
    return fail(wrong_value(source, version, "version 4 or later of the log"));
  }
  NinjaLog log;
  log.version = *number;
  for (std::size_t number_of_line = 2; !rest.empty(); ++number_of_line) {
    const std::string_view line = take_line(rest);
    if (line.empty() || line.starts_with('#')) continue;
    NinjaLogEntry entry;
    if (read_entry(line, entry)) {
      log.entries.push_back(entry);
    } else {
      if (log.skipped++ == 0) log.first_skipped = number_of_line;
    }
  }
  return log;
}

Origin origin_of(const NinjaLogEntry& entry) {
  if (entry.written <= 0) return {};
  constexpr double kClock = 0.02;  // file systems have a coarse one
  return {entry.written - entry.end - kClock, entry.written - entry.start + kClock + entry.grain};
}

bool is_made_here(const NinjaLog& log, const std::string& folder) {
  constexpr std::size_t kMostAsked = 500;
  const std::size_t step = 1 + log.entries.size() / kMostAsked;
  std::size_t asked = 0, found = 0;
  for (std::size_t i = 0; i < log.entries.size(); i += step) {
    const NinjaLogEntry& entry = log.entries[i];
    if (entry.written <= 0) continue;
    ++asked;
    struct stat file {};
    const std::string path = (std::filesystem::path(folder) / entry.output).string();
    if (::stat(path.c_str(), &file) != 0) continue;
    const double made =
        static_cast<double>(file.st_mtim.tv_sec) + 1e-9 * static_cast<double>(file.st_mtim.tv_nsec);
    constexpr double kClocks = 2;  // what is written last, and clocks of file systems
    const double time = entry.end - entry.start + entry.grain;
    if (made >= entry.written - kClocks && made <= entry.written + time + kClocks) ++found;
  }
  return 2 * found > asked;
}

std::vector<std::uint32_t> log_sessions(const std::vector<TimedTask>& timed,
                                        const std::vector<Origin>& origins) {
  const auto known = std::count_if(origins.begin(), origins.end(),
                                   [](const Origin& origin) { return origin.low <= origin.high; });
  if (2 * static_cast<std::size_t>(known) < origins.size()) return sessions_by_order(timed);
  std::vector<std::uint32_t> sessions = sessions_by_origin(origins);
  // An output that kept its old time is of the build of its neighbours, where it fits between them.
  std::vector<std::size_t> members(sessions.size() + 1, 0);
  for (const std::uint32_t session : sessions) {
    if (session != kNoSession) ++members[session];
  }
  for (std::size_t i = 1; i + 1 < sessions.size(); ++i) {
    const bool alone = sessions[i] == kNoSession || members[sessions[i]] == 1;
    if (alone && sessions[i - 1] == sessions[i + 1] && timed[i - 1].end <= timed[i].end &&
        timed[i].end <= timed[i + 1].end) {
      sessions[i] = sessions[i - 1];
    }
  }
  return sessions;
}

}  // namespace kstar::dag
