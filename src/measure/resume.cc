// Whether a study may go on, and what changed where it may not.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "exec/program.h"
#include "kstar/measure.h"
#include "kstar/spec_key.h"
#include "measure/named_files.h"

namespace kstar {

namespace {

using Changes = std::vector<std::string>;

std::string was_and_is(std::string_view what, std::string_view old, std::string_view now) {
  constexpr std::size_t kShown = 60;
  const auto shown = [](std::string_view text) {
    return text.empty() ? std::string("not set") : fmt::format("'{}'", shorten(text, kShown));
  };
  return fmt::format("{} was {}, and is now {}", what, shown(old), shown(now));
}

std::string setting_text(const SpecKey& key, const MeasureSpec& spec) {
  if (key.type == SpecType::kWords) return fmt::format("{}", fmt::join(spec.*key.words, " "));
  if (key.type != SpecType::kVariables) return key.get(spec);
  std::string all;
  for (const auto& [name, value] : spec.variables) {
    all += fmt::format("{}{}={}", all.empty() ? "" : " ", name, value);
  }
  return all;
}

std::string name_of_key(const SpecKey& key) {
  if (key.name == "command") return "the command";
  return key.flag.empty() ? fmt::format("the {}", key.name) : fmt::format("--{}", key.flag);
}

/// Setting by setting: a file of another kstar may know other keys. Where a spec cannot be read,
/// its text counts.
void add_settings(const StudyHeader& old, const StudyHeader& now, Changes& changes) {
  if (old.spec == now.spec) return;
  const Result<MeasureSpec> before = read_spec(old.spec, "study"), after = read_spec(now.spec, "");
  if (!before || !after) {
    changes.emplace_back("the options changed (compare --print-spec)");
    return;
  }
  for (const SpecKey& key : spec_keys()) {
    const std::string one = setting_text(key, *before), other = setting_text(key, *after);
    if (one != other) changes.push_back(was_and_is(name_of_key(key), one, other));
  }
}

/// What the spec does not say, or what a file of an older kstar has no spec of.
void add_header(const StudyHeader& old, const StudyHeader& now, Changes& changes) {
  if (old.command != now.command) {
    changes.push_back(was_and_is("the command", fmt::format("{}", fmt::join(old.command, " ")),
                                 fmt::format("{}", fmt::join(now.command, " "))));
  }
  if (old.regime != now.regime) {
    changes.push_back(was_and_is("the regime", old.regime ? name_of(*old.regime) : "",
                                 now.regime ? name_of(*now.regime) : ""));
  }
  if (old.workload != now.workload) {
    const auto counts = [](const StudyHeader& header) {
      std::string text;
      for (const Workload& one : header.workload) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", one.workers.value_or(0));
      }
      return text;
    };
    changes.push_back(counts(old) == counts(now)
                          ? "the workload changed"
                          : was_and_is("--workers", counts(old), counts(now)));
  }
  if (old.launcher != now.launcher) {
    changes.push_back(was_and_is("--launcher", old.launcher, now.launcher));
  }
  if (old.baseline != now.baseline) {
    changes.push_back(was_and_is("--baseline",
                                 fmt::format("{}", fmt::join(old.baseline.command, " ")),
                                 fmt::format("{}", fmt::join(now.baseline.command, " "))));
  }
}

/// What jobs run on and with is known when they have run.
void add_versions(const StudyHeader& old, const StudyHeader& now, Changes& changes) {
  const auto version = [](const StudyHeader& header, const char* name) {
    const auto found = header.environment.versions.find(name);
    return found == header.environment.versions.end() ? std::string() : found->second;
  };
  if (old.environment.hosts.empty() || now.environment.hosts.empty()) return;
  for (const char* name : {"mpi", "torch", "launcher"}) {
    const bool asked = may_ask_programs() || !version(now, name).empty();
    if (!asked || version(old, name) == version(now, name)) continue;
    changes.push_back(was_and_is(name, version(old, name), version(now, name)));
  }
}

std::string text_of_host(const Host& host) {
  return fmt::format("{}: {}, {} cores, {}", host.name, host.cpu, host.cores.value_or(0),
                     host.kernel);
}

/// Accelerators are known where a program may be asked for them.
void add_hosts(std::vector<Host> old, std::vector<Host> now, Changes& changes) {
  if (old.empty() || now.empty()) return;
  for (std::vector<Host>* hosts : {&old, &now}) {
    for (Host& host : *hosts) {
      if (!may_ask_programs()) host.accelerators.clear();
    }
  }
  if (old == now) return;
  const std::string one = text_of_host(old[0]), other = text_of_host(now[0]);
  changes.push_back(one == other ? "the machine is different"
                                 : was_and_is("the machine", one, other));
}

/// All ways in which two headers differ, in words.
Changes changes_of(const Study& study, const StudyHeader& now) {
  const StudyHeader& old = study.header;
  Changes changes;
  add_settings(old, now, changes);
  if (changes.empty()) add_header(old, now, changes);
  if (const std::string file = changed_file(study, now);
      !file.empty() && old.command == now.command) {
    changes.push_back(fmt::format("{} changed since", file));
  }
  add_versions(old, now, changes);
  add_hosts(old.environment.hosts, now.environment.hosts, changes);
  return changes;
}

}  // namespace

Result<void> may_resume(const Study& old, const StudyHeader& now, const std::string& name) {
  const Changes changes = changes_of(old, now);
  if (changes.empty()) return {};
  return fail({.where = name,
               .message = fmt::format("the study cannot be resumed: {}",
                                      printable(fmt::format("{}", fmt::join(changes, "; ")))),
               .hint = "use the old settings, or measure into a new file; kstar merge joins "
                       "studies of the same job"});
}

}  // namespace kstar
