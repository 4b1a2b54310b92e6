#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/name_workers.h"
#include "import/importer.h"
#include "import/json_reader.h"
#include "import/samples.h"
#include "kstar/limits.h"

// JSON of TALP (DLB), one run per file: regions under "Application" or "popMetrics", an object by
// name or a list with names; times in nanoseconds:
//   {"Application": {"Global": {"numCpus": 4, "elapsedTime": 5000000000, "usefulTime": ..., ...}}}
namespace kstar {

namespace {

constexpr std::string_view kWholeRun[] = {"Global", "Application", "MPI Execution"};
constexpr std::pair<std::string_view, std::string_view> kFactors[] = {
    {"parallelEfficiency", "parallel_efficiency"},
    {"mpiParallelEfficiency", "mpi_parallel_efficiency"},
    {"communicationEfficiency", "communication_efficiency"},
    {"mpiCommunicationEfficiency", "communication_efficiency"},
    {"loadBalance", "load_balance"},
    {"mpiLoadBalance", "load_balance"}};

struct Region {
  const char* place = nullptr;
  std::string name;
  std::optional<double> elapsed, cpus, ranks, nodes;
  std::string factors;  ///< members of a JSON object
};

class TalpReader {
 public:
  explicit TalpReader(const Input& input) : input_(input), json_(input) {}

  Result<std::vector<Region>> read() {
    std::vector<Region> regions;
    if (read_all(regions) && json_.finish()) return regions;
    return fail(json_.take_error());
  }

 private:
  bool read_all(std::vector<Region>& regions) {
    JsonObject root;
    JsonValue value;
    bool found = false;
    if (!json_.start(input_.text, root)) return false;
    for (const std::string_view key : {"Application", "popMetrics"}) {
      if (!json_.optional_member(root, key, value, found)) return false;
      if (found) return read_regions(value, regions);
    }
    return json_.refuse(input_.text.data(), "expected the key \"Application\" or \"popMetrics\"");
  }

  bool read_regions(JsonValue value, std::vector<Region>& regions) {
    bool is_list = false;
    if (const JsonFault fault = value.get_is_array(is_list)) return json_.broken(fault);
    JsonArray list;
    if (is_list) {
      return json_.array(value, list) && json_.each(list, [&](JsonValue entry) {
        return read_region(entry, regions.emplace_back());
      });
    }
    JsonObject object;
    return json_.object(value, object) && json_.each(object, [&](const JsonMember& member) {
      Region& region = regions.emplace_back();
      region.name = member.key;
      return read_region(member.value, region);
    });
  }

  bool read_region(JsonValue entry, Region& region) {
    region.place = JsonReader::place(entry);
    JsonObject object;
    return json_.object(entry, object) && json_.each(object, [&](const JsonMember& member) {
      return read_member(member.key, member.value, region);
    });
  }

  bool read_member(std::string_view key, JsonValue value, Region& region) {
    if (key == "name") return json_.text(value, region.name);
    if (key == "elapsedTime") {
      return json_.number(value, 0, "nanoseconds of 0 or more", region.elapsed.emplace());
    }
    if (key == "numCpus") return json_.number(value, 0, "a number of CPUs", region.cpus.emplace());
    if (key == "numMpiRanks") {
      return json_.number(value, 0, "a number of ranks", region.ranks.emplace());
    }
    if (key == "numNodes") {
      return json_.number(value, 0, "a number of nodes", region.nodes.emplace());
    }
    for (const auto& [theirs, ours] : kFactors) {
      if (key != theirs) continue;
      double factor = 0;
      if (!json_.number(value, 0, "a factor of 0 or more", factor)) return false;
      if (region.factors.find(ours) == std::string::npos) {
        region.factors +=
            fmt::format("{}\"{}\":{}", region.factors.empty() ? "" : ",", ours, factor);
      }
    }
    return true;
  }

  Input input_;
  JsonReader json_;
};

Result<int> workers_of(const Input& input, const Region& region, const ImportOptions& options,
                       Study& study) {
  if (!options.workers && options.worker_regex.empty()) {
    for (const auto& count : {region.cpus, region.ranks}) {
      if (count && *count >= 1 && *count <= static_cast<double>(kMostWorkers)) {
        return static_cast<int>(*count);
      }
    }
  }
  return workers_of_file(input, options, study);
}

Result<Study> read_talp(const Input& input, const ImportOptions& options) {
  Study study = start_study(input.name);
  KSTAR_TRY(const auto regions, TalpReader(input).read());
  std::vector<Sample> samples;
  std::string select = options.select;
  for (const Region& region : regions) {
    if (!region.elapsed || *region.elapsed <= 0) continue;
    const bool whole =
        std::find(std::begin(kWholeRun), std::end(kWholeRun), region.name) != std::end(kWholeRun);
    if (select.empty() && whole) select = "region=" + region.name;
    KSTAR_TRY(const auto workers, workers_of(input, region, options, study));
    Run run;
    run.workers = workers;
    run.wall = *region.elapsed * 1e-9;
    if (!region.factors.empty()) run.extra = fmt::format("{{\"pop\":{{{}}}}}", region.factors);
    samples.push_back({{{"region", region.name}}, std::move(run)});
  }
  KSTAR_CHECK(take_series(input, std::move(samples), select, study));
  return study;
}

bool sniff_talp(std::string_view start) {
  return trim(start).starts_with('{') && start.find("\"elapsedTime\"") != std::string_view::npos &&
         (start.find("\"Application\"") != std::string_view::npos ||
          start.find("\"popMetrics\"") != std::string_view::npos);
}

}  // namespace

const Importer& talp_importer() {
  static const Importer kImporter = {
      {"talp", "JSON of TALP (DLB): one run per file; default: the region of the whole run"},
      &sniff_talp,
      &read_whole<read_talp>};
  return kImporter;
}

}  // namespace kstar
