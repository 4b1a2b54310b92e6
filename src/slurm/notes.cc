#include "slurm/notes.h"

#include <fmt/format.h>

namespace kstar {

namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

std::string job_text(const NotedJob& job) {
  return fmt::format("job {}: {}", job.id, job.part);
}

std::vector<NotedJob> noted_jobs(const Study& study, std::string_view what) {
  constexpr std::string_view kStart = "job ";
  std::vector<NotedJob> jobs;
  for (const Note& note : study.notes) {
    const std::size_t colon = note.text.find(": ");
    if (note.what != what || !note.text.starts_with(kStart) || colon == std::string::npos) continue;
    jobs.push_back({.id = note.text.substr(kStart.size(), colon - kStart.size()),
                    .part = note.text.substr(colon + 2)});
  }
  return jobs;
}

std::string session_of(const std::string& id) {
  return "slurm job " + id;
}

std::string study_tag(const SlurmParts& parts, const StudyHeader& header) {
  const std::string name = fmt::format("{} {}", parts.folder(), header.protocol.seed.value_or(0));
  return fmt::format("kstar-{:08x}-", fnv1a(name) & 0xffffffffU);
}

std::string end_words(const JobEnd& end) {
  if (end.state.empty()) return "Slurm knows nothing of it any more";
  std::string words = end.state;
  if (!end.reason.empty() && end.reason != end.state) words += fmt::format(" ({})", end.reason);
  if (!end.exit_code.empty()) words += fmt::format(", exit code {}", end.exit_code);
  return words;
}

}  // namespace kstar
