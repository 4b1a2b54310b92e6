#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "base/worker_list.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

struct NextStep {
  std::string text;
  std::string command;
};

bool is_measured(const Study& study) {
  const auto& kind = study.header.source.kind;
  return kind != SourceKind::kImported && kind != SourceKind::kSimulated;
}

/// Whether the study says which command it measured: a redacted one does not.
bool has_job(const Study& study) {
  const std::vector<std::string>& words = study.header.command;
  return is_measured(study) && !words.empty() &&
         std::find(words.begin(), words.end(), "[redacted]") == words.end();
}

/// The K that count, the baseline program's aside.
std::set<int> measured_workers(const ScalingTable& table) {
  std::set<int> workers;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) workers.insert(point.workers);
  }
  return workers;
}

std::set<int> tried_workers(const Study& study) {
  std::set<int> workers;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && !run.lost) workers.insert(run.workers);
  }
  return workers;
}

/// The batch or size that --batch and --size take: of one worker where the work grows with K.
std::string workload_flag(const StudyHeader& header, const char* flag,
                          std::optional<double> Workload::*amount) {
  std::set<double> values;
  for (const Workload& one : header.workload) {
    if (!(one.*amount)) continue;
    const bool grows = header.regime == Regime::kWeak && one.workers;
    values.insert(*(one.*amount) / (grows ? *one.workers : 1));
  }
  if (values.size() != 1) return "";
  return fmt::format(" {} {}", flag, shortest(*values.begin()));
}

std::string regime_flag(const StudyHeader& header) {
  if (header.regime == Regime::kWeak) return " --weak";
  return header.regime == Regime::kThroughput ? " --throughput" : "";
}

/// The job as `kstar measure` takes it, or what stands for it where the study does not say.
std::string job_words(const Study& study) {
  return has_job(study) ? join_words(study.header.command) : "./prog {K}";
}

std::string measure_command(const Study& study, const std::string& flags,
                            const std::set<int>& workers) {
  const StudyHeader& header = study.header;
  std::string text = fmt::format("kstar measure{}{} --workers {}", regime_flag(header), flags,
                                 worker_list_text(workers));
  if (has_job(study)) {
    text += workload_flag(header, "--batch", &Workload::batch);
    text += workload_flag(header, "--size", &Workload::size);
    if (header.protocol.same_command) text += " --same-command";
    const bool plain = header.launcher.empty() || header.launcher == "local";
    if (!plain) text += " --launcher " + join_words(std::vector<std::string>{header.launcher});
  }
  return fmt::format("{} -- {}", text, job_words(study));
}

std::string file_words(const Study& study) {
  const std::string& path = study.name;
  if (path.empty() || path == "-") return "study.jsonl";
  return join_words(std::vector<std::string>{path.substr(path.rfind('/') + 1)});
}

NextStep see_commands(const Subject& subject) {
  return {"Look at the command that runs at each K:",
          measure_command(subject.study, " --dry-run", measured_workers(subject.analysis.table))};
}

/// What the numbers are must be said before anything is measured.
NextStep settle(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  const SuspicionKind kind = analysis.suspicions.front().kind;
  const std::string name = file_words(subject.study);
  if (kind == SuspicionKind::kFlatTime) {
    return {"If the work grows with K, say so:",
            fmt::format("kstar analyze {} --regime weak", name)};
  }
  if (kind == SuspicionKind::kGrowingEfficiency && analysis.table.regime == Regime::kWeak) {
    return {"If the problem is the same at every K, say so:",
            fmt::format("kstar analyze {} --regime strong", name)};
  }
  if (kind == SuspicionKind::kBusyMachine) {
    return {"Stop the other jobs, or wait, and measure again:",
            measure_command(subject.study, "", measured_workers(analysis.table))};
  }
  return see_commands(subject);
}

/// S stays near 1: the flag that sets the workers may be missing.
bool uses_no_workers(const Analysis& analysis) {
  return std::any_of(
      analysis.suspicions.begin(), analysis.suspicions.end(),
      [](const Suspicion& one) { return one.kind == SuspicionKind::kUnusedWorkers; });
}

/// K that were tried and gave nothing, or failed as often as not.
std::set<int> failing_workers(const Subject& subject) {
  std::set<int> lost;
  const ScalingTable& table = subject.analysis.table;
  for (const int workers : tried_workers(subject.study)) {
    const ScalingPoint* point = point_at(table, Role::kParallel, workers);
    if (point == nullptr || is_failing(*point)) lost.insert(workers);
  }
  return lost;
}

/// Half, the same and double: where a single K leaves everything open.
std::set<int> around(int workers) {
  std::set<int> all = {1, workers, 2 * workers};
  for (int k = workers / 2; k > 1; k /= 2) all.insert(k);
  return all;
}

/// Between the last good K and the first bad one, or beyond all.
std::set<int> next_workers(const Analysis& analysis) {
  const std::set<int> known = measured_workers(analysis.table);
  if (analysis.bend && analysis.bend->last_good) {
    const double from = *analysis.bend->last_good, to = analysis.bend->first_bad;
    const double between = to <= 2 * from ? (from + to) / 2 : std::sqrt(from * to);
    const int middle = static_cast<int>(std::lround(between));
    if (!known.contains(middle)) return {*known.begin(), middle};
  }
  if (analysis.recommendation.open) return {*known.begin(), 2 * *known.rbegin()};
  if (analysis.bend) return {*known.begin(), analysis.bend->first_bad};
  return known;
}

bool runs_mpi(const StudyHeader& header) {
  const auto names_mpi = [](const std::string& word) {
    return word.find("mpi") != word.npos || word.find("srun") != word.npos;
  };
  return names_mpi(header.launcher) || (!header.command.empty() && names_mpi(header.command[0]));
}

NextStep find_cause(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  // Where it bends, if anywhere: larger K cost more and say less about K*.
  const int bent = analysis.bend ? analysis.bend->first_bad : analysis.diagnosis.workers;
  const std::set<int> workers = {*measured_workers(analysis.table).begin(), bent};
  const bool mpi = runs_mpi(subject.study.header);
  return {mpi ? "To find the cause, look inside the ranks:"
              : "To find the cause, mark compute, communicate and wait in the program:",
          measure_command(subject.study, mpi ? " --inside 3" : " --time marks", workers)};
}

/// A change is judged beside what it changes, in one session.
NextStep change_it(const Subject& subject, const Cause& cause) {
  std::string text = cause.advice;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  const std::string before = join_words(std::vector<std::string>{job_words(subject.study)});
  return {
      text + ". Then compare:",
      measure_command(
          {.header = {.command = {"CHANGED", "{K}"}}}, fmt::format(" --against {}", before),
          {*measured_workers(subject.analysis.table).begin(), subject.analysis.diagnosis.workers})};
}

NextStep repeat(const Subject& subject, const char* text) {
  return {text, measure_command(subject.study, "", measured_workers(subject.analysis.table))};
}

NextStep by_state(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  const AnswerState state = answer_state(analysis);
  if (state == AnswerState::kUndecided || state == AnswerState::kStandsApart) {
    return {"Measure where it is decided:",
            measure_command(subject.study, "", next_workers(analysis))};
  }
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  const bool explains = analysis.diagnosis.efficiency && !causes.empty();
  if (explains && !is_guess(causes.front()) && !causes.front().advice.empty()) {
    return change_it(subject, causes.front());
  }
  if (state == AnswerState::kOpen) {
    return {"See where it ends:", measure_command(subject.study, "", next_workers(analysis))};
  }
  if (explains && is_guess(causes.front()) && causes.front().kind != CauseKind::kNone) {
    return find_cause(subject);
  }
  return {"Narrow K*:", measure_command(subject.study, "", next_workers(analysis))};
}

NextStep next_step(const Subject& subject) {
  const Analysis& analysis = subject.analysis;
  const std::set<int> lost = failing_workers(subject);
  const AnswerState state = answer_state(analysis);
  if (state == AnswerState::kInQuestion || state == AnswerState::kBusy) return settle(subject);
  if (state == AnswerState::kCachedWork) {
    return {"Undo the work of a run before the next:",
            measure_command(subject.study, " --prepare 'make clean'",
                            measured_workers(analysis.table))};
  }
  if (!lost.empty() && is_measured(subject.study)) {
    return {fmt::format("See why K = {} fails:", *lost.begin()),
            measure_command(subject.study, " --runs 1", {*lost.begin()})};
  }
  if (state == AnswerState::kNone && points_besides_base(analysis.table) == 0) {
    return {"Measure more K:",
            measure_command(subject.study, "", around(analysis.table.points.back().workers))};
  }
  if (state == AnswerState::kNone || state == AnswerState::kScheduled) return {};
  if (is_by_training(analysis)) {
    return {"See the split into algorithm, system and fixed time at every K:",
            fmt::format("kstar analyze {} --full", file_words(subject.study))};
  }
  if (uses_no_workers(analysis)) return see_commands(subject);
  if (!has_repeats(analysis.table)) return repeat(subject, "Repeat the runs, to see their noise:");
  return by_state(subject);
}

}  // namespace

std::string next_part(const Subject& subject) {
  const NextStep step = next_step(subject);
  if (step.text.empty()) return "";
  return fmt::format("<div class=\"next\">\n<h3>What to do next</h3>\n<p>{}</p>\n{}</div>\n",
                     unbroken(html(step.text)), command_html(step.command));
}

}  // namespace kstar
