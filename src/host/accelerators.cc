#include "host/accelerators.h"

#include <atomic>

#include "base/text.h"
#include "exec/system_files.h"
#include "kstar/executor.h"

namespace kstar {

namespace {

constexpr double kPatience = 10;  // seconds; a driver that is not loaded yet takes its time

std::vector<std::string> ask_nvidia_smi() {
  const std::atomic<bool> stop = false;
  const auto answer = process_executor(stop)->run(
      {.command = {"nvidia-smi", "--query-gpu=name", "--format=csv,noheader"},
       .time_limit = kPatience});
  std::vector<std::string> names;
  if (!answer || answer->exit_status != 0) return names;
  for (const std::string_view line : split(answer->output, '\n')) {
    if (!trim(line).empty()) names.emplace_back(trim(line));
  }
  return names;
}

}  // namespace

std::vector<std::string> accelerators(const std::string& root) {
  const SystemFiles files(root);
  const std::string folder = "proc/driver/nvidia/gpus/";
  std::vector<std::string> names;
  for (const std::string& address : files.names(folder)) {
    const std::string facts = files.text(folder + address + "/information").value_or("");
    names.push_back(value_of(facts, "Model").value_or("NVIDIA GPU"));
  }
  const bool may_have_some = files.is_this_machine() && !files.names("proc/driver/nvidia").empty();
  if (names.empty() && may_have_some) return ask_nvidia_smi();
  return names;
}

}  // namespace kstar
