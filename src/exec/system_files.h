#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The small text files of /proc and /sys, read below a root folder so that a test can have its
/// own. What is not there, or cannot be understood, is absent.
namespace kstar {

class SystemFiles {
 public:
  explicit SystemFiles(std::string root = "/");

  /// Without blanks at either end.
  std::optional<std::string> text(const std::string& path) const;
  std::optional<std::int64_t> number(const std::string& path) const;
  /// The names in a folder, sorted.
  std::vector<std::string> names(const std::string& folder) const;
  bool is_this_machine() const { return root_ == "/"; }

 private:
  std::string root_;
};

/// What stands behind `key` and a colon at the beginning of a line.
std::optional<std::string> value_of(std::string_view text, std::string_view key);

/// "12345 kB" in bytes.
std::optional<std::int64_t> kibibytes(const std::optional<std::string>& text);

/// "0-3,8" as numbers.
std::vector<int> parse_cpu_list(std::string_view text);

/// The processor as the kernel shows it.
struct CpuFacts {
  int packages = 0;
  int cores = 0;
  int threads = 0;      ///< online
  int own_cores = 0;    ///< that this process may use
  int own_threads = 0;  ///< that this process may use
};
CpuFacts cpu_facts(const SystemFiles& files);

/// CPU time since boot, over all CPUs, in the ticks of sysconf(_SC_CLK_TCK).
struct CpuTicks {
  double busy = 0;    ///< at work for anybody here, the kernel included
  double stolen = 0;  ///< a hypervisor ran somebody else
  double total = 0;   ///< these and idle
};
/// From the text of /proc/stat.
std::optional<CpuTicks> cpu_ticks(std::string_view text);

}  // namespace kstar
