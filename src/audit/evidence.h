#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/file_claims.h"
#include "kstar/audit.h"
#include "kstar/words.h"

/// What every rule looks at, gathered once.
namespace kstar {

/// Why a rule about one curve has nothing to say.
inline constexpr const char* kSeveralSeries =
    "the table contains several series; --select picks one";

/// How far T of one K may be off for the digits that it is written with, as a share of it.
struct OpenTime {
  double share = 0;
  bool in_noise = false;  ///< the runs at this K spread over more than one step of their digits
};

struct Evidence {
  const Study& study;
  const Analysis* analysis = nullptr;  ///< none where the rows are no one curve
  std::vector<FileClaim> claims;       ///< that stand beside the times
  bool row_by_row = false;             ///< each claim is of its own run, not of its K
  bool claims_weak = false;            ///< they are those of weak scaling, which is not declared
  /// T that all speedups of the file are relative to, where they agree on one below T(1).
  std::optional<double> claimed_base{};
  std::map<int, OpenTime> open{};                ///< what the digits of the times leave open, by K
  ClaimRuns claim_runs{};                        ///< where there are claims
  std::vector<const ScalingPoint*> curve;        ///< of the parallel program, by K
  const ScalingPoint* base = nullptr;            ///< of S and E
  mutable std::optional<ScalingTable> strict{};  ///< strict_table(), where a rule asked for it
};

/// Fills in the curve and the base of an analysis.
void add_curve(Evidence& evidence);

/// S(K) times these is what the digits of T(K0) and T(K) leave open: whole seconds of 10 and 2 are
/// a ratio of 3.8 to 7. Of one run at each, or of all: their spread has the digits in it.
struct OpenRatio {
  double low = 1, high = 1;
};
OpenRatio open_ratio(const Evidence& evidence, int workers, bool of_one_run);

/// The runs that T(K) of the parallel program is made of.
std::vector<const Run*> runs_at(const Study& study, int workers);

/// With intervals that hold for all K at once (Bonferroni): a study is not to be accused because
/// one of many points strayed. Of evidence with an analysis.
const ScalingTable& strict_table(const Evidence& evidence);

const Note* find_note(const Study& study, std::string_view what);
/// Of the study or of its table.
const Note* find_note(const Evidence& evidence, std::string_view what);

/// No seconds are known: only what is relative to a base.
bool is_relative(const Study& study);

/// A larger number is better: a rate, a speedup or an efficiency.
bool is_inverse(const Study& study);

/// The study says its regime, or the work at each K shows it; otherwise strong is assumed.
bool has_regime(const Evidence& evidence);

/// "0.1 s (0.09 to 0.11)"; of a rate, the seconds for one unit of work.
std::string seconds_text(const Study& study, const Estimate& time);

/// The file's values are a summary of runs (mean, min ...), not runs; which, or "".
std::string summary_kind(const Study& study);

/// The title, where it is the author's word: that of an import is the name of a file.
std::string author_title(const Study& study);

/// What a rule found.
struct RuleVerdict {
  FindingStatus status = FindingStatus::kMissing;
  std::vector<std::string> evidence;
};
RuleVerdict shown(std::string evidence);
RuleVerdict missing(std::string evidence);
RuleVerdict contradicted(std::string evidence);
RuleVerdict not_applicable(std::string evidence);

/// "'precision' changes with K: fp32, fp16".
std::string change_text(const ChangedSetting& change);

/// "K = 1, 2, 4".
std::string listed(const std::vector<int>& workers);

}  // namespace kstar
