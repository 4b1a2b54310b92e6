#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace kstar {

/// A program that runs beside the test, with changes to its environment.
class Child {
 public:
  using Variables = std::map<std::string, std::string>;

  /// Standard output and error go to `output` unless it is empty.
  Child(const std::vector<std::string>& words, const Variables& variables,
        const std::string& output = "") {
    pid_ = ::fork();
    if (pid_ == 0) execute(words, variables, output);
  }

  /// The status that wait(2) gives.
  int wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void execute(std::vector<std::string> words, const Variables& variables,
                                   const std::string& output) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    if (!output.empty()) {
      const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      ::dup2(fd, STDOUT_FILENO);
      ::dup2(fd, STDERR_FILENO);
    }
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }

  pid_t pid_ = -1;
};

}  // namespace kstar
