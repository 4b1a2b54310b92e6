#include "exec/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "kstar/executor.h"

namespace kstar {

namespace {

bool may_ask = true;

constexpr std::size_t kFirstLine = 256;  // as much as Linux reads of it

/// 0, or why not. A folder may be entered, not executed.
int execute_problem(const char* file) {
  struct stat facts {};
  if (::stat(file, &facts) != 0) return errno;
  if (!S_ISREG(facts.st_mode)) return EACCES;
  return ::access(file, X_OK) == 0 ? 0 : errno;
}

/// The program that the first line of a script names; empty where the file is no script, or cannot
/// be read.
std::string interpreter_of(const char* file) {
  const FileHandle handle(::open(file, O_RDONLY | O_CLOEXEC));
  char bytes[kFirstLine];
  const ssize_t got = handle ? ::read(handle.get(), bytes, sizeof bytes) : 0;
  std::string_view line(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!line.starts_with("#!")) return {};
  line = trim(line.substr(2, line.find('\n') - 2));
  return std::string(line.substr(0, line.find_first_of(" \t")));
}

}  // namespace

std::string find_program(const std::string& name, const char* path) {
  if (name.find('/') != std::string::npos) return name;
  if (name.empty()) return {};
  std::string denied;
  for (const std::string_view folder : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
    const int problem = execute_problem(candidate.c_str());
    if (problem == 0) return candidate;
    if (problem == EACCES && denied.empty()) denied = std::move(candidate);
  }
  return denied;
}

int program_problem(const std::string& file, const std::string& folder) {
  if (file.empty()) return ENOENT;
  const std::filesystem::path inside(folder);
  const std::string place = (inside / file).string();
  if (const int problem = execute_problem(place.c_str()); problem != 0) return problem;
  const std::string interpreter = interpreter_of(place.c_str());
  return interpreter.empty() ? 0 : execute_problem((inside / interpreter).c_str());
}

std::string find_program(const std::string& name) {
  std::string file = find_program(name, std::getenv("PATH"));
  return program_problem(file, "") == 0 ? file : std::string();
}

void ask_no_programs() {
  may_ask = false;
}

bool may_ask_programs() {
  return may_ask;
}

std::string ask_program(const std::vector<std::string>& command) {
  constexpr double kPatience = 10;  // seconds; a cold network file system takes its time
  static std::map<std::vector<std::string>, std::string> answers;
  if (!may_ask) return {};
  const auto [answer, is_new] = answers.try_emplace(command);
  if (!is_new) return answer->second;
  const std::atomic<bool> stop = false;
  const Result<Outcome> outcome =
      process_executor(stop)->run({.command = command, .time_limit = kPatience});
  if (outcome && outcome->exit_status == 0) answer->second = outcome->output;
  return answer->second;
}

}  // namespace kstar
