#include "base/second_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"

namespace kstar {

int give_second_name(const std::string& file, const std::string& name) {
  if (::link(file.c_str(), name.c_str()) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  if (::access(name.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(file.c_str(), name.c_str()) == 0 ? 0 : errno;
}

Result<std::string> keep_failed(const std::string& file, const std::string& place) {
  constexpr int kMost = 1000;
  for (int number = 1;; ++number) {
    const std::string name = fmt::format("{}.failed-{}", place, number);
    const int problem = give_second_name(file, name);
    if (problem == 0) return name;
    if (problem != EEXIST || number == kMost) return fail(file_error(name, "create", problem));
  }
}

}  // namespace kstar
