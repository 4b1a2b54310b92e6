#include "slurm/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/words.h"

namespace kstar {

namespace {

struct Taken {
  std::string_view name;
  char letter;
  std::string_view advice;
};

constexpr std::string_view kShape = "--workers and --per-node set the size of the jobs";
constexpr std::string_view kOwn = "kstar sets it for each job";

constexpr Taken kTaken[] = {{"nodes", 'N', kShape},
                            {"ntasks", 'n', kShape},
                            {"ntasks-per-node", 0, kShape},
                            {"cpus-per-task", 'c', kShape},
                            {"array", 'a', "every K and block is a separate job"},
                            {"job-name", 'J', kOwn},
                            {"output", 'o', kOwn},
                            {"error", 'e', kOwn},
                            {"chdir", 'D', "jobs run where kstar runs"},
                            {"requeue", 0, "a requeued job would be measured twice"},
                            {"wait", 'W', "kstar monitors the jobs itself"},
                            {"wrap", 0, kOwn},
                            {"hold", 'H', kOwn},
                            {"parsable", 0, kOwn},
                            {"test-only", 0, "--dry-run shows what would run"},
                            {"clusters", 'M', "jobs can be monitored on the default cluster only"}};

bool says(std::string_view word, const Taken& taken) {
  if (word.starts_with("--")) return word.substr(2, word.find('=') - 2) == taken.name;
  return taken.letter != 0 && word.size() > 1 && word[0] == '-' && word[1] == taken.letter;
}

}  // namespace

std::string batch_script(const BatchJob& job) {
  std::string text = "#!/bin/sh\n";
  text += fmt::format("#SBATCH --job-name={}\n", job.name);
  text += fmt::format("#SBATCH --nodes={0}-{0} --ntasks-per-node={1} --cpus-per-task={2}\n",
                      job.nodes, job.ranks, job.threads);
  if (job.seconds > 0) {
    text += fmt::format("#SBATCH --time={}\n", static_cast<long>(std::ceil(job.seconds / 60)));
  }
  // A job that Slurm starts a second time on its own would find its study begun.
  text += "#SBATCH --no-requeue\n";
  const std::string file[] = {job.id_file};
  text += fmt::format("echo \"$SLURM_JOB_ID\" >{}\n", join_words(file));
  return text + fmt::format("exec {}\n", join_words(job.command));
}

std::string batch_file_name(const std::string& path) {
  std::string name;
  for (const char c : path) name += c == '%' ? std::string("%%") : std::string(1, c);
  return name;
}

Result<void> check_submit_options(const std::vector<std::string>& words) {
  bool takes_value = false;
  for (const std::string& word : words) {
    const bool option = word.size() > 1 && word[0] == '-';
    if (!option && !takes_value) {
      return fail(expected("--submit-options", "options of sbatch, such as '-p batch -A project'",
                           word, "sbatch would take it for the script"));
    }
    const auto taken = std::find_if(std::begin(kTaken), std::end(kTaken),
                                    [&](const Taken& each) { return says(word, each); });
    if (option && taken != std::end(kTaken)) {
      return fail(expected("--submit-options", "options that kstar does not set itself", word,
                           taken->advice));
    }
    takes_value = option && word.find('=') == std::string::npos;
  }
  return {};
}

}  // namespace kstar
