#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/phases.h"
#include "kstar/words.h"
#include "report/analysis/explanation.h"

namespace kstar {

namespace {

std::vector<std::string> phase_row(const PhaseScaling& phase) {
  const PhasePoint& base = phase.points.front();
  const PhasePoint& last = phase.points.back();
  return {phase.name,
          time_text(base.time.point),
          time_text(last.time.point),
          percent(last.share, 1),
          last.speedup ? significant(last.speedup->point, 3) : "",
          last.efficiency ? fixed(last.efficiency->point, 3) : "",
          last.efficiency ? interval_cell(*last.efficiency, 3) : "",
          !last.efficiency ? ""
          : phase.bend     ? fmt::format("{}", *phase.bend)
                           : "none",
          percent(std::max(0.0, phase.lost), 1)};
}

Table phase_rows(const PhaseTable& phases) {
  const auto at = [](const char* name, int workers) {
    return fmt::format("{}({})", name, workers);
  };
  Table table;
  table.columns = {{.name = "phase", .left = true},
                   {.name = at("T", phases.base_workers)},
                   {.name = at("T", phases.workers)},
                   {.name = "share"},
                   {.name = at("S", phases.workers), .new_group = true},
                   {.name = at("E", phases.workers)},
                   {.name = "interval", .joined = true},
                   {.name = "bend"},
                   {.name = "lost", .new_group = true}};
  for (const PhaseScaling& phase : phases.phases) table.rows.push_back(phase_row(phase));
  return table;
}

}  // namespace

void add_phases(const Analysis& analysis, Document& document) {
  if (analysis.phases.phases.empty()) return;
  document.blocks.emplace_back(Heading{"By phase"});
  document.blocks.emplace_back(phase_rows(analysis.phases));
  document.blocks.emplace_back(Paragraph{fmt::format(
      "Time per step, mean over workers; share and lost are of the time at K = {}: lost is what "
      "the phase takes beyond its ideal. A phase that the base hardly has has no S and E.{}",
      analysis.phases.workers,
      analysis.phases.phases.back().calls ? " Times in MPI calls are of whole runs." : "")});
}

std::string phase_sentence(const Analysis& analysis) {
  // Where nothing is named, noise may be what makes a phase longer.
  const std::vector<Cause>& causes = analysis.diagnosis.causes;
  const bool named = !causes.empty() && causes.front().kind != CauseKind::kNone;
  const PhaseScaling* phase = stopping_phase(analysis.phases);
  if (phase == nullptr || !named || !analysis.bend) return "";
  const PhasePoint& base = phase->points.front();
  const PhasePoint& last = phase->points.back();
  std::string text =
      fmt::format(" By phase, {} stops scaling: {} at K = {} and {} at K = {}, {} of the time",
                  phase->name, time_text(base.time.point), base.workers, time_text(last.time.point),
                  last.workers, percent(last.share, 0));
  if (phase->bend) text += fmt::format("; its own bend is at K = {}", *phase->bend);
  return text + ".";
}

}  // namespace kstar
