// How often kstar audit finds a doctored table, and how often it accuses an honest one. The tables
// have the noise of real runs; thresholds were chosen with --tune, which uses other studies' noise
// and other seeds than the figures.
//   bench_audit_frauds [--tune] [TABLES] [--only NAME]
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "audit_tables.h"
#include "kstar/audit.h"
#include "kstar/import.h"

namespace {

using kstar::Audit;
using kstar::ClaimVerdict;
using kstar::FindingStatus;

struct Options {
  bool tune = false;
  int tables = 60;
  std::string only;
};

struct Seen {
  int contradicted = 0;  ///< a rule, or the claim
  int asked = 0;         ///< the rule that is about it is missing, or the claim is not shown
  int shown = 0;         ///< the claim
  int claims_against = 0;
  std::map<std::string, int> rules;
};

Audit audited(const bench::Handed& handed) {
  kstar::AuditOptions options;
  if (!handed.claim.empty()) options.claims.push_back(kstar::parse_claim(handed.claim, "").value());
  const auto study = kstar::import_text(handed.text, "table.csv", {.claims = true});
  if (!study) {
    fmt::print("{}\n{}\n", study.error().message, handed.text);
    std::exit(1);
  }
  return kstar::audit(*study, options).value();
}

void count(const Audit& audit, const bench::TableKind& kind, Seen& seen) {
  if (audit.count(FindingStatus::kContradicted) > 0) ++seen.contradicted;
  for (const kstar::Finding& finding : audit.findings) {
    const std::string name(finding.rule->name);
    if (finding.status == FindingStatus::kContradicted) ++seen.rules[name];
    if (finding.status == FindingStatus::kMissing && name == kind.rule) ++seen.asked;
  }
  for (const kstar::ClaimCheck& check : audit.claims) {
    if (check.verdict == ClaimVerdict::kShown) ++seen.shown;
    if (check.verdict == ClaimVerdict::kContradicted)
      ++seen.claims_against, ++seen.rules["the claim"];
    if (check.verdict == ClaimVerdict::kNotShown && std::strcmp(kind.rule, "not shown") == 0) {
      ++seen.asked;
    }
  }
}

Seen look_at(const bench::TableKind& kind, const std::vector<double>& deviations,
             const Options& options, std::uint64_t seed) {
  Seen seen;
  for (int i = 0; i < options.tables; ++i) {
    kstar::Random random(seed + static_cast<std::uint64_t>(i) + (options.tune ? 1'000'000 : 0));
    count(audited(kind.make(random, deviations)), kind, seen);
  }
  return seen;
}

std::string rules_text(const Seen& seen) {
  std::string text;
  for (const auto& [name, times] : seen.rules) text += fmt::format(" {} {}", name, times);
  return text;
}

bool is_wanted(const bench::TableKind& kind, const Options& options) {
  return options.only.empty() || std::string(kind.name).find(options.only) != std::string::npos;
}

int show_frauds(const std::vector<double>& deviations, const Options& options) {
  int below = 0;
  fmt::print("frauds, {} tables each: contradicted, or only asked about\n", options.tables);
  std::uint64_t seed = 10'000;
  for (const bench::TableKind& kind : bench::frauds()) {
    seed += 1000;
    if (!is_wanted(kind, options)) continue;
    const Seen seen = look_at(kind, deviations, options, seed);
    const int found = kind.asked ? std::max(seen.contradicted, seen.asked) : seen.contradicted;
    const bool misses = found < kind.least * options.tables;
    below += misses ? 1 : 0;
    fmt::print("  {:<34} {:3.0f}% {:>10} claim shown {:2} {}{}\n", kind.name,
               100.0 * seen.contradicted / options.tables,
               kind.asked ? fmt::format("asked {:.0f}%", 100.0 * seen.asked / options.tables) : "",
               seen.shown, misses ? "BELOW 95% " : "", rules_text(seen));
  }
  return below;
}

int show_honest(const std::vector<double>& deviations, const Options& options) {
  constexpr int kMostOfKind = 2;
  int alarms = 0, tables = 0, bad = 0;
  fmt::print("honest tables, {} each: alarms\n", options.tables);
  std::uint64_t seed = 100'000;
  for (const bench::TableKind& kind : bench::honest_kinds()) {
    seed += 1000;
    if (!is_wanted(kind, options)) continue;
    const Seen seen = look_at(kind, deviations, options, seed);
    alarms += seen.contradicted;
    tables += options.tables;
    const bool many = seen.contradicted > kMostOfKind;
    bad += many ? 1 : 0;
    fmt::print("  {:<34} {:3} claim shown {:2} {}{}\n", kind.name, seen.contradicted, seen.shown,
               many ? "ABOVE 2 " : "", rules_text(seen));
  }
  fmt::print("  {:<34} {:3} of {}\n", "all", alarms, tables);
  return bad + (100 * alarms > tables ? 1 : 0);
}

void show_true_claims(const std::vector<double>& deviations, const Options& options) {
  const bench::TableKind kind = bench::true_claims();
  if (!is_wanted(kind, options)) return;
  constexpr int kTables = 400;
  Options many = options;
  many.tables = options.tables < 60 ? options.tables : kTables;
  const Seen seen = look_at(kind, deviations, many, 500'000);
  fmt::print("true speedups of five runs: {:.1f}% contradicted, {:.1f}% shown, of {}\n",
             100.0 * seen.claims_against / many.tables, 100.0 * seen.shown / many.tables,
             many.tables);
}

}  // namespace

int main(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--tune")
      options.tune = true;
    else if (word == "--only" && i + 1 < count)
      options.only = words[++i];
    else
      options.tables = std::atoi(words[i]);
  }
  const auto deviations = bench::real_deviations(KSTAR_EXAMPLES, !options.tune);
  const int below = show_frauds(deviations, options);
  const int above = show_honest(deviations, options);
  show_true_claims(deviations, options);
  fmt::print("{} bars missed\n", below + above);
  return below + above > 0 ? 1 : 0;
}
