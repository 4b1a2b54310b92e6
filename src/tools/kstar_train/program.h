#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kstar/result.h"
#include "tools/kstar_train/options.h"
#include "tools/kstar_train/outcome.h"

namespace kstar::train {

using Train = std::function<Result<Outcome>(const Options&)>;

/// What the program says to this command line.
Result<std::string> run(const std::vector<std::string>& words, const Engine& engine,
                        const Train& train);

/// Prints it, or the error; gives the exit status.
int show(const Result<std::string>& text, const Engine& engine);

}  // namespace kstar::train
