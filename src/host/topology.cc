#include "host/topology.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <system_error>
#include <tuple>
#include <type_traits>

#include "base/text.h"
#include "exec/program.h"
#include "exec/system_files.h"

namespace kstar {

namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, BitmapDeleter>;

Result<Topology> load(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail({.where = "hwloc", .message = "cannot start"});
  Topology topology(raw);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) {
    return fail(
        expected("topology", "an hwloc description such as 'package:2 core:4 pu:2'", synthetic));
  }
  if (hwloc_topology_load(raw) != 0) {
    return fail({.where = "hwloc",
                 .message = fmt::format("cannot read this machine's topology: {}",
                                        std::error_code(errno, std::generic_category()).message()),
                 .hint = "measure without binding"});
  }
  return topology;
}

/// Where an object of the topology stands; 0 where it does not show such objects.
int index_above(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type) {
  const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return above ? static_cast<int>(above->logical_index) : 0;
}

/// What the calling process itself is bound to; all of it where that cannot be known.
Bitmap own_binding(hwloc_topology_t topology) {
  Bitmap allowed(hwloc_bitmap_alloc_full());
  if (hwloc_topology_is_thissystem(topology) == 0) return allowed;
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_fill(allowed.get());
  }
  return allowed;
}

std::vector<std::string> ask_nvidia_smi() {
  std::vector<std::string> names;
  const std::string said = ask_program({"nvidia-smi", "--query-gpu=name", "--format=csv,noheader"});
  for (const std::string_view line : split(said, '\n')) {
    if (!trim(line).empty()) names.emplace_back(trim(line));
  }
  return names;
}

}  // namespace

Result<std::vector<HardwareThread>> hardware_threads(const std::string& synthetic) {
  auto topology = load(synthetic);
  if (!topology) return fail(std::move(topology.error()));
  const Bitmap allowed = own_binding(topology->get());
  std::vector<HardwareThread> threads;
  std::map<int, int> on_core;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology->get(), HWLOC_OBJ_PU, unit)) != nullptr) {
    if (hwloc_bitmap_isset(allowed.get(), unit->os_index) == 0) continue;
    // A machine that shows no cores has one a hardware thread.
    const bool has_core =
        hwloc_get_ancestor_obj_by_type(topology->get(), HWLOC_OBJ_CORE, unit) != nullptr;
    const int core = has_core ? index_above(topology->get(), unit, HWLOC_OBJ_CORE)
                              : static_cast<int>(unit->logical_index);
    threads.push_back({.cpu = static_cast<int>(unit->os_index),
                       .core = core,
                       .package = index_above(topology->get(), unit, HWLOC_OBJ_PACKAGE),
                       .sibling = on_core[core]++});
  }
  return threads;
}

std::vector<HardwareThread> in_order(std::vector<HardwareThread> threads, Placement placement) {
  std::map<int, std::map<int, int>> cores;  // of a package, each with its place in it
  for (const HardwareThread& thread : threads) cores[thread.package].try_emplace(thread.core, 0);
  for (auto& [package, places] : cores) {
    int next = 0;
    for (auto& [core, place] : places) place = next++;
  }
  const auto key = [&](const HardwareThread& thread) {
    const int place = cores[thread.package][thread.core];
    return placement == Placement::kCompact ? std::tuple(thread.sibling, thread.package, place)
                                            : std::tuple(thread.sibling, place, thread.package);
  };
  std::stable_sort(threads.begin(), threads.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return threads;
}

std::string hwloc_version() {
  const unsigned version = hwloc_get_api_version();
  return fmt::format("{}.{}.{}", version >> 16U, (version >> 8U) & 0xFFU, version & 0xFFU);
}

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
