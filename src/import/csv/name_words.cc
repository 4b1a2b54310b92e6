#include "import/csv/name_words.h"

#include <algorithm>

#include "base/text.h"

namespace kstar {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
}  // namespace

bool among(std::string_view word, Names names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

bool among(std::string_view word, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

bool holds(const Words& words, Names names) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return among(word, names); });
}

bool holds(const Words& words, std::initializer_list<std::string_view> names) {
  return holds(words, Names(names.begin(), names.size()));
}

Words words_of(std::string_view name) {
  Words words(1);
  const auto start_word = [&] {
    if (!words.back().empty()) words.emplace_back();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i > 0 ? name[i - 1] : ' ';
    if (c == '%' || c == '/' || c == '#') {
      start_word();
      words.back() = c == '%' ? "percent" : c == '/' ? "per" : "number";
      start_word();
    } else if (name.substr(i, 2) == "\xC2\xB5" || name.substr(i, 2) == "\xCE\xBC") {
      words.back() += 'u';
      ++i;
    } else if (!is_lower(c) && !is_upper(c) && !is_digit(c)) {
      start_word();
    } else {
      const bool hump = is_upper(c) && is_lower(before);
      if (hump || is_digit(c) != is_digit(before)) start_word();
      words.back() += is_upper(c) ? static_cast<char>(c + 32) : c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool names_target(std::string_view name) {
  return holds(words_of(name),
               {"target", "tolerance", "tol", "rtol", "quality", "checkpoint", "checkpointing",
                "profiling", "profiler", "debug", "offload", "offloading", "assertions"});
}

bool names_setting(std::string_view name) {
  return names_target(name) ||
         holds(words_of(name),
               {"precision", "dtype", "datatype", "amp", "model", "optimizer", "dataset", "network",
                "algorithm", "solver", "mode", "kernel", "resolution"});
}

std::optional<double> seconds_of(std::string_view word) {
  if (among(word, {"s", "sec", "secs", "second", "seconds"})) return 1;
  if (among(word, {"ms", "msec", "msecs", "millisecond", "milliseconds", "millis"})) return 1e-3;
  if (among(word, {"us", "usec", "usecs", "microsecond", "microseconds"})) return 1e-6;
  if (among(word, {"ns", "nsec", "nanosecond", "nanoseconds"})) return 1e-9;
  if (among(word, {"min", "mins", "minute", "minutes"})) return 60;
  if (among(word, {"h", "hr", "hrs", "hour", "hours"})) return 3600;
  if (among(word, {"day", "days"})) return 86400;
  return std::nullopt;
}

int workers_rank(std::string_view word) {
  if (among(word, {"k", "workers", "nworkers"})) return 1;
  if (among(word, {"gpus", "ngpus", "ngpu", "accelerators", "devices", "chips"})) return 2;
  if (among(word, {"ranks", "nranks", "procs", "nprocs", "nproc", "pes", "npes", "processes",
                   "processors", "np", "tasks", "ntasks"})) {
    return 3;
  }
  if (among(word, {"threads", "nthreads"})) return 4;
  if (among(word, {"cores", "ncores", "cpus", "ncpus", "vcpus"})) return 5;
  if (among(word, {"nodes", "nnodes", "hosts", "machines", "servers"})) return 6;
  if (among(word, {"load", "clients", "users", "concurrency"})) return 7;
  return 0;
}

}  // namespace kstar
