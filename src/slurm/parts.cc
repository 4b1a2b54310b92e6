#include "slurm/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

constexpr std::size_t kOutputKept = 4096;
constexpr double kPatienceInJob = 60;
constexpr std::size_t kMostOutput = std::size_t{1} << 26U;
constexpr std::string_view kEndings[] = {"toml", "sh", "jsonl", "out", "id"};

/// A whole number behind a letter: "k8".
std::optional<int> number_behind(std::string_view text, char letter) {
  if (text.size() < 2 || text[0] != letter) return {};
  int value = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9' || value > 100'000'000) return {};
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::string PartName::text() const {
  const std::string point = role == Role::kBaseline ? "base" : fmt::format("k{}", workers);
  return fmt::format("b{}-{}-t{}", block, point, attempt);
}

std::optional<PartName> PartName::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  if (parts.size() != 3) return {};
  const std::optional<int> block = number_behind(parts[0], 'b');
  const std::optional<int> attempt = number_behind(parts[2], 't');
  const bool baseline = parts[1] == "base";
  const std::optional<int> workers = baseline ? 1 : number_behind(parts[1], 'k');
  if (!block || !attempt || !workers) return {};
  return PartName{.block = *block,
                  .role = baseline ? Role::kBaseline : Role::kParallel,
                  .workers = *workers,
                  .attempt = *attempt};
}

SlurmParts::SlurmParts(const std::string& study) {
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::absolute(study + ".jobs", none);
  folder_ = none ? study + ".jobs" : whole.lexically_normal().string();
}

Result<void> SlurmParts::create() const {
  std::error_code problem;
  std::filesystem::create_directory(folder_, problem);
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

Part SlurmParts::read(const std::string& name) const {
  Part part;
  // Asking the folder first makes a network file system look anew.
  static_cast<void>(names());
  const Result<Study> study = load_study(file(name, "jsonl"));
  if (!study) return part;
  if (!study->runs.empty()) part.run = study->runs.front();
  for (const Note& note : study->notes) {
    if (note.what == "check-reference") part.answer = note.text;
    if (note.what == "launch") part.warnings.push_back(note.text);
  }
  part.environment = study->header.environment;
  return part;
}

std::string SlurmParts::id_of(const std::string& name) const {
  const Result<FileText> text = read_file(file(name, "id"), 64);
  if (!text) return "";
  std::string id(trim(text->view()));
  return id.find_first_not_of("0123456789") == std::string::npos ? id : "";
}

std::string SlurmParts::output(const std::string& name) const {
  const Result<FileText> text = read_file(file(name, "out"), kMostOutput);
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

}  // namespace kstar
