#include "roofline/caches.h"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "host/topology.h"

namespace kstar::roofline {

namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using OwnTopology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, FreeTopology>;

OwnTopology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  OwnTopology topology(raw);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

/// One for all threads: binding only reads it.
hwloc_topology_t shared_topology() {
  static const OwnTopology kTopology = load_topology();
  return kTopology.get();
}

}  // namespace

Result<std::vector<CacheLevel>> caches() {
  hwloc_topology_t topology = shared_topology();
  if (topology == nullptr) {
    return fail({.where = "hwloc", .message = "cannot read this machine's topology"});
  }
  constexpr std::array<std::pair<hwloc_obj_type_t, const char*>, 3> kLevels = {
      {{HWLOC_OBJ_L1CACHE, "l1"}, {HWLOC_OBJ_L2CACHE, "l2"}, {HWLOC_OBJ_L3CACHE, "l3"}}};
  std::vector<CacheLevel> found;
  for (const auto& [type, name] : kLevels) {
    CacheLevel level{.level = name};
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr) {
      const auto bytes = static_cast<std::size_t>(cache->attr->cache.size);
      level.bytes = level.bytes == 0 ? bytes : std::min(level.bytes, bytes);
      level.shared_by = std::max(level.shared_by, hwloc_bitmap_weight(cache->cpuset));
      level.total += bytes;
    }
    if (level.bytes > 0) found.push_back(level);
  }
  return found;
}

Result<std::vector<int>> cpus_in_order() {
  KSTAR_TRY(std::vector<HardwareThread> threads, hardware_threads());
  std::stable_sort(threads.begin(), threads.end(),
                   [](const auto& a, const auto& b) { return a.sibling < b.sibling; });
  std::vector<int> cpus;
  for (const HardwareThread& one : threads) cpus.push_back(one.cpu);
  return cpus;
}

bool bind_to(int cpu) {
  hwloc_topology_t topology = shared_topology();
  if (topology == nullptr) return false;
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  hwloc_bitmap_only(set, static_cast<unsigned>(cpu));
  const bool bound = hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0;
  hwloc_bitmap_free(set);
  return bound;
}

double free_memory() {
  constexpr std::size_t kMost = std::size_t{1} << 16U;
  const Result<FileText> text = read_file("/proc/meminfo", kMost);
  if (!text) return 0;
  for (const std::string_view line : split(text->view(), '\n')) {
    if (!line.starts_with("MemAvailable:")) continue;
    const std::string_view rest = trim(line.substr(13));
    constexpr double kKibi = 1024;
    return kKibi * parse_double(rest.substr(0, rest.find(' '))).value_or(0);
  }
  return 0;
}

}  // namespace kstar::roofline
