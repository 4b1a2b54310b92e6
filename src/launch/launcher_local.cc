#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "host/topology.h"
#include "launch/launchers.h"

namespace kstar {

namespace {

std::string_view name_of(Placement placement) {
  return placement == Placement::kCompact ? "compact" : "spread";
}

Result<Launch> launch_on_gpus(const LaunchRequest& request, Launch launch) {
  KSTAR_TRY(const std::string list, gpu_list(request.shape.workers()));
  launch.plan.variables.emplace_back("CUDA_VISIBLE_DEVICES", list);
  launch.binding = fmt::format("GPUs {}; CPUs unbound", list);
  return launch;
}

void bind_to_cores(const LaunchRequest& request, const std::vector<HardwareThread>& threads,
                   Launch& launch) {
  const std::vector<HardwareThread> order = in_order(threads, request.placement);
  const std::size_t count =
      std::min(order.size(), static_cast<std::size_t>(request.shape.workers()));
  std::set<int> cores;
  for (std::size_t i = 0; i < count; ++i) {
    launch.plan.cpus.push_back(order[i].cpu);
    cores.insert(order[i].core);
  }
  launch.binding =
      fmt::format("{}: CPUs {} ({} core{})", name_of(request.placement),
                  fmt::join(launch.plan.cpus, ","), cores.size(), cores.size() == 1 ? "" : "s");
  if (launch.oversubscribed) {
    launch.binding += fmt::format(", oversubscribed: {} workers on {} CPUs",
                                  request.shape.workers(), order.size());
  }
}

}  // namespace

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

Result<std::string> gpu_list(int count) {
  std::vector<std::string> devices = visible_gpus();
  const auto wanted = static_cast<std::size_t>(count);
  if (devices.size() < wanted) {
    return fail(expected("workers",
                         fmt::format("at most {} GPUs, as many as there are", devices.size()),
                         std::to_string(count), "a GPU cannot be shared by workers"));
  }
  devices.resize(wanted);
  return fmt::format("{}", fmt::join(devices, ","));
}

/// One process on this machine, bound to the CPUs of K workers; its threads may move among these.
/// Where a rank has T threads OMP_NUM_THREADS is T, and the program starts its ranks itself.
Result<Launch> launch_locally(const LaunchRequest& request) {
  const Shape& shape = request.shape;
  if (shape.nodes < 1 || shape.ranks < 1 || shape.threads < 1) {
    return fail(expected("workers", "at least 1", shape_text(shape)));
  }
  if (shape.nodes > 1) {
    return fail(expected("--launcher",
                         "mpi, slurm, torchrun or a custom launcher for several nodes", "local",
                         fmt::format("local runs on this machine only, and {} is {} nodes",
                                     shape_text(shape), shape.nodes)));
  }
  Launch launch;
  launch.plan.command = request.command;
  if (request.gpus) return launch_on_gpus(request, std::move(launch));
  launch.plan.variables.emplace_back("OMP_NUM_THREADS", std::to_string(shape.threads));
  auto threads = hardware_threads(request.topology);
  if (!threads && request.bind) return fail(std::move(threads.error()));
  launch.binding = "none";
  if (!threads) return launch;
  const auto cores = std::count_if(threads->begin(), threads->end(),
                                   [](const HardwareThread& t) { return t.sibling == 0; });
  launch.oversubscribed = static_cast<std::size_t>(request.shape.workers()) > threads->size();
  launch.shares_cores = shape.workers() > cores;
  if (request.bind) bind_to_cores(request, *threads, launch);
  return launch;
}

}  // namespace kstar
