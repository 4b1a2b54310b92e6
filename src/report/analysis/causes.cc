#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "report/analysis/blocks.h"
#include "report/analysis/words.h"
#include "report/scaling_cells.h"

namespace kstar {

namespace {

/// A share of efficiency, and half its interval in points of a hundredth.
void add_factor(const std::optional<Estimate>& factor, std::vector<std::string>& row) {
  row.push_back(factor ? percent(factor->point, 1) : "");
  row.push_back(!factor               ? ""
                : is_bounded(*factor) ? fixed((factor->high - factor->low) / 2 * 100, 1)
                                      : "?");
}

using OptionalFactor = std::optional<Estimate> FactorPoint::*;

bool any_factor(const std::vector<FactorPoint>& factors, OptionalFactor which) {
  return std::any_of(factors.begin(), factors.end(),
                     [which](const FactorPoint& point) { return (point.*which).has_value(); });
}

struct OptionalColumn {
  const char* name;
  OptionalFactor factor;
};

Table factor_table(const std::vector<FactorPoint>& factors) {
  std::vector<OptionalColumn> optional = {{"transfer", &FactorPoint::transfer},
                                          {"serialization", &FactorPoint::serialization},
                                          {"computation", &FactorPoint::computation}};
  optional.erase(
      std::remove_if(optional.begin(), optional.end(),
                     [&](const OptionalColumn& one) { return !any_factor(factors, one.factor); }),
      optional.end());
  Table table;
  table.columns = {{.name = "K"}, {.name = "runs"}};
  const auto add_columns = [&](const char* name) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  };
  for (const char* name : {"parallel", "balance", "communi- cation"}) add_columns(name);
  for (const OptionalColumn& one : optional) add_columns(one.name);
  for (const FactorPoint& point : factors) {
    std::vector<std::string> row = {fmt::format("{}", point.workers),
                                    fmt::format("{}", point.runs)};
    for (const Estimate* factor : {&point.parallel, &point.load_balance, &point.communication}) {
      add_factor(*factor, row);
    }
    for (const OptionalColumn& one : optional) add_factor(point.*one.factor, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool any_interval(const std::vector<Cause>& causes) {
  return std::any_of(causes.begin(), causes.end(), [](const Cause& cause) {
    return is_bounded(cause.share) || is_bounded(cause.factor);
  });
}

Table cause_table(const std::vector<Cause>& causes) {
  const bool intervals = any_interval(causes);
  Table table;
  table.columns = {{.name = "cause", .left = true}, {.name = "share"}};
  if (intervals) table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "factor"});
  if (intervals) table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "from", .left = true});
  for (const Cause& cause : causes) {
    std::vector<std::string> row = {cause_words(cause.kind), percent(cause.share.point, 0)};
    if (intervals) row.push_back(share_range_words(cause.share));
    row.push_back(fixed(cause.factor.point, 3));
    if (intervals) row.push_back(interval_text(cause.factor, 3));
    row.emplace_back(name_of(cause.confidence));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string who(const Cause& cause) {
  if (!cause.worker) return "";
  return fmt::format(" (worker {}{})", *cause.worker,
                     cause.host.empty() ? "" : " on " + cause.host);
}

Items evidence_of(const Cause& cause) {
  Items items{cause_words(cause.kind) + who(cause), cause.evidence};
  if (is_guess(cause)) {
    items.title = cause.kind == CauseKind::kNone ? "No cause can be told"
                                                 : "By the shape of T(K) alone: " + items.title;
  }
  if (!cause.or_else.empty()) {
    items.items.push_back("not told apart from it: " + listed_words(cause.or_else));
  }
  if (!cause.advice.empty()) items.items.push_back("to do: " + cause.advice);
  return items;
}

/// Whether the table has a line for it. A guess has no share of the loss.
bool has_share(const Cause& cause) {
  return cause.kind != CauseKind::kNone && !is_guess(cause);
}

/// What no cause explains; empty where that is next to nothing.
std::string rest_text(const std::vector<Cause>& causes) {
  constexpr double kLittle = 0.05;
  double rest = 1;
  for (const Cause& cause : causes) rest -= cause.share.point;
  if (rest < kLittle) return "";
  return fmt::format(" The rest of the loss, {}, has no cause that is clear beyond the noise.",
                     percent(rest, 0));
}

std::string where_text(const Analysis& analysis) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  std::string text = fmt::format(
      "{}, at K = {}", analysis.bend ? "Why it bends" : "What takes efficiency", diagnosis.workers);
  if (diagnosis.efficiency) {
    text += fmt::format(", E = {}", fixed(diagnosis.efficiency->point, 3));
    if (is_bounded(*diagnosis.efficiency)) {
      text += fmt::format(" ({})", interval_text(*diagnosis.efficiency, 3));
    }
  }
  return text;
}

void add_cause_table(const std::vector<Cause>& all, Document& document) {
  std::vector<Cause> causes;
  std::copy_if(all.begin(), all.end(), std::back_inserter(causes), has_share);
  if (causes.empty()) return;
  document.blocks.emplace_back(cause_table(causes));
  document.blocks.emplace_back(
      Paragraph{"Shares are of the loss, by the logarithms of the factors; a factor is what is "
                "left of E." +
                rest_text(causes)});
}

}  // namespace

void add_causes(const Analysis& analysis, Document& document) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  // Without an efficiency in the table there is none to explain; time to train has said its part.
  const bool explains = diagnosis.efficiency || !analysis.time_to_train;
  if (diagnosis.causes.empty() || !explains) return;
  document.blocks.emplace_back(Heading{where_text(analysis)});
  add_cause_table(diagnosis.causes, document);
  for (const Cause& cause : diagnosis.causes) document.blocks.emplace_back(evidence_of(cause));
  if (diagnosis.factors.empty()) return;
  const bool said = diagnosis.causes.front().confidence == Confidence::kSaid;
  document.blocks.emplace_back(
      Paragraph{fmt::format("{}: parallel = balance x communication, and computation is useful "
                            "time at the base over that here.",
                            said ? "From the factors that another tool wrote down"
                                 : "From the times of single workers")});
  document.blocks.emplace_back(factor_table(diagnosis.factors));
}

}  // namespace kstar
