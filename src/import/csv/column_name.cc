#include "import/csv/column_name.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "import/csv/name_words.h"

namespace kstar {

namespace {

bool starts_with_digit(std::string_view word) {
  return word[0] >= '0' && word[0] <= '9';
}

constexpr std::string_view kFillers[] = {
    "no",       "num",    "number",   "of",       "the",      "total",     "count",    "n",
    "used",     "to",     "solution", "train",    "training", "wall",      "clock",    "run",
    "program",  "job",    "k",        "all",      "exec",     "execution", "measured", "actual",
    "observed", "global", "overall",  "parallel", "in",       "rel",       "relative"};
constexpr std::string_view kStatistics[] = {"mean", "avg",     "average", "median", "best",
                                            "max",  "maximum", "minimum", "trimmed"};
/// No time, rate or speedup of the job, whatever else the name says.
constexpr std::string_view kNotMeasured[] = {
    "ideal",  "pred",   "predicted", "prediction", "expected",  "model",   "fit",    "fitted",
    "linear", "error",  "err",       "std",        "stddev",    "stdev",   "sd",     "var",
    "cv",     "ci",     "low",       "high",       "lower",     "upper",   "stamp",  "timestamp",
    "date",   "cost",   "price",     "energy",     "power",     "version", "memory", "mem",
    "peak",   "useful", "init",      "setup",      "start",     "end",     "stop",   "user",
    "sys",    "system", "base",      "baseline",   "timelimit", "limit",   "id",     "pct"};
constexpr std::string_view kParts[] = {"comm",    "communicate", "communication", "mpi",
                                       "compute", "computation", "wait",          "waiting",
                                       "idle",    "io",          "loading",       "useful"};
/// Beside these: what is measured, and tells no series apart however coarse it is.
constexpr std::string_view kObserved[] = {
    "util",     "utilization", "utilisation", "usage",    "temperature", "temp",    "watts",
    "joules",   "accuracy",    "loss",        "gb",       "mb",          "gib",     "mib",
    "bytes",    "percent",     "faults",      "switches", "misses",      "ipc",     "balance",
    "overhead", "fraction",    "share",       "mhz",      "ghz",         "retries", "failures",
    "failed",   "warnings",    "errors",      "residual", "residuals",   "norm",    "ppl",
    "bleu",     "rouge",       "score",       "f1",       "perplexity",  "clock",   "swap",
    "queue",    "queued",      "attempts",    "rss",      "fan",         "mfu",     "acc"};
/// What somebody wrote beside a row, or where and as what it ran.
constexpr std::string_view kRemarks[] = {
    "note", "notes",    "comment",  "comments", "remark", "remarks",  "tag",        "tags",
    "user", "username", "hostname", "nodename", "jobid",  "nodelist", "description"};

bool remark_name(const Words& words) {
  if (holds(words, kRemarks)) return true;
  if (words.size() == 1) return among(words[0], {"host", "job"});
  if (words.size() != 2) return false;
  return (among(words[0], {"job", "task", "slurm", "exp", "experiment", "process"}) &&
          among(words[1], {"id", "name", "number"})) ||
         (among(words[0], {"node", "host", "machine", "user"}) &&
          among(words[1], {"name", "list", "id"}));
}

bool day_name(const Words& words) {
  return holds(words, {"date", "timestamp", "datetime", "day", "started", "finished"}) ||
         (words.size() <= 2 && among(words[0], {"start", "end", "stop", "submit"})) ||
         words == Words{"time", "stamp"};
}

/// Of a solver, they are how far a run had to go; a limit of them is a setting.
bool counts_iterations(const Words& words) {
  return holds(words, {"iters", "iterations"}) && !holds(words, {"max", "maximum", "limit"});
}

int count_unexplained(const Words& words, Names known) {
  return static_cast<int>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    // In front, as in H100 (s), an h is no unit.
    const bool unit = seconds_of(word) && (word != "h" || &word != &words.front());
    return !among(word, known) && !among(word, kFillers) && !among(word, kStatistics) && !unit;
  }));
}

void read_statistic(const Words& words, ColumnName& name) {
  for (const std::string& word : words) {
    if (among(word, kStatistics)) name.statistic = word;
  }
  // "min_s" is a minimum, "time_min" may be minutes.
  if (words.size() > 1 && words.front() == "min") name.statistic = "min";
}

/// Of a singular, too: the node of "gpus per node".
int rank_of_one(const std::string& word) {
  if (word == "process") return workers_rank("processes");
  if (word == "k") return 0;
  return std::max(workers_rank(word), workers_rank(word + "s"));
}

/// "gpus per node", "ranks/node", "threads_per_rank", "ppn".
bool names_workers(const Words& words, ColumnName& name) {
  if (words.size() == 1 && among(words[0], {"ppn", "rpn", "tpn", "gpn"})) {
    name.rank = words[0] == "gpn" ? kRankOfGpus : kRankOfRanks;
    name.rank_of_part = kRankOfNodes;
    return true;
  }
  int counted = 0, part = 0;
  bool behind = false;
  for (const std::string& word : words) {
    const int rank = rank_of_one(word);
    if (word == "per" && !behind) {
      behind = true;
    } else if (rank > 1 && rank <= kRankOfNodes && (behind ? part : counted) == 0) {
      (behind ? part : counted) = rank;
    } else if (!among(word, {"no", "num", "number", "of", "the", "count", "n", "used", "mpi", "omp",
                             "openmp", "each"})) {
      return false;
    }
  }
  if (counted == 0 || part == 0 || counted == part) return false;
  name.rank = counted;
  name.rank_of_part = part;
  return true;
}

constexpr std::string_view kCounting[] = {"no", "num", "number", "of",  "the", "total",  "count",
                                          "n",  "nb",  "used",   "mpi", "omp", "openmp", "k"};

/// One name of a worker, and around it nothing but words for counting. A bare k counts by itself:
/// "n_K" is how many K there are.
bool workers_name(const Words& words, ColumnName& name) {
  if (words == Words{"world", "size"} || words == Words{"worldsize"}) {
    name.rank = kRankOfRanks;
    return true;
  }
  // As papers write it; any other name of workers goes before.
  if (words == Words{"p"}) {
    name.rank = kRankOfClients;
    return true;
  }
  // "node number" is one of them.
  const bool counted = holds(words, {"num", "count", "n", "nb"}) ||
                       (among(words[0], {"no", "number"}) && holds(words, {"of"}));
  int names = 0, others = 0;
  for (const std::string& word : words) {
    int rank = word == "k" ? 0 : workers_rank(word);
    // "gpu_count" and "n_gpu" count what one of them is called.
    if (rank == 0 && counted && !among(word, kCounting)) rank = rank_of_one(word);
    // "CPU cores"
    const bool kind = among(word, {"cpu", "v", "virtual", "physical", "logical"}) &&
                      holds(words, {"cores", "cpus"});
    if (kind) continue;
    if (rank != 0) {
      name.rank = rank;
      ++names;
    } else if (!among(word, kCounting)) {
      ++others;
    }
  }
  if (words.size() == 1 && words[0] == "k") name.rank = workers_rank("k");
  return name.rank != 0 && names <= 1 && others == 0;
}

/// The place of "per" before a unit of time, or the end.
std::size_t per_time(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "per" && seconds_of(words[i + 1])) return i;
  }
  return words.size();
}

constexpr std::string_view kRates[] = {"throughput", "throughputs", "rate",   "ops",    "qps",
                                       "fps",        "tps",         "rps",    "iops",   "flops",
                                       "mflops",     "gflops",      "tflops", "pflops", "fom",
                                       "bandwidth",  "performance"};
constexpr std::string_view kTimes[] = {"time",     "times",   "duration", "elapsed",  "runtime",
                                       "walltime", "seconds", "latency",  "makespan", "t",
                                       "ttt",      "sec",     "ttotal",   "ttot",     "wallclock"};

bool rate_name(const Words& words, ColumnName& name) {
  const std::size_t per = per_time(words);
  // "Time / s" is a time in seconds, as in physics.
  const bool counted = per < words.size() && !among(words[0], kTimes);
  const bool alone = words.size() == 1 && words[0] == "x";
  const bool over_time = holds(words, {"over"}) && holds(words, kTimes);
  if (!counted && !alone && !over_time && !holds(words, kRates)) return false;
  name.kind = ColumnKind::kRate;
  if (counted) {
    name.scale = 1 / *seconds_of(words[per + 1]);
    name.work = per > 0 ? words[per - 1] : "";
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "per" && is_worker_word(words[i + 1])) name.kind = ColumnKind::kWorkerRate;
  }
  name.unexplained = count_unexplained(words, kRates);
  if (counted) name.unexplained -= 2;  // what it counts, and "per"
  return true;
}

/// The place of a unit of time before "per" and something that is none: ms/step, sec per epoch.
std::size_t time_per(const Words& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (seconds_of(words[i]) && words[i + 1] == "per" && !seconds_of(words[i + 2])) return i;
  }
  return words.size();
}

/// "Time (min)", "T [min]": in brackets stands a unit, and no summary.
bool in_minutes(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.find("(min)") != std::string::npos || lower.find("[min]") != std::string::npos;
}

bool time_name(const Words& words, ColumnName& name) {
  name.of_one_step = holds(words, {"step", "iter", "iteration", "it", "epoch", "timestep"});
  if (const std::size_t unit = time_per(words); unit < words.size()) {
    name.kind = ColumnKind::kTime;
    name.scale = *seconds_of(words[unit]);
    name.unexplained = 1 + count_unexplained(words, kTimes);
    return true;
  }
  // Alone, "s" may be a speedup, "min" a minimum and "h" anything.
  const bool unit =
      seconds_of(words.back()) && (words.size() > 1 || !among(words[0], {"s", "min", "h", "day"}));
  // "wall-clock"; and "real" as time(1) writes it.
  const bool wall = holds(words, {"wall"}) && holds(words, {"clock"});
  const bool says_time = holds(words, kTimes) || wall || words == Words{"real"};
  if (!says_time && !unit) return false;
  name.kind = ColumnKind::kTime;
  name.scale = seconds_of(words.back()).value_or(1);
  name.minutes_or_minimum = unit && words.back() == "min";
  name.unexplained = count_unexplained(words, kTimes) + (says_time ? 0 : 1);
  return true;
}

constexpr std::string_view kRatios[] = {"speedup",      "speed", "up", "scaling", "efficiency",
                                        "efficiencies", "eff",   "s",  "e",       "percent"};

bool ratio_name(const Words& words, ColumnName& name) {
  const bool two = holds(words, {"speed"}) && holds(words, {"up"});
  const auto alone = [&](std::string_view letter) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == letter || word == "k" || word == "rel" || word == "percent";
    });
  };
  if (holds(words, {"efficiency", "efficiencies", "eff"}) || (holds(words, {"e"}) && alone("e"))) {
    name.kind = ColumnKind::kEfficiency;
  } else if (holds(words, {"speedup", "speedups"}) || two || (holds(words, {"s"}) && alone("s"))) {
    name.kind = ColumnKind::kSpeedup;
  } else if (holds(words, {"scaling"})) {
    name.kind = ColumnKind::kSpeedup;
    name.speedup_or_efficiency = true;
  } else {
    return false;
  }
  if (holds(words, {"percent"})) name.scale = 0.01;
  name.unexplained = count_unexplained(words, kRatios);
  return true;
}

bool worker_part_name(const Words& words, ColumnName& name) {
  if (!name.index || words.empty()) return false;
  if (among(words[0], {"compute", "computation", "useful"})) name.kind = ColumnKind::kCompute;
  if (among(words[0], {"comm", "communicate", "communication", "mpi"})) {
    name.kind = ColumnKind::kCommunicate;
  }
  if (among(words[0], {"wait", "waiting", "idle"})) name.kind = ColumnKind::kWait;
  if (words[0] == "work") name.kind = ColumnKind::kWork;
  if (name.kind == ColumnKind::kOther) return false;
  if (name.kind != ColumnKind::kWork) name.scale = seconds_of(words.back()).value_or(1);
  return true;
}

/// What a training needed: "samples_to_converge", "epochs until converged"; or "samples" alone.
bool converged_name(const Words& words, ColumnName& name) {
  constexpr std::string_view kCounted[] = {"samples", "tokens", "epochs", "examples", "sequences"};
  constexpr std::string_view kAround[] = {"or",       "until",     "needed",     "trained",
                                          "converge", "converged", "convergence"};
  if (name.index || !holds(words, kCounted)) return false;
  for (const std::string& word : words) {
    const bool counted = among(word, kCounted);
    if (!counted && !among(word, kAround) && !among(word, kFillers)) return false;
    if (counted) name.work += (name.work.empty() ? "" : " or ") + word;
  }
  name.until_converged = holds(words, {"converge", "converged", "convergence"});
  name.kind = ColumnKind::kConverged;
  return true;
}

constexpr std::string_view kProblems[] = {"batch", "gbs", "batchsize", "size", "problem"};

/// "cells per core", "batch/gpu", "local size": the part of one worker.
void read_part(const Words& words, ColumnName& name) {
  name.of_one_worker = holds(words, {"local"});
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "per" || !is_worker_word(words[i + 1])) continue;
    name.of_one_worker = true;
    name.rank_of_part = rank_of_one(words[i + 1]);
  }
}

bool setting_name(const Words& words, ColumnName& name) {
  if (name.index) return false;
  read_part(words, name);
  // Per something that is no worker: nobody knows what it is multiplied with.
  const bool per_other = holds(words, {"per"}) && !name.of_one_worker;
  if (holds(words, {"batch", "gbs", "batchsize"}) &&
      !holds(words, {"micro", "mini", "cell", "tokens"}) && !per_other) {
    name.kind = ColumnKind::kBatch;
    name.unexplained = count_unexplained(words, kProblems);
  } else if (holds(words,
                   {"size", "elements", "cells", "rows", "atoms", "dofs", "problem", "particles",
                    "bodies", "dof", "zones", "unknowns", "vertices", "gridpoints"}) &&
             !holds(words, {"bytes", "file", "batch", "micro", "mini"}) && !per_other) {
    name.kind = ColumnKind::kSize;
    name.unexplained = count_unexplained(words, kProblems);
  } else if (holds(words,
                   {"seq",      "len", "length", "hidden", "layers", "depth", "width",  "params",
                    "tp",       "pp",  "dp",     "cp",     "ep",     "vp",    "etp",    "tensor",
                    "pipeline", "mbs", "batch",  "table",  "grid",   "year",  "release"})) {
    name.kind = ColumnKind::kSetting;
  } else {
    return false;
  }
  return true;
}

bool fixed_name(const Words& words, ColumnName& name) {
  const bool one = words.size() == 1;
  const bool all_known = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return among(word, kFillers) ||
           among(word, {"steps", "iterations", "iters", "timesteps", "time", "optimizer"});
  });
  if (all_known && holds(words, {"steps", "iterations", "iters", "timesteps"})) {
    name.kind = ColumnKind::kSteps;
    return true;
  }
  if (holds(words, {"cflags", "cxxflags", "fflags", "ldflags", "flags", "compiler", "build"}) &&
      !holds(words, kTimes)) {
    name.kind = ColumnKind::kBuild;
    return true;
  }
  if (one && among(words[0], {"rep", "reps", "repeat", "repetition", "trial", "iteration", "iter",
                              "run", "sample", "block"})) {
    name.kind = ColumnKind::kRepeat;
  } else if (words.size() == 2 && among(words[0], {"rep", "repeat", "run", "trial"}) &&
             among(words[1], {"index", "id", "number", "no"})) {
    name.kind = ColumnKind::kRepeat;
  } else if (one &&
             among(words[0], {"seed", "step", "epoch", "attempt", "measurement", "index", "idx"})) {
    name.kind = ColumnKind::kCounter;
  } else if (one && among(words[0], {"status", "state", "result", "success", "outcome", "exitcode",
                                     "returncode", "rc"})) {
    name.kind = ColumnKind::kStatus;
  } else if (words.size() == 2 && among(words[0], {"exit", "return", "job", "run"}) &&
             among(words[1], {"code", "status", "state"})) {
    name.kind = ColumnKind::kStatus;
  } else if (one && among(words[0], {"metric", "measure", "quantity"})) {
    name.kind = ColumnKind::kMetric;
  } else if (one && words[0] == "value") {
    name.kind = ColumnKind::kValue;
  } else {
    return false;
  }
  return true;
}

/// The words around a number that may count repeats. Nothing of others: the numbers of p50, gcc 12,
/// time_n1000 and A100 are a part of what was measured.
std::string repeat_of(const Words& words, std::size_t index) {
  constexpr std::string_view kRepeated[] = {
      "run",  "rep",         "repeat", "repetition", "trial", "sample", "iter",     "iteration",
      "step", "measurement", "try",    "attempt",    "round", "epoch",  "replicate"};
  // Of a rate any words may say what is done a second: images/s 1.
  const bool rate = index >= 3 && words[index - 2] == "per" && seconds_of(words[index - 1]);
  const bool counts = rate || among(words[index - 1], kRepeated);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == index) continue;
    const bool known = among(words[i], kTimes) || among(words[i], kRates) ||
                       among(words[i], kRepeated) || seconds_of(words[i]) ||
                       among(words[i], {"wall", "clock", "total", "real"});
    if (!known && !counts) return "";
    text += (text.empty() ? "" : " ") + words[i];
  }
  return text;
}

/// What a column of bases is about, from its other words.
std::optional<ColumnKind> base_name(const Words& words) {
  std::string rest;
  bool found = false;
  for (const std::string& word : words) {
    const bool base = among(word, {"base", "baseline"});
    found = found || base;
    if (!base) rest += (rest.empty() ? "" : "_") + word;
  }
  if (!found || rest.empty()) return {};
  const ColumnKind kind = column_named(rest).kind;
  const bool known = kind == ColumnKind::kWorkers || kind == ColumnKind::kTime ||
                     kind == ColumnKind::kRate || kind == ColumnKind::kWorkerRate;
  return known ? std::optional(kind) : std::nullopt;
}

}  // namespace

bool is_worker_word(std::string_view word) {
  return workers_rank(word) != 0 ||
         among(word, {"gpu", "node", "core", "worker", "rank", "process", "processor", "chip",
                      "accelerator", "device", "thread", "cpu", "host"});
}

ColumnName column_named(std::string_view name) {
  ColumnName says;
  Words words = words_of(name);
  if (words.empty()) return says;
  says.base_of = base_name(words);
  // A number at the end, or before a unit, counts repeats or workers: t1, run_2 (ms), compute 3.
  for (std::size_t i = words.size(); i-- > 1;) {
    if (!starts_with_digit(words[i])) continue;
    if (i + 1 != words.size() && !(i + 2 == words.size() && seconds_of(words[i + 1]))) break;
    says.index = static_cast<int>(
        std::clamp<std::int64_t>(parse_integer(words[i]).value_or(1'000'000), 0, 1'000'000));
    says.repeat_of = repeat_of(words, i);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (fixed_name(words, says) || worker_part_name(words, says)) return says;
  if (workers_name(words, says)) {
    says.kind = ColumnKind::kWorkers;
    return says;
  }
  says.rank = 0;
  if (names_workers(words, says)) {
    says.kind = ColumnKind::kWorkersIn;
    return says;
  }
  read_statistic(words, says);
  const bool named = !holds(words, kNotMeasured);
  const bool measured = named && !holds(words, kParts);
  if (measured && (rate_name(words, says) || ratio_name(words, says) || time_name(words, says))) {
    if (in_minutes(name)) says.minutes_or_minimum = false;
    return says;
  }
  // "Max memory" is no summary of times; a bare "max" may be.
  if (count_unexplained(words, {}) > 0) says.statistic.clear();
  says.no_setting = !measured || holds(words, kObserved) || counts_iterations(words);
  says.is_day = day_name(words);
  says.is_remark = !says.is_day && remark_name(words);
  if (says.is_day || says.is_remark) return says;
  if (ColumnName part; named && !measured && !says.index && time_name(words, part)) {
    says.is_part = true;
    says.scale = part.scale;
    says.of_one_step = part.of_one_step;
  }
  if (named && !converged_name(words, says)) setting_name(words, says);
  return says;
}

}  // namespace kstar
