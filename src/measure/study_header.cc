#include <fmt/format.h>

#include <chrono>
#include <random>

#include "base/text.h"
#include "base/try.h"
#include "exec/program.h"
#include "kstar/host.h"
#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "kstar/time_source.h"
#include "launch/launch_at.h"
#include "measure/named_files.h"

namespace kstar {

namespace {

/// The spec without what may change when a study goes on: how long, how often, where to.
MeasureSpec lasting(MeasureSpec spec) {
  const MeasureSpec usual;
  spec.title = usual.title;
  spec.output = usual.output;
  spec.precision = usual.precision;
  spec.confidence = usual.confidence;
  spec.runs = usual.runs;
  spec.max_runs = usual.max_runs;
  spec.max_failures = usual.max_failures;
  spec.budget_seconds = usual.budget_seconds;
  spec.budget_worker_hours = usual.budget_worker_hours;
  spec.seed = usual.seed;
  // A job of a packed study measures without submitting: where a run was made, the run says.
  spec.submit = usual.submit;
  spec.pack = usual.pack;
  spec.submit_options = usual.submit_options;
  spec.jobs_at_once = usual.jobs_at_once;
  spec.patience = usual.patience;
  spec.sessions = usual.sessions;
  for (auto& [name, value] : spec.variables) {
    if (looks_like_secret(name)) value = "[secret]";  // the study is passed on
  }
  return spec;
}

std::uint64_t chosen_seed(const MeasureSpec& spec) {
  if (spec.seed != 0) return spec.seed;
  std::random_device device;
  return device() % 1000000U + 1;  // short enough to be typed again
}

std::string stopping_words(const MeasureSpec& spec) {
  const std::string spread =
      spec.sessions > 1 ? fmt::format(", over {} sessions", spec.sessions) : "";
  if (spec.runs) return fmt::format("{} runs at each K{}", *spec.runs, spread);
  return fmt::format("until the {}% interval is within {}% at each K, at most {} runs{}",
                     spec.confidence * 100, spec.precision * 100, spec.max_runs, spread);
}

/// What the launcher says of itself at every K: bindings, versions.
Result<void> describe_launch(const MeasureSpec& spec, Environment& environment) {
  for (const std::int64_t k : spec.workers) {
    KSTAR_TRY(Launch launch, launch_at(spec, Role::kParallel, k));
    environment.binding +=
        fmt::format("{}K={}: {}", environment.binding.empty() ? "" : "; ", k, launch.binding);
    environment.versions.merge(launch.versions);
  }
  return {};
}

}  // namespace

Result<StudyHeader> study_header(const MeasureSpec& spec) {
  StudyHeader header;
  header.writer = "kstar " KSTAR_VERSION;
  header.title = spec.title;
  header.command = spec.command;
  header.launcher = spec.launcher;
  header.regime = regime_of(spec);
  for (const std::int64_t k : spec.workers) header.workload.push_back(workload_at(spec, k));
  header.baseline.kind =
      spec.baseline.empty() ? BaselineKind::kParallelWithOne : BaselineKind::kFastestSingle;
  header.baseline.command = spec.baseline;
  const Result<std::unique_ptr<TimeSource>> source =
      make_time_source(spec, [](const Outcome&, const std::string&) { return Run{}; });
  if (!source) return fail(source.error());
  header.protocol.warm_up_runs = spec.warm_up_runs;
  header.protocol.warm_up_steps = spec.warm_up_steps;
  header.protocol.setup = (*source)->setup();
  header.protocol.setup_method = (*source)->setup_method();
  header.protocol.order = "blocks: every unfinished K and the base once, in random order";
  if (spec.inside > 0) {
    header.protocol.order += fmt::format("; including {} profiled runs at each K", spec.inside);
  }
  header.protocol.seed = chosen_seed(spec);
  header.protocol.stopping = stopping_words(spec);
  if (spec.runs) header.protocol.runs = static_cast<int>(*spec.runs);
  header.protocol.same_command = is_same_command(spec);
  if (spec.time_limit > 0) header.protocol.time_limit = spec.time_limit;
  header.environment = this_environment();
  if (spec.submit) {
    header.environment.hosts.clear();  // nothing runs here: the jobs say where they ran
  } else if (Result<void> described = describe_launch(spec, header.environment); !described) {
    return fail(described.error());
  }
  header.environment.versions["program"] = marks_of_files(named_words(spec.command, spec.baseline));
  header.source.kind = SourceKind::kMeasured;
  header.spec = spec_toml(lasting(spec));
  return header;
}

}  // namespace kstar
