#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "kstar/launcher.h"
#include "measure/accelerators.h"
#include "measure/topology.h"

namespace kstar {

namespace {

std::string_view name_of(Placement placement) {
  return placement == Placement::kCompact ? "compact" : "spread";
}

/// The devices that a job may see: those that the caller was given, else all of them.
std::vector<std::string> visible_gpus() {
  std::vector<std::string> devices;
  if (const char* given = std::getenv("CUDA_VISIBLE_DEVICES")) {
    for (const std::string_view device : split(given, ',')) {
      if (!trim(device).empty()) devices.emplace_back(trim(device));
    }
    return devices;
  }
  const std::size_t count = accelerators().size();
  for (std::size_t i = 0; i < count; ++i) devices.push_back(std::to_string(i));
  return devices;
}

Result<Launch> launch_on_gpus(const LaunchRequest& request, Launch launch) {
  std::vector<std::string> devices = visible_gpus();
  const auto wanted = static_cast<std::size_t>(request.workers);
  if (devices.size() < wanted) {
    return fail(expected("workers", fmt::format("at most {} GPUs, all there are", devices.size()),
                         std::to_string(request.workers),
                         "GPUs cannot be given to more than one worker each"));
  }
  devices.resize(wanted);
  const std::string list = fmt::format("{}", fmt::join(devices, ","));
  launch.plan.variables.emplace_back("CUDA_VISIBLE_DEVICES", list);
  launch.binding = fmt::format("GPUs {}; CPUs unbound", list);
  return launch;
}

void bind_to_cores(const LaunchRequest& request, const std::vector<HardwareThread>& threads,
                   Launch& launch) {
  const std::vector<HardwareThread> order = in_order(threads, request.placement);
  const std::size_t count = std::min(order.size(), static_cast<std::size_t>(request.workers));
  std::set<int> cores;
  for (std::size_t i = 0; i < count; ++i) {
    launch.plan.cpus.push_back(order[i].cpu);
    cores.insert(order[i].core);
  }
  launch.binding =
      fmt::format("{}: CPUs {} ({} core{})", name_of(request.placement),
                  fmt::join(launch.plan.cpus, ","), cores.size(), cores.size() == 1 ? "" : "s");
  if (launch.oversubscribed) {
    launch.binding +=
        fmt::format(", oversubscribed: {} workers on {} CPUs", request.workers, order.size());
  }
}

/// K threads on this machine: OMP_NUM_THREADS = K, and the process bound to the CPUs of K workers.
/// The threads may move among these.
Result<Launch> launch_locally(const LaunchRequest& request) {
  if (request.workers < 1) {
    return fail(expected("workers", "at least 1", std::to_string(request.workers)));
  }
  Launch launch;
  launch.plan.command = request.command;
  if (request.gpus) return launch_on_gpus(request, std::move(launch));
  launch.plan.variables.emplace_back("OMP_NUM_THREADS", std::to_string(request.workers));
  auto threads = hardware_threads(request.topology);
  if (!threads && request.bind) return fail(std::move(threads.error()));
  launch.binding = "none";
  if (!threads) return launch;
  const auto cores = std::count_if(threads->begin(), threads->end(),
                                   [](const HardwareThread& t) { return t.sibling == 0; });
  launch.oversubscribed = static_cast<std::size_t>(request.workers) > threads->size();
  launch.shares_cores = request.workers > cores;
  if (request.bind) bind_to_cores(request, *threads, launch);
  return launch;
}

constexpr Launcher kLaunchers[] = {
    {"local", "K threads on this machine: OMP_NUM_THREADS, bound to K cores", &launch_locally},
};

}  // namespace

std::span<const Launcher> launchers() {
  return kLaunchers;
}

Result<const Launcher*> find_launcher(std::string_view name) {
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) {
    if (launcher.name == name) return &launcher;
    names.emplace_back(launcher.name);
  }
  const std::string near = did_you_mean(name, names);
  return fail(expected("launcher", fmt::format("one of {}", fmt::join(names, ", ")), name,
                       near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
}

}  // namespace kstar
