#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/text.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

struct Failures {
  std::size_t runs = 0;  ///< all that were made at this K
  std::size_t failed = 0;
  std::size_t crashed = 0;
  std::size_t timed_out = 0;
};

bool is_attempt(const Run& run) {
  return run.role == Role::kParallel && !run.lost && !is_profiled(run);
}

std::map<int, Failures> failures_by_workers(const Study& study) {
  std::map<int, Failures> all;
  for (const Run& run : study.runs) {
    if (!is_attempt(run)) continue;
    Failures& here = all[run.workers];
    ++here.runs;
    if (!failed(run)) continue;
    ++here.failed;
    if (run.timed_out) ++here.timed_out;
    if (!run.timed_out && (run.signal || run.exit_status.value_or(0) != 0)) ++here.crashed;
  }
  std::erase_if(all, [](const auto& one) { return one.second.failed == 0; });
  return all;
}

/// "K = 8 crashed 3 of 3".
std::string failures_words(int workers, const Failures& here) {
  const char* how = here.crashed == here.failed     ? "crashed"
                    : here.timed_out == here.failed ? "timed out"
                                                    : "failed";
  return fmt::format("K = {} {} {} of {}", workers, how, here.failed, here.runs);
}

std::string failed_words(const Study& study) {
  constexpr std::size_t kNamed = 4;
  const std::map<int, Failures> all = failures_by_workers(study);
  std::string text;
  std::size_t named = 0;
  for (const auto& [workers, here] : all) {
    if (++named > kNamed) break;
    text += (text.empty() ? "" : "; ") + failures_words(workers, here);
  }
  if (all.size() > kNamed) text += fmt::format("; and {} more K", all.size() - kNamed);
  return text.empty() ? "" : text + ".";
}

std::string origin_words(const StudyHeader& header, bool scheduled) {
  if (scheduled) return "Computed by schedules of a graph (kstar dag), not measured.";
  if (header.source.kind == SourceKind::kSimulated) return "Drawn from a law, not measured.";
  if (header.source.kind != SourceKind::kImported) return "";
  const std::string& format = header.source.format;
  return fmt::format("{}kstar did not measure these runs.",
                     format.empty() ? "" : "From " + format + ": ");
}

/// A line of the strip: a word that names it, then what it is.
struct Warning {
  const char* name;
  std::string text;
};

/// The name under which a doubt stands in the strip; null where it is not one for a glance.
const char* strip_name(const std::string& what) {
  struct Named {
    std::string_view code;
    const char* name;
  };
  constexpr std::array<Named, 17> kNames = {{{"regime-assumed", "Assumed"},
                                             {"superlinear", "Above linear"},
                                             {"regime-contradicted", "Contradicted"},
                                             {"unused_workers", "No speedup"},
                                             {"large_base", "Base"},
                                             {"no_bend", "Unusual"},
                                             {"step", "Step"},
                                             {"gap", "Gap"},
                                             {"equal-runs", "Equal runs"},
                                             {"short-runs", "Short runs"},
                                             {"one-value", "Single runs"},
                                             {"load", "Loaded machine"},
                                             {"busy_machine", "Loaded machine"},
                                             {"oversubscribed", "Oversubscribed"},
                                             {"cpu-quota", "Quota of CPUs"},
                                             {"cached-work", "Cached work"},
                                             {"program-changed", "Program changed"}}};
  for (const Named& one : kNames) {
    if (one.code == what) return one.name;
  }
  return nullptr;
}

/// What the counts of failed runs say better.
bool is_told_by_counts(const Doubt& doubt) {
  return doubt.note.what == "failed" || doubt.note.what == "no-times";
}

bool is_known(const std::vector<Warning>& warnings, const char* name) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Warning& one) { return std::string_view(one.name) == name; });
}

struct Strip {
  std::vector<Warning> warnings;
  std::vector<std::string> others;
};

Strip strip_of(const Subject& subject) {
  Strip strip;
  const bool any_failed = !failed_words(subject.study).empty();
  const Verdict& verdict = subject.analysis.verdict;
  for (const Doubt& doubt : verdict.doubts) {
    if (any_failed && is_told_by_counts(doubt)) continue;
    // The sentence itself says it.
    if (doubt.note.what == "gap" && doubt.questions_verdict) continue;
    const char* name = strip_name(doubt.note.what);
    if (name == nullptr && doubt.questions_verdict) name = "Check first";
    if (name != nullptr) strip.warnings.push_back({name, doubt_words(doubt)});
    if (name == nullptr) strip.others.push_back(doubt_words(doubt));
  }
  if (any_failed) strip.warnings.push_back({"Failed", failed_words(subject.study)});
  const ScalingTable& table = subject.analysis.table;
  const bool scheduled = verdict.computed;
  if (!scheduled && !table.points.empty() && !has_repeats(table) &&
      !is_known(strip.warnings, "Single runs")) {
    strip.warnings.push_back({"Single runs", "One run per K does not show the noise."});
  }
  if (std::string origin = origin_words(subject.study.header, scheduled); !origin.empty()) {
    const bool simulated = subject.study.header.source.kind == SourceKind::kSimulated;
    strip.warnings.push_back({scheduled   ? "Computed"
                              : simulated ? "Simulated"
                                          : "Imported",
                              std::move(origin)});
  }
  return strip;
}

}  // namespace

std::string strip_part(const Subject& subject) {
  const Strip strip = strip_of(subject);
  std::string items;
  for (const Warning& one : strip.warnings) {
    items += fmt::format("<li><b>{}</b> {}</li>\n", html(one.name), unbroken(html(one.text)));
  }
  return items.empty() ? "" : fmt::format("<ul class=\"strip\">\n{}</ul>\n", items);
}

std::string strip_names(const Subject& subject) {
  std::vector<std::string> names;
  for (const Warning& one : strip_of(subject).warnings) {
    std::string name = one.name;
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (name != "imported" && !known) names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t doubt_count(const Subject& subject) {
  return strip_of(subject).others.size();
}

std::string more_doubts(const Subject& subject) {
  std::string items;
  for (const std::string& text : strip_of(subject).others) {
    items += fmt::format("<li>{}</li>\n", unbroken(html(text)));
  }
  if (items.empty()) return "";
  return fmt::format("<p class=\"check\">To check:</p>\n<ul class=\"check\">\n{}</ul>\n", items);
}

}  // namespace kstar
