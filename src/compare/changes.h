#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kstar/compare.h"

/// What changed besides the times: the bend, the parts of the models, the causes.
namespace kstar::comparing {

/// A number of workers and what other runs might have given; infinite: beyond the K compared.
struct WorkersRange {
  double point = 1;
  double low = 1;
  double high = 1;
};

/// "K = 8", "K = 8 (4 to 16)", "beyond the K compared".
std::string range_text(const WorkersRange& range);

std::vector<int> workers_of(const Comparison& comparison);

/// Without a bend its lower end follows from K*'s: the K behind the smallest that it might be.
WorkersRange bend_range(const std::optional<Bend>& bend, const Verdict& verdict,
                        const std::vector<int>& workers);
/// Of a verdict that names no K, all that it leaves possible.
WorkersRange verdict_range(const Verdict& verdict);

/// Both sides' bend and K*.
BendChange bend_change(const Analysis& before, const Analysis& after,
                       const std::vector<int>& workers);

/// The parts of the form with the largest product of both weights, if may be of one whose parts
/// have the same names on both sides. Nothing without models.
void put_parts(const Analysis& before, const Analysis& after, Comparison& comparison);

void put_causes(const Diagnosis& before, const Diagnosis& after, Comparison& comparison);

}  // namespace kstar::comparing
