#include <fmt/format.h>

#include "kstar/roofline_report.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/roofline/words.h"

namespace kstar {

namespace {

constexpr int kRooflineSchema = 1;

Json level_json(const LevelShare& level) {
  return {{"level", level.level},
          {"bytes_per_second", level.rate},
          {"flops_per_byte", level.intensity},
          {"share", to_json(level.share)}};
}

Json lower_json(const LowerShare& lower) {
  return {{"level", lower.level}, {"name", lower.name}, {"share", lower.share}};
}

Json place_json(const RooflinePlace& place) {
  const RooflineKernel& kernel = place.kernel;
  return {{"kernel", kernel.name},
          {"launches", kernel.launches},
          {"seconds", kernel.seconds},
          {"flops", kernel.flops},
          {"precision", kernel.precision.empty() ? Json() : Json(kernel.precision)},
          {"matrix_units", kernel.matrix},
          {"threads", kernel.threads > 0 ? Json(kernel.threads) : Json()},
          {"flops_per_second", place.rate},
          {"flops_per_byte", place.intensity},
          {"attainable_flops_per_second", place.attainable},
          {"compute_share", to_json(place.compute)},
          {"levels", list_of(place.levels, level_json)},
          {"issue_share", place.pipes},
          {"lower_ceiling", optional_of(place.lower, lower_json)},
          {"bound", name_of(place.bound)},
          {"level", place.level.empty() ? Json() : Json(place.level)},
          {"headroom", to_json(place.headroom)},
          {"seconds_to_save", place.saved},
          {"missing", kernel.missing.empty() ? Json() : Json(kernel.missing)}};
}

Json ridge_json(const Ridge& ridge) {
  return {{"precision", ridge.precision},
          {"level", ridge.level},
          {"flops_per_second", ridge.compute},
          {"bytes_per_second", ridge.bandwidth},
          {"flops_per_byte", ridge.intensity}};
}

std::vector<std::string> all_notes(const Roofline& roofline) {
  std::vector<std::string> notes = placing::doubts_of(roofline);
  if (!roofline.threads_from.empty()) notes.push_back("threads: " + roofline.threads_from);
  notes.insert(notes.end(), roofline.notes.begin(), roofline.notes.end());
  return notes;
}

}  // namespace

std::string to_csv(const Roofline& roofline) {
  std::string text =
      "kernel,launches,seconds,flops_per_second,flops_per_byte,memory_share,compute_share,bound,"
      "level,headroom,seconds_to_save\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? csv_number(*value) : std::string();
  };
  for (const RooflinePlace& place : roofline.places) {
    std::optional<double> memory;
    for (const LevelShare& level : place.levels) {
      if (level.level == "memory" && level.share) memory = level.share->point;
    }
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(place.kernel.name),
                        place.kernel.launches, csv_number(place.kernel.seconds), number(place.rate),
                        number(place.intensity), number(memory),
                        place.compute ? csv_number(place.compute->point) : "", name_of(place.bound),
                        place.level, place.headroom ? csv_number(place.headroom->point) : "",
                        csv_number(place.saved));
  }
  return text;
}

std::string to_json(const Roofline& roofline) {
  return file_text(
      {{"kstar", "roofline"},
       {"schema", kRooflineSchema},
       {"title", roofline.title},
       {"machine", roofline.machine ? Json(roofline.machine->name) : Json()},
       {"threads", roofline.threads > 0 ? Json(roofline.threads) : Json()},
       {"seconds", roofline.seconds},
       {"kernels", list_of(roofline.places, place_json)},
       {"ridges", list_of(roofline.ridges, ridge_json)},
       {"fix_first", roofline.first ? Json(roofline.places[*roofline.first].kernel.name) : Json()},
       {"notes", all_notes(roofline)}});
}

}  // namespace kstar
