#include <fmt/format.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// A study.toml as it says things: its comments explain every line that could be there.
std::string without_comments(std::string_view spec) {
  std::string text;
  for (const std::string_view line : split(spec, '\n')) {
    if (!trim(line).empty() && !line.starts_with('#')) text.append(line).append("\n");
  }
  return text;
}

/// A list of names and what is known under each; what is not known is left out.
class Facts {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) add_html(name, html(value));
  }
  void add_code(std::string_view name, std::string_view value) {
    if (!value.empty()) add_html(name, fmt::format("<code>{}</code>", html(value)));
  }
  template <typename Number>
  void add(std::string_view name, const std::optional<Number>& value, std::string_view unit = "") {
    if (value) add(name, fmt::format("{}{}", *value, unit));
  }
  void add_lines(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    add_html(name, fmt::format("<pre tabindex=\"0\">{}</pre>", html_lines(text)));
  }
  void add_html(std::string_view name, const std::string& value) {
    text_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html(name), value);
  }

  std::string take(int level, std::string_view title) {
    if (text_.empty()) return "";
    return fmt::format("<h{0}>{1}</h{0}>\n<dl class=\"provenance\">\n{2}</dl>\n", level,
                       html(title), text_);
  }

 private:
  std::string text_;
};

/// As a shell would take it, where a word has a blank.
std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"") == word.npos;
    text += plain ? word : fmt::format("'{}'", word);
  }
  return text;
}

std::string job(const StudyHeader& header, int level) {
  Facts facts;
  facts.add("title", header.title);
  facts.add_code("command", command_text(header.command));
  facts.add_code("launcher", header.launcher);
  if (header.regime) facts.add("regime", name_of(*header.regime));
  facts.add("written by", header.writer);
  facts.add("schema", std::optional(header.schema));
  if (header.time != TimeKind::kRun) facts.add("T is made from", name_of(header.time));
  facts.add("MLPerf round", header.mlperf.round);
  facts.add("division", header.mlperf.division);
  facts.add("submitter", header.mlperf.submitter);
  facts.add("benchmark", header.mlperf.benchmark);
  facts.add("accelerator", header.mlperf.accelerator);
  facts.add_lines("spec", without_comments(header.spec));
  for (const auto& [name, value] : unknown_keys(header)) facts.add_code(name, value);
  return facts.take(level, "The job");
}

std::string baseline(const Baseline& baseline, int level) {
  Facts facts;
  if (baseline.kind) {
    facts.add("kind", *baseline.kind == BaselineKind::kFastestSingle
                          ? "the fastest correct single-worker program"
                          : "the parallel program with one worker");
  }
  facts.add_code("command", command_text(baseline.command));
  facts.add("in words", baseline.text);
  return facts.take(level, "The baseline: what runs as T(1)");
}

std::string protocol(const Protocol& protocol, int level) {
  Facts facts;
  facts.add("warm-up runs", protocol.warm_up_runs);
  facts.add("warm-up steps", protocol.warm_up_steps);
  facts.add("setup left out", protocol.setup);
  facts.add("by", protocol.setup_method);
  facts.add("order", protocol.order);
  facts.add("seed", protocol.seed);
  facts.add("stopping", protocol.stopping);
  facts.add("time limit", protocol.time_limit, " s");
  return facts.take(level, "The protocol");
}

std::string workload_text(const Workload& workload) {
  std::string text;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : ", ") + piece; };
  if (workload.size) {
    add(fmt::format("size {}{}{}", shortest(*workload.size), workload.unit.empty() ? "" : " ",
                    workload.unit));
  }
  if (workload.batch) add(fmt::format("batch {}", shortest(*workload.batch)));
  if (workload.steps) add(fmt::format("{} steps", *workload.steps));
  if (!workload.stopping.empty()) add("until " + workload.stopping);
  for (const auto& [name, value] : workload.settings) add(fmt::format("{} {}", name, value));
  return text;
}

std::string workloads(const std::vector<Workload>& all, int level) {
  Facts facts;
  for (const Workload& workload : all) {
    facts.add(workload.workers ? fmt::format("K = {}", *workload.workers) : "every K",
              workload_text(workload));
  }
  return facts.take(level, "The problem");
}

std::string host_text(const Host& host) {
  std::string text = host.cpu;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : ", ") + piece; };
  if (host.sockets) add(fmt::format("{} sockets", *host.sockets));
  if (host.cores) add(fmt::format("{} cores", *host.cores));
  if (host.threads) add(fmt::format("{} hardware threads", *host.threads));
  if (host.memory) {
    constexpr double kGibibyte = 1 << 30;
    add(significant(static_cast<double>(*host.memory) / kGibibyte, 3) + " GiB");
  }
  for (const std::string& device : host.accelerators) add(device);
  if (!host.kernel.empty()) add("kernel " + host.kernel);
  return text;
}

std::string environment(const Environment& environment, int level) {
  Facts facts;
  for (const Host& host : environment.hosts) {
    facts.add(host.name.empty() ? "host" : host.name, host_text(host));
  }
  facts.add("binding", environment.binding);
  for (const auto& [name, version] : environment.versions) facts.add(name, version);
  for (const auto& [name, value] : environment.variables) facts.add_code(name + " =", value);
  return facts.take(level, "The machines");
}

}  // namespace

std::string provenance_part(const Subject& subject, int level) {
  const StudyHeader& header = subject.study.header;
  const std::string text = job(header, level + 1) + workloads(header.workload, level + 1) +
                           baseline(header.baseline, level + 1) +
                           protocol(header.protocol, level + 1) +
                           environment(header.environment, level + 1);
  return heading(level, "", "Where the numbers come from") +
         (text.empty() ? "<p>The study does not say.</p>\n" : text);
}

}  // namespace kstar
