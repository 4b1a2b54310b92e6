#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/comm/commands.h"

namespace kstar {

namespace {

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective one : all_collectives()) names.emplace_back(name_of(one));
  return names;
}

}  // namespace

std::optional<double> time_with_unit(std::string_view text) {
  if (parse_double(text)) return std::nullopt;
  if (!text.ends_with("us")) return parse_duration(text);
  const auto number = parse_double(text.substr(0, text.size() - 2));
  return number && *number >= 0 ? std::optional(*number * 1e-6) : std::nullopt;
}

std::vector<Flag> comm_question_flags() {
  return {{.name = "gradient",
           .value = "P:TYPE",
           .help = "the all-reduce of so many parameters: 7e9:bf16"},
          {.name = "bytes", .value = "SIZE", .help = "of a collective, such as 64MiB or 14GB"},
          {.name = "collective",
           .value = "NAME",
           .help = "which one (default: all-reduce, or the only one in the files)",
           .choices = collective_names()},
          {.name = "workers",
           .value = "LIST",
           .help = "the K to predict: 16,64 or 16..256 (doubling); default: those seen, and 4 "
                   "times the largest"},
          {.name = "compute",
           .value = "TIME",
           .help = "computation of a step, to hide buckets behind: 180ms"}};
}

Result<std::optional<CommQuestion>> comm_question(const Arguments& arguments,
                                                  const std::vector<double>& usual_workers) {
  CommQuestion question;
  if (arguments.has("gradient") && arguments.has("bytes")) {
    return fail(usage({.where = "--bytes",
                       .message = "cannot be combined with --gradient, which says the bytes"}));
  }
  if (arguments.has("gradient")) {
    const auto gradient = parse_gradient(arguments.text("gradient"), "--gradient");
    if (!gradient) return fail(usage(gradient.error()));
    question.gradient = *gradient;
    question.bytes = gradient->bytes();
  } else if (arguments.has("bytes")) {
    const std::string given = arguments.text("bytes");
    std::optional<double> bytes = parse_bytes(given);
    if (!bytes) bytes = parse_double(given);
    constexpr double kMost = 1e18;
    if (!bytes || *bytes < 0 || *bytes > kMost) {
      return fail(usage(expected("--bytes", "a size such as 64MiB or 14GB", given)));
    }
    question.bytes = *bytes;
  } else {
    for (const char* flag : {"workers", "compute", "collective"}) {
      if (!arguments.has(flag) || usual_workers.empty()) continue;
      return fail(usage({.where = fmt::format("--{}", flag),
                         .message = "is about a prediction, and no size to predict was given",
                         .hint = "add --gradient 7e9:bf16 or --bytes 64MiB"}));
    }
    return std::optional<CommQuestion>();
  }
  if (arguments.has("collective")) {
    question.collective = *collective_named(arguments.text("collective"));
  }
  if (question.gradient && question.collective == Collective::kPointToPoint) {
    return fail(usage({.where = "--collective", .message = "a gradient is not point-to-point"}));
  }
  question.workers = usual_workers;
  if (arguments.has("workers")) {
    const Result<std::vector<std::int64_t>> workers = parse_worker_list(arguments.text("workers"));
    if (!workers) return fail(usage(workers.error()));
    question.workers.assign(workers->begin(), workers->end());
  }
  if (arguments.has("compute")) {
    const std::string given = arguments.text("compute");
    const std::optional<double> seconds = time_with_unit(given);
    if (!seconds || *seconds <= 0) {
      return fail(
          usage(expected("--compute", "a time above 0 with its unit, such as 180ms or 2s", given)));
    }
    question.compute = *seconds;
  }
  return question;
}

}  // namespace kstar
