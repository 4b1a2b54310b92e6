#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace kstar {

inline std::vector<int> numbered_entries(const std::string& folder) {
  std::vector<int> numbers;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      numbers.push_back(std::stoi(name));
    }
  }
  return numbers;
}

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The processes with `token` in their command line, zombies left out (they have none).
inline std::vector<int> processes_with(const std::string& token) {
  std::vector<int> found;
  for (const int process : numbered_entries("/proc")) {
    const std::string line = text_of("/proc/" + std::to_string(process) + "/cmdline");
    if (process != ::getpid() && line.find(token) != std::string::npos) found.push_back(process);
  }
  return found;
}

/// The children of `parent`, zombies included.
inline std::vector<int> children_of(int parent) {
  std::vector<int> found;
  for (const int process : numbered_entries("/proc")) {
    const std::string stat = text_of("/proc/" + std::to_string(process) + "/stat");
    const std::size_t close = stat.rfind(") ");
    if (close == std::string::npos) continue;
    if (std::stoi(stat.substr(close + 4)) == parent) found.push_back(process);
  }
  return found;
}

inline std::size_t open_files(int process) {
  return numbered_entries("/proc/" + std::to_string(process) + "/fd").size();
}

/// Looks until `condition` holds, for at most `seconds`.
template <typename Condition>
bool eventually(Condition condition, double seconds = 20) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A word that no other process has in its command line.
inline std::string fresh_token() {
  static int count = 0;
  return "kstar-token-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + "-";
}

}  // namespace kstar
