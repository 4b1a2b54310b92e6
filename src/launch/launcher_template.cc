#include "launch/launcher_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"
#include "launch/allocation.h"
#include "launch/launchers.h"
#include "launch/template_words.h"
#include "spec/template_text.h"

namespace kstar {

namespace {

/// Replaces the placeholders of one launch.
class Expander {
 public:
  explicit Expander(const LaunchRequest& request) : request_(request) {}

  Result<std::string> expand(std::string_view text) {
    const Result<std::vector<BracePiece>> pieces = parse_braces(text, "launcher", kTemplateNames);
    if (!pieces) return fail(pieces.error());
    std::string expanded;
    for (const BracePiece& piece : *pieces) {
      expanded += piece.text;
      if (!piece.name) continue;
      const Result<std::string> value = value_of(static_cast<TemplateName>(*piece.name));
      if (!value) return fail(value.error());
      expanded += *value;
    }
    return expanded;
  }

 private:
  Result<std::string> value_of(TemplateName name) {
    const Shape& shape = request_.shape;
    switch (name) {
      case TemplateName::kWorkers:
        return std::to_string(shape.workers());
      case TemplateName::kNodes:
        return std::to_string(shape.nodes);
      case TemplateName::kRanks:
        return std::to_string(shape.ranks);
      case TemplateName::kThreads:
        return std::to_string(shape.threads);
      case TemplateName::kTasks:
        return std::to_string(shape.tasks());
      case TemplateName::kHosts:
        break;
    }
    const Result<std::vector<std::string>> hosts = nodes_for(request_);
    if (!hosts) return fail(hosts.error());
    return fmt::format("{}", fmt::join(*hosts, ","));
  }

  const LaunchRequest& request_;
};

}  // namespace

Result<Launch> launch_with_template(const LauncherTemplate& form, const LaunchRequest& request) {
  Expander expander(request);
  Launch launch;
  std::vector<std::string>& words = launch.plan.command;
  for (const std::string& word : form.command) {
    if (word == kCommandWord) {
      words.insert(words.end(), request.options.begin(), request.options.end());
      launch.binding = fmt::format("as {} does: {}", form.name, join_words(words));
      words.insert(words.end(), request.command.begin(), request.command.end());
      continue;
    }
    Result<std::string> expanded = expander.expand(word);
    if (!expanded) return fail(expanded.error());
    words.push_back(std::move(*expanded));
  }
  launch.plan.variables = {{"OMP_NUM_THREADS", std::to_string(request.shape.threads)}};
  for (const auto& [name, value] : form.variables) {
    Result<std::string> expanded = expander.expand(value);
    if (!expanded) return fail(expanded.error());
    launch.plan.variables.emplace_back(name, std::move(*expanded));
  }
  if (const Result<std::vector<std::string>> hosts = nodes_for(request); hosts) {
    const bool here = request.hosts.empty() && !slurm_allocation().value_or(std::nullopt);
    if (!here) launch.hosts = *hosts;  // else nobody but the launcher knows where it runs
  }
  launch.plan.grace = kRemoteGrace;
  launch.versions["launcher"] = join_words(form.command);
  return launch;
}

}  // namespace kstar
