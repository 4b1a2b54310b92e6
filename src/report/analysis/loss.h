#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/analysis.h"

/// Why not more workers: what the efficiency is lost to, the same on a page and on a card.
namespace kstar {

/// A share of the lost efficiency. What no cause explains has no colour.
struct LossPart {
  std::string name;
  std::string more;
  double share = 0;
  bool explained = true;
};

struct Loss {
  int workers = 1;
  double efficiency = 1;
  std::vector<LossPart> parts;  ///< of what is lost there; their shares sum to 1 or, rounded, more
};

/// Where causes have shares, at the K that they are about; else where it bends. None where there is
/// nothing to say: one K, or numbers in question.
std::optional<Loss> loss_of(const Analysis& analysis);

/// What the shape of T(K) alone suggests, in words: nothing of it is a share. That nothing is lost
/// at the largest K says nothing of another one.
std::string guess_words(const Diagnosis& diagnosis, int workers);

/// That it may be noise, where nothing explains it: then it has no parts to show. Empty else.
std::string noise_words(const Analysis& analysis, const Loss& loss);

/// "31%"; "over 99%".
std::string lost_words(const Loss& loss);

}  // namespace kstar
