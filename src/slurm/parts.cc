#include "slurm/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/placeholders.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

constexpr std::size_t kOutputKept = 4096;
constexpr double kPatienceInJob = 60;
constexpr std::size_t kMostOutput = std::size_t{1} << 26U;
constexpr std::string_view kEndings[] = {"toml", "sh", "jsonl", "out", "id"};

/// A whole number behind a letter: "k8".
std::optional<int> number_after(std::string_view text, char letter) {
  if (text.size() < 2 || text[0] != letter) return {};
  int value = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9' || value > 100'000'000) return {};
    value = value * 10 + (c - '0');
  }
  return value;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// In what two nodes differ, in words; empty when they are alike.
std::string difference(const Host& a, const Host& b) {
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : "?"; };
  if (a.cpu != b.cpu) return fmt::format("'{}', not '{}'", a.cpu, b.cpu);
  if (a.sockets != b.sockets || a.cores != b.cores || a.threads != b.threads) {
    return fmt::format("{} cores and {} threads, not {} and {}", number(a.cores), number(a.threads),
                       number(b.cores), number(b.threads));
  }
  if (a.accelerators != b.accelerators) return "their accelerators";
  if (a.kernel != b.kernel) return fmt::format("kernel {}, not {}", a.kernel, b.kernel);
  // The kernel keeps a little for itself, not the same everywhere.
  constexpr double kAlike = 0.02;
  if (a.memory && b.memory) {
    const auto larger = static_cast<double>(std::max(*a.memory, *b.memory));
    const auto smaller = static_cast<double>(std::min(*a.memory, *b.memory));
    if (larger - smaller > kAlike * larger) {
      return fmt::format("{} bytes of memory, not {}", *a.memory, *b.memory);
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

std::string PartName::text() const {
  const std::string point = role == Role::kBaseline ? "base" : fmt::format("k{}", workers);
  return fmt::format("b{}-{}-t{}", block, point, attempt);
}

std::optional<PartName> PartName::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  if (parts.size() != 3) return {};
  const std::optional<int> block = number_after(parts[0], 'b');
  const std::optional<int> attempt = number_after(parts[2], 't');
  const bool baseline = parts[1] == "base";
  const std::optional<int> workers = baseline ? 1 : number_after(parts[1], 'k');
  if (!block || !attempt || !workers) return {};
  return PartName{.block = *block,
                  .role = baseline ? Role::kBaseline : Role::kParallel,
                  .workers = *workers,
                  .attempt = *attempt};
}

bool is_part_name(std::string_view text) {
  if (const auto part = PartName::parse(text)) return part->text() == text;
  return text.starts_with(kPackPart) &&
         number_after(text.substr(kPackPart.size() - 1), kPackPart.back()).has_value();
}

SlurmParts::SlurmParts(const std::string& study) {
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::absolute(study + ".jobs", none);
  folder_ = none ? study + ".jobs" : whole.lexically_normal().string();
}

Result<void> SlurmParts::create() const {
  std::error_code problem;
  // The specs of the jobs have all variables that they get, secrets as well.
  if (std::filesystem::create_directory(folder_, problem)) {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, problem);
  }
  if (problem) return fail(file_error(folder_, "create", problem.value()));
  return {};
}

std::string SlurmParts::file(const std::string& name, std::string_view ending) const {
  return fmt::format("{}/{}.{}", folder_, name, ending);
}

Result<void> SlurmParts::write(const std::string& name, std::string_view ending,
                               std::string_view text) const {
  return write_file_atomically(file(name, ending), text);
}

std::vector<PartName> SlurmParts::names() const {
  std::vector<PartName> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    if (entry.path().extension() != ".toml") continue;
    if (const auto name = PartName::parse(entry.path().stem().string())) found.push_back(*name);
  }
  std::sort(found.begin(), found.end(),
            [](const PartName& a, const PartName& b) { return a.text() < b.text(); });
  return found;
}

JobPart SlurmParts::read(const std::string& name) const {
  JobPart part;
  // Asking the folder first makes a network file system look anew.
  static_cast<void>(names());
  const Result<Study> study = load_study(file(name, "jsonl"));
  if (!study) return part;
  if (!study->runs.empty()) part.run = study->runs.front();
  for (const Note& note : study->notes) {
    if (note.what == "check-reference") part.answer = text_value(note, "answer");
    if (note.what == "launch") part.warnings.push_back(text_value(note, "warning"));
  }
  part.environment = study->header.environment;
  return part;
}

std::string SlurmParts::id_of(const std::string& name) const {
  const Result<FileText> text = read_regular_file(file(name, "id"), 64);
  if (!text) return "";
  std::string id(trim(text->view()));
  return is_job_id(id) ? id : "";
}

std::string SlurmParts::output(const std::string& name) const {
  const Result<FileText> text = read_regular_file(file(name, "out"), kMostOutput);
  if (!text) return "";
  const std::string_view whole = text->view();
  return std::string(whole.substr(whole.size() > kOutputKept ? whole.size() - kOutputKept : 0));
}

void SlurmParts::remove(const std::string& name) const {
  std::error_code ignored;
  for (const std::string_view ending : kEndings) {
    std::filesystem::remove(file(name, ending), ignored);
  }
}

void SlurmParts::remove_if_empty() const {
  std::error_code ignored;
  std::filesystem::remove(folder_, ignored);
}

MeasureSpec part_spec(const MeasureSpec& spec, const PartName& name, const std::string& file) {
  MeasureSpec part = spec;
  if (name.role == Role::kBaseline) part.command = spec.baseline;
  part.baseline.clear();
  part.shapes = {name.role == Role::kBaseline ? Shape{} : shape_at(spec, name.workers)};
  part.workers = {name.workers};
  part.per_node = 0;
  part.submit = false;
  part.pack = false;
  part.submit_options.clear();
  part.runs = 1;
  part.max_failures = 1;
  part.warm_up_runs = 0;  // which runs are warm-up is seen over all jobs
  part.budget_seconds.reset();
  part.budget_worker_hours.reset();
  part.seed = 1;
  // The job has a margin beside its time limit, and must not spend all of it on waiting.
  if (part.time_limit > 0) part.patience = std::min(part.patience, kPatienceInJob);
  part.output = file;
  return part;
}

NoteValues job_values(const NotedJob& job) {
  return {{"job", job.id}, {"part", job.part}};
}

std::vector<NotedJob> noted_jobs(const Study& study, std::string_view what) {
  std::vector<NotedJob> jobs;
  for (const Note& note : study.notes) {
    NotedJob job{.id = text_value(note, "job"), .part = text_value(note, "part")};
    if (note.what == what && is_job_id(job.id) && is_part_name(job.part)) {
      jobs.push_back(std::move(job));
    }
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
  if (end.state.empty()) return "Slurm no longer knows it";
  std::string words = end.state;
  if (!end.reason.empty() && end.reason != end.state) words += fmt::format(" ({})", end.reason);
  if (!end.exit_code.empty()) words += fmt::format(", exit code {}", end.exit_code);
  return words;
}

void take_node_facts(const SlurmParts& parts, Study& study) {
  Environment& environment = study.header.environment;
  std::vector<Host>& hosts = environment.hosts;
  std::map<int, std::string> bindings;
  for (const NotedJob& job : noted_jobs(study, kJobSubmitted)) {
    const JobPart part = parts.read(job.part);
    if (part.environment.hosts.empty()) continue;
    Host host = part.environment.hosts.front();  // kstar runs on the first node of its job
    for (const Run& run : study.runs) {
      if (run.job != job.id) continue;
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
    study.notes.push_back({.severity = Severity::kWarning,
                           .what = "nodes-differ",
                           .where = host.name,
                           .values = {{"like", hosts.front().name}, {"difference", words}}});
  }
}

void remove_finished_parts(const SlurmParts& parts, const Study& study) {
  std::set<std::string> good;
  for (const Run& run : study.runs) {
    if (!failed(run)) good.insert(run.job);
  }
  for (const NotedJob& job : noted_jobs(study, kJobCancelled)) good.insert(job.id);
  for (const NotedJob& job : noted_jobs(study, kJobSubmitted)) {
    if (good.contains(job.id)) parts.remove(job.part);
  }
  parts.remove_if_empty();
}

}  // namespace kstar
