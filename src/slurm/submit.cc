#include "kstar/slurm_submit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "kstar/study_file.h"
#include "slurm/blocks.h"
#include "slurm/notes.h"

namespace kstar {

namespace {

/// In what two nodes differ, in words; empty when they are alike.
std::string difference(const Host& a, const Host& b) {
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : "?"; };
  if (a.cpu != b.cpu) return fmt::format("'{}' against '{}'", a.cpu, b.cpu);
  if (a.sockets != b.sockets || a.cores != b.cores || a.threads != b.threads) {
    return fmt::format("{} cores and {} threads against {} and {}", number(a.cores),
                       number(a.threads), number(b.cores), number(b.threads));
  }
  if (a.accelerators != b.accelerators) return "their accelerators";
  if (a.kernel != b.kernel) return fmt::format("kernel {} against {}", a.kernel, b.kernel);
  // The kernel keeps a little for itself, not the same everywhere.
  constexpr double kAlike = 0.02;
  if (a.memory && b.memory) {
    const auto larger = static_cast<double>(std::max(*a.memory, *b.memory));
    const auto smaller = static_cast<double>(std::min(*a.memory, *b.memory));
    if (larger - smaller > kAlike * larger) {
      return fmt::format("{} bytes of memory against {}", *a.memory, *b.memory);
    }
  }
  return "";
}

void add_host(Host host, std::vector<Host>& hosts) {
  const bool known = std::any_of(hosts.begin(), hosts.end(),
                                 [&](const Host& old) { return old.name == host.name; });
  if (!known) hosts.push_back(std::move(host));
}

}  // namespace

std::unique_ptr<BlockRunner> slurm_blocks(const MeasureSpec& spec, const StudyHeader& header,
                                          const SubmitTools& tools) {
  return std::make_unique<SlurmBlocks>(spec, header, tools.program, tools.executor, tools.stop,
                                       watch_clock(tools.stop));
}

void take_node_facts(const MeasureSpec& spec, Study& study) {
  const SlurmParts parts(spec.output);
  Environment& environment = study.header.environment;
  std::vector<Host>& hosts = environment.hosts;
  std::map<int, std::string> bindings;
  for (const NotedJob& job : noted_jobs(study, kJobSubmitted)) {
    const Part part = parts.read(job.part);
    if (part.environment.hosts.empty()) continue;
    Host host = part.environment.hosts.front();  // kstar runs on the first node of its job
    for (const Run& run : study.runs) {
      if (run.session != session_of(job.id)) continue;
      if (!run.hosts.empty()) host.name = run.hosts.front();  // as Slurm calls it
      if (run.role == Role::kParallel) bindings[run.workers] = part.environment.binding;
    }
    add_host(std::move(host), hosts);
    environment.versions.insert(part.environment.versions.begin(), part.environment.versions.end());
  }
  if (environment.binding.empty()) {
    for (const auto& [workers, text] : bindings) {
      environment.binding += (environment.binding.empty() ? "" : "; ") + text;
    }
  }
  std::sort(hosts.begin(), hosts.end(),
            [](const Host& a, const Host& b) { return a.name < b.name; });
  std::erase_if(study.notes, [](const Note& note) { return note.what == "nodes-differ"; });
  for (const Host& host : hosts) {
    const std::string words = difference(hosts.front(), host);
    if (words.empty()) continue;
    study.notes.push_back(
        {.severity = Severity::kWarning,
         .what = "nodes-differ",
         .where = host.name,
         .text = fmt::format("it is not like {}: {}", hosts.front().name, words)});
  }
}

void remove_finished_parts(const MeasureSpec& spec, const Study& study) {
  const SlurmParts parts(spec.output);
  std::set<std::string> good;
  for (const Run& run : study.runs) {
    if (!failed(run)) good.insert(run.session);
  }
  for (const NotedJob& job : noted_jobs(study, kJobCancelled)) good.insert(session_of(job.id));
  for (const NotedJob& job : noted_jobs(study, kJobSubmitted)) {
    if (good.contains(session_of(job.id))) parts.remove(job.part);
  }
  parts.remove_if_empty();
}

Result<void> drop_jobs(const std::string& study, const SubmitTools& tools) {
  const SlurmParts parts(study);
  std::error_code none;
  if (!std::filesystem::exists(parts.folder(), none)) return {};
  if (const Result<Study> old = load_study(study)) {
    SlurmClient client(tools.executor);
    const auto named = client.named(study_tag(parts, old->header));
    if (!named.value) return fail({.where = "slurm", .message = printable(named.trouble)});
    std::vector<std::string> ids;
    for (const QueuedJob& job : *named.value) {
      if (!is_over(job.state)) ids.push_back(job.id);
    }
    if (const auto cancelled = client.cancel(ids); !cancelled.value) {
      return fail({.where = "slurm", .message = printable(cancelled.trouble)});
    }
    for (const NotedJob& job : noted_jobs(*old, kJobSubmitted)) parts.remove(job.part);
  }
  for (const PartName& part : parts.names()) parts.remove(part.text());
  parts.remove_if_empty();
  return {};
}

}  // namespace kstar
