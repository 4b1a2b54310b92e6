#include "cli/arguments.h"

#include <fmt/format.h>

#include "base/number.h"

namespace kstar {

std::string Arguments::text(std::string_view flag, std::string_view otherwise) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::string(otherwise) : found->second;
}

std::vector<std::string> Arguments::list(std::string_view flag) const {
  const auto found = lists.find(flag);
  return found == lists.end() ? std::vector<std::string>() : found->second;
}

Result<double> Arguments::share(std::string_view flag, double otherwise) const {
  if (!has(flag)) return otherwise;
  const std::string given = text(flag);
  const std::optional<double> value = parse_double(given);
  if (!value || *value <= 0 || *value > 1) {
    return fail(usage(expected(fmt::format("--{}", flag), "a number above 0, at most 1", given)));
  }
  return *value;
}

Error usage(Error error) {
  error.code = ExitCode::kUsage;
  return error;
}

}  // namespace kstar
