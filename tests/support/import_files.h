#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/import.h"
#include "kstar/study_file.h"

namespace kstar {

/// A file of the project's own measurements.
inline std::string own_file(std::string_view name) {
  return std::string(KSTAR_TEST_DATA "/import/") + std::string(name);
}

/// Third-party measurements lie beside the project, where they lie at all.
inline std::string public_file(std::string_view name) {
  const std::string path = std::string(KSTAR_SHARED_DATA "/public/") + std::string(name);
  return std::filesystem::exists(path) ? path : "";
}

/// The mean of T at each K, of the runs that count.
inline std::map<int, double> mean_times(const Study& study) {
  std::map<int, std::vector<double>> times;
  for (const Run& run : study.runs) {
    if (counts(run)) times[run.workers].push_back(*steady_time(run));
  }
  std::map<int, double> means;
  for (const auto& [workers, list] : times) {
    double sum = 0;
    for (const double time : list) sum += time;
    means[workers] = sum / static_cast<double>(list.size());
  }
  return means;
}

inline void expect_times(const Study& study, const std::map<int, double>& expected) {
  const auto means = mean_times(study);
  ASSERT_EQ(means.size(), expected.size());
  for (const auto& [workers, time] : expected) {
    ASSERT_TRUE(means.contains(workers)) << workers;
    EXPECT_NEAR(means.at(workers), time, 1e-12 * time) << workers;
  }
}

inline bool has_note(const Study& study, std::string_view what) {
  for (const Note& note : study.notes) {
    if (note.what == what) return true;
  }
  return false;
}

/// The study of a table that must be read, and can be written.
inline Study table_study(std::string_view text, const ImportOptions& options = {}) {
  auto study = import_text(text, "t.csv", options);
  if (study) {
    EXPECT_TRUE(to_lines(*study).has_value());
    return *study;
  }
  ADD_FAILURE() << text << study.error().where << ": " << study.error().message << "\n"
                << study.error().hint;
  return {};
}

inline Error import_error(std::string_view text, const ImportOptions& options = {}) {
  const auto study = import_text(text, "t", options);
  return study ? Error{} : study.error();
}

}  // namespace kstar
