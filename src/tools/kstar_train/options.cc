#include "tools/kstar_train/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/number.h"
#include "base/text.h"

namespace kstar::train {

namespace {

constexpr std::int64_t kMostBatch = 10'000'000;
constexpr double kMostMs = 60'000;
constexpr int kMostWorkers = 1024;

/// The options while they are read.
struct Draft {
  Options options;
  std::optional<int> workers;
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> batch_per_worker;
};

using Read = std::function<Result<void>(Draft&, const std::string& value)>;
enum class Takes { kNothing, kValue, kMaybe };  // kMaybe: only behind an equals sign

struct Flag {
  std::string name;
  std::string value;  // what it is called in the help
  std::string text;
  Read read;
  Takes takes = Takes::kValue;
};

Error wrong(std::string_view where, std::string_view what, std::string_view got,
            std::string_view hint = "") {
  Error error = expected(where, what, printable(got), hint);
  error.code = ExitCode::kUsage;
  return error;
}

Result<std::int64_t> integer(const std::string& flag, std::string_view text, std::int64_t least,
                             std::int64_t most) {
  const auto value = parse_integer(text);
  if (value && *value >= least && *value <= most) return *value;
  return fail(wrong(flag, fmt::format("an integer from {} to {}", least, most), text));
}

Result<double> number(const std::string& flag, std::string_view text, double least, double most) {
  const auto value = parse_double(text);
  if (value && *value >= least && *value <= most) return *value;
  return fail(wrong(flag, fmt::format("a number from {} to {}", least, most), text));
}

/// A flag whose integer goes to the place that `place` finds.
template <typename Place>
Flag integer_flag(const std::string& name, std::string text, std::int64_t least, std::int64_t most,
                  Place place) {
  Read read = [=](Draft& draft, const std::string& value) -> Result<void> {
    const auto read_value = integer(name, value, least, most);
    if (!read_value) return fail(read_value.error());
    auto& target = place(draft);
    target = static_cast<std::remove_reference_t<decltype(target)>>(*read_value);
    return {};
  };
  return {.name = name, .value = "N", .text = std::move(text), .read = std::move(read)};
}

template <typename Place>
Flag number_flag(const std::string& name, std::string value_name, std::string text, double least,
                 double most, Place place) {
  Read read = [=](Draft& draft, const std::string& value) -> Result<void> {
    const auto read_value = number(name, value, least, most);
    if (!read_value) return fail(read_value.error());
    place(draft) = *read_value;
    return {};
  };
  return {.name = name,
          .value = std::move(value_name),
          .text = std::move(text),
          .read = std::move(read)};
}

Flag switch_flag(std::string name, std::string text, bool Options::*place) {
  Read read = [place](Draft& draft, const std::string&) -> Result<void> {
    draft.options.*place = true;
    return {};
  };
  return {.name = std::move(name),
          .text = std::move(text),
          .read = std::move(read),
          .takes = Takes::kNothing};
}

/// WORKER:MS[:CHANCE]
Result<void> read_straggler(Draft& draft, const std::string& text) {
  const std::string flag = "--straggler";
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) {
    return fail(wrong(flag, "WORKER:MS or WORKER:MS:CHANCE", text, "for example 1:20:0.5"));
  }
  const bool each = parts[0] == "each";
  const auto worker =
      each ? Result<std::int64_t>(-1) : integer(flag, parts[0], -1, kMostWorkers - 1);
  if (!worker) return fail(worker.error());
  const auto ms = number(flag, parts[1], 0, kMostMs);
  if (!ms) return fail(ms.error());
  const Result<double> chance = parts.size() < 3 ? 1.0 : number(flag, parts[2], 0, 1);
  if (!chance) return fail(chance.error());
  draft.options.planted.straggler = Straggler{
      .worker = static_cast<int>(*worker), .each = each, .seconds = *ms / 1e3, .chance = *chance};
  return {};
}

/// 3x or 5ms
Result<void> read_slow_all_reduce(Draft& draft, const std::string& text) {
  const std::string flag = "--slow-allreduce", what = "a factor like 3x or a delay like 5ms";
  const bool is_factor = text.ends_with("x"), is_delay = text.ends_with("ms");
  if (!is_factor && !is_delay) return fail(wrong(flag, what, text));
  const auto value =
      number(flag, std::string_view(text).substr(0, text.size() - (is_delay ? 2 : 1)),
             is_delay ? 0 : 1, is_delay ? kMostMs : 1e6);
  if (!value) return fail(value.error());
  Planted& planted = draft.options.planted;
  if (is_factor) planted.all_reduce_factor = *value;
  if (is_delay) planted.all_reduce_seconds = *value / 1e3;
  return {};
}

struct AllReduceName {
  AllReduce all_reduce;
  std::string name;
};

std::vector<AllReduceName> all_reduces_of(const Engine& engine) {
  std::vector<AllReduceName> all = {{AllReduce::kFused, "fused"}, {AllReduce::kLayered, "layered"}};
  if (engine.overlaps) all.push_back({AllReduce::kOverlapped, "overlapped"});
  return all;
}

Result<void> read_all_reduce(const Engine& engine, Draft& draft, const std::string& text) {
  std::string names;
  for (const auto& [all_reduce, name] : all_reduces_of(engine)) {
    if (text == name) {
      draft.options.all_reduce = all_reduce;
      return {};
    }
    names += (names.empty() ? "" : " or ") + name;
  }
  const bool elsewhere = text == "overlapped";
  return fail(wrong("--allreduce", names, text,
                    elsewhere ? "kstar-train-mpi sums in the background, threads do not" : ""));
}

Flag all_reduce_flag(const Engine& engine) {
  std::string names;
  for (const auto& [_, name] : all_reduces_of(engine)) names += (names.empty() ? "" : "|") + name;
  return {.name = "--allreduce",
          .value = names,
          .text = "sums the gradients all at once (fused), layer by layer after the backward pass" +
                  std::string(engine.overlaps ? ", or each layer as soon as it is ready" : ""),
          .read = [engine](Draft& draft, const std::string& text) {
            return read_all_reduce(engine, draft, text);
          }};
}

Result<void> read_memory_bound(Draft& draft, const std::string& text) {
  const auto mib = text.empty() ? Result<double>(default_stream_mib())
                                : number("--memory-bound", text, 1, 65536);
  if (!mib) return fail(mib.error());
  draft.options.planted.stream_mib = *mib;
  return {};
}

std::vector<Flag> planted_flags() {
  std::vector<Flag> all;
  all.push_back({.name = "--straggler",
                 .value = "WORKER:MS[:CHANCE]",
                 .text = "this worker is late, in this share of the steps (all); -1 is a different "
                         "worker each time, 'each' every worker independently",
                 .read = read_straggler});
  all.push_back(number_flag(
      "--imbalance", "I", "worker 0 gets 1 + I times the mean share of the batch", 0,
      kMostWorkers - 1, [](Draft& d) -> double& { return d.options.planted.imbalance; }));
  Flag serial =
      number_flag("--serial", "MS", "a serial part: worker 0 works while the others wait", 0,
                  kMostMs, [](Draft& d) -> double& { return d.options.planted.serial; });
  serial.read = [inner = serial.read](Draft& draft, const std::string& value) {
    auto done = inner(draft, value);
    if (done) draft.options.planted.serial /= 1e3;
    return done;
  };
  all.push_back(std::move(serial));
  all.push_back({.name = "--slow-allreduce",
                 .value = "3x|5ms",
                 .text = "the all-reduce of two workers or more takes a multiple of its time, or "
                         "this much longer",
                 .read = read_slow_all_reduce});
  all.push_back({.name = "--memory-bound",
                 .value = "[=MIB]",
                 .text = "each step also streams through memory: this much over all workers, or "
                         "per worker with --batch-per-worker (twice the cache)",
                 .read = read_memory_bound,
                 .takes = Takes::kMaybe});
  return all;
}

std::vector<Flag> flags_of(const Engine& engine) {
  const std::string workers = fmt::format("{} that train together ({})", engine.worker,
                                          engine.workers ? "those there are" : "1");
  std::vector<Flag> all = {
      integer_flag(
          "--workers", workers, 1, kMostWorkers, [](Draft & d) -> auto& { return d.workers; }),
      integer_flag(
          "--batch", "samples per step over all workers: strong scaling (256)", 1, kMostBatch,
          [](Draft & d) -> auto& { return d.batch; }),
      integer_flag(
          "--batch-per-worker", "samples per step and worker: weak scaling", 1, kMostBatch,
          [](Draft & d) -> auto& { return d.batch_per_worker; }),
      integer_flag("--steps", "steps in total (50)", 1, 1'000'000'000,
                   [](Draft& d) -> int& { return d.options.steps; }),
      integer_flag("--warm-up", "the first of them, not timed (5)", 0, 1'000'000'000,
                   [](Draft& d) -> int& { return d.options.warm_up; }),
      integer_flag(
          "--seed", "of data, network and chance (1)", 0, INT64_MAX,
          [](Draft & d) -> auto& { return d.options.seed; }),
      integer_flag("--width", "of a hidden layer (128)", 1, 8192,
                   [](Draft& d) -> int& { return d.options.width; }),
      integer_flag("--depth", "hidden layers (2)", 1, 64,
                   [](Draft& d) -> int& { return d.options.depth; }),
      integer_flag(
          "--chain",
          "operations per sample that wait for each other, beside the network: latency "
          "alone, which busy neighbours hardly change (0)",
          0, 1'000'000'000, [](Draft & d) -> auto& { return d.options.chain; }),
      number_flag("--rate", "X", "learning rate (0.01)", 0, 1000,
                  [](Draft& d) -> double& { return d.options.rate; }),
      number_flag("--momentum", "X", "of the optimiser (0.9)", 0, 0.9999,
                  [](Draft& d) -> double& { return d.options.momentum; }),
      all_reduce_flag(engine)};
  for (Flag& flag : planted_flags()) all.push_back(std::move(flag));
  all.push_back(switch_flag("--print-loss", "the loss of every step", &Options::print_loss));
  all.push_back(switch_flag("--print-gradient", "the mean gradient of the last step",
                            &Options::print_gradient));
  all.push_back(switch_flag("--json", "one line of JSON instead of text", &Options::json));
  all.push_back(switch_flag("--help", "show this help", &Options::help));
  return all;
}

Error unknown(const std::string& word, const std::vector<Flag>& flags, const Engine& engine) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  const std::string near = did_you_mean(word, names);
  return wrong("command line", "an option", word,
               near.empty() ? engine.program + " --help lists them" : "did you mean " + near + "?");
}

/// Reads the flag at `at` and leaves `at` on its last word.
Result<void> read_flag(const std::vector<std::string>& words, std::size_t& at, const Flag& flag,
                       Draft& draft) {
  const std::size_t equals = words[at].find('=');
  const bool has_value = equals != std::string::npos;
  if (has_value && flag.takes == Takes::kNothing) {
    return fail(wrong(flag.name, "no value", words[at].substr(equals + 1)));
  }
  if (has_value) return flag.read(draft, words[at].substr(equals + 1));
  if (flag.takes != Takes::kValue) return flag.read(draft, "");
  if (at + 1 == words.size()) return fail(wrong(flag.name, flag.value + " after it", "nothing"));
  return flag.read(draft, words[++at]);
}

Result<Draft> read_words(const std::vector<std::string>& words, const Engine& engine) {
  const std::vector<Flag> flags = flags_of(engine);
  Draft draft;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string name = words[at].substr(0, words[at].find('='));
    const auto flag = std::find_if(flags.begin(), flags.end(),
                                   [&](const Flag& candidate) { return candidate.name == name; });
    if (flag == flags.end()) return fail(unknown(name, flags, engine));
    if (auto read = read_flag(words, at, *flag, draft); !read) return fail(read.error());
  }
  return draft;
}

Result<int> workers_of(const Draft& draft, const Engine& engine) {
  const int workers = engine.workers.value_or(draft.workers.value_or(1));
  if (workers > kMostWorkers) {
    return fail(wrong(engine.program, fmt::format("at most {} {}", kMostWorkers, engine.worker),
                      std::to_string(workers)));
  }
  if (draft.workers.value_or(workers) == workers) return workers;
  return fail(wrong("--workers", fmt::format("{}, the {} of this job", workers, engine.worker),
                    std::to_string(*draft.workers), "it may be omitted"));
}

Result<Options> checked(const Draft& draft, const Engine& engine) {
  Options options = draft.options;
  const auto workers = workers_of(draft, engine);
  if (!workers) return fail(workers.error());
  options.workers = *workers;
  if (draft.batch && draft.batch_per_worker) {
    return fail(wrong("--batch-per-worker", "it without --batch", "both",
                      "--batch is the whole batch (strong), the other a worker's (weak)"));
  }
  if (draft.batch) options.batch = *draft.batch;
  options.weak = draft.batch_per_worker.has_value();
  if (options.weak) options.batch = *draft.batch_per_worker * options.workers;
  if (options.batch < options.workers) {
    return fail(wrong("--workers", fmt::format("at most the batch of {}", options.batch),
                      std::to_string(options.workers), "every worker needs a sample"));
  }
  if (options.warm_up >= options.steps && !options.help) {
    return fail(wrong("--warm-up", fmt::format("fewer than the {} steps", options.steps),
                      std::to_string(options.warm_up)));
  }
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& words, const Engine& engine) {
  const auto draft = read_words(words, engine);
  if (!draft) return fail(draft.error());
  return checked(*draft, engine);
}

std::string help_text(const Engine& engine) {
  std::string text = fmt::format(
      "{}: trains a small network on synthetic data, data-parallel over {}.\n"
      "It marks its steps and phases for kstar (docs/marks.md). The planted causes are known\n"
      "truths for a diagnosis to find.\n\n",
      engine.program, engine.worker);
  for (const Flag& flag : flags_of(engine)) {
    const std::string between = flag.takes == Takes::kValue ? " " : "";
    const std::string left = flag.name + between + flag.value;
    const auto lines = wrap(flag.text, 50);
    const bool fits = left.size() <= 32;
    text += fits ? fmt::format("  {:<32} {}\n", left, lines.front()) : fmt::format("  {}\n", left);
    for (std::size_t i = fits ? 1 : 0; i < lines.size(); ++i)
      text += fmt::format("{:35}{}\n", "", lines[i]);
  }
  return text;
}

}  // namespace kstar::train
