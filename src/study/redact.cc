#include "kstar/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

namespace kstar {

namespace {

constexpr std::string_view kRedacted = "[redacted]";

std::string hidden(const std::string& text) {
  return text.empty() ? "" : std::string(kRedacted);
}

bool all_of(std::string_view text, std::string_view more, bool letters, bool digits) {
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return (letters && std::isalpha(c) != 0) || (digits && std::isdigit(c) != 0) ||
           more.find(static_cast<char>(c)) != more.npos;
  });
}

template <std::size_t N>
std::string known(const std::string& text, const std::array<std::string_view, N>& names) {
  const bool is = std::find(names.begin(), names.end(), text) != names.end();
  return is ? text : hidden(text);
}

/// "rows": one short word of letters.
std::string unit_of(const std::string& text) {
  constexpr std::size_t kMost = 16;
  return text.size() <= kMost && all_of(text, "", true, false) ? text : hidden(text);
}

/// "4.1.4", "12.2.0": no names, no folders.
std::string version_of(const std::string& text) {
  return all_of(text, ".", false, true) ? text : hidden(text);
}

/// "6.1.0" of "6.1.0-18-acme".
std::string release_of(const std::string& text) {
  return text.substr(0, text.find_first_not_of("0123456789."));
}

/// "kstar 0.1.0".
std::string writer_of(const std::string& text) {
  constexpr std::string_view kOwn = "kstar ";
  return text.starts_with(kOwn) && version_of(text.substr(kOwn.size())) == text.substr(kOwn.size())
             ? text
             : hidden(text);
}

std::string call_of(const std::string& text) {
  return text == kOtherRows || (text.starts_with("MPI_") && all_of(text, "_", true, false))
             ? text
             : hidden(text);
}

/// A number instead of a name, the same one wherever the name comes again.
class Pseudonyms {
 public:
  explicit Pseudonyms(std::string_view kind) : kind_(kind) {}

  std::string operator()(const std::string& name) {
    if (name.empty()) return "";
    return names_.try_emplace(name, fmt::format("{} {}", kind_, names_.size() + 1)).first->second;
  }

  std::vector<std::string> operator()(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) all.push_back((*this)(name));
    return all;
  }

 private:
  std::string_view kind_;
  std::map<std::string, std::string> names_;
};

class Redaction {
 public:
  Study study(const Study& from) {
    Study to;
    to.header = header(from.header);
    for (const Run& one : from.runs) to.runs.push_back(run(one));
    for (const Note& one : from.notes) to.notes.push_back(note(one));
    return to;
  }

 private:
  static std::vector<std::string> command(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    return {std::string(kRedacted)};
  }

  static Workload workload(Workload one) {
    one.unit = unit_of(one.unit);
    one.stopping = hidden(one.stopping);
    one.extra.clear();
    return one;
  }

  static Protocol protocol(Protocol one) {
    for (std::string* text : {&one.setup, &one.setup_method, &one.order, &one.stopping}) {
      *text = hidden(*text);
    }
    one.extra.clear();
    return one;
  }

  Host host(Host one) {
    one.name = hosts_(one.name);
    one.kernel = release_of(one.kernel);
    one.extra.clear();
    return one;
  }

  Environment environment(const Environment& from) {
    Environment to;
    for (const Host& one : from.hosts) to.hosts.push_back(host(one));
    to.binding = hidden(from.binding);
    for (const auto& [name, version] : from.versions) {
      const std::string kept = version_of(version);
      if (kept == version && all_of(name, "_ ", true, false)) to.versions[name] = kept;
    }
    return to;
  }

  StudyHeader header(const StudyHeader& from) {
    constexpr std::array<std::string_view, 6> kLaunchers = {"local", "mpirun", "mpiexec",
                                                            "mpi",   "srun",   "torchrun"};
    StudyHeader to;
    to.schema = from.schema;
    to.writer = writer_of(from.writer);
    to.title = hidden(from.title);
    to.command = command(from.command);
    to.launcher = known(from.launcher, kLaunchers);
    to.regime = from.regime;
    for (const Workload& one : from.workload) to.workload.push_back(workload(one));
    to.baseline.kind = from.baseline.kind;
    to.baseline.command = command(from.baseline.command);
    to.baseline.text = hidden(from.baseline.text);
    to.protocol = protocol(from.protocol);
    to.environment = environment(from.environment);
    return to;
  }

  Run run(Run one) {
    one.session = sessions_(one.session);
    one.hosts = hosts_(one.hosts);
    one.failure = hidden(one.failure);
    one.output.clear();
    if (one.per_worker) {
      one.per_worker->host = hosts_(one.per_worker->host);
      one.per_worker->extra.clear();
    }
    if (one.inside) inside(*one.inside);
    one.extra.clear();
    return one;
  }

  void inside(Inside& one) {
    constexpr std::array<std::string_view, 2> kMpi = {"Open MPI", "MPICH"};
    constexpr std::array<std::string_view, 4> kEnds = {"finalized", "aborted", "exited", "killed"};
    one.mpi = known(one.mpi, kMpi);
    for (std::string& end : one.end) end = known(end, kEnds);
    for (std::string& call : one.last_call) call = call_of(call);
    for (CallSum& row : one.by_call) {
      row.call = call_of(row.call);
      row.communicator = communicator(row.communicator);
      row.extra.clear();
    }
    for (CommunicatorSum& row : one.communicators) {
      row.name = communicator(row.name);
      row.extra.clear();
    }
    if (one.windows) one.windows->extra.clear();
    for (std::string& text : one.notes) text = hidden(text);
    one.extra.clear();
  }

  std::string communicator(const std::string& name) {
    constexpr std::array<std::string_view, 3> kNames = {"MPI_COMM_WORLD", "MPI_COMM_SELF",
                                                        kOtherRows};
    return known(name, kNames) == name ? name : communicators_(name);
  }

  static Note note(const Note& from) {
    const bool fixed = from.what.size() < 32 && all_of(from.what, "-", true, false);
    return {.severity = from.severity,
            .what = fixed ? from.what : hidden(from.what),
            .where = hidden(from.where),
            .text = hidden(from.text),
            .extra = {}};
  }

  Pseudonyms hosts_{"host"};
  Pseudonyms sessions_{"session"};
  Pseudonyms communicators_{"communicator"};
};

}  // namespace

Study redacted(const Study& study) {
  return Redaction().study(study);
}

}  // namespace kstar
