#include "tools/kstar_train/program.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "base/number.h"
#include "tools/kstar_train/options.h"

namespace kstar::train {

namespace {

/// A number that runs with other worker counts reproduce to rounding: the size of all parameters.
double checksum(const Outcome& outcome) {
  double sum = 0;
  for (const double parameter : outcome.parameters) sum += std::abs(parameter);
  return sum;
}

std::string loss_lines(const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.losses.size(); ++i) {
    text += fmt::format("step {} loss {}\n", i, significant(outcome.losses[i], 9));
  }
  return text;
}

std::string gradient_lines(const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.gradient.size(); ++i) {
    text += fmt::format("gradient {} {}\n", i, shortest(outcome.gradient[i]));
  }
  return text;
}

std::string text_of(const Options& options, const Outcome& outcome) {
  return fmt::format(
      "workers: {}\nbatch: {}\nsteps: {}\nwarm-up: {}\nparameters: {}\nfirst loss: {}\n"
      "final loss: {}\nchecksum: {}\nseconds per step: {}\n",
      options.workers, options.batch, options.steps, options.warm_up, outcome.parameters.size(),
      significant(outcome.losses.front(), 9), significant(outcome.losses.back(), 9),
      significant(checksum(outcome), 9), significant(outcome.seconds_per_step, 6));
}

std::string json_of(const Options& options, const Outcome& outcome) {
  std::string text = fmt::format(
      R"({{"workers":{},"batch":{},"regime":"{}","steps":{},"warm_up":{},"seed":{},"parameters":{},)"
      R"("shares":[{}],"first_loss":{},"final_loss":{},"checksum":{},"seconds_per_step":{})",
      options.workers, options.batch, options.weak ? "weak" : "strong", options.steps,
      options.warm_up, options.seed, outcome.parameters.size(), fmt::join(outcome.shares, ","),
      outcome.losses.front(), outcome.losses.back(), checksum(outcome), outcome.seconds_per_step);
  if (options.print_loss) text += fmt::format(R"(,"losses":[{}])", fmt::join(outcome.losses, ","));
  if (options.print_gradient) {
    text += fmt::format(R"(,"gradient":[{}])", fmt::join(outcome.gradient, ","));
  }
  return text + "}\n";
}

}  // namespace

Result<std::string> run(const std::vector<std::string>& words, const Engine& engine,
                        const Train& train) {
  const auto options = parse_options(words, engine);
  if (!options) return fail(options.error());
  if (options->help) return help_text(engine);
  const auto outcome = train(*options);
  if (!outcome) return fail(outcome.error());
  if (!std::isfinite(outcome->losses.back())) {
    return fail({.where = "--rate",
                 .message = "the training diverged: its loss is not a number",
                 .hint = "a smaller learning rate or momentum"});
  }
  if (options->json) return json_of(*options, *outcome);
  return (options->print_loss ? loss_lines(*outcome) : "") +
         (options->print_gradient ? gradient_lines(*outcome) : "") + text_of(*options, *outcome);
}

int show(const Result<std::string>& text, const Engine& engine) {
  if (text) {
    const bool written = std::fputs(text->c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!written) std::perror((engine.program + ": error: standard output").c_str());
    return static_cast<int>(written ? ExitCode::kDone : ExitCode::kFailed);
  }
  const Error& error = text.error();
  fmt::print(stderr, "{}: error: {}: {}\n", engine.program, error.where, error.message);
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", error.hint);
  return static_cast<int>(error.code);
}

}  // namespace kstar::train
