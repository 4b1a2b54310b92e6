#include "import/csv/column_name.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "base/number.h"
#include "base/text.h"
#include "import/csv/name_table.h"

namespace kstar {

namespace {

bool among(std::string_view word, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

bool holds_any(const Words& words, std::initializer_list<std::string_view> names) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return among(word, names); });
}

bool all_are(const Words& words, std::initializer_list<Sense> senses) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(senses.begin(), senses.end(),
                       [&](Sense sense) { return means(word, sense); });
  });
}

int count_unexplained(const Words& words, std::initializer_list<Sense> known) {
  return static_cast<int>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    // In front, as in H100 (s), an h is no unit.
    const bool unit = seconds_of(word) && (word != "h" || &word != &words.front());
    const bool explained =
        unit || means(word, Sense::kFiller) || means(word, Sense::kStatistic) ||
        (means(word, Sense::kStepWord) && !holds(words, "per")) ||
        std::any_of(known.begin(), known.end(), [&](Sense sense) { return means(word, sense); });
    return !explained;
  }));
}

void read_statistic(const Words& words, ColumnName& name) {
  for (const std::string& word : words) {
    if (means(word, Sense::kStatistic)) name.statistic = word;
  }
  // "min_s" is a minimum, "time_min" may be minutes.
  if (words.size() > 1 && words.front() == "min") name.statistic = "min";
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "p" && (words[i + 1].size() == 2 || words[i + 1] == "100") &&
        is_digit(words[i + 1][0])) {
      name.statistic = words[i] + words[i + 1];
    }
  }
}

int rank_in(const std::string& word) {
  return static_cast<int>(
      std::max(number_of(word, Sense::kWorkers), number_of(word, Sense::kWorker)));
}

/// "gpus per node", "ranks/node", "threads_per_rank", "ppn".
bool part_count_name(const Words& words, ColumnName& name) {
  if (words.size() == 1 && among(words[0], {"ppn", "rpn", "tpn", "gpn"})) {
    name.rank = words[0] == "gpn" ? kRankOfGpus : kRankOfRanks;
    name.rank_of_part = kRankOfNodes;
    return true;
  }
  int counted = 0, part = 0;
  bool behind = false;
  for (const std::string& word : words) {
    const int rank = word == "k" ? 0 : rank_in(word);
    if (word == "per" && !behind) {
      behind = true;
    } else if (rank > 1 && rank <= kRankOfNodes && (behind ? part : counted) == 0) {
      (behind ? part : counted) = rank;
    } else if (!means(word, Sense::kCounting) && word != "each") {
      return false;
    }
  }
  if (counted == 0 || part == 0 || counted == part) return false;
  name.rank = counted;
  name.rank_of_part = part;
  return true;
}

/// One name of a worker, and around it nothing but words for counting. A bare k counts by itself:
/// "n_K" is how many K there are.
bool workers_name(const Words& words, ColumnName& name) {
  if (name.index) return false;  // "p50", "gpu 3"
  if (words == Words{"world", "size"} || words == Words{"worldsize"}) {
    name.rank = kRankOfRanks;
    return true;
  }
  // As papers write it; any other name of workers goes before.
  if (words == Words{"p"} || words == Words{"number", "p"}) {
    name.rank = kRankOfClients;
    return true;
  }
  if (words.size() == 1 && means(words[0], Sense::kModel)) {
    name.rank = static_cast<int>(number_of(words[0], Sense::kModel));
    name.singular = true;
    return true;
  }
  // "node number" is one of them.
  const bool counted =
      holds_any(words, {"num", "count", "n", "nb", "numero", "anzahl", "nombre", "total"}) ||
      (among(words[0], {"no", "number"}) && (holds(words, "of") || words.size() > 1));
  int names = 0, others = 0;
  bool one = false;
  for (const std::string& word : words) {
    const int plural = word == "k" ? 0 : static_cast<int>(number_of(word, Sense::kWorkers));
    const int single = static_cast<int>(number_of(word, Sense::kWorker));
    // "CPU cores"
    const bool kind = among(word, {"cpu", "v", "virtual", "physical", "logical"}) &&
                      holds_any(words, {"cores", "cpus"});
    if (kind) continue;
    if (plural != 0 || single != 0) {
      name.rank = std::max(plural, single);
      one = plural == 0;
      ++names;
    } else if (!means(word, Sense::kCounting)) {
      ++others;
    }
  }
  if (words.size() == 1 && words[0] == "k") name.rank = 1;
  // "gpu_count" and "n_gpu" count what one of them is called; "rank_no" is one of them.
  if (one && !counted && words.size() > 1) return false;
  name.singular = one && !counted;
  return name.rank != 0 && names <= 1 && others == 0;
}

/// "cpu_time", "core-hours", "per cpu second": what all workers took together, or one of them.
bool is_resource_time(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& next = words[i + 1];
    if (rank_in(words[i]) < 2 || means(words[i], Sense::kFiller)) continue;
    if (means(next, Sense::kTime) || seconds_of(next)) return true;
  }
  return holds_any(words, {"cputime", "corehours", "nodehours", "gpuhours", "chours"});
}

/// A simulation counts its own time: ns/day is a rate, hour/ns the time of a piece of work.
bool simulated_name(const Words& words, ColumnName& name) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool per = words[i + 1] == "per";
    const std::size_t behind = i + (per ? 2 : 1);
    if (behind >= words.size()) continue;
    const auto simulated = [](std::string_view word) { return means(word, Sense::kSimulated); };
    const auto long_unit = [](std::string_view word) {
      const auto seconds = seconds_of(word);
      return seconds && *seconds >= 1;
    };
    // "simulated days per day", too
    const bool of_time = simulated(words[i]) && (per || words[behind] == "day");
    if ((of_time || (per && long_unit(words[i]))) && long_unit(words[behind])) {
      name.kind = ColumnKind::kRate;
      name.scale = 1 / *seconds_of(words[behind]);
      name.work = words[i];
      return true;
    }
    if (per && long_unit(words[i]) && simulated(words[behind])) {
      name.kind = ColumnKind::kTime;
      name.scale = *seconds_of(words[i]);
      name.work = words[behind];
      return true;
    }
  }
  return false;
}

/// The place of "per" before a unit of time, or the end.
std::size_t per_time(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "per" && seconds_of(words[i + 1])) return i;
  }
  return words.size();
}

/// "zone-cycles/cpu_second": the clock of a processor counts seconds, too.
bool cpu_rate_name(const Words& words, ColumnName& name) {
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    if (words[i] != "per" || words[i + 1] != "cpu" || !seconds_of(words[i + 2])) continue;
    name.kind = ColumnKind::kRate;
    name.scale = 1 / *seconds_of(words[i + 2]);
    name.work = words[i - 1];
    return true;
  }
  return false;
}

bool rate_name(const Words& words, ColumnName& name) {
  if (holds(words, Sense::kRelative) || holds(words, "percent")) return false;
  // A learning rate and a rate of hits are no work.
  if (holds(words, Sense::kAverse)) return false;
  const std::size_t per = per_time(words);
  // "Time / s" is a time in seconds, as in physics.
  const bool counted = per < words.size() && !means(words[0], Sense::kTime);
  const bool alone = words.size() == 1 && words[0] == "x";
  const bool over_time = holds(words, "over") && holds(words, Sense::kTime);
  const bool named = holds(words, Sense::kRate);
  if (!counted && !alone && !over_time && !named) return false;
  // "tps_ms" says two things.
  const bool unit = seconds_of(words.back()) && words.back() != "s" && words.back() != "sec";
  if (named && !counted && (unit || holds(words, Sense::kTime)) && !over_time) return false;
  name.kind = ColumnKind::kRate;
  if (counted) {
    name.scale = 1 / *seconds_of(words[per + 1]);
    name.work = per > 0 ? words[per - 1] : "";
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "per" && is_worker_word(words[i + 1])) name.kind = ColumnKind::kWorkerRate;
  }
  name.unexplained = count_unexplained(words, {Sense::kRate});
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

/// "CPU / wall time": one time in units of another.
bool is_ratio_of_times(const Words& words) {
  const auto per = std::find(words.begin(), words.end(), "per");
  return per != words.begin() && per != words.end() && per + 1 != words.end() &&
         means(words.back(), Sense::kTime) && !seconds_of(words.back()) &&
         !seconds_of(*(per - 1)) && means(*(per + 1), Sense::kTime);
}

bool time_name(const Words& words, ColumnName& name) {
  if (holds(words, Sense::kRelative) || is_ratio_of_times(words) || holds(words, Sense::kRate))
    return false;
  if (holds(words, "percent")) return false;
  name.of_one_step = holds(words, Sense::kStepWord);
  if (const std::size_t unit = time_per(words); unit < words.size()) {
    name.kind = ColumnKind::kTime;
    name.scale = *seconds_of(words[unit]);
    if (!name.of_one_step) name.work = words[unit + 2];
    name.unexplained = 1 + count_unexplained(words, {Sense::kTime});
    return true;
  }
  // Alone, "s" may be a speedup, "min" a minimum and "h" anything.
  const bool says_time = holds(words, Sense::kTime) || words == Words{"real"};
  // "total_days" are simulated, but for those of a training.
  const bool days = among(words.back(), {"day", "days"}) && words.size() > 1 &&
                    !holds_any(words, {"train", "training"});
  const bool unit = seconds_of(words.back()) && (says_time || !days) &&
                    (words.size() > 1 || !among(words[0], {"s", "min", "h", "day"})) &&
                    (says_time || words.back() != "min" || name.unit_in_brackets);
  if (!says_time && !unit && !name.unit_in_brackets) return false;
  name.kind = ColumnKind::kTime;
  name.scale = name.unit_in_brackets ? name.unit : seconds_of(words.back()).value_or(1);
  // "time ms N"
  if (!name.unit_in_brackets && !seconds_of(words.back())) {
    for (const std::string& word : words) {
      if (seconds_of(word) && word.size() > 1 && word != "min") name.scale = *seconds_of(word);
    }
  }
  // "Time (m)"
  if (says_time && words.size() > 1 && words.back() == "m") name.scale = 60;
  name.minutes_or_minimum = (unit && words.back() == "min") || words.back() == "m";
  const Words without_m(words.begin(), words.end() - (words.back() == "m" ? 1 : 0));
  name.unexplained = count_unexplained(without_m, {Sense::kTime}) + (says_time ? 0 : 1);
  if (holds(words, "latency")) ++name.unexplained;  // of the job, or of a message
  const bool percentile = is_digit(name.statistic.empty() ? ' ' : name.statistic.back()) ||
                          (words[0] == "p" && name.index.value_or(0) >= 50);
  name.of_request = percentile || holds(words, Sense::kRequest);
  return true;
}

bool ratio_name(const Words& words, ColumnName& name) {
  const bool two = holds(words, "speed") && holds(words, "up");
  const auto alone = [&](std::string_view letter) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == letter || among(word, {"k", "p", "rel", "percent"});
    });
  };
  if (holds(words, Sense::kEfficiency) || (holds(words, "e") && alone("e"))) {
    name.kind = ColumnKind::kEfficiency;
  } else if (holds(words, Sense::kSpeedup) || two || (holds(words, "s") && alone("s"))) {
    name.kind = ColumnKind::kSpeedup;
  } else if (holds(words, "scaling")) {
    name.kind = ColumnKind::kSpeedup;
    name.speedup_or_efficiency = true;
  } else {
    return false;
  }
  if (holds_any(words, {"percent", "pct"})) name.scale = 0.01;
  Words rest;
  for (const std::string& word : words) {
    if (!among(word, {"speed", "up", "scaling", "s", "e", "percent", "pct"})) rest.push_back(word);
  }
  name.unexplained =
      count_unexplained(rest, {Sense::kSpeedup, Sense::kEfficiency, Sense::kRelative});
  return true;
}

bool worker_part_name(const Words& words, ColumnName& name) {
  if (!name.index || words.empty()) return false;
  const std::string& first = words[0];
  if (among(first, {"compute", "computation", "useful"})) name.kind = ColumnKind::kCompute;
  if (among(first, {"comm", "communicate", "communication"})) name.kind = ColumnKind::kCommunicate;
  if (first == "mpi" && !holds(words, "n")) name.kind = ColumnKind::kCommunicate;
  if (among(first, {"wait", "waiting", "idle"})) name.kind = ColumnKind::kWait;
  if (first == "work") name.kind = ColumnKind::kWork;
  if (name.kind == ColumnKind::kOther) return false;
  if (name.kind != ColumnKind::kWork) name.scale = seconds_of(words.back()).value_or(1);
  return true;
}

/// What a training needed: "samples_to_converge", "epochs until converged"; or "samples" alone.
bool converged_name(const Words& words, ColumnName& name) {
  if (name.index || !holds(words, Sense::kSample)) return false;
  for (const std::string& word : words) {
    const bool counted = means(word, Sense::kSample);
    const bool around = among(word, {"or", "until", "needed", "trained"}) ||
                        means(word, Sense::kConverge) || means(word, Sense::kFiller);
    if (!counted && !around) return false;
    if (counted) name.work += (name.work.empty() ? "" : " or ") + word;
  }
  name.until_converged = holds(words, Sense::kConverge);
  name.kind = ColumnKind::kConverged;
  return true;
}

/// "cells per core", "batch/gpu", "local size": the part of one worker.
void read_part(const Words& words, ColumnName& name) {
  name.of_one_worker = holds(words, "local");
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "per" || !is_worker_word(words[i + 1])) continue;
    name.of_one_worker = true;
    name.rank_of_part = rank_in(words[i + 1]);
  }
}

/// "n_x" and "N" have one, "n_omp" counts.
bool names_side(const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const bool side = means(word, Sense::kDimension) || means(word, Sense::kAxis);
    return side && (words.size() == 1 || !means(word, Sense::kCounting));
  });
}

void problem_name(const Words& words, ColumnName& name) {
  if (name.index) return;
  read_part(words, name);
  // Per something that is no worker: nobody knows what it is multiplied with.
  const bool per_other = holds(words, "per") && !name.of_one_worker;
  const bool small = holds_any(words, {"micro", "mini"});
  const auto doubt = [&] { return count_unexplained(words, {Sense::kBatch, Sense::kSize}); };
  if (holds(words, Sense::kBatch) && !small && !holds_any(words, {"cell", "tokens"}) &&
      !per_other) {
    name.kind = ColumnKind::kBatch;
    name.unexplained = doubt();
  } else if (holds(words, Sense::kSize) && !small && !per_other &&
             !holds_any(words, {"bytes", "file", "batch"})) {
    // A matrix, a grid or a mesh of that size has more cells than that.
    const bool side = holds_any(words, {"matrix", "grid", "mesh", "dim", "dimension"});
    name.kind = side ? ColumnKind::kDimension : ColumnKind::kSize;
    name.unexplained = doubt();
  } else if (all_are(words, {Sense::kDimension, Sense::kAxis, Sense::kCounting, Sense::kFiller}) &&
             names_side(words) && !per_other) {
    name.kind = ColumnKind::kDimension;
    // "dim_x" as well
    name.axis = all_are(words, {Sense::kAxis, Sense::kCounting}) ||
                (words.size() == 2 && means(words[0], Sense::kDimension) &&
                 among(words[1], {"x", "y", "z"}));
  } else if (words[0] == "nex" || (holds(words, Sense::kDimension) && words.size() == 2 &&
                                   !per_other && words[0].size() > 1)) {
    name.kind = ColumnKind::kDimension;
  } else if (holds(words, Sense::kSetting)) {
    name.kind = ColumnKind::kSetting;
  }
}

bool fixed_name(const Words& words, ColumnName& name) {
  const bool one = words.size() == 1;
  const std::string& first = words[0];
  const auto named = [&](Sense sense) {
    return (one && means(first, sense)) || is_phrase(words, sense);
  };
  const bool steps = all_are(words, {Sense::kFiller, Sense::kSteps}) && holds(words, Sense::kSteps);
  if (steps || is_phrase(words, Sense::kSteps)) {
    name.kind = ColumnKind::kSteps;
  } else if (holds(words, Sense::kBuild) && !holds(words, Sense::kTime)) {
    name.kind = ColumnKind::kBuild;
  } else if (named(Sense::kRepeat)) {
    name.kind = ColumnKind::kRepeat;
  } else if (named(Sense::kCounter)) {
    name.kind = ColumnKind::kCounter;
  } else if (named(Sense::kStatus) || named(Sense::kGood)) {
    name.kind = ColumnKind::kStatus;
  } else if (named(Sense::kMetric)) {
    name.kind = ColumnKind::kMetric;
  } else if (one && first == "value") {
    name.kind = ColumnKind::kValue;
  } else {
    return false;
  }
  return true;
}

bool remark_name(const Words& words) {
  return holds(words, Sense::kRemark) || is_phrase(words, Sense::kRemark) ||
         (words.size() == 1 && among(words[0], {"host", "job", "id"}));
}

bool day_name(const Words& words) {
  return holds(words, Sense::kDay) ||
         (words.size() <= 2 && among(words[0], {"start", "end", "stop", "submit"}) &&
          words.back() != "line") ||
         is_phrase(words, Sense::kDay);
}

/// The words around a number that may count repeats. Nothing of others: the numbers of p50, gcc 12,
/// time_n1000 and A100 are a part of what was measured.
std::string repeat_of(const Words& words, std::size_t index) {
  // Of a rate any words may say what is done a second: images/s 1.
  const bool rate = index >= 3 && words[index - 2] == "per" && seconds_of(words[index - 1]);
  const bool counts = rate || means(words[index - 1], Sense::kNumbered);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == index) continue;
    const bool known = means(words[i], Sense::kTime) || means(words[i], Sense::kRate) ||
                       means(words[i], Sense::kNumbered) || seconds_of(words[i]) ||
                       among(words[i], {"clock", "total", "real"});
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
  const bool known = kind == ColumnKind::kWorkers || kind == ColumnKind::kTime || is_rate(kind);
  return known ? std::optional(kind) : std::nullopt;
}

/// A factor of POP's, and the words of which a column's name holds one of each pair.
std::string_view factor_name(const Words& words) {
  struct Factor {
    std::string_view name, subject, other_subject, measure, other_measure;
  };
  constexpr Factor kFactors[] = {
      {"load_balance", "load", "load", "balance", "balance"},
      {"communication_efficiency", "comm", "communication", "efficiency", "eff"},
      {"parallel_efficiency", "parallel", "parallel", "efficiency", "eff"},
      {"transfer_efficiency", "transfer", "transfer", "efficiency", "eff"},
      {"serialization_efficiency", "serialization", "serialisation", "efficiency", "eff"},
      {"computation_scalability", "computation", "comp", "scalability", "scaling"},
      {"computation_scalability", "computational", "comp", "scalability", "scaling"},
      {"ipc_scalability", "ipc", "ipc", "scalability", "scaling"},
      {"instruction_scalability", "instruction", "instructions", "scalability", "scaling"},
      {"frequency_scalability", "frequency", "frequency", "scalability", "scaling"}};
  for (const Factor& one : kFactors) {
    if (holds_any(words, {one.subject, one.other_subject}) &&
        holds_any(words, {one.measure, one.other_measure})) {
      return one.name;
    }
  }
  return {};
}

/// Shared and distributed memory are no amounts of it: they name how a program is written.
void drop_memory(Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "memory" || !among(words[i - 1], {"shared", "distributed"})) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// "T(p)" and "Number of tasks (p)" are about any number of workers; behind an arrow or an equals
/// sign stands how it was computed.
std::string_view without_remarks(std::string_view name, std::string& kept) {
  name = name.substr(0, std::min({name.find("->"), name.find(" = "), name.find("=>")}));
  for (const std::string_view letters :
       {"(p)", "(n)", "(k)", "(K)", "(P)", "(N)", "(n,p)", "(n, p)"}) {
    const std::size_t at = name.find(letters);
    if (at == std::string_view::npos || at == 0) continue;
    kept = std::string(name.substr(0, at)) + " " + std::string(name.substr(at + letters.size()));
    return kept;
  }
  return name;
}

/// What stands in each pair of brackets.
std::vector<Words> words_in_brackets(std::string_view name) {
  std::vector<Words> found;
  for (const auto& [open, close] : {std::pair('(', ')'), std::pair('[', ']')}) {
    for (std::size_t at = name.find(open); at != name.npos; at = name.find(open, at + 1)) {
      const std::size_t end = name.find(close, at);
      if (end == name.npos) break;
      found.push_back(words_of(name.substr(at + 1, end - at - 1)));
    }
  }
  return found;
}

/// "Time (ms), N = 1000": the unit in brackets.
void read_unit(std::string_view name, ColumnName& says) {
  for (const Words& inside : words_in_brackets(name)) {
    if (inside.size() != 1 || !seconds_of(inside[0])) continue;
    says.unit = *seconds_of(inside[0]);
    says.unit_in_brackets = true;
  }
}

/// "Time (mm:ss)", "elapsed [h:mm]": what its clocks count.
double clock_in(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const std::string_view seconds : {"m:ss", "min:sec", "minutes:sec", "m:s)", "m:s]"}) {
    if (lower.find(seconds) != std::string::npos) return 1;
  }
  for (const std::string_view minutes : {"h:mm", "h:m)", "h:m]", "hours:min"}) {
    if (lower.find(minutes) != std::string::npos) return 60;
  }
  return 0;
}

/// "1/time", "time (x1000 s)", "time [10^-3 s]": a time that was computed with, and no T.
bool is_transformed(const Words& words) {
  if (words.size() > 2 && words[0] == "1" && words[1] == "per") return true;
  if (holds_any(words, {"log", "ln", "inverse", "inv", "reciprocal", "sqrt"})) return true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& before = words[i - 1];
    const bool number = is_digit(words[i][0]);
    // Times a power of ten, and no grid of 100 x 100.
    const bool power = number && words[i].starts_with("10") && words[i].size() > 2 &&
                       words[i].find_first_not_of('0', 1) == std::string::npos;
    if (power && before == "x" && (i < 2 || !is_digit(words[i - 2][0]))) return true;
  }
  return false;
}

/// A number right before the unit in brackets.
bool has_scaled_unit(std::string_view name) {
  for (const Words& inside : words_in_brackets(name)) {
    for (std::size_t i = 1; i < inside.size(); ++i) {
      const bool percentile = i > 1 && inside[i - 2] == "p";
      if (seconds_of(inside[i]) && is_digit(inside[i - 1][0]) && !percentile) return true;
    }
  }
  return false;
}

/// "rank", "local_rank", "worker_id", "gpu index": one of the workers.
bool numbers_worker(const Words& words) {
  bool one = false;
  for (const std::string& word : words) {
    const bool named = among(word, {"rank", "worker", "gpu", "thread", "core", "proc", "device"});
    one = one || named;
    if (!named && !means(word, Sense::kIndex)) return false;
  }
  return one && (words.size() > 1 || among(words[0], {"rank", "worker"}));
}

/// A number at the end, or before a unit, counts repeats or workers: t1, run_2 (ms), compute 3.
void read_index(Words& words, ColumnName& says) {
  for (std::size_t i = words.size(); i-- > 1;) {
    if (!is_digit(words[i][0])) continue;
    if (i + 1 != words.size() && !(i + 2 == words.size() && seconds_of(words[i + 1]))) return;
    says.index = static_cast<int>(
        std::clamp<std::int64_t>(parse_integer(words[i]).value_or(1'000'000), 0, 1'000'000));
    says.repeat_of = repeat_of(words, i);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace

bool is_worker_word(std::string_view word) {
  return means(word, Sense::kWorkers) || means(word, Sense::kWorker);
}

namespace {

ColumnName named_exactly(std::string_view name) {
  ColumnName says;
  std::string kept;
  const std::string_view meant = without_remarks(name, kept);
  Words words = words_of(meant);
  if (words.empty()) return says;
  drop_memory(words);
  says.factor = factor_name(words);
  says.base_of = base_name(words);
  says.unit = seconds_of(words.back()).value_or(0);
  says.clock = clock_in(meant);
  says.numbers_worker = numbers_worker(words);
  const bool transformed = is_transformed(words) || has_scaled_unit(meant);
  says.is_transformed = transformed && (holds(words, Sense::kTime) || says.unit > 0);
  read_unit(meant, says);
  read_index(words, says);
  if (fixed_name(words, says) || worker_part_name(words, says)) return says;
  if (workers_name(words, says)) {
    says.kind = ColumnKind::kWorkers;
    return says;
  }
  says.rank = 0;
  says.singular = false;
  if (part_count_name(words, says)) {
    says.kind = ColumnKind::kWorkersIn;
    return says;
  }
  if (!transformed && simulated_name(words, says)) return says;
  read_statistic(words, says);
  if (!transformed && cpu_rate_name(words, says)) return says;
  const bool resource = is_resource_time(words);
  const bool named = !holds(words, Sense::kNotMeasured) && !resource && !transformed;
  // "MPI speedup" is that of a program, "MPI time" may be that of a part of it.
  const bool of_part =
      holds(words, Sense::kPart) && !(holds(words, Sense::kModel) && holds(words, Sense::kSpeedup));
  const bool measured = named && !of_part;
  // "scaling_efficiency_pct" is one, though a percentage says nothing about a time.
  const bool percent_only = holds(words, "pct") && !resource;
  if ((measured && rate_name(words, says)) ||
      ((measured || percent_only) && ratio_name(words, says)) ||
      (measured && time_name(words, says))) {
    // In brackets stands a unit, and no summary.
    const std::string lower = lower_case(meant);
    const bool unit =
        lower.find("(min)") != std::string::npos || lower.find("[min]") != std::string::npos;
    if (unit) says.minutes_or_minimum = false;
    return says;
  }
  // "Max memory" is no summary of times; a bare "max" may be.
  if (count_unexplained(words, {}) > 0) says.statistic.clear();
  const bool iterations =
      holds_any(words, {"iters", "iterations"}) && !holds_any(words, {"max", "maximum", "limit"});
  says.no_setting = !measured || holds(words, Sense::kObserved) || iterations ||
                    holds(words, Sense::kRate) || holds(words, Sense::kRelative);
  says.is_day = day_name(words);
  says.is_remark = !says.is_day && remark_name(words);
  if (says.is_day || says.is_remark) return says;
  if (ColumnName part; named && !measured && time_name(words, part)) {
    says.is_part = true;
    says.scale = part.scale;
    says.of_one_step = part.of_one_step;
  }
  if (named && !converged_name(words, says)) problem_name(words, says);
  return says;
}

}  // namespace

ColumnName column_named(std::string_view name) {
  ColumnName says = named_exactly(name);
  // "Number of processes (on one node)": a remark in brackets leaves it K, unless it counts in each
  // of something.
  const std::size_t bracket = name.find_first_of("([");
  const bool amount = says.kind == ColumnKind::kSize || says.kind == ColumnKind::kBatch;
  if ((says.kind != ColumnKind::kOther && !amount) || bracket == std::string_view::npos ||
      bracket == 0) {
    return says;
  }
  const Words inside = words_of(name.substr(bracket));
  const bool number = std::any_of(inside.begin(), inside.end(),
                                  [](const std::string& word) { return is_digit(word[0]); });
  const bool unit = says.unit_in_brackets || holds(inside, "percent");
  if (unit || (holds(inside, "per") && !number)) return says;
  ColumnName bare = named_exactly(name.substr(0, bracket));
  return bare.kind == ColumnKind::kWorkers ? bare : says;
}

}  // namespace kstar
