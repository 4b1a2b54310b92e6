#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/base64.h"
#include "base/gzip.h"
#include "base/text.h"
#include "base/try.h"
#include "import/importer.h"
#include "kstar/study_file.h"

namespace kstar {

// The page of kstar report. Every study is an element of its own, gzipped in base64:
//   <script type="application/x-kstar-study" data-name="..." data-bytes="...">H4sI...</script>
// An empty one names a study that was too large to be carried.
namespace {

constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"kstar";
constexpr std::string_view kElement = "<script type=\"application/x-kstar-study\"";

struct Carried {
  std::string name;
  std::string_view packed;
};

bool sniff_report(std::string_view start) {
  return start.find(kGenerator) != std::string_view::npos;
}

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
  std::string plain;
  while (!text.empty()) {
    const auto* entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                      [&](const auto& one) { return text.starts_with(one.first); });
    const bool found = entity != std::end(kEntities);
    plain += found ? entity->second : text[0];
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return plain;
}

/// The value of an attribute of the tag; empty where it has none.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(start);
  if (at == std::string_view::npos) return "";
  const std::string_view value = tag.substr(at + start.size());
  return unescaped(value.substr(0, value.find('"')));
}

Result<std::vector<Carried>> carried_by(const Input& input) {
  std::vector<Carried> all;
  std::size_t at = input.text.find(kElement);
  while (at != std::string_view::npos) {
    const std::size_t open = input.text.find('>', at);
    const std::size_t close = input.text.find("</script>", at);
    if (close == std::string_view::npos || open > close) {
      return fail(
          error_at(input, input.text.data() + at, "the page is truncated inside its study"));
    }
    const std::string_view tag = input.text.substr(at, open - at);
    all.push_back(
        {attribute(tag, "data-name"), trim(input.text.substr(open + 1, close - open - 1))});
    at = input.text.find(kElement, close);
  }
  return all;
}

std::string names_of(const std::vector<Carried>& all) {
  std::string names;
  for (const Carried& one : all) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(one.name));
    if (names.size() > 1000) break;
  }
  return names;
}

Result<Carried> chosen(const Input& input, const std::string& select) {
  KSTAR_TRY(const std::vector<Carried> all, carried_by(input));
  const std::string where = printable(input.name);
  if (all.empty()) return fail({.where = where, .message = "the page contains no study"});
  if (select.empty()) {
    if (all.size() == 1) return all.front();
    return fail({.where = where,
                 .message = fmt::format("the page contains {} studies", all.size()),
                 .hint = fmt::format("pick one with --select; available: {}", names_of(all))});
  }
  for (const Carried& one : all) {
    if (one.name == select) return one;
  }
  return fail(expected("--select", fmt::format("one of {}", names_of(all)), printable(select)));
}

Result<FileText> unpacked(const Input& input, const Carried& carried) {
  const char* at = carried.packed.data();
  const std::optional<std::string> packed = from_base64(carried.packed);
  if (!packed) return fail(error_at(input, at, "the study in the page is damaged: no base64"));
  Result<FileText> text = gunzip(*packed, input.name, most_unpacked(packed->size()));
  if (!text) return fail(error_at(input, at, "the study in the page " + text.error().message));
  return text;
}

Result<Study> read_report(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const Carried carried, chosen(input, options.select));
  const std::string name = carried.name.empty() ? std::string(input.name)
                                                : fmt::format("{}: {}", input.name, carried.name);
  if (carried.packed.empty()) {
    return fail({.where = printable(name),
                 .message = "the study was too large to be embedded in the page",
                 .hint = "use the study's own file"});
  }
  KSTAR_TRY(const FileText text, unpacked(input, carried));
  return parse_study(text.view(), name);
}

}  // namespace

const Importer& report_importer() {
  static const Importer kImporter = {
      {"report", "a page of kstar report: the study that it contains, unchanged"},
      &sniff_report,
      &read_whole<read_report>,
      true};
  return kImporter;
}

}  // namespace kstar
