#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparable.h"
#include "compare/side.h"

/// The settings that a table has beside its times (docs/import.md): some say another problem,
/// others are what a change changes.
namespace kstar::comparing {

/// A setting that both studies have, and not with the same value.
struct Differing {
  std::string name;
  std::string before;
  std::string after;
};

struct DifferingSettings {
  std::vector<Differing> problem;  ///< make another problem, or are not known
  std::vector<Differing> choices;  ///< of the build or the software: what is compared
};

DifferingSettings differing_settings(const Settings& before, const Settings& after);

/// Whether a setting of this name is a choice of the build or the software ("cflags", "kernel").
/// The last word that is known decides: a "kernel size" is a problem's, a "model precision" a
/// choice.
bool is_choice(std::string_view name);

/// Whether both studies solved the same problem. The choices of the build or the software that
/// their workloads hold may differ: they are said, and their names given back.
std::set<std::string> compare_workloads(const Side& before, const Side& after, Differences& found);

}  // namespace kstar::comparing
