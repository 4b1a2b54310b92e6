#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/machine.h"
#include "spec/toml_keys.h"

namespace kstar {

namespace {

constexpr double kMostThreads = 65536;
constexpr std::size_t kMostSamples = 10000;
constexpr int kMachineSchema = 1;

Error sample_error(const TomlSource& source, const toml::node& node, bool stated) {
  const char* wanted = stated ? "a rate from 1e6 to 1e21, in FLOP/s or bytes/s (15 GB/s: 15e9)"
                              : "a rate from 1 to 1e21";
  return source.error(node.source().begin, expected("", wanted, shown(node)).message);
}

/// `samples = [...]`, or `rate = ...` for one that is only stated.
Result<std::vector<double>> read_samples(const TomlSource& source, const toml::table& table) {
  const toml::node* node = table.get("samples");
  const toml::node* stated = table.get("rate");
  if ((node == nullptr) == (stated == nullptr)) {
    return fail(source.error(table.source().begin,
                             node == nullptr
                                 ? "expected samples = [...], or rate = ... of a data sheet"
                                 : "expected samples or rate, got both"));
  }
  const auto rate_in = [&](const toml::node& one) -> Result<double> {
    const std::optional<double> value = one.is_number() ? one.value<double>() : std::nullopt;
    const bool enough = value && *value >= (stated == nullptr ? 1 : kLeastStatedRate);
    if (!enough || !(*value <= kMostRate)) {
      return fail(sample_error(source, one, stated != nullptr));
    }
    return *value;
  };
  std::vector<double> samples;
  if (stated != nullptr) {
    KSTAR_TRY(const double rate, rate_in(*stated));
    samples.push_back(rate);
    return samples;
  }
  const toml::array* list = node->as_array();
  if (list == nullptr || list->empty() || list->size() > kMostSamples) {
    return fail(source.error(node->source().begin,
                             expected("", "a list of 1 to 10000 rates", shown(*node)).message));
  }
  for (const toml::node& one : *list) {
    KSTAR_TRY(const double rate, rate_in(one));
    samples.push_back(rate);
  }
  return samples;
}

Result<MachineCeiling> read_ceiling(const TomlSource& source, const toml::table& table,
                                    bool compute) {
  TomlKeys keys(source, table);
  MachineCeiling about;
  keys.allow("samples");
  keys.allow("rate");
  about.kernel = printable(keys.text("kernel").value_or(""));
  about.vector = printable(keys.text("vector").value_or(""));
  about.threads = static_cast<int>(keys.whole("threads", 0, kMostThreads).value_or(1));
  about.working_set = keys.positive("working_set").value_or(0);
  if (compute) {
    about.level = "compute";
    about.precision = printable(keys.text("precision").value_or("fp64"));
  } else {
    about.level = keys.choice("level", memory_levels()).value_or("memory");
  }
  KSTAR_CHECK(keys.finish());
  KSTAR_TRY(std::vector<double> samples, read_samples(source, table));
  return make_ceiling(std::move(about), std::move(samples));
}

Result<void> read_ceilings(const TomlSource& source, const toml::table& root, const char* key,
                           MachineCeilings& machine) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    return fail(source.error(
        node->source().begin,
        expected("", fmt::format("tables such as [[{}]]", key), shown(*node)).message));
  }
  for (const toml::node& one : *list) {
    const toml::table* table = one.as_table();
    if (table == nullptr) {
      return fail(
          source.error(one.source().begin,
                       expected("", fmt::format("a table [[{}]]", key), shown(one)).message));
    }
    KSTAR_TRY(MachineCeiling ceiling,
              read_ceiling(source, *table, std::string_view(key) == "compute"));
    machine.ceilings.push_back(std::move(ceiling));
  }
  return {};
}

Result<void> read_notes(const TomlSource& source, const toml::table& root,
                        MachineCeilings& machine) {
  const toml::node* node = root.get("notes");
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr || !std::all_of(list->begin(), list->end(),
                                      [](const toml::node& one) { return one.is_string(); })) {
    return fail(
        source.error(node->source().begin, expected("", "a list of texts", shown(*node)).message));
  }
  for (const toml::node& one : *list) {
    machine.notes.push_back(printable(one.as_string()->get()));
  }
  return {};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\t') {
      out += ' ';
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
  return out + "\"";
}

void put(std::string& text, const char* key, std::string_view value) {
  if (!value.empty()) text += fmt::format("{} = {}\n", key, quoted(value));
}

/// Four digits: the spread of a ceiling is larger than that.
std::string rate_text(double rate) {
  return fmt::format("{:.4g}", rate);
}

void put_ceiling(std::string& text, const MachineCeiling& ceiling) {
  text += ceiling.is_compute() ? "\n[[compute]]\n" : "\n[[bandwidth]]\n";
  if (!ceiling.is_compute()) put(text, "level", ceiling.level);
  put(text, "kernel", ceiling.kernel);
  put(text, "precision", ceiling.precision);
  put(text, "vector", ceiling.vector);
  text +=
      fmt::format("threads = {}{}\n", ceiling.threads, ceiling.threads == 0 ? "  # not known" : "");
  if (ceiling.working_set > 0) text += fmt::format("working_set = {}\n", ceiling.working_set);
  if (ceiling.samples.size() == 1) {
    text += fmt::format("rate = {}\n", rate_text(ceiling.samples[0]));
    return;
  }
  std::vector<std::string> samples;
  for (const double sample : ceiling.samples) samples.push_back(rate_text(sample));
  text += fmt::format("samples = [{}]\n", fmt::join(samples, ", "));
}

}  // namespace

Result<MachineCeilings> parse_machine(std::string_view text, std::string_view name) {
  const TomlSource source(text, name);
  KSTAR_TRY(const toml::table root, source.parse());
  TomlKeys keys(source, root);
  MachineCeilings machine;
  for (const char* key : {"compute", "bandwidth", "notes"}) keys.allow(key);
  keys.whole("schema", 1, kMachineSchema);
  machine.name = printable(keys.text("name").value_or("this machine"));
  machine.kind = keys.choice("kind", {"cpu", "gpu"}).value_or("cpu");
  machine.processor = printable(keys.text("processor").value_or(""));
  machine.capability = printable(keys.text("capability").value_or(""));
  machine.cores = static_cast<int>(keys.whole("cores", 1, kMostThreads).value_or(0));
  machine.measured = printable(keys.text("measured").value_or(""));
  machine.writer = printable(keys.text("writer").value_or(""));
  machine.cpu_wait = keys.number("cpu_wait", 0, 1).value_or(0);
  KSTAR_CHECK(keys.finish());
  KSTAR_CHECK(read_notes(source, root, machine));
  KSTAR_CHECK(read_ceilings(source, root, "compute", machine));
  KSTAR_CHECK(read_ceilings(source, root, "bandwidth", machine));
  if (machine.ceilings.empty()) {
    return fail({.where = printable(name),
                 .message = "expected at least one [[compute]] or [[bandwidth]]",
                 .hint = "'kstar roofline measure -o machine.toml' writes such a file"});
  }
  machine.source = printable(name);
  return machine;
}

Result<MachineCeilings> load_machine(const std::string& path) {
  KSTAR_TRY(const FileText text, read_file(path, TomlSource::kLargestFile));
  return parse_machine(text.view(), path);
}

std::string to_toml(const MachineCeilings& machine) {
  std::string text =
      "# What this machine can do at most: FLOP/s and bytes/s, one sample per repetition.\n";
  text += fmt::format("schema = {}\n", kMachineSchema);
  put(text, "name", machine.name);
  put(text, "kind", machine.kind);
  put(text, "processor", machine.processor);
  put(text, "capability", machine.capability);
  if (machine.cores > 0) text += fmt::format("cores = {}\n", machine.cores);
  put(text, "measured", machine.measured);
  put(text, "writer", machine.writer);
  if (machine.cpu_wait > 0) {
    text += fmt::format("cpu_wait = {:.3g}  # share of the time that other jobs had the CPUs\n",
                        machine.cpu_wait);
  }
  if (!machine.notes.empty()) {
    std::vector<std::string> notes;
    for (const std::string& note : machine.notes) notes.push_back(quoted(note));
    text += fmt::format("notes = [{}]\n", fmt::join(notes, ", "));
  }
  for (const bool compute : {true, false}) {  // as they are read
    for (const MachineCeiling& ceiling : machine.ceilings) {
      if (ceiling.is_compute() == compute) put_ceiling(text, ceiling);
    }
  }
  return text;
}

}  // namespace kstar
