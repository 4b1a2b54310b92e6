#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "kstar/view.h"
#include "support/planted_study.h"

/// Subjects of planted jobs, for tests of what shows them.
namespace kstar {

inline Subject subject_of(Study study, const std::string& name = "job",
                          AnalysisOptions options = {}) {
  Subject subject;
  subject.name = name;
  subject.study = std::move(study);
  if (options.predict.empty()) options.predict = chart_workers(subject.study);
  Result<Analysis> analysis = analyze(subject.study, options);
  EXPECT_TRUE(analysis.has_value());
  if (analysis) subject.analysis = std::move(*analysis);
  return subject;
}

inline Subject planted_subject(const planted::Job& job, const std::string& name = "job") {
  Study study = planted::simulate(job);
  study.header.title = name;
  return subject_of(std::move(study), name);
}

inline const ChartSeries* series_named(const Chart& chart, const std::string& name) {
  const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                  [&](const ChartSeries& one) { return one.name == name; });
  return found == chart.series.end() ? nullptr : &*found;
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace kstar
