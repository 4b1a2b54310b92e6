#include <fmt/format.h>

#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "report/sections.h"

namespace kstar {

namespace {

/// Names and what is known under each; what is not known is left out.
class NamedFacts {
 public:
  NamedFacts(std::string title, bool all) : all_(all) { items_.title = std::move(title); }

  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) items_.add(std::string(name), std::string(value));
  }
  template <typename Number>
  void add(std::string_view name, const std::optional<Number>& value, std::string_view unit = "") {
    if (value) add(name, fmt::format("{}{}", *value, unit));
  }

  /// The rest, where everything is asked for.
  void add_rest(const StudyHeader& header) {
    if (!all_) return;
    add("MLPerf round", header.mlperf.round);
    add("division", header.mlperf.division);
    add("submitter", header.mlperf.submitter);
    add("benchmark", header.mlperf.benchmark);
    add("accelerator", header.mlperf.accelerator);
    add("spec", without_comments(header.spec));
    for (const auto& [name, value] : unknown_keys(header)) add(name, value);
  }

  void put_into(Document& document) {
    if (!items_.items.empty()) document.blocks.emplace_back(std::move(items_));
  }

 private:
  /// A study.toml without the comments, which explain every line that could be there.
  static std::string without_comments(std::string_view spec) {
    std::string text;
    for (const std::string_view line : split(spec, '\n')) {
      if (trim(line).empty() || line.starts_with('#')) continue;
      text.append(text.empty() ? "" : "\n").append(line);
    }
    return text;
  }

  Items items_;
  bool all_;
};

/// Pieces that are known, with commas between them.
class Pieces {
 public:
  void add(std::string_view piece) {
    if (!piece.empty()) text_.append(text_.empty() ? "" : ", ").append(piece);
  }
  template <typename Number>
  void count(const std::optional<Number>& number, std::string_view noun) {
    if (number) add(count_text(static_cast<std::size_t>(*number), noun));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string workload_text(const Workload& workload) {
  Pieces pieces;
  if (workload.size) {
    pieces.add(shortest(*workload.size) + (workload.unit.empty() ? "" : " " + workload.unit));
  }
  if (workload.batch) pieces.add("batch " + shortest(*workload.batch));
  pieces.count(workload.steps, "step");
  if (!workload.stopping.empty()) pieces.add("until " + workload.stopping);
  for (const auto& [name, value] : workload.settings) pieces.add(name + " " + value);
  return pieces.text();
}

std::string host_text(const Host& host) {
  Pieces pieces;
  pieces.add(host.cpu);
  pieces.count(host.sockets, "socket");
  pieces.count(host.cores, "core");
  pieces.count(host.threads, "hardware thread");
  if (host.memory) {
    constexpr double kGibibyte = 1 << 30;
    pieces.add(significant(static_cast<double>(*host.memory) / kGibibyte, 3) + " GiB");
  }
  for (const std::string& device : host.accelerators) pieces.add(device);
  if (!host.kernel.empty()) pieces.add("kernel " + host.kernel);
  return pieces.text();
}

std::string baseline_text(const Baseline& baseline) {
  Pieces pieces;
  if (baseline.kind) {
    pieces.add(*baseline.kind == BaselineKind::kFastestSingle
                   ? "the fastest correct single-worker program"
                   : "the parallel program with one worker");
  }
  pieces.add(join_words(baseline.command));
  pieces.add(baseline.text);
  return pieces.text();
}

/// One line where every K has the same.
void add_workloads(const std::vector<Workload>& all, NamedFacts& facts) {
  std::set<std::string> texts;
  for (const Workload& workload : all) texts.insert(workload_text(workload));
  for (const Workload& workload : all) {
    const bool own = workload.workers && texts.size() > 1;
    facts.add(own ? fmt::format("workload at K = {}", *workload.workers) : "workload",
              workload_text(workload));
    if (texts.size() == 1) return;
  }
}

void add_job(const StudyHeader& header, bool all, Document& document) {
  NamedFacts facts("What was run", all);
  facts.add("command", join_words(header.command));
  facts.add("launcher", header.launcher);
  if (header.regime) facts.add("regime", name_of(*header.regime));
  add_workloads(header.workload, facts);
  facts.add("T(1)", baseline_text(header.baseline));
  facts.add("written by", header.writer);
  facts.add_rest(header);
  facts.put_into(document);
}

void add_protocol(const Protocol& protocol, bool all, Document& document) {
  NamedFacts facts("How it was measured", all);
  facts.add("warm-up runs", protocol.warm_up_runs);
  facts.add("warm-up steps", protocol.warm_up_steps);
  Pieces setup;
  setup.add(protocol.setup);
  setup.add(protocol.setup_method);
  facts.add("excluded setup", setup.text());
  facts.add("order", protocol.order);
  facts.add("seed", protocol.seed);
  facts.add("stopping", protocol.stopping);
  facts.add("time limit", protocol.time_limit, " s");
  facts.put_into(document);
}

void add_machines(const Environment& environment, bool all, Document& document) {
  NamedFacts facts("Where it ran", all);
  for (const Host& host : environment.hosts) {
    facts.add(host.name.empty() ? "host" : host.name, host_text(host));
  }
  facts.add("binding", environment.binding);
  for (const auto& [name, version] : environment.versions) facts.add(name, version);
  for (const auto& [name, value] : environment.variables) facts.add(name, value);
  facts.put_into(document);
}

}  // namespace

void add_provenance(const Study& study, bool all, Document& document) {
  add_job(study.header, all, document);
  add_protocol(study.header.protocol, all, document);
  add_machines(study.header.environment, all, document);
}

}  // namespace kstar
