#include "launch/slurm_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "exec/left_behind.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

/// A command that waits longer than this for the controller is ended, and asked again.
constexpr double kLongestAnswer = 120;

constexpr std::string_view kOver[] = {"COMPLETED", "FAILED",       "CANCELLED", "TIMEOUT",
                                      "NODE_FAIL", "PREEMPTED",    "BOOT_FAIL", "DEADLINE",
                                      "REVOKED",   "OUT_OF_MEMORY"};
constexpr std::string_view kClusterFaults[] = {"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED"};

/// What the commands print when the controller cannot be reached, or is too busy.
constexpr std::string_view kPassing[] = {"contact slurm controller",
                                         "timed out",
                                         "Zero Bytes",
                                         "Connection re",  // refused, reset
                                         "standby mode",
                                         "temporarily unable",
                                         "temporarily unavailable",
                                         "Communication connection failure",
                                         "controller not responding",
                                         "Protocol authentication error",  // munge restarts, too
                                         "submit limit"};  // more fit when others have ended

bool says(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

template <typename T, typename U>
SlurmAnswer<T> no_answer(const SlurmAnswer<U>& from) {
  return {.value = {}, .trouble = from.trouble, .refused = from.refused};
}

std::vector<QueuedJob> queued_jobs(std::string_view text) {
  std::vector<QueuedJob> jobs;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> parts = split(line, '|');
    if (parts.size() != 4) continue;  // a warning that squeue mixed in
    jobs.push_back({.id = std::string(trim(parts[0])),
                    .name = std::string(trim(parts[3])),
                    .state = std::string(trim(parts[1])),
                    .reason = std::string(trim(parts[2]))});
  }
  return jobs;
}

constexpr const char* kQueueFormat = "%i|%T|%r|%j";

}  // namespace

bool is_job_id(std::string_view text) {
  constexpr std::size_t kMost = 18;
  return !text.empty() && text.size() <= kMost &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

bool is_over(std::string_view state) {
  return std::find(std::begin(kOver), std::end(kOver), state) != std::end(kOver);
}

bool is_cluster_fault(std::string_view state) {
  return std::find(std::begin(kClusterFaults), std::end(kClusterFaults), state) !=
         std::end(kClusterFaults);
}

bool is_passing(std::string_view text) {
  return std::any_of(std::begin(kPassing), std::end(kPassing),
                     [&](std::string_view sign) { return says(text, sign); });
}

std::string job_value(std::string_view line, std::string_view key) {
  const std::string sign = fmt::format(" {}=", key);
  const std::size_t at = line.find(sign);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + sign.size());
  const std::string_view value = rest.substr(0, rest.find_first_of(" \n"));
  return value == "(null)" || value == "None" ? "" : std::string(value);
}

SlurmAnswer<std::string> SlurmClient::ask(std::vector<std::string> words) {
  LaunchPlan plan;
  plan.command = std::move(words);
  plan.time_limit = kLongestAnswer;
  plan.variables = {{kOwnerVariable, ""}};  // jobs outlive this process, and get its environment
  const Result<Outcome> outcome = executor_.run(plan);
  if (!outcome) return {.value = {}, .trouble = outcome.error().message, .refused = true};
  if (outcome->exit_status == 0 && !outcome->timed_out) {
    return {.value = outcome->output, .trouble = "", .refused = false};
  }
  std::string said(trim(outcome->error_output));
  if (said.empty()) said = trim(outcome->output);
  const bool passing = outcome->timed_out || outcome->signal || is_passing(said);
  if (said.empty()) said = fmt::format("{} did not answer", plan.command[0]);
  return {.value = {}, .trouble = std::move(said), .refused = !passing};
}

SlurmAnswer<std::string> SlurmClient::submit(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"sbatch", "--parsable"};
  command.insert(command.end(), words.begin(), words.end());
  SlurmAnswer<std::string> answer = ask(std::move(command));
  if (!answer.value) return answer;
  // What --parsable prints may follow warnings of a site's plugins.
  const std::vector<std::string_view> lines = split(trim(*answer.value), '\n');
  const std::string id(trim(lines.back()));
  if (!is_job_id(id))
    return {.value = {}, .trouble = "sbatch printed no job id: " + id, .refused = true};
  answer.value = id;
  return answer;
}

std::string SlurmClient::would_submit(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"sbatch"};
  command.insert(command.end(), words.begin(), words.end());
  return ask(std::move(command)).trouble;
}

SlurmAnswer<std::vector<QueuedJob>> SlurmClient::queue(std::vector<std::string> ids) {
  std::erase_if(ids, [](const std::string& id) { return !is_job_id(id); });
  if (ids.empty()) return {.value = std::vector<QueuedJob>(), .trouble = "", .refused = false};
  const std::string list = fmt::format("{}", fmt::join(ids, ","));
  const SlurmAnswer<std::string> answer = ask({"squeue", "-h", "-j", list, "-o", kQueueFormat});
  if (answer.value) return {.value = queued_jobs(*answer.value), .trouble = "", .refused = false};
  // A single job that is forgotten already is an error to squeue.
  if (says(answer.trouble, "Invalid job id")) {
    return {.value = std::vector<QueuedJob>(), .trouble = "", .refused = false};
  }
  return no_answer<std::vector<QueuedJob>>(answer);
}

SlurmAnswer<std::vector<QueuedJob>> SlurmClient::named(const std::string& prefix) {
  const SlurmAnswer<std::string> answer =
      ask({"squeue", "-h", "--me", "-t", "all", "-o", kQueueFormat});
  if (!answer.value) return no_answer<std::vector<QueuedJob>>(answer);
  std::vector<QueuedJob> jobs = queued_jobs(*answer.value);
  std::erase_if(jobs, [&](const QueuedJob& job) { return !job.name.starts_with(prefix); });
  return {.value = std::move(jobs), .trouble = "", .refused = false};
}

SlurmAnswer<JobEnd> SlurmClient::look_at(const std::string& id) {
  if (!is_job_id(id)) return {.value = JobEnd{}, .trouble = "", .refused = false};
  const SlurmAnswer<std::string> answer = ask({"scontrol", "show", "job", "-o", id});
  if (!answer.value) {
    if (says(answer.trouble, "Invalid job id")) {
      return {.value = JobEnd{}, .trouble = "", .refused = false};
    }
    return no_answer<JobEnd>(answer);
  }
  JobEnd end;
  end.name = job_value(*answer.value, "JobName");
  end.state = job_value(*answer.value, "JobState");
  end.reason = job_value(*answer.value, "Reason");
  end.exit_code = job_value(*answer.value, "ExitCode");
  const std::string nodes = job_value(*answer.value, "NodeList");
  if (!nodes.empty()) end.nodes = expand_node_list(nodes, "slurm").value_or(std::vector{nodes});
  return {.value = std::move(end), .trouble = "", .refused = false};
}

SlurmAnswer<bool> SlurmClient::cancel(std::vector<std::string> ids) {
  std::erase_if(ids, [](const std::string& id) { return !is_job_id(id); });
  if (ids.empty()) return {.value = true, .trouble = "", .refused = false};
  std::vector<std::string> words = {"scancel"};
  words.insert(words.end(), ids.begin(), ids.end());
  const SlurmAnswer<std::string> answer = ask(std::move(words));
  // A job that has just ended cannot be cancelled; the others are.
  if (answer.value || answer.refused) return {.value = true, .trouble = "", .refused = false};
  return no_answer<bool>(answer);
}

SlurmAnswer<bool> SlurmClient::release(const std::string& id) {
  if (!is_job_id(id)) return {.value = true, .trouble = "", .refused = false};
  const SlurmAnswer<std::string> answer = ask({"scontrol", "release", id});
  if (answer.value || answer.refused) return {.value = true, .trouble = "", .refused = false};
  return no_answer<bool>(answer);
}

}  // namespace kstar
