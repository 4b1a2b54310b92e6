// Several studies of one system: each asks its own question, and the answers belong side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/analysis_report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/document.h"
#include "report/analysis/explanation.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

using Analyses = std::span<const NamedAnalysis>;

/// What a study of this regime can answer.
const char* question_of(std::optional<Regime> regime) {
  if (!regime) return "unknown: --regime says what stays fixed";
  switch (*regime) {
    case Regime::kStrong:
      return "how much faster is this problem on more workers?";
    case Regime::kWeak:
      return "how much more work is done in the same time?";
    case Regime::kThroughput:
      return "how much work is done per second?";
    case Regime::kMixed:
      return "neither: the problem changes with K in its own way";
  }
  return "";
}

/// "At K = 16, S = 9.14": how far it got.
std::string reached(const ScalingTable& table) {
  if (table.points.empty() || !table.points.back().speedup) return "";
  const ScalingPoint& last = table.points.back();
  return fmt::format(" At K = {}, {} = {}.", last.workers,
                     table.regime == Regime::kWeak ? "scaled S" : "S",
                     significant(last.speedup->point, 3));
}

std::string answer_item(const NamedAnalysis& one) {
  const std::optional<Regime> regime = one.analysis.table.regime;
  return fmt::format("{}, {}: {} {}{}", printable(one.name),
                     regime ? fmt::format("{} scaling", name_of(*regime)) : "regime unknown",
                     question_of(regime), advice_text(one.analysis), reached(one.analysis.table));
}

const NamedAnalysis* first_of(Analyses all, Regime regime) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedAnalysis& one) {
    return one.analysis.table.regime == regime;
  });
  return found != all.end() ? &*found : nullptr;
}

std::string up_to(const Verdict& verdict) {
  switch (verdict.state) {
    case VerdictState::kAbout:
      return fmt::format("about {}", *verdict.workers);
    case VerdictState::kBetween:
      return fmt::format("{} to {}", *verdict.workers, *verdict.high);
    case VerdictState::kOrMore:
      return fmt::format("{} or more", *verdict.workers);
    default:
      return fmt::format("up to {}", *verdict.workers);
  }
}

/// How far each of the two goes.
std::string both_text(Analyses all) {
  const NamedAnalysis* strong = first_of(all, Regime::kStrong);
  const NamedAnalysis* weak = first_of(all, Regime::kWeak);
  if (strong == nullptr || weak == nullptr) {
    const auto regime = all.front().analysis.table.regime;
    const bool alike = std::all_of(all.begin(), all.end(), [&](const NamedAnalysis& one) {
      return one.analysis.table.regime == regime;
    });
    return alike ? "All have the same regime: kstar compare tells what changed between two." : "";
  }
  if (!strong->analysis.verdict.is_decided() || !weak->analysis.verdict.is_decided()) return "";
  return fmt::format(
      "With an E of {} or more, the same problem runs on {} workers; a problem that grows with K "
      "on {}.",
      significant(strong->analysis.table.threshold, 3), up_to(strong->analysis.verdict),
      up_to(weak->analysis.verdict));
}

/// One worker of both should have the same problem: otherwise they are two jobs.
std::string bases_text(Analyses all) {
  constexpr double kAlike = 1.1;
  const ScalingPoint* first = nullptr;
  for (const NamedAnalysis& one : all) {
    const ScalingPoint* base = point_at(one.analysis.table, Role::kParallel, 1);
    if (base == nullptr || one.analysis.table.relative_times) continue;
    if (first == nullptr) {
      first = base;
    } else if (std::fabs(std::log(base->time.point / first->time.point)) > std::log(kAlike)) {
      return fmt::format(
          "T(1) is {} in one and {} in another: at K = 1 these are not the same problem.",
          time_text(first->time.point), time_text(base->time.point));
    }
  }
  return "";
}

void add_row(const Analysis& analysis, int workers, std::vector<std::string>& row) {
  const ScalingPoint* point = point_at(analysis.table, Role::kParallel, workers);
  if (point == nullptr) {
    row.insert(row.end(), 4, "");
    return;
  }
  row.push_back(time_text(point->time.point));
  row.push_back(point->speedup ? significant(point->speedup->point, 3) : "");
  row.push_back(point->efficiency
                    ? fixed(point->efficiency->point, efficiency_decimals(*point->efficiency))
                    : "");
  row.emplace_back(point->efficiency ? verdict(*point) : "");
}

/// Every K that any of them has.
Table side_by_side(Analyses all) {
  Table table;
  table.columns = {{.name = "K"}};
  std::set<int> workers;
  for (const NamedAnalysis& one : all) {
    const ScalingTable& of = one.analysis.table;
    table.columns.push_back(
        {.name = fmt::format("{} T", of.regime ? name_of(*of.regime) : "?"), .new_group = true});
    table.columns.push_back({.name = of.regime == Regime::kWeak ? "scaled S" : "S"});
    table.columns.push_back({.name = "E"});
    table.columns.push_back({.name = "verdict"});
    for (const ScalingPoint& point : of.points) {
      if (point.role == Role::kParallel) workers.insert(point.workers);
    }
  }
  for (const int k : workers) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(fmt::format("{}", k));
    for (const NamedAnalysis& one : all) add_row(one.analysis, k, row);
  }
  return table;
}

Items doubts_items(const NamedAnalysis& one) {
  return {fmt::format("Check this first: {}", printable(one.name)),
          doubts_of(one.analysis.verdict)};
}

}  // namespace

Document to_document(Analyses all, const AnalysisView& view) {
  Document document;
  if (!view.title.empty()) document.blocks.emplace_back(Heading{view.title});
  if (const std::string both = both_text(all); !both.empty()) {
    document.blocks.emplace_back(Paragraph{both});
  }
  Items answers{"What each study answers", {}};
  for (const NamedAnalysis& one : all) answers.items.push_back(answer_item(one));
  if (std::string bases = bases_text(all); !bases.empty()) answers.items.push_back(bases);
  document.blocks.emplace_back(std::move(answers));
  for (const NamedAnalysis& one : all) {
    if (Items items = doubts_items(one); !items.items.empty()) {
      document.blocks.emplace_back(std::move(items));
    }
  }
  document.blocks.emplace_back(side_by_side(all));
  for (const NamedAnalysis& one : all) {
    const bool shows =
        view.chart || (one.analysis.models && !one.analysis.models->predictions.empty());
    if (shows) document.blocks.emplace_back(Heading{printable(one.name)});
    if (view.chart) document.blocks.emplace_back(to_chart(one.analysis));
    add_prediction_table(one.analysis, document);
  }
  document.blocks.emplace_back(
      Paragraph{"kstar analyze with one of them shows its intervals, causes and models."});
  return document;
}

}  // namespace kstar
