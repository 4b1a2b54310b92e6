#include "load/load_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include "base/json_document.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

std::string header_line(const LoadSpec& spec) {
  std::string command;
  for (const std::string& word : spec.command) {
    command += fmt::format("{}{}", command.empty() ? "" : ",", json_string(word));
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return fmt::format(
      "{{\"kstar\":\"tail-log\",\"schema\":1,\"version\":\"{}\",\"rate\":{},\"arrivals\":\"{}\","
      "\"seed\":{},\"time\":{},\"timeout\":{},\"most_in_flight\":{},\"url\":{},\"command\":[{}],"
      "\"start\":{:.6f}}}\n",
      KSTAR_VERSION, spec.rate, spec.poisson ? "poisson" : "constant", spec.seed, spec.time,
      spec.timeout, spec.most_in_flight, json_string(without_password(spec.url)), command,
      static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9);
}

}  // namespace

std::string without_password(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == url.npos ? 0 : scheme + 3;
  const std::size_t at = url.substr(0, url.find_first_of("/?#", host)).rfind('@');
  if (at == url.npos || at < host) return url;
  return url.substr(0, host) + "***" + url.substr(at);
}

Result<LoadLog> LoadLog::open(const LoadSpec& spec) {
  const int how = O_WRONLY | O_CREAT | O_APPEND | (spec.replace ? O_TRUNC : O_EXCL);
  const int file = ::open(spec.log.c_str(), how | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    return fail({.where = printable(spec.log),
                 .message = "the file exists",
                 .hint = "choose another name, or use --force to replace it"});
  }
  if (file < 0) return fail(file_error(spec.log, "create", errno));
  LoadLog log;
  log.file_ = FileHandle(file);
  log.path_ = spec.log;
  log.waiting_ = header_line(spec);
  KSTAR_CHECK(log.flush());
  return log;
}

void LoadLog::add(const Entry& entry) {
  waiting_ += fmt::format("{{\"i\":{},\"due\":{:.6f},\"sent\":{:.6f},\"latency\":{:.9f}",
                          entry.index, entry.due, entry.sent, entry.latency);
  if (entry.unanswered) {
    waiting_ += ",\"unanswered\":1";
  } else {
    waiting_ += fmt::format(",\"status\":{}", entry.status);
  }
  if (!entry.error.empty()) waiting_ += ",\"failed\":1,\"error\":" + json_string(entry.error);
  waiting_ += "}\n";
}

void LoadLog::note_sent(double now, std::size_t sent) {
  waiting_ += fmt::format("{{\"t\":{:.6f},\"sent\":{}}}\n", now, sent);
}

void LoadLog::close(double now, std::size_t sent) {
  waiting_ += fmt::format("{{\"t\":{:.6f},\"sent\":{},\"end\":1}}\n", now, sent);
}

Result<void> LoadLog::flush() {
  if (waiting_.empty()) return {};
  KSTAR_CHECK(write_all(file_, waiting_, path_));
  waiting_.clear();
  return {};
}

}  // namespace kstar
