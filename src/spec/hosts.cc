#include "spec/hosts.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::size_t kLargestHostfile = std::size_t{1} << 20U;
constexpr std::int64_t kMostHosts = 1'000'000;
constexpr int kMostBrackets = 8;  // of one name: rack, chassis, blade, node

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void add_once(std::vector<std::string>& hosts, std::string_view host) {
  if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.emplace_back(host);
}

Result<std::vector<std::string>> read_hostfile(const std::string& path) {
  KSTAR_TRY(const FileText text, read_file(path, kLargestHostfile));
  std::vector<std::string> hosts;
  std::size_t number = 0;
  for (const std::string_view raw : split(text.view(), '\n')) {
    const Line line{path, ++number, raw.substr(0, raw.find('\r'))};
    const std::string_view said = trim(line.text.substr(0, line.text.find('#')));
    if (said.empty()) continue;
    std::string_view host = said.substr(0, said.find_first_of(" \t"));
    // MPICH's machine files say slots as name:4; an IPv6 address has more than one colon.
    if (std::count(host.begin(), host.end(), ':') == 1) host = host.substr(0, host.find(':'));
    if (!is_host_name(host)) {
      return fail(line_error(line, 0, expected("", "the name of a host", host).message));
    }
    add_once(hosts, host);
  }
  if (hosts.empty()) return fail({.where = path, .message = "expected one host name per line"});
  return hosts;
}

/// The names of one entry, "a[1-3,5]b" with every bracket opened: from left to right.
Result<void> open_brackets(std::string_view entry, const Error& wrong,
                           std::vector<std::string>& hosts) {
  const std::size_t open = entry.find('[');
  if (open == entry.npos) {
    if (!is_host_name(entry) || hosts.size() >= kMostHosts) return fail(wrong);
    hosts.emplace_back(entry);
    return {};
  }
  const std::size_t close = entry.find(']', open);
  if (close == entry.npos) return fail(wrong);
  for (const std::string_view range : split(entry.substr(open + 1, close - open - 1), ',')) {
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == range.npos ? low : range.substr(dash + 1);
    const std::optional<std::int64_t> first = parse_integer(low), last = parse_integer(high);
    if (!first || !last || *first < 0 || *last < *first || *last - *first > kMostHosts) {
      return fail(wrong);
    }
    for (std::int64_t n = *first; n <= *last; ++n) {
      const std::string name =
          fmt::format("{}{:0{}}{}", entry.substr(0, open), n, low.size(), entry.substr(close + 1));
      if (Result<void> opened = open_brackets(name, wrong, hosts); !opened) return opened;
    }
  }
  return {};
}

}  // namespace

bool is_host_name(std::string_view text) {
  if (text.empty() || !is_letter_or_digit(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' || c == ':';
  });
}

Result<std::vector<std::string>> resolve_hosts(const std::vector<std::string>& said) {
  if (said.size() == 1 && said[0].find('/') != std::string::npos) return read_hostfile(said[0]);
  return said;
}

Result<std::vector<std::string>> expand_node_list(std::string_view list, std::string_view where) {
  const Error wrong = expected(where, "a list of nodes such as n[1-4,7],login", list);
  std::vector<std::string> hosts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size()) depth += list[at] == '[' ? 1 : list[at] == ']' ? -1 : 0;
    if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
    const std::string_view entry = list.substr(begin, at - begin);
    if (std::count(entry.begin(), entry.end(), '[') > kMostBrackets) return fail(wrong);
    KSTAR_CHECK(open_brackets(entry, wrong, hosts));
    begin = at + 1;
  }
  return hosts;
}

std::string own_host_name() {
  utsname system{};
  return ::uname(&system) == 0 ? system.nodename : "";
}

}  // namespace kstar
