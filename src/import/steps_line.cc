#include "import/steps_line.h"

#include <fmt/format.h>

namespace kstar {

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostRepeats = 1'000'000'000;

}  // namespace

bool StepsLineReader::read(std::string_view line, StepsLine& out) {
  JsonObject root;
  return json_.start(line, root) && read_header(root, out) && read_ranks(root, out) &&
         json_.finish();
}

bool StepsLineReader::read_header(JsonObject& root, StepsLine& out) {
  JsonValue value;
  bool found = false;
  if (!json_.optional_member(root, "study", value, found)) return false;
  if (found && !json_.text(value, out.study)) return false;
  if (!json_.optional_member(root, "regime", value, found)) return false;
  if (found && !read_regime(value, out)) return false;
  if (!json_.member(root, "K", value) ||
      !json_.whole(value, 1, kMostRanks, "a number of workers from 1 to 1000000", out.workers)) {
    return false;
  }
  if (!json_.optional_member(root, "repeat", value, found)) return false;
  if (found && !json_.whole(value, 0, kMostRepeats, "the number of a repeat, from 0",
                            out.repeat.emplace())) {
    return false;
  }
  if (!json_.optional_member(root, "global_batch", value, found)) return false;
  if (found && !json_.number(value, 0, "a batch of 0 or more", out.batch.emplace())) return false;
  if (!json_.optional_member(root, "imbalance", value, found)) return false;
  return !found || json_.number(value, 0, "an imbalance of 0 or more", out.imbalance);
}

bool StepsLineReader::read_regime(JsonValue value, StepsLine& out) {
  std::string name;
  if (!json_.text(value, name)) return false;
  out.regime = regime_named(name);
  return out.regime.has_value() || json_.expected(value, "strong, weak, throughput or mixed");
}

bool StepsLineReader::read_ranks(JsonObject& root, StepsLine& out) {
  JsonValue value;
  JsonArray list;
  if (!json_.member(root, "ranks", value)) return false;
  const char* const place = JsonReader::place(value);
  if (!json_.array(value, list)) return false;
  for (auto item : list) {
    JsonValue entry;
    if (const auto error = item.get(entry)) return json_.broken(error);
    if (!read_rank(entry, out)) return false;
  }
  if (static_cast<std::int64_t>(out.ranks.size()) == out.workers) return true;
  return json_.refuse(
      place, fmt::format("expected {} ranks as K says, got {}", out.workers, out.ranks.size()));
}

bool StepsLineReader::read_rank(JsonValue entry, StepsLine& out) {
  constexpr std::string_view kTime = "a time of 0 or more";
  const char* const place = JsonReader::place(entry);
  JsonObject rank;
  JsonValue value;
  RankSteps& steps = out.ranks.emplace_back();
  if (!json_.object(entry, rank)) return false;
  if (!json_.member(rank, "step", value) || !json_.numbers(value, 0, kTime, steps.step) ||
      !json_.member(rank, "compute", value) || !json_.numbers(value, 0, kTime, steps.compute) ||
      !json_.member(rank, "comm", value) || !json_.numbers(value, 0, kTime, steps.comm)) {
    return false;
  }
  const std::size_t count = out.ranks.front().step.size();
  if (count > 0 && steps.step.size() == count && steps.compute.size() == count &&
      steps.comm.size() == count) {
    return true;
  }
  return json_.refuse(place,
                      "expected as many steps in every list of every rank, and one at "
                      "least");
}

}  // namespace kstar
