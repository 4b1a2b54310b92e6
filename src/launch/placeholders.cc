#include "kstar/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/launcher.h"
#include "spec/template_text.h"
#include "spec/workload.h"

namespace kstar {

namespace {

Error missing_option(std::string_view where, std::string_view placeholder, std::string_view flag) {
  return {.where = std::string(where),
          .message = fmt::format("{{{}}} is used, but --{} is not given", placeholder, flag),
          .hint = fmt::format("use --{0}, or {0} under [workload] in the study.toml", flag)};
}

/// A whole size without an exponent: programs read it as an integer.
std::string size_text(double size) {
  return size == std::floor(size) ? fixed(size, 0) : shortest(size);
}

/// What the placeholders stand for.
struct Filling {
  const MeasureSpec& spec;
  std::int64_t workers = 1;
  std::optional<std::string_view> output = {};  ///< a file; the check command alone has one
};

std::optional<int> factor_of(const Shape& shape, Placeholder placeholder) {
  switch (placeholder) {
    case Placeholder::kNodes:
      return shape.nodes;
    case Placeholder::kRanks:
      return shape.ranks;
    case Placeholder::kThreads:
      return shape.threads;
    case Placeholder::kTasks:
      return shape.tasks();
    default:
      return std::nullopt;
  }
}

/// The value of one placeholder at K.
Result<std::string> value_of(const Filling& filling, Placeholder placeholder,
                             std::string_view where) {
  const MeasureSpec& spec = filling.spec;
  const std::int64_t workers = filling.workers;
  if (placeholder == Placeholder::kWorkers) return std::to_string(workers);
  if (const auto factor = factor_of(shape_at(spec, workers), placeholder)) {
    return std::to_string(*factor);
  }
  if (placeholder == Placeholder::kOutput) {
    if (filling.output) return std::string(*filling.output);
    return fail(expected(where, "{K}, {size}, {batch} or {batch/K}", "{output}",
                         "only --check-command has the output of a run"));
  }
  if (placeholder == Placeholder::kSize) {
    if (!spec.size) return fail(missing_option(where, "size", "size"));
    return size_text(*workload_at(spec, workers).size);
  }
  if (!spec.batch) {
    const bool share = placeholder == Placeholder::kBatchShare;
    return fail(missing_option(where, share ? "batch/K" : "batch", "batch"));
  }
  if (placeholder == Placeholder::kBatch) {
    return std::to_string(global_batch(spec, workers));
  }
  if (global_batch(spec, workers) % workers != 0) return fail(batch_does_not_divide(spec, workers));
  return std::to_string(global_batch(spec, workers) / workers);
}

Result<std::string> expand_text(const Filling& filling, std::string_view text,
                                std::string_view where) {
  KSTAR_TRY(const std::vector<TemplatePiece> pieces, parse_template(text, where));
  std::string expanded;
  for (const TemplatePiece& piece : pieces) {
    expanded += piece.text;
    if (!piece.placeholder) continue;
    KSTAR_TRY(const std::string value, value_of(filling, *piece.placeholder, where));
    expanded += value;
  }
  return expanded;
}

Result<std::vector<std::string>> expand_words(const Filling& filling,
                                              const std::vector<std::string>& words,
                                              std::string_view where) {
  std::vector<std::string> expanded;
  for (const std::string& word : words) {
    KSTAR_TRY(std::string text, expand_text(filling, word, where));
    expanded.push_back(std::move(text));
  }
  return expanded;
}

/// A shell takes one text: the words with blanks between, as they were typed.
std::vector<std::string> for_shell(const MeasureSpec& spec, std::vector<std::string> words) {
  if (!spec.shell || words.empty()) return words;
  return {"/bin/sh", "-c", fmt::format("{}", fmt::join(words, " "))};
}

}  // namespace

Result<std::vector<std::string>> expand(const MeasureSpec& spec, std::int64_t workers) {
  Result<std::vector<std::string>> words = expand_words({spec, workers}, spec.command, "command");
  if (!words) return words;
  return for_shell(spec, std::move(*words));
}

Result<std::vector<std::string>> expand_baseline(const MeasureSpec& spec) {
  Result<std::vector<std::string>> words = expand_words({spec}, spec.baseline, "--baseline");
  if (!words) return words;
  return for_shell(spec, std::move(*words));
}

Result<std::vector<std::string>> expand_check(const MeasureSpec& spec, std::int64_t workers,
                                              std::string_view output) {
  Result<std::vector<std::string>> words =
      expand_words({spec, workers, output}, spec.check_command, "--check-command");
  if (!words) return words;
  return for_shell(spec, std::move(*words));
}

Result<std::vector<std::string>> expand_beside(const MeasureSpec& spec,
                                               const std::vector<std::string>& words,
                                               std::int64_t workers, std::string_view where) {
  Result<std::vector<std::string>> expanded = expand_words({spec, workers}, words, where);
  if (!expanded) return expanded;
  return for_shell(spec, std::move(*expanded));
}

Result<std::vector<std::pair<std::string, std::string>>> expand_variables(const MeasureSpec& spec,
                                                                          std::int64_t workers) {
  std::vector<std::pair<std::string, std::string>> expanded;
  for (const auto& [name, value] : spec.variables) {
    KSTAR_TRY(std::string text,
              expand_text({spec, workers}, value, fmt::format("--env {}", printable(name))));
    expanded.emplace_back(name, std::move(text));
  }
  return expanded;
}

Shape shape_at(const MeasureSpec& spec, std::int64_t workers) {
  const auto found = std::find(spec.workers.begin(), spec.workers.end(), workers);
  const auto index = static_cast<std::size_t>(found - spec.workers.begin());
  if (index < spec.shapes.size()) return spec.shapes[index];
  const auto k = static_cast<int>(workers);
  Shape shape;
  if (spec.per_node > 0 && k > spec.per_node) shape.nodes = k / spec.per_node;
  (starts_threads(spec.launcher) ? shape.threads : shape.ranks) = k / shape.nodes;
  return shape;
}

Workload workload_at(const MeasureSpec& spec, std::int64_t workers) {
  Workload workload;
  workload.workers = static_cast<int>(workers);
  workload.unit = spec.unit;
  if (spec.size) {
    const double factor = size_factor(spec, workers);
    const bool whole = *spec.size == std::floor(*spec.size);
    workload.size = whole ? std::round(*spec.size * factor) : *spec.size * factor;
  }
  // The work of one step is all that is known of rates.
  const bool rates = spec.time_is_rate && regime_of(spec) == Regime::kThroughput;
  if (rates && !spec.size && !spec.batch) workload.size = spec.time_work;
  if (spec.batch) workload.batch = static_cast<double>(global_batch(spec, workers));
  return workload;
}

}  // namespace kstar
