#pragma once

#include <string>

#include "kstar/study.h"

namespace kstar {

inline constexpr char kSecret[] = "hunter2";

/// {"key":"SECRET"}
inline std::string json_with(const std::string& secret) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = R"({"key":")";
  for (const char c : secret) {
    if (c == '"' || c == '\\') text += '\\';
    if (c >= 0 && c < ' ') {
      text += "\\u00";
      text += {kDigits[c >> 4], kDigits[c & 15]};
    } else {
      text += c;
    }
  }
  return text + "\"}";
}

/// A study that can be analysed, with the secret in every field that can hold a command, output, a
/// host, a path, or a text of somebody. `secret` may be anything else that is to be looked for.
inline Study secret_study(const std::string& secret = kSecret) {
  // Texts with something around the secret, as commands and paths have.
  const std::string text = "/home/" + secret + "/x";
  const std::string extra = json_with(secret);
  Study study;
  study.name = text + ".jsonl";
  StudyHeader& header = study.header;
  header.writer = "writer " + secret;
  header.title = secret + " title";
  header.command = {text, "--token", secret, "{K}"};
  header.launcher = secret;
  header.regime = Regime::kStrong;
  header.workload = {{.workers = {},
                      .size = 100,
                      .unit = "rows" + secret,
                      .batch = {},
                      .steps = {},
                      .stopping = text,
                      .extra = extra}};
  header.baseline.command = {text, secret};
  header.baseline.text = "built in " + text;
  header.baseline.extra = extra;
  header.protocol.setup = text;
  header.protocol.setup_method = text;
  header.protocol.order = text;
  header.protocol.stopping = text;
  header.protocol.extra = extra;
  Host host;
  host.name = secret;
  host.cpu = "AMD EPYC 9654";
  host.kernel = "6.1.0-" + secret;
  host.extra = extra;
  header.environment.hosts = {host};
  header.environment.binding = text;
  header.environment.versions = {{"mpi", text}, {secret, "1.2"}, {"cuda", "12.2"}};
  header.environment.variables = {{"PATH", text}, {secret, "1"}};
  header.environment.extra = extra;
  header.source = {.kind = SourceKind::kImported,
                   .format = text,
                   .files = {secret},
                   .summary = text,
                   .unused = {secret},
                   .extra = extra};
  header.changes = {{.name = secret, .values = {secret}, .count = {}, .extra = extra}};
  header.mlperf.submitter = secret;
  header.spec = text;
  header.extra = extra;
  const int kinds[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8};
  int order = 0;
  for (const int workers : kinds) {
    Run run;
    run.workers = workers;
    run.order = order;
    run.block = order % 3;
    run.wall = 8.0 / workers + 0.5 + 0.01 * (order % 3);
    run.session = "session-" + secret;
    run.hosts = {secret, secret + "-2"};
    PerWorker& each = run.per_worker.emplace();
    for (int worker = 0; worker < workers; ++worker) {
      each.host.push_back(secret + "-" + std::to_string(worker % 2));
      each.compute.push_back(8.0 / workers * (worker == 1 ? 1.04 : 1.0));
      each.communicate.push_back(0.3);
      each.wait.push_back(0.1);
    }
    each.extra = extra;
    run.job = secret;
    run.claim.emplace().extra = extra;
    run.factors.emplace()[text] = 1;
    run.settings.emplace()[secret] = secret;
    run.extra = extra;
    study.runs.push_back(run);
    ++order;
  }
  Run bad;
  bad.workers = 8;
  bad.order = order;
  bad.exit_status = 1;
  bad.failure = "no mark in " + text;
  bad.output = "cannot open " + text + "\ntoken " + secret;
  Inside& inside = bad.inside.emplace();
  inside.mpi = secret;
  inside.end = {secret};
  inside.last_call = {secret};
  inside.by_call = {{.call = secret, .communicator = secret, .extra = extra}};
  inside.communicators = {{.name = secret, .wait = {}, .extra = extra}};
  inside.notes = {text};
  inside.extra = extra;
  study.runs.push_back(bad);
  study.notes = {
      {.severity = Severity::kWarning,
       .what = "torn-line",
       .where = text + ":3",
       .values = {{"dropped", secret}},
       .text = "lost " + secret,
       .extra = extra},
      {.severity = Severity::kInfo, .what = secret, .where = secret, .text = text, .extra = extra}};
  study.unknown = {R"({"record":"later",)" + extra.substr(1)};
  return study;
}

}  // namespace kstar
