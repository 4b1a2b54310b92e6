#include "compare/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/words.h"

namespace kstar::comparing {

namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();

bool apart(const WorkersRange& a, const WorkersRange& b) {
  return a.point != b.point && (a.high < b.low || b.high < a.low);
}

bool apart(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
  return a && b && (a->high < b->low || b->high < a->low);
}

const FittedModel* find(const std::vector<FittedModel>& models, std::string_view name) {
  for (const FittedModel& model : models) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

bool same_parts(const FittedModel& a, const FittedModel& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const FittedTerm& x, const FittedTerm& y) { return x.name == y.name; });
}

/// How well a form serves to compare its parts: those with the same parts and some weight on both
/// sides before all others.
double rank(const FittedModel& a, const FittedModel& b) {
  constexpr double kSomeWeight = 0.03;
  const bool fits = same_parts(a, b) && std::min(a.weight, b.weight) >= kSomeWeight;
  return a.weight * b.weight + (fits ? 1 : 0);
}

PartChange& part_named(const FittedTerm& term, std::vector<PartChange>& parts) {
  for (PartChange& part : parts) {
    if (part.name == term.name) return part;
  }
  parts.push_back({.name = term.name, .time = term.time, .before = {}, .after = {}});
  return parts.back();
}

CauseChange& cause_like(const Cause& cause, std::vector<CauseChange>& causes) {
  for (CauseChange& known : causes) {
    if (known.kind == cause.kind && known.or_else == cause.or_else) return known;
  }
  causes.push_back({.kind = cause.kind, .or_else = cause.or_else, .before = {}, .after = {}});
  return causes.back();
}

}  // namespace

std::string range_text(const WorkersRange& range) {
  const auto text = [](double workers) { return significant(workers, 9); };
  std::string point =
      std::isinf(range.point) ? "beyond the compared K" : "K = " + text(range.point);
  if (range.low == range.high) return point;
  return std::isinf(range.high)
             ? fmt::format("{} ({} or more)", point, text(range.low))
             : fmt::format("{} ({} to {})", point, text(range.low), text(range.high));
}

std::vector<int> workers_of(const Comparison& comparison) {
  std::vector<int> workers;
  for (const WorkersChange& point : comparison.points) workers.push_back(point.workers);
  return workers;
}

WorkersRange bend_range(const std::optional<Bend>& bend, const Verdict& verdict,
                        const std::vector<int>& workers) {
  if (bend) {
    return {.point = static_cast<double>(bend->first_bad),
            .low = static_cast<double>(bend->low),
            .high = bend->high ? static_cast<double>(*bend->high) : kBeyond};
  }
  const auto behind = std::upper_bound(workers.begin(), workers.end(), verdict.low.value_or(0));
  return {.point = kBeyond,
          .low = behind != workers.end() ? static_cast<double>(*behind) : kBeyond,
          .high = kBeyond};
}

WorkersRange verdict_range(const Verdict& verdict) {
  const double low = verdict.low.value_or(1);
  const double high = verdict.high      ? static_cast<double>(*verdict.high)
                      : verdict.workers ? static_cast<double>(*verdict.workers)
                                        : kBeyond;
  return {.point = verdict.workers ? static_cast<double>(*verdict.workers) : low,
          .low = low,
          .high = high};
}

BendChange bend_change(const Analysis& before, const Analysis& after,
                       const std::vector<int>& workers) {
  return {.before = before.bend,
          .after = after.bend,
          .verdict_before = before.verdict,
          .verdict_after = after.verdict,
          .bend_clear = apart(bend_range(before.bend, before.verdict, workers),
                              bend_range(after.bend, after.verdict, workers)),
          .verdict_clear = apart(verdict_range(before.verdict), verdict_range(after.verdict))};
}

void put_parts(const Analysis& before, const Analysis& after, Comparison& comparison) {
  if (!before.models || !after.models) return;
  const FittedModel* best = nullptr;
  const FittedModel* other = nullptr;
  double most = -1;
  for (const FittedModel& model : before.models->models) {
    const FittedModel* same = find(after.models->models, model.name);
    if (same == nullptr || rank(model, *same) <= most) continue;
    best = &model;
    other = same;
    most = rank(model, *same);
  }
  if (best == nullptr) return;
  comparison.form = best->name;
  comparison.form_weight_before = best->weight;
  comparison.form_weight_after = other->weight;
  for (const FittedTerm& term : best->terms) part_named(term, comparison.parts).before = term.cost;
  for (const FittedTerm& term : other->terms) part_named(term, comparison.parts).after = term.cost;
  for (PartChange& part : comparison.parts) part.clear = apart(part.before, part.after);
}

void put_causes(const Diagnosis& before, const Diagnosis& after, Comparison& comparison) {
  comparison.causes_at_before = before.workers;
  comparison.causes_at_after = after.workers;
  const auto seen = [](const Cause& cause) {
    return cause.kind != CauseKind::kNone && !is_guess(cause);  // a guess has no share
  };
  for (const Cause& cause : before.causes) {
    if (seen(cause)) cause_like(cause, comparison.causes).before = cause.share;
  }
  for (const Cause& cause : after.causes) {
    if (seen(cause)) cause_like(cause, comparison.causes).after = cause.share;
  }
}

}  // namespace kstar::comparing
