#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/regime.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Two studies of one job, before and after a change: what became better or worse, by how much, how
/// sure that is, and whether the change may pass. docs/compare.md has the formulas.
namespace kstar {

enum class GateQuantity { kTime, kSpeedup, kEfficiency, kBend, kBestWorkers };

/// "T(8) rises 5%": the change that must not be.
struct Gate {
  std::string text;  ///< as it was given
  GateQuantity quantity = GateQuantity::kTime;
  std::optional<int> workers;  ///< of T, S and E; none: at any K compared
  bool rises = true;           ///< the bad direction; otherwise it drops
  double limit = 0;            ///< the change in that direction that is still allowed: 0.05
};

/// Reads T(8) rises 5%, E(any) drops 5%, S(16) drops, bend drops, K* drops. The error points at the
/// word that is wrong; `where` names the place: --fail-if.
KSTAR_EXPORT Result<Gate> parse_gate(std::string_view text, std::string_view where);

struct CompareOptions {
  double confidence = kConfidence;
  double smallest = 0.05;  ///< the smallest difference that matters, relative
  double threshold = kThreshold;
  std::optional<Regime> regime;  ///< where the studies do not say
  std::string model;    ///< compare the terms of this model; "": the most likely on both sides
  bool anyway = false;  ///< warn of what makes two studies incomparable, and go on
  bool strict = false;  ///< an undecided gate does not pass
  std::vector<Gate> gates;
  /// Studies of several sessions each, on the same machine: what sessions there differ by.
  std::vector<Study> sessions_of;
  std::size_t resamples = 10000;
  std::uint64_t seed = 1;
};

/// One quantity at one K, after over before.
struct RatioChange {
  Estimate ratio;
  /// The chance of a ratio as far from 1 as this when nothing changed. NaN where one run a side
  /// says nothing.
  double p = 1;
  /// The same, corrected for having looked at every K (Holm): below 1 - confidence is evidence.
  double adjusted_p = 1;
};

enum class ChangeVerdict {
  kBetter,
  kWorse,
  kNoEvidence,
  kChangeOrSession  ///< the sides differ, and two sessions may differ as much
};

/// "better", "worse", "no_evidence", "change_or_session".
KSTAR_EXPORT std::string_view name_of(ChangeVerdict verdict);

/// Runs far above the typical one of their K.
struct SlowRuns {
  std::size_t before = 0;
  std::size_t runs_before = 0;
  std::size_t after = 0;
  std::size_t runs_after = 0;
  double p = 1;  ///< the chance of so different counts when nothing changed (Fisher's exact test)
  double adjusted_p = 1;  ///< the same, corrected for having looked at every K (Holm)
  double factor = 1;  ///< their time over that of the typical run, on the side with more of them
};

struct WorkersChange {
  int workers = 1;
  std::size_t runs_before = 0;
  std::size_t runs_after = 0;
  Estimate before;  ///< T(K), seconds
  Estimate after;
  RatioChange time;  ///< of means; less is better
  /// The same of the typical run; none where runs do not show their noise. Where it is there, the
  /// verdict, `settled` and `more_runs` are by it.
  std::optional<RatioChange> typical;
  ChangeVerdict verdict = ChangeVerdict::kNoEvidence;

  std::optional<SlowRuns> slow_runs;  ///< of this K; none as for `typical`
  /// Slow runs that one side has more of make its mean another: what is said of this K is by them
  /// and the mean, as the typical run does not show it.
  bool by_slow_runs = false;

  /// The interval of the ratio rules out a difference as large as `smallest`, either way.
  bool settled = false;

  /// How many more runs, on each side, would probably (4 of 5 times) show a difference as large as
  /// the one seen or, where that is less, as `smallest`. None with evidence or a settled question;
  /// none, too, where one run says nothing about the noise, or rounding hides it.
  std::optional<std::size_t> more_runs;

  std::optional<Estimate> efficiency_before;  ///< none where the regime has none
  std::optional<Estimate> efficiency_after;
  std::optional<RatioChange> efficiency;  ///< that of S, too: both differ by K alone
};

/// What all K say together, of T of a typical run (the location of its logarithm, in which a slow
/// run does not count). Its p is raised, as each K is tested as well.
struct JointChange {
  Estimate ratio;  ///< after over before, over all K
  double p = 1;    ///< the chance of such a ratio when nothing changed
  ChangeVerdict verdict = ChangeVerdict::kNoEvidence;
};

/// What is known of differences between sessions: the day, the allocation, other users.
struct SessionEvidence {
  bool interleaved = false;  ///< both sides ran in the same blocks of the same sessions
  bool none = false;         ///< none that runs share: simulated ones, or each a job of its own
  std::size_t before = 1;    ///< sessions of each side
  std::size_t after = 1;
  /// The standard deviation between the sessions of a side or of a study of
  /// CompareOptions::sessions_of, of T over all K, relative; none where none has several.
  std::optional<double> deviation;
};

/// The bend and K* on both sides, of the K that both have.
struct BendChange {
  std::optional<Bend> before;  ///< none where no K is below the threshold
  std::optional<Bend> after;
  Verdict verdict_before, verdict_after;
  /// It moved to another K, the intervals of both sides have no K in common, and some time or
  /// efficiency has evidence of a change.
  bool bend_clear = false;
  bool verdict_clear = false;
};

/// A part of the fitted form.
struct PartChange {
  std::string name;
  bool time = true;  ///< in seconds
  std::optional<Estimate> before;
  std::optional<Estimate> after;
  bool clear = false;  ///< the intervals do not overlap
};

struct CauseChange {
  CauseKind kind = CauseKind::kNone;
  std::vector<CauseKind> or_else;  ///< what cannot be told from it
  std::optional<Estimate> before;  ///< its share of the loss; none where it was not seen
  std::optional<Estimate> after;
};

enum class GateVerdict { kPassed, kFailed, kUndecided };

/// "passed", "failed", "undecided".
KSTAR_EXPORT std::string_view name_of(GateVerdict verdict);

struct GateOutcome {
  Gate gate;
  GateVerdict verdict = GateVerdict::kPassed;
  std::string evidence;  ///< one sentence
};

struct Comparison {
  std::string before;  ///< names of the two, for people
  std::string after;
  double confidence = kConfidence;
  double smallest = 0.05;
  double threshold = kThreshold;
  std::optional<Regime> regime;  ///< of both; none where they differ
  int base_workers = 1;          ///< of S and E
  /// T before and after are seconds of the same thing. Where not (with `anyway`, or of two studies
  /// that hold speedups alone), S and E are compared, the ratios of T are NaN, and a gate on T is
  /// an Error.
  bool times_compared = true;
  std::vector<WorkersChange> points;
  std::optional<JointChange> joint;  ///< none where T is not compared, or runs do not show noise
  std::optional<SlowRuns> slow_runs;
  SessionEvidence sessions;
  bool busy_machine = false;  ///< other jobs had much of it on one side: nothing is decided
  /// Command lines of both sides and the K, as `kstar measure --against` takes them; "" where a
  /// study does not say its command.
  std::string next_command;
  BendChange bend;
  std::string form;  ///< whose parts are compared; "" without models
  double form_weight_before = 0;
  double form_weight_after = 0;
  std::vector<PartChange> parts;
  int causes_at_before = 1;  ///< the K that the shares are about
  int causes_at_after = 1;
  std::vector<CauseChange> causes;
  std::vector<GateOutcome> gates;
  bool passed = true;  ///< no gate failed; with `strict` none is undecided either
  std::vector<Note> notes;
};

/// Whether both sides have S and E, of one base. Without them no bend and no K* can be compared.
KSTAR_EXPORT bool compares_efficiency(const Comparison& comparison);

/// Only K that both studies have are compared. Fails where the two are not comparable: another
/// machine, workload, regime or kind of time (unless `anyway`), no K in common, a gate on a K that
/// is not compared. Who needs the studies no more moves them here: large ones are not copied then.
KSTAR_EXPORT Result<Comparison> compare(Study before, Study after,
                                        const CompareOptions& options = {});

}  // namespace kstar
