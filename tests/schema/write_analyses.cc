// write_analyses FOLDER: the analyses of tests/support as JSON, for validate_analysis.py.
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "kstar/analysis_report.h"
#include "support/analysis_examples.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::pair<const char*, kstar::Analysis> examples[] = {
      {"full", kstar::full_analysis()},        {"bare", kstar::bare_analysis()},
      {"weak", kstar::weak_analysis()},        {"mixed", kstar::mixed_analysis()},
      {"least", kstar::least_analysis()},      {"hostile", kstar::hostile_analysis()},
      {"training", kstar::training_analysis()}};
  for (const auto& [name, analysis] : examples) {
    std::ofstream file(std::string(arguments[1]) + "/" + name + ".json");
    file << kstar::to_json(analysis);
    if (!file.flush()) return 1;
  }
  return 0;
}
