#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/price.h"
#include "kstar/result.h"

/// Five questions to anyone who wants more machines: what is the serial fraction, does the problem
/// grow with the cluster, is it bound by compute, memory or communication, what will the
/// collectives cost, and does the efficiency justify the money.
namespace kstar {

/// What is known of a proposal; what is not is absent.
struct Proposal {
  std::string title;
  std::optional<double> workers;            ///< K proposed
  std::optional<double> today;              ///< K that it is compared with
  std::optional<double> speedup;            ///< of `workers` over `today`: rates or times
  std::optional<double> step;               ///< seconds of one step on `workers`
  std::optional<double> serial;             ///< share of one worker's time
  std::optional<Estimate> measured_serial;  ///< of a study: it follows from `speedup`
  std::optional<double> communication;      ///< exposed share of the step on `workers`
  std::string collective;                   ///< what a network says of it, as a sentence
  std::optional<bool> grows;                ///< the problem, with the workers
  std::optional<double> intensity;          ///< operations per byte of the kernel
  std::optional<double> ridge;              ///< of the machine: operations per second over bytes
  std::optional<double> ridge_most;         ///< of its fastest precision, where it has several
  std::string bound;                        ///< evidence of another kind, as a sentence
  std::optional<double> price;              ///< per worker-hour
  std::string currency = "$";
  double efficiency = kThreshold;  ///< that justifies the money
  std::optional<Verdict> verdict;  ///< of a study: where it names no K, nothing is bought
};

/// The keys of a proposal.toml.
KSTAR_EXPORT Result<Proposal> parse_proposal(std::string_view text, std::string_view name);

/// From the smallest K of a study to its largest.
KSTAR_EXPORT Proposal proposal_of(const Study& study, const Analysis& analysis);

enum class ProposalVerdict {
  kBuy,
  kCutCommunication,
  kGrowProblem,
  kUndecided,
  kDisagree,  ///< no job can have these numbers
  kNoChange   ///< not more workers than today
};
/// "buy", "cut communication", "grow the problem", "undecided", "the numbers disagree",
/// "not a change".
KSTAR_EXPORT std::string_view name_of(ProposalVerdict verdict);

struct CheckedQuestion {
  std::string question;
  bool given = false;
  std::string answer;  ///< or, where nothing is given, what would answer it
};

/// Two numbers that disagree. The factor of speed that is missing, and what communication explains:
/// a share c of the step explains 1 / (1 - c).
struct Reconciled {
  double missing = 1;
  double explained = 1;
  std::string text;
};

struct ProposalCheck {
  Proposal proposal;
  std::vector<CheckedQuestion> questions;  ///< five, in the order of the list above
  std::optional<double> efficiency;        ///< of the step from `today` to `workers`
  std::optional<Reconciled> reconciled;
  ProposalVerdict decision = ProposalVerdict::kUndecided;
  bool by_verdict = false;  ///< the study's verdict leaves it open: `why` is that verdict
  std::string why;
};

KSTAR_EXPORT ProposalCheck check_proposal(const Proposal& proposal);

}  // namespace kstar
