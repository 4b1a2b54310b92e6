#pragma once

#include <set>
#include <string>
#include <vector>

#include "kstar/measure.h"

namespace kstar {

/// Shows nothing, and keeps what it is told.
class Quiet final : public MeasureObserver {
 public:
  void noted(const Note& note) override { notes.push_back(note); }
  void starts(const MeasurePoint&, const std::vector<MeasurePoint>&) override {}
  void ended(const Run&, const std::vector<MeasurePoint>&) override { ++runs; }
  void waits(const std::string& text) override { waited_for.insert(text); }

  std::vector<Note> notes;
  int runs = 0;
  std::set<std::string> waited_for;
};

}  // namespace kstar
