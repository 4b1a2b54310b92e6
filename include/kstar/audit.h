#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// May a scaling claim be believed? Every rule looks at what a Study says and at what its times
/// show. What a file does not say is missing, never passed.
namespace kstar {

enum class FindingStatus : std::uint8_t {
  kShown,         ///< the data says it, and nothing in the data speaks against it
  kMissing,       ///< the data does not say it
  kContradicted,  ///< the data speaks against it
  kNotApplicable  ///< the rule is about something that this data is not
};

/// "shown", "missing", "contradicted", "not_applicable".
KSTAR_EXPORT std::string_view name_of(FindingStatus status);

enum class RuleGroup : std::uint8_t {
  kChecklist,     ///< the six rows that a scaling result is to be reported with
  kBaseline,      ///< the first mistake: a weak T(1)
  kProblem,       ///< the second: a problem that changes between points
  kCurve,         ///< curves that no machine draws, and what was left out of them
  kClaims,        ///< numbers that stand beside the times
  kHoeflerBelli,  ///< Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems,
                  ///< 2015
};

/// "checklist", "baseline", "problem", "curve", "claims", "hoefler_belli".
KSTAR_EXPORT std::string_view name_of(RuleGroup group);

/// A rule describes itself.
struct AuditRule {
  std::string_view name;
  RuleGroup group = RuleGroup::kChecklist;
  std::string_view title;     ///< what is to be shown
  std::string_view reason;    ///< why it matters
  std::string_view question;  ///< to ask the author, where it is not shown
};

/// In the order in which they are reported.
KSTAR_EXPORT std::span<const AuditRule> audit_rules();

struct Finding {
  const AuditRule* rule = nullptr;
  FindingStatus status = FindingStatus::kMissing;
  std::vector<std::string> evidence;  ///< sentences; never empty
};

/// What a claim's number bounds: "3x at 8" is reached if S is 3 or more.
enum class ClaimBound : std::uint8_t {
  kAtLeast,
  kAtMost,  ///< "no more than 3x", "less than 5x"
  kExactly  ///< "only 3x": neither less nor more
};

/// What somebody says: a speedup or an efficiency of K workers, against one or against K0.
struct Claim {
  double workers = 1;                       ///< K
  double base_workers = 1;                  ///< K0: "2.5x from 8 to 64"
  std::optional<Regime> regime;             ///< where it says one: weak, strong, throughput
  double speedup = 1;                       ///< T(K0) / T(K), of growing work scaled by it
  double efficiency = 1;                    ///< speedup K0 / K
  bool of_speedup = true;                   ///< which of the two was said
  std::optional<double> stated_efficiency;  ///< where both were: "7.5x on 8 GPUs (94%)"
  double rounding = 0;  ///< how far its digits leave the speedup open, at most 2%
  ClaimBound bound = ClaimBound::kAtLeast;
  std::string other_base;  ///< what it is relative to, where that is another machine; "" for none
  std::string reading;     ///< how words without a number were read; "" for none
  std::string text;        ///< as it was said
};

/// "180x at 256", "2.5x from 8 to 64", "90% weak efficiency at 64", "near-linear to 1000 GPUs",
/// "E(64) = 0.9". The error points at what is wrong; `where` names the place: --claim.
KSTAR_EXPORT Result<Claim> parse_claim(std::string_view text, std::string_view where);

enum class ClaimVerdict : std::uint8_t {
  kShown,         ///< measured at its K, with repeats, and no rule is broken
  kContradicted,  ///< by itself, by the data at its K, or by what they allow
  kNotShown,      ///< something is missing, and the reason says what
  kCannotBeTold   ///< there is nothing to check it against
};

/// "shown", "contradicted", "not_shown", "cannot_be_told".
KSTAR_EXPORT std::string_view name_of(ClaimVerdict verdict);

/// A claim, checked against what it implies, the data at its K, the rules and, last, the models.
struct ClaimCheck {
  Claim claim;
  ClaimVerdict verdict = ClaimVerdict::kCannotBeTold;
  std::string reason;            ///< the one that weighs most, as a sentence
  std::string question;          ///< to ask whoever claims it; "" where nothing is open
  std::string rule;              ///< the broken rule that decided, by its name; "" for none
  std::optional<double> chance;  ///< that S is at least what is claimed, where K was not measured
  double idle_workers = 0;       ///< K (1 - E): how many workers' worth does nothing
  std::optional<double> serial_fraction;  ///< Karp and Flatt's, of the claim itself; none at K = 1
  std::optional<Estimate> speedup;  ///< what the data say: of the runs or, elsewhere, of the models
  bool measured = false;            ///< `speedup` is of runs at this K
  std::optional<Estimate> base_time;    ///< T(K0) that the claim would need, with T(K) of the data
  std::optional<double> base_measured;  ///< T(K0) of the data
  std::vector<std::string> evidence;    ///< what else was found, as sentences
};

/// How far the data carry an efficiency that is still good.
struct GoodWorkers {
  double efficiency = 0.85;
  std::optional<int> last_good;  ///< of the K measured; none where none is good
  std::optional<int> first_bad;  ///< of the K measured; none where all are good
  /// The K, no integer, where the fitted curve crosses; none where the analysis has another
  /// threshold.
  std::optional<Estimate> models;
};

struct AuditOptions {
  double good = 0.85;  ///< the efficiency that is worth its workers
  double confidence = kConfidence;
  std::optional<Regime> regime;  ///< where the study does not say
  std::vector<Claim> claims;
  std::optional<MachineCeilings> machine;  ///< that it was measured on
  std::optional<double> flops, bytes;      ///< of one step or run, where no marks say it
};

struct Audit {
  std::vector<Finding> findings;  ///< one for every rule, in their order
  std::vector<ClaimCheck> claims;
  /// The finding that weighs most, contradicted before missing; none where nothing is open.
  std::optional<std::size_t> weightiest;
  std::optional<GoodWorkers> good;  ///< none where there are no efficiencies
  std::vector<Note> notes;          ///< warnings of an import: what it skipped or guessed
  /// Of the findings and the claims; a claim that is not shown, or cannot be told, is missing.
  KSTAR_EXPORT std::size_t count(FindingStatus status) const;
};

/// Fails when no run has a time, or a claim makes no sense. A study without any runs is audited
/// for what its claims say of themselves.
KSTAR_EXPORT Result<Audit> audit(const Study& study, const AuditOptions& options = {});

/// The same of a study that was analysed already, with the confidence and the regime of that.
KSTAR_EXPORT Result<Audit> audit(const Study& study, const Analysis& analysis,
                                 const AuditOptions& options = {});

}  // namespace kstar
