#include "audit/claim_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/claim_chance.h"
#include "audit/claim_implied.h"
#include "audit/claim_interval.h"
#include "audit/weight.h"
#include "audit/work.h"
#include "base/number.h"

namespace kstar {

namespace {

constexpr std::size_t kEnoughRuns = 3;
/// Of single values nobody knows the noise: by so much a claim may be above their ratio.
constexpr double kSingleValues = 1.05;

constexpr const char* kAskRuns = "Which runs give this number?";
constexpr const char* kAskRepeats =
    "How many runs are behind each point, and how much do they vary?";
constexpr const char* kAskTimes = "What are the times behind these ratios?";

std::string whole(double workers) {
  return fixed(workers, 0);
}

/// "5.281x (5.188 to 5.376)", or the efficiency that it is.
std::string value_text(const Claim& claim, const Estimate& speedup) {
  if (claim.of_speedup) return with_interval(speedup, 4, "x");
  const Estimate efficiency = scaled(speedup, claim.base_workers / claim.workers);
  return fmt::format("an efficiency of {}", with_interval(efficiency, 3));
}

std::string ratio_text(const Claim& claim, double speedup) {
  if (claim.of_speedup) return significant(speedup, 4) + "x";
  return fmt::format("an efficiency of {}",
                     significant(speedup * claim.base_workers / claim.workers, 3));
}

bool is_at_most(const Claim& claim) {
  return claim.bound == ClaimBound::kAtMost;
}

/// A claim of less than one is that of a loss: it may be too low as well as too high.
bool is_exact(const Claim& claim) {
  return claim.bound == ClaimBound::kExactly || (claim.speedup < 1 && !is_at_most(claim));
}

/// The same study from K0 on, in the regime of the claim, where those differ from the study's own.
struct ClaimData {
  Study study;
  std::optional<Analysis> analysis;
};

class ClaimJudge {
 public:
  ClaimJudge(const Claim& claim, const ClaimGround& ground) : ground_(ground) {
    check_.claim = claim;
  }

  /// The order is that of how much each weighs.
  ClaimCheck judge() {
    if (!claim().reading.empty()) check_.evidence.push_back(claim().reading);
    if (of_other_base()) return std::move(check_);
    if (by_itself()) return std::move(check_);
    if (without_data()) return std::move(check_);
    choose_evidence();
    const bool settled = without_base() || by_regime() || by_data() || by_rules() || by_models() ||
                         without_comparison();
    if (!settled) conclude();
    return std::move(check_);
  }

 private:
  const Claim& claim() const { return check_.claim; }
  const Evidence& evidence() const { return *evidence_; }
  const ScalingTable& table() const { return evidence().analysis->table; }
  double least() const { return claim().speedup - claim().rounding; }
  bool is_ratio_file() const { return is_relative(evidence().study); }

  const char* values_word() const {
    return evidence().study.header.time == TimeKind::kRate ? "rates" : "times";
  }

  std::string ask_same_job() const {
    return fmt::format("How long does the same job take at K = {}, and at K = {}?",
                       whole(claim().base_workers), whole(claim().workers));
  }

  bool settle(ClaimVerdict verdict, std::string reason, std::string_view question) {
    check_.verdict = verdict;
    check_.reason = std::move(reason);
    check_.question = std::string(question);
    return true;
  }

  /// Neither the study nor the user says what stays the same.
  bool is_assumed() const { return find_note(evidence(), "regime-assumed") != nullptr; }

  bool of_other_base();
  bool by_itself();
  bool is_too_low(double data) const;
  bool is_too_high(double data) const;
  bool without_data();
  void choose_evidence();
  bool without_base();
  bool by_regime();
  bool by_other_regime();
  bool by_data();
  bool against_runs();
  bool against_values();
  bool by_rules();
  bool by_faster_base(const Finding& broken);
  bool by_models();
  bool above_best_efficiency();
  bool without_comparison();
  bool has_repeats() const;
  void conclude();
  void need_of_base();

  ClaimGround ground_;
  ClaimCheck check_;
  const Evidence* evidence_ = nullptr;
  const ScalingPoint* at_ = nullptr;  ///< the K of the claim, where it was measured
  OpenRatio open_;                    ///< what the digits of the times leave
  ClaimData own_;                     ///< where the study's own evidence is not that of the claim
  std::optional<Evidence> own_evidence_;
  std::string ask_of_gap_;
  std::string gap_;  ///< why the data are of another regime than the claim
};

/// The data have one base: another machine is not in them.
bool ClaimJudge::of_other_base() {
  if (claim().other_base.empty()) return false;
  return settle(
      ClaimVerdict::kCannotBeTold,
      fmt::format("it is relative to '{}', which the data do not have", claim().other_base),
      fmt::format("What is T(K) at K = {}, relative to one worker of the same kind?",
                  whole(claim().workers)));
}

/// The data are at least `data` above a claim that allows no more.
bool ClaimJudge::is_too_low(double data) const {
  return (is_exact(claim()) || is_at_most(claim())) && claim().speedup + claim().rounding < data;
}

bool ClaimJudge::is_too_high(double data) const {
  return !is_at_most(claim()) && least() > data;
}

bool ClaimJudge::by_itself() {
  const Implied implied = implied_by(claim(), ground_.options->good);
  check_.idle_workers = implied.idle_workers;
  check_.serial_fraction = implied.serial_fraction;
  check_.evidence.insert(check_.evidence.end(), implied.sentences.begin(), implied.sentences.end());
  return implied.verdict && settle(*implied.verdict, implied.reason, implied.question);
}

bool ClaimJudge::without_data() {
  const Claim& said = claim();
  if (ground_.evidence != nullptr && ground_.evidence->analysis != nullptr) return false;
  if (ground_.evidence != nullptr) {
    return settle(ClaimVerdict::kCannotBeTold, kSeveralSeries, kAskRuns);
  }
  constexpr double kFaster = 0.9;
  const std::string base = whole(said.base_workers), k = whole(said.workers);
  if (said.base_workers == 1 && said.regime != Regime::kWeak) {
    check_.evidence.push_back(
        fmt::format("if the problem is the same at both, T(1) is {} times T({}); with a "
                    "single-worker program that is 10% faster, {}x remain",
                    significant(said.speedup, 4), k, significant(kFaster * said.speedup, 4)));
  }
  return settle(ClaimVerdict::kCannotBeTold, "there are no data to check it against",
                fmt::format("What are T({}) and T({}), of which program, and of {} job?", base, k,
                            said.regime == Regime::kWeak ? "which" : "the same"));
}

/// A base of its own, or weak scaling that the study does not declare, needs a table of its own.
void ClaimJudge::choose_evidence() {
  evidence_ = ground_.evidence;
  const Analysis& analysis = *evidence_->analysis;
  const bool other_base =
      claim().base_workers > 1 &&
      (claim().base_workers != table().base_workers || table().base_role != Role::kParallel);
  const bool undeclared = work_way(evidence()) == WorkWay::kUnknown &&
                          !evidence().study.header.regime && !is_inverse(evidence().study);
  const bool as_weak = claim().regime == Regime::kWeak && undeclared;
  if (other_base || as_weak) {
    own_.study = evidence().study;
    std::erase_if(own_.study.runs, [&](const Run& run) {
      return other_base && (run.workers < claim().base_workers || run.role != Role::kParallel);
    });
    AnalysisOptions options = analysis.options;
    if (as_weak) options.regime = Regime::kWeak;
    options.resamples = 100;
    options.predict = {claim().workers};
    if (Result<Analysis> again = analyze(own_.study, options)) {
      own_.analysis = std::move(*again);
      own_evidence_.emplace(Evidence{.study = own_.study, .analysis = &*own_.analysis});
      add_curve(*own_evidence_);
      evidence_ = &*own_evidence_;
    }
  }
  at_ = point_at(table(), Role::kParallel, static_cast<int>(claim().workers));
}

bool ClaimJudge::without_base() {
  if (evidence().base != nullptr && evidence().base->workers == claim().base_workers) return false;
  if (claim().base_workers == 1) {
    return settle(ClaimVerdict::kNotShown, "T(1) is missing from the data",
                  "What is T(1), of which program?");
  }
  return settle(ClaimVerdict::kNotShown,
                fmt::format("there are no runs at K = {}, which it is relative to",
                            whole(claim().base_workers)),
                fmt::format("What is T({})?", whole(claim().base_workers)));
}

/// A speedup is that of a fixed job; an efficiency that of the regime which the study declares.
bool ClaimJudge::by_regime() {
  const Claim& said = claim();
  const WorkWay way = work_way(evidence());
  // That rates are throughput is the word of an import.
  const auto own = evidence().study.header.regime;
  const auto declared =
      own && own != Regime::kThroughput ? own : ground_.evidence->analysis->options.regime;
  const bool declared_weak = declared == Regime::kWeak;
  const bool weak =
      said.regime == Regime::kWeak || (!said.regime && !said.of_speedup && declared_weak);
  if (said.regime == Regime::kThroughput) return false;
  if (const std::string jobs = perhaps_whole_jobs(evidence()); !said.regime && !jobs.empty()) {
    return settle(ClaimVerdict::kCannotBeTold, jobs, "Is each time that of the same whole job?");
  }
  const std::string k0 = whole(said.base_workers), k = whole(said.workers);
  const bool grows = way == WorkWay::kGrows || (way == WorkWay::kUnknown && declared_weak);
  if (weak && !grows) {
    const bool fixed_job = way == WorkWay::kSame || declared == Regime::kStrong;
    const std::string question =
        fmt::format("How large is the problem at K = {}, and at K = {}?", k0, k);
    gap_ = fixed_job ? "the data are of strong scaling, the same problem at every K: they show no "
                       "weak efficiency"
                     : "the data do not say that the work grows with K, as in weak scaling";
    ask_of_gap_ = question;
    return fixed_job && settle(ClaimVerdict::kNotShown, gap_, question);
  }
  if (weak) return false;
  if (grows) {
    gap_ =
        fmt::format("the data are of weak scaling{}: they do not show the speedup of a fixed job",
                    work_text(evidence()));
  } else if (way == WorkWay::kOther) {
    gap_ = fmt::format("the problem changes with K{}", work_text(evidence()));
  } else if (const auto grown = perhaps_size(evidence())) {
    return settle(ClaimVerdict::kNotShown, perhaps_text(*grown),
                  fmt::format("How large is the problem at K = {}, and at K = {}?", k0, k));
  } else if (way == WorkWay::kUnknown && declared != Regime::kStrong &&
             evidence().study.header.time == TimeKind::kRate) {
    gap_ = "the data are rates, and do not say whether the job is the same at every K";
  }
  return false;
}

/// Where nobody says the regime, and the claim is true of weak scaling but not of strong.
bool ClaimJudge::by_other_regime() {
  constexpr double kSame = 1.10;
  if (claim().bound != ClaimBound::kAtLeast || claim().regime || !is_assumed() || at_ == nullptr ||
      !at_->speedup)
    return false;
  const double strong = at_->speedup->point;
  const double weak = strong * claim().workers / claim().base_workers;
  const bool is_weak = claim().speedup > kSame * strong && claim().speedup < kSame * weak &&
                       weak < kSame * claim().speedup;
  if (!is_weak) return false;
  return settle(ClaimVerdict::kCannotBeTold,
                fmt::format("the times give {} if the problem is the same at every K, and {} if it "
                            "grows with K; the data do not say which",
                            ratio_text(claim(), strong), ratio_text(claim(), weak)),
                "Was the whole problem the same at each K, or the problem of each worker?");
}

bool ClaimJudge::by_data() {
  if (table().regime == Regime::kMixed) return false;
  if (by_other_regime()) return true;
  if (at_ == nullptr || !at_->speedup) return false;
  check_.measured = true;
  check_.speedup = speedup_for_claims(evidence(), *at_);
  open_ = open_ratio(evidence(), at_->workers, false);
  check_.speedup->low *= open_.low;
  check_.speedup->high *= open_.high;
  need_of_base();
  return has_repeats() ? against_runs() : against_values();
}

/// Contradicted by the whole interval.
bool ClaimJudge::against_runs() {
  const Estimate& data = *check_.speedup;
  const bool against = is_too_low(data.low) || is_too_high(data.high);
  if (!against) return false;
  return settle(ClaimVerdict::kContradicted,
                fmt::format("the runs give {}", value_text(claim(), data)), kAskRuns);
}

bool ClaimJudge::against_values() {
  const double data = check_.speedup->point;
  const bool against = is_too_low(open_.low * data / kSingleValues) ||
                       is_too_high(open_.high * kSingleValues * data);
  if (!against) return false;
  return settle(
      ClaimVerdict::kContradicted,
      is_ratio_file()
          ? fmt::format("the table's own number is {}", ratio_text(claim(), data))
          : fmt::format("the table's own {} give {}", values_word(), ratio_text(claim(), data)),
      kAskRuns);
}

/// T(1) is at most K' T(K') where E(K') above 1 is no matter of caches.
bool ClaimJudge::by_faster_base(const Finding& broken) {
  if (broken.rule->name != "superlinear" || claim().base_workers > 1 || !check_.speedup) {
    return false;
  }
  const ScalingPoint* cheapest = nullptr;
  for (const ScalingPoint* point : evidence().curve) {
    if (!point->efficiency || !(point->efficiency->point > 1)) continue;
    const bool better =
        cheapest == nullptr || point->efficiency->point > cheapest->efficiency->point;
    if (better) cheapest = point;
  }
  if (cheapest == nullptr) return false;
  const Estimate& e = *cheapest->efficiency;
  // A single T(1) may be an outlier, and stands in both ratios.
  constexpr double kTwoSingles = 1.25;
  const double high =
      is_bounded(*check_.speedup) ? check_.speedup->high : kTwoSingles * check_.speedup->point;
  const double most = high / std::max(is_bounded(e) ? e.low : e.point / kTwoSingles, 1.0);
  if (!is_too_high(most)) return false;
  check_.rule = broken.rule->name;
  return settle(
      ClaimVerdict::kContradicted,
      fmt::format("E({}) is {}: T(1) is too slow. With {} T({}) as T(1), at most {} remains",
                  cheapest->workers, with_interval(e, 3), cheapest->workers, cheapest->workers,
                  ratio_text(claim(), most)),
      broken.rule->question);
}

bool ClaimJudge::by_rules() {
  const Finding* broken =
      heaviest(*ground_.findings, FindingStatus::kContradicted, [&](const Finding& finding) {
        return claim().base_workers == 1 || finding.rule->group != RuleGroup::kBaseline;
      });
  if (broken == nullptr) return false;
  if (by_faster_base(*broken)) return true;
  check_.rule = broken->rule->name;
  return settle(ClaimVerdict::kNotShown,
                fmt::format("its evidence breaks a rule ({}): {}", broken->rule->name,
                            broken->evidence.front()),
                broken->rule->question);
}

/// What no K that was measured allows: an efficiency above the best of them, with its error, and
/// above 1. A K that divides the work well may be far above its neighbours and above any curve.
struct BestEfficiency {
  int workers = 1;  ///< of that K
  double efficiency = 1;
};
BestEfficiency best_efficiency(const Evidence& evidence) {
  BestEfficiency best{.workers = evidence.base->workers};
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    if (point.role != Role::kParallel || point.workers <= evidence.base->workers) continue;
    if (!point.efficiency) continue;
    const Estimate& e = *point.efficiency;
    const double high = is_bounded(e) ? e.high : kSingleValues * e.point;
    if (high > best.efficiency) best = {point.workers, high};
  }
  return best;
}

/// Where nothing was measured a model rests on its form, which nothing has tested there: it gives a
/// chance, and never a verdict. What efficiency allows does.
bool ClaimJudge::above_best_efficiency() {
  const BestEfficiency best = best_efficiency(evidence());
  const double most = best.efficiency * claim().workers / claim().base_workers;
  if (!is_too_high(most)) return false;
  return settle(ClaimVerdict::kContradicted,
                fmt::format("even with the efficiency of K = {}, the best of the measured K, it "
                            "would be {}",
                            best.workers, ratio_text(claim(), most)),
                fmt::format("What was measured at K = {}?", whole(claim().workers)));
}

bool ClaimJudge::by_models() {
  if (at_ != nullptr || table().regime == Regime::kMixed || evidence().curve.size() < 2) {
    return false;
  }
  const bool is_beyond = claim().workers > evidence().curve.back()->workers;
  if (above_best_efficiency()) return true;
  if (is_ratio_file()) return false;
  const auto& models = evidence().analysis->models;
  if (!models) return false;
  for (const PredictedWorkers& guess : models->predictions) {
    if (guess.workers != claim().workers) continue;
    check_.speedup = guess.speedup;
    check_.evidence.push_back(fmt::format("the fitted curve gives {}{}",
                                          value_text(claim(), guess.speedup),
                                          is_beyond ? ", extrapolated" : ""));
  }
  if (!gap_.empty()) return false;  // the curve is of another regime than the claim
  const auto chances = SpeedupChances::at(evidence().study, evidence().analysis->options,
                                          claim().workers, work_way(evidence()));
  if (chances && !is_exact(claim())) {
    const double reached = chances->of(claim().speedup);
    check_.chance = is_at_most(claim()) ? 1 - reached : reached;
  }
  return false;
}

/// T(K0) = S T(K) where the work is fixed, E T(K) where it grows.
void ClaimJudge::need_of_base() {
  const ScalingPoint& base = *evidence().base;
  const double factor = claim().speedup / at_->work;
  const Estimate needed = scaled(at_->time, factor);
  const double share = base.time.point / needed.point;
  const std::string start = fmt::format("for it to be true with this T({}), T({}) would have to be",
                                        whole(claim().workers), base.workers);
  if (is_ratio_file()) {  // seconds are not known
    check_.evidence.push_back(
        fmt::format("{} {} times as long as it is", start, significant(1 / share, 3)));
    return;
  }
  check_.base_time = needed;
  check_.base_measured = base.time.point;
  check_.evidence.push_back(
      fmt::format("{} {}; it is {}, {} of that", start, seconds_text(evidence().study, needed),
                  with_interval(base.time, 4, " s"), percent(share, share < 0.1 ? 2 : 0)));
}

/// Nothing speaks against it. What keeps it from being compared at all?
bool ClaimJudge::without_comparison() {
  const std::string k = whole(claim().workers);
  if (table().regime == Regime::kMixed) {
    return settle(ClaimVerdict::kCannotBeTold,
                  "the problem changes with K: there is no speedup to compare", ask_same_job());
  }
  if (is_ratio_file()) {
    return settle(ClaimVerdict::kNotShown,
                  "the data are ratios that somebody computed; the times behind them are missing",
                  kAskTimes);
  }
  if (!gap_.empty()) {
    return settle(ClaimVerdict::kNotShown, gap_,
                  ask_of_gap_.empty() ? ask_same_job() : ask_of_gap_);
  }
  if (at_ != nullptr) return false;
  const int largest = evidence().curve.back()->workers;
  return settle(
      ClaimVerdict::kNotShown,
      claim().workers > largest
          ? fmt::format("K = {} was not measured; the largest measured K is {}", k, largest)
          : fmt::format("K = {} was not measured", k),
      fmt::format("What was measured at K = {}?", k));
}

bool ClaimJudge::has_repeats() const {
  return at_->times.n >= kEnoughRuns && evidence().base->times.n >= kEnoughRuns &&
         is_bounded(*at_->speedup) && !is_ratio_file() && summary_kind(evidence().study).empty();
}

/// Is it shown by the runs at its K?
void ClaimJudge::conclude() {
  constexpr double kNearly = 0.98;
  const Claim& said = claim();
  const Estimate& data = *check_.speedup;
  if (!has_repeats()) {
    settle(ClaimVerdict::kNotShown,
           fmt::format("the {} give {}, but with fewer than {} runs at K = {}: the noise is "
                       "unknown",
                       values_word(), ratio_text(said, data.point), kEnoughRuns,
                       whole(at_->times.n < kEnoughRuns ? said.workers : said.base_workers)),
           kAskRepeats);
    return;
  }
  const double open = is_exact(said) ? said.rounding : 0;
  const bool not_less = !is_exact(said) || kNearly * data.high <= said.speedup + open;
  const bool holds = is_at_most(said) ? data.high <= said.speedup
                                      : data.low >= kNearly * (said.speedup - open) && not_less;
  const std::string runs = fmt::format("the runs give {}", value_text(said, data));
  if (!holds) {
    settle(ClaimVerdict::kNotShown, runs + ": the interval is too wide to show it",
           fmt::format("What do more runs at K = {} and K = {} give?", whole(said.base_workers),
                       whole(said.workers)));
  } else if (is_assumed()) {
    settle(ClaimVerdict::kShown,
           runs + ", if the problem is the same at every K, which the data do not say",
           ask_same_job());
  } else {
    settle(ClaimVerdict::kShown, runs, "");
  }
}

}  // namespace

ClaimCheck check_claim(const Claim& claim, const ClaimGround& ground) {
  return ClaimJudge(claim, ground).judge();
}

}  // namespace kstar
