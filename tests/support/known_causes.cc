#include "support/known_causes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "kstar/study_file.h"

namespace kstar::known {

namespace {

constexpr std::size_t kMost = std::size_t{1} << 30U;

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.c_str(), error.message.c_str());
  std::exit(1);
}

CauseKind truth_of(const std::string& planted) {
  const std::map<std::string, CauseKind> kinds = {{"none", CauseKind::kNone},
                                                  {"straggler", CauseKind::kStraggler},
                                                  {"random straggler", CauseKind::kStraggler},
                                                  {"imbalance", CauseKind::kLoadImbalance},
                                                  {"serial part", CauseKind::kSerial},
                                                  {"slow all-reduce", CauseKind::kCommunication},
                                                  {"memory-bound", CauseKind::kComputationScaling}};
  return kinds.at(planted);
}

/// The cells of a Markdown row, without the blanks around them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return cells;
}

using Ranks = nlohmann::json;

/// The largest over ranks at one step.
double most(const Ranks& ranks, const char* what, std::size_t step) {
  double most = 0;
  for (const nlohmann::json& rank : ranks) {
    most = std::max(most, rank[what][step].get<double>());
  }
  return most;
}

Run run_of(const nlohmann::json& line) {
  Run run;
  const Ranks& ranks = line["ranks"];
  run.workers = line["K"].get<int>();
  run.block = line["repeat"].get<int>();
  run.exit_status = 0;
  PerWorker& workers = run.per_worker.emplace();
  workers.compute.resize(ranks.size());
  workers.communicate.resize(ranks.size());
  workers.wait.resize(ranks.size());
  workers.work.assign(ranks.size(), line["global_batch"].get<double>() / run.workers *
                                        static_cast<double>(ranks[0]["step"].size()));
  for (std::size_t step = 0; step < ranks[0]["step"].size(); ++step) {
    run.steps.push_back(most(ranks, "step", step));
    const double last = most(ranks, "compute", step);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const double compute = ranks[i]["compute"][step].get<double>();
      workers.compute[i] += compute;
      workers.wait[i] += last - compute;
      workers.communicate[i] += ranks[i]["comm"][step].get<double>() - (last - compute);
    }
  }
  return run;
}

}  // namespace

std::vector<KnownStudy> example_studies(const std::string& folder) {
  const Result<FileText> readme = read_file(folder + "/README.md", kMost);
  if (!readme) give_up(readme.error());
  std::vector<KnownStudy> known;
  std::istringstream lines{std::string(readme->view())};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    constexpr std::size_t kColumns = 8;
    if (cells.size() < kColumns || cells[1] == "study" || cells[1].starts_with("---")) continue;
    Result<Study> study = load_study(folder + "/" + cells[1] + ".jsonl.gz");
    if (!study) give_up(study.error());
    known.push_back({cells[1], cells[4], truth_of(cells[4]), std::move(*study)});
  }
  return known;
}

std::vector<Study> stepwise_studies(const std::string& path) {
  const Result<FileText> text = read_file(path, kMost);
  if (!text) return {};
  std::map<std::string, Study> studies;
  std::istringstream lines{std::string(text->view())};
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    Study& study = studies[record["study"].get<std::string>()];
    study.name = record["study"].get<std::string>();
    study.header.regime = record["regime"] == "weak" ? Regime::kWeak : Regime::kStrong;
    study.runs.push_back(run_of(record));
  }
  std::vector<Study> all;
  for (auto& [name, study] : studies) all.push_back(std::move(study));
  return all;
}

}  // namespace kstar::known
