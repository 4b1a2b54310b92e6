// write_studies FOLDER: the study with everything in it, and the least one, for validate.py; and on
// the standard output every key that the writer can write, as record/key or record/key/key.
#include <cstdio>
#include <string>

#include "kstar/study_file.h"
#include "study/fields.h"
#include "support/study_examples.h"

namespace {

template <typename T>
void print_keys(const std::string& prefix) {
  for (const auto& field : kstar::Fields<T>::kAll) {
    std::printf("%s/%.*s\n", prefix.c_str(), static_cast<int>(field.key.size()), field.key.data());
  }
}

bool save(const kstar::Study& study, const std::string& path) {
  const auto saved = kstar::save_study(study, path);
  if (!saved) std::fprintf(stderr, "%s: %s\n", path.c_str(), saved.error().message.c_str());
  return saved.has_value();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string folder = arguments[1];
  print_keys<kstar::StudyHeader>("header");
  print_keys<kstar::Workload>("header/workload");
  print_keys<kstar::Baseline>("header/baseline");
  print_keys<kstar::Protocol>("header/protocol");
  print_keys<kstar::Environment>("header/environment");
  print_keys<kstar::Host>("header/environment/hosts");
  print_keys<kstar::Source>("header/source");
  print_keys<kstar::ChangedSetting>("header/changes");
  print_keys<kstar::Mlperf>("header/mlperf");
  print_keys<kstar::Run>("run");
  print_keys<kstar::RunClaim>("run/claim");
  print_keys<kstar::ClaimBase>("run/claim/base");
  print_keys<kstar::HardwareCounts>("run/counters");
  print_keys<kstar::PerWorker>("run/per_worker");
  print_keys<kstar::Inside>("run/inside");
  print_keys<kstar::CallSum>("run/inside/by_call");
  print_keys<kstar::CommunicatorSum>("run/inside/communicators");
  print_keys<kstar::WindowSums>("run/inside/windows");
  print_keys<kstar::Note>("note");
  kstar::Study least;
  least.runs.emplace_back();
  least.notes.emplace_back();
  return save(kstar::full_study(), folder + "/full.jsonl") &&
                 save(least, folder + "/least.jsonl") &&
                 save(kstar::small_study(), folder + "/small.jsonl")
             ? 0
             : 1;
}
