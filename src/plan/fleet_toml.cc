#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "kstar/plan_fleet.h"
#include "spec/toml_keys.h"

namespace kstar {

namespace {

constexpr double kMostJobs = 10000;

Result<FleetEntry> read_class(const TomlSource& source, const toml::table& table) {
  TomlKeys keys(source, table);
  FleetEntry entry;
  entry.about.name = keys.text("name").value_or("");
  entry.about.jobs = static_cast<std::size_t>(keys.whole("jobs", 1, kMostJobs).value_or(1));
  entry.about.value = keys.positive("value").value_or(1);
  entry.study = keys.text("study").value_or("");
  entry.data = keys.text("data").value_or("");
  entry.law = keys.text("law").value_or("");
  entry.base_time = keys.duration("time").value_or(0);
  entry.work = keys.positive("work").value_or(1);
  entry.where = keys.error_at("name", "").where;
  if (!entry.law.empty()) entry.parameters = keys.others();
  KSTAR_CHECK(keys.finish());
  if (entry.about.name.empty()) {
    return fail(keys.error_at("name", "expected name = \"...\" in [[class]]"));
  }
  const int sources =
      (entry.study.empty() ? 0 : 1) + (entry.data.empty() ? 0 : 1) + (entry.law.empty() ? 0 : 1);
  if (sources != 1) {
    return fail(keys.error_at("name",
                              fmt::format("expected one of study, data and law, got {}", sources),
                              "for example law = \"amdahl\", serial = 0.05, time = \"10h\""));
  }
  return entry;
}

}  // namespace

Result<std::vector<FleetEntry>> parse_fleet(std::string_view text, std::string_view name) {
  const TomlSource source(text, name);
  KSTAR_TRY(const toml::table root, source.parse());
  std::vector<FleetEntry> entries;
  for (const auto& [key, node] : root) {
    const toml::array* list = node.as_array();
    if (key.str() != "class" || list == nullptr || !list->is_homogeneous<toml::table>()) {
      return fail(source.error(key.source().begin,
                               expected("", "tables such as [[class]]", key.str()).message));
    }
    for (const toml::node& one : *list) {
      KSTAR_TRY(FleetEntry entry, read_class(source, *one.as_table()));
      entries.push_back(std::move(entry));
    }
  }
  if (entries.empty()) {
    return fail({.where = printable(name), .message = "expected at least one [[class]]"});
  }
  return entries;
}

}  // namespace kstar
