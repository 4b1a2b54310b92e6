#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "import/input.h"
#include "kstar/import.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

Result<Run> read_pair(std::string_view pair, std::string_view where) {
  constexpr std::string_view kHint = "write K:SECONDS with commas between, as in 1:100,2:52,4:29";
  const std::size_t colon = pair.find(':');
  if (colon == std::string_view::npos) {
    return fail(expected(where, "pairs of workers and seconds", pair, kHint));
  }
  const std::string_view workers = trim(pair.substr(0, colon));
  const std::string_view seconds = trim(pair.substr(colon + 1));
  const auto k = parse_integer(workers);
  if (!k || *k < 1 || *k > kMostWorkers) {
    return fail(expected(where, "a number of workers from 1 to 1e9", workers, kHint));
  }
  const auto time = parse_double(seconds);
  if (!time || *time <= 0) return fail(expected(where, "seconds above 0", seconds, kHint));
  Run run;
  run.workers = static_cast<int>(*k);
  run.wall = *time;
  return run;
}

}  // namespace

Result<Study> import_pairs(std::string_view pairs, std::string_view where) {
  Study study;
  study.name = where;
  study.header.writer = "kstar " KSTAR_VERSION;
  study.header.title = "times given in place";
  for (const std::string_view pair : split(pairs, ',')) {
    Result<Run> run = read_pair(trim(pair), where);
    if (!run) return fail(run.error());
    study.runs.push_back(std::move(*run));
  }
  return study;
}

}  // namespace kstar
