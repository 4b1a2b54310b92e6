#pragma once

#include <map>
#include <optional>
#include <vector>

#include "kstar/regime.h"
#include "kstar/study.h"

namespace kstar {

/// The regime that S and E are computed in, and how it was found. It is never guessed silently.
struct FoundRegime {
  Regime regime = Regime::kStrong;
  RegimeSource source = RegimeSource::kAssumed;
  std::optional<bool> problem_grows;  ///< with K; none where nothing says it
  std::vector<Note> notes;
};

/// What the study declares, else what `told` says, else what the work at every K shows, else
/// strong, with a warning. What the work shows is compared with what is declared all the same.
FoundRegime find_regime(const Study& study, std::optional<Regime> told);

/// The work of every K that has times, where the study says it and it grows with every K but not in
/// proportion, as under Gustafson's law; else empty.
std::map<int, double> grown_work(const Study& study);

}  // namespace kstar
