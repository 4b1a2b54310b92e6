#include "measure/programs.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "kstar/executor.h"

namespace kstar {

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  }
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    std::string file = (std::filesystem::path(folder) / name).string();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) {
      return file;
    }
  }
  return {};
}

std::string ask_program(const std::vector<std::string>& command) {
  constexpr double kPatience = 10;  // seconds; a cold network file system takes its time
  static std::map<std::vector<std::string>, std::string> answers;
  const auto [answer, is_new] = answers.try_emplace(command);
  if (!is_new) return answer->second;
  const std::atomic<bool> stop = false;
  const Result<Outcome> outcome =
      process_executor(stop)->run({.command = command, .time_limit = kPatience});
  if (outcome && outcome->exit_status == 0) answer->second = outcome->output;
  return answer->second;
}

}  // namespace kstar
