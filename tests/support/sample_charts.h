#pragma once

#include <string>
#include <vector>

#include "kstar/chart.h"

/// Charts to look at and to test drawings with: every kind of content, and the data that pictures
/// break on.
namespace kstar {

struct SampleChart {
  std::string name;  ///< of its file
  Chart chart;
};

/// One of every kind, and then the awkward ones.
std::vector<SampleChart> sample_charts();

/// What pictures break on: one K, long names, ends that meet, nothing at all.
std::vector<SampleChart> awkward_charts();

/// Speedups as somebody measured them: with intervals, an ideal, a fitted curve with its band that
/// goes on beyond what was measured, and a bend.
Chart speedup_sample();

Chart efficiency_sample();

/// Runs in their order.
Chart samples_sample();

/// A heat map: of ranks over K where K has names, else over runs.
Chart workers_sample(int ranks, int columns, bool names);

/// Names with everything that could break out of an attribute, a text or a line.
Chart hostile_sample();

/// 100,000 values.
Chart crowded_sample();

}  // namespace kstar
