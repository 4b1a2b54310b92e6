#include <exception>

#include "tools/kstar_train/mpi_team.h"
#include "tools/kstar_train/program.h"

namespace {

using namespace kstar;
using namespace kstar::train;

Result<std::string> run_on(const MpiWorld& world, const std::vector<std::string>& words) {
  if (auto agreed = world.agree_on(words); !agreed) return fail(agreed.error());
  return run(words, mpi_engine(world),
             [&](const Options& options) { return train_on_ranks(options, world); });
}

}  // namespace

int main(int argc, char** argv) {
  const MpiWorld world(argc, argv);
  const Engine engine = mpi_engine(world);
  try {
    // What a rank gives back all ranks do, so that rank 0 speaks for all of them.
    const auto text = run_on(world, {argv + 1, argv + argc});
    if (world.rank() == 0) return show(text, engine);
    return text ? 0 : static_cast<int>(text.error().code);
  } catch (const std::exception& problem) {
    // The others wait for this rank, and would for ever.
    world.abort(
        show(fail({.where = "rank " + std::to_string(world.rank()), .message = problem.what()}),
             engine));
  }
}
