#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/compare.h"

/// Studies to compare, and what to look for in a comparison.
namespace kstar {

inline kstar::Run run_of(int workers, double wall, int block) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.block = block;
  run.exit_status = 0;
  run.session = "one";
  return run;
}

/// T = serial + (1 - serial) / K, six runs each, with a noise of 0.5% in a fixed pattern.
inline Study study_of(double serial, const std::vector<int>& workers = {1, 2, 4, 8}) {
  Study study;
  study.name = "study.jsonl";
  study.header.regime = Regime::kStrong;
  study.header.workload = {{.size = 1000, .unit = "rows"}};
  study.header.environment.hosts = {{.name = "n1", .cpu = "A", .cores = 8, .threads = 16}};
  for (int block = 0; block < 6; ++block) {
    for (const int k : workers) {
      const double noise = 1 + 0.0025 * ((block * 2 + k * 3) % 5 - 2);
      study.runs.push_back(run_of(k, (serial + (1 - serial) / k) * noise, block));
    }
  }
  return study;
}

inline const WorkersChange& at(const Comparison& comparison, int workers) {
  for (const WorkersChange& point : comparison.points) {
    if (point.workers == workers) return point;
  }
  throw std::out_of_range("no such K");
}

inline const Note* find(const Comparison& comparison, std::string_view what) {
  for (const Note& note : comparison.notes) {
    if (note.what == what) return &note;
  }
  return nullptr;
}

inline std::vector<Gate> gates_of(const std::vector<std::string>& texts) {
  std::vector<Gate> gates;
  for (const std::string& text : texts) gates.push_back(parse_gate(text, "test").value());
  return gates;
}

}  // namespace kstar
