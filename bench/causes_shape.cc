// How often the shape of T(K) alone suggests the right cause, and how sure it is where it is wrong:
// laws with parameters drawn for every seed, noise and few runs. The first set is the one that
// thresholds were chosen on; the second has other K, other parameters and other laws.
//   bench_causes_shape [SEEDS [1|2]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kstar/causes.h"
#include "support/diagnosed.h"
#include "support/shape_laws.h"

namespace {

using kstar::Cause;
using kstar::CauseKind;
using kstar::shaped::LawCase;
using kstar::shaped::LawSet;

struct Score {
  int all = 0, first = 0, among = 0, untold = 0, wrong = 0, sure_wrong = 0;
  double claimed = 0;  ///< the sum of the probabilities of first guesses
};

void add(const Cause& cause, CauseKind truth, Score& score) {
  constexpr double kSure = 0.8;
  const bool among =
      std::find(cause.or_else.begin(), cause.or_else.end(), truth) != cause.or_else.end();
  ++score.all;
  if (cause.kind == truth) {
    ++score.first;
  } else if (among) {
    ++score.among;
  } else if (cause.kind == CauseKind::kNone) {
    ++score.untold;
  } else {
    ++score.wrong;
    if (cause.probability.value_or(1) >= kSure) ++score.sure_wrong;
  }
  if (cause.kind != CauseKind::kNone) score.claimed += cause.probability.value_or(1);
}

void print(const std::string& name, const Score& score) {
  const auto share = [&](int count) { return 100.0 * count / score.all; };
  const int told = score.all - score.untold - (score.claimed == 0 ? score.first : 0);
  fmt::print("{:<26}{:>8.0f}{:>8.0f}{:>8.0f}{:>8.0f}{:>12.0f}{:>10}\n", name, share(score.first),
             share(score.among), share(score.untold), share(score.wrong), share(score.sure_wrong),
             told > 0 ? fmt::format("{:.2f}", score.claimed / told) : "");
}

void run(const LawSet& set, int seeds, std::uint64_t from) {
  fmt::print("{}: K to {}, {} runs\n{:<26}{:>8}{:>8}{:>8}{:>8}{:>12}{:>10}\n", set.name,
             set.workers.back(), set.runs, "of 100 studies", "first", "among", "untold", "wrong",
             "sure, wrong", "claimed");
  for (const double noise : set.noises) {
    for (const LawCase& one : set.cases) {
      Score score;
      for (int seed = 0; seed < seeds; ++seed) {
        const kstar::Study study =
            kstar::shaped::study_of(set, one, noise, from + static_cast<std::uint64_t>(seed));
        add(kstar::diagnosed(study).causes.front(), one.truth, score);
      }
      print(fmt::format("{}, {:g}%", one.name, noise * 100), score);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSeeds = 50;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : kSeeds;
  if (argc <= 2 || std::string(argv[2]) == "1") run(kstar::shaped::chosen_on(), seeds, 1);
  if (argc <= 2 || std::string(argv[2]) == "2") run(kstar::shaped::judged_on(), seeds, 100001);
}
