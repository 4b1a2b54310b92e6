#include "dag/read/ninja_manifest.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"

// ninja-build.org/manual.html: rules, build statements, pools and variables, with the scopes of
// include (the same) and subninja (one below). Variables of files and build statements have their
// value where they stand, those of rules where they are used.
namespace kstar::dag {

std::uint32_t NinjaManifest::path(std::string text) {
  const std::uint32_t known = paths.find(text);
  if (known != NameTable::kNone) return known;
  kept_.push_back(std::move(text));
  return paths.number(kept_.back());
}

std::string canonical_path(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t up = 0;  // of the parts, those that are ".."
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && parts.size() > up) {
      parts.pop_back();
    } else {
      parts.push_back(part);
      if (part == "..") ++up;
    }
  }
  const std::string joined = fmt::format("{}", fmt::join(parts, "/"));
  if (path.starts_with('/')) return "/" + joined;
  return joined.empty() ? "." : joined;
}

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Scope {
  const Scope* parent = nullptr;
  Variables variables;
  std::map<std::string, Variables, std::less<>> rules;  ///< their variables as they are written

  std::optional<std::string> find(std::string_view name) const {
    const auto found = variables.find(name);
    if (found != variables.end()) return found->second;
    return parent == nullptr ? std::nullopt : parent->find(name);
  }
  const Variables* rule(std::string_view name) const {
    const auto found = rules.find(name);
    if (found != rules.end()) return &found->second;
    return parent == nullptr ? nullptr : parent->rule(name);
  }
};

using Lookup = std::function<std::string(std::string_view)>;

constexpr bool is_short_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}

constexpr bool is_whole_name(char c) {
  return is_short_name(c) || c == '.';
}

/// What a text with $variables and escapes says. A $ that is none stands for itself.
std::string evaluate(std::string_view raw, const Lookup& lookup) {
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '$' || i + 1 == raw.size()) {
      text += raw[i];
      continue;
    }
    const char next = raw[++i];
    if (next == '\n' || next == '\r') {  // the line goes on, behind the blanks
      if (next == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') ++i;
      while (i + 1 < raw.size() && raw[i + 1] == ' ') ++i;
    } else if (next == '{') {
      const std::size_t close = std::min(raw.find('}', i), raw.size());
      text += lookup(raw.substr(i + 1, close - i - 1));
      i = close;
    } else if (is_short_name(next)) {
      std::size_t end = i;
      while (end < raw.size() && is_short_name(raw[end])) ++end;
      text += lookup(raw.substr(i, end - i));
      i = end - 1;
    } else {
      text += next;  // a blank, a colon, another $
    }
  }
  return text;
}

class ManifestParser {
 public:
  ManifestParser(const Source& source, const std::string& folder, NinjaManifest& manifest,
                 Scope& scope, int depth)
      : source_(source),
        folder_(folder),
        manifest_(manifest),
        scope_(scope),
        depth_(depth),
        at_(0) {}

  Result<void> parse() {
    while (skip_empty_lines()) {
      if (is_indented()) return fail(here("expected a statement, got an indented line"));
      const std::string_view word = read_word();
      if (word.empty()) return fail(here("expected a statement"));
      KSTAR_CHECK(parse_statement(word));
    }
    return {};
  }

 private:
  std::string_view text() const { return source_.text; }
  Error here(std::string message) const {
    return error_at(source_, text().data() + std::min(at_, text().size()), std::move(message));
  }

  Result<void> parse_statement(std::string_view word) {
    if (word == "build") return parse_build();
    if (word == "rule") return parse_rule();
    if (word == "pool") return parse_pool();
    if (word == "include" || word == "subninja") return parse_include(word == "subninja");
    if (word == "default") {
      parse_default();
      return {};
    }
    KSTAR_TRY(std::string value, read_binding());
    scope_.variables.insert_or_assign(std::string(word), std::move(value));
    if (word == "builddir") manifest_.build_folder = *scope_.find(word);
    return {};
  }

  // Lines.

  /// To the first line that says something; false at the end.
  bool skip_empty_lines() {
    while (at_ < text().size()) {
      const std::size_t first = text().find_first_not_of(" \t\r", at_);
      if (first == text().npos) break;
      if (text()[first] != '\n' && text()[first] != '#') return true;
      at_ = std::min(text().find('\n', first), text().size() - 1) + 1;
    }
    at_ = text().size();
    return false;
  }

  bool is_indented() const { return text()[at_] == ' ' || text()[at_] == '\t'; }

  void skip_blanks() {
    while (at_ < text().size() && (text()[at_] == ' ' || text()[at_] == '\t')) ++at_;
  }

  std::string_view read_word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text().size() && is_whole_name(text()[at_])) ++at_;
    return text().substr(begin, at_ - begin);
  }

  /// To the end of the line, and on over those that end in $. As it is written, without its end.
  std::string_view read_logical_line() {
    skip_blanks();
    const std::size_t begin = at_;
    for (;;) {
      const std::size_t end = std::min(text().find('\n', at_), text().size());
      at_ = std::min(end + 1, text().size());
      std::size_t last = end;
      if (last > begin && text()[last - 1] == '\r') --last;
      std::size_t dollars = 0;
      while (last > begin + dollars && text()[last - 1 - dollars] == '$') ++dollars;
      if (dollars % 2 == 0 || end == text().size()) return text().substr(begin, last - begin);
    }
  }

  /// "= value", as it is written.
  Result<std::string_view> read_raw_binding() {
    skip_blanks();
    if (at_ == text().size() || text()[at_] != '=') return fail(here("expected '='"));
    ++at_;
    return read_logical_line();
  }

  Result<std::string> read_binding() {
    KSTAR_TRY(const std::string_view raw, read_raw_binding());
    return evaluate(raw, [&](std::string_view name) { return scope_.find(name).value_or(""); });
  }

  /// Calls take(name, value as written) for the indented lines below.
  template <typename Take>
  Result<void> read_indented(const Take& take) {
    while (skip_empty_lines() && is_indented()) {
      const std::string_view name = read_word();
      if (name.empty()) return fail(here("expected a variable"));
      KSTAR_TRY(const std::string_view raw, read_raw_binding());
      KSTAR_CHECK(take(name, raw));
    }
    return {};
  }

  // Statements.

  Result<void> parse_rule() {
    const std::string name(read_word());
    if (name.empty()) return fail(here("expected the name of a rule"));
    read_logical_line();
    Variables& rule = scope_.rules[name];
    return read_indented([&](std::string_view key, std::string_view raw) -> Result<void> {
      rule.insert_or_assign(std::string(key), std::string(raw));
      return {};
    });
  }

  Result<void> parse_pool() {
    const std::string name(read_word());
    if (name.empty()) return fail(here("expected the name of a pool"));
    read_logical_line();
    return read_indented([&](std::string_view key, std::string_view raw) -> Result<void> {
      const std::string value =
          evaluate(raw, [&](std::string_view each) { return scope_.find(each).value_or(""); });
      const std::optional<std::int64_t> depth = parse_integer(value);
      constexpr std::int64_t kMost = 1'000'000;
      if (key != "depth" || !depth || *depth < 0) {
        return fail(wrong_value(source_, raw, "depth = a whole number of 0 or more"));
      }
      manifest_.pools[name] = static_cast<int>(std::min(*depth, kMost));
      return {};
    });
  }

  Result<void> parse_include(bool below) {
    const std::string_view raw = read_logical_line();
    const std::string path =
        evaluate(raw, [&](std::string_view name) { return scope_.find(name).value_or(""); });
    constexpr int kDeepest = 50;
    if (depth_ >= kDeepest)
      return fail(error_at(source_, raw.data(), "includes are nested too deeply"));
    const std::string full = (std::filesystem::path(folder_) / path).string();
    std::error_code ignored;
    if (folder_.empty() || !std::filesystem::exists(full, ignored)) {
      manifest_.missing.push_back(path);
      return {};
    }
    constexpr std::size_t kLargest = std::size_t{2} << 30U;
    KSTAR_TRY(const FileText file, read_regular_file(full, kLargest));
    Scope inner{.parent = &scope_, .variables = {}, .rules = {}};
    return ManifestParser({file.view(), full}, folder_, manifest_, below ? inner : scope_,
                          depth_ + 1)
        .parse();
  }

  /// build OUTPUTS | IMPLICIT: RULE INPUTS | IMPLICIT || ORDER-ONLY |@ VALIDATIONS
  Result<void> parse_build() {
    const std::string_view line = read_logical_line();
    Paths paths;
    KSTAR_CHECK(read_paths(line, paths));
    Variables own;
    KSTAR_CHECK(read_indented([&](std::string_view key, std::string_view raw) -> Result<void> {
      own.insert_or_assign(std::string(key), evaluate(raw, [&](std::string_view name) {
                             return scope_.find(name).value_or("");
                           }));
      return {};
    }));
    add_step(paths, own);
    return {};
  }

  void parse_default() {
    for (const std::string_view raw : words_of(read_logical_line())) {
      const std::string path =
          evaluate(raw, [&](std::string_view name) { return scope_.find(name).value_or(""); });
      if (!path.empty()) manifest_.defaults.push_back(manifest_.path(canonical_path(path)));
    }
  }

  struct Paths {
    std::vector<std::string_view> outputs, inputs;
    std::string_view rule;
  };

  Result<void> read_paths(std::string_view line, Paths& paths) const {
    bool outputs = true, validations = false;
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++i;
      } else if (c == ':' && outputs) {
        outputs = false;
        const std::size_t begin = line.find_first_not_of(" \t", i + 1);
        std::size_t end = std::min(begin, line.size());
        while (end < line.size() && is_whole_name(line[end])) ++end;
        if (begin == line.npos || end == begin) {
          return fail(error_at(source_, line.data() + i, "expected a rule after ':'"));
        }
        paths.rule = line.substr(begin, end - begin);
        i = end;
      } else if (c == '|') {
        validations = validations || line.substr(i).starts_with("|@");
        i += line.substr(i).starts_with("||") || line.substr(i).starts_with("|@") ? 2U : 1U;
      } else {
        const std::size_t begin = i;
        while (i < line.size() &&
               std::string_view(" \t:|").find(line[i]) == std::string_view::npos) {
          if (line[i] == '$' && i + 1 < line.size()) {
            ++i;
            if (line[i] == '{') i = std::min(line.find('}', i), line.size() - 1);
            if (line[i] == '\n') break_line(line, i);
          }
          ++i;
        }
        if (i == begin) return fail(error_at(source_, line.data() + i, "expected a path"));
        const std::string_view path = line.substr(begin, i - begin);
        if (!validations) (outputs ? paths.outputs : paths.inputs).push_back(path);
      }
    }
    if (outputs) return fail(error_at(source_, line.data(), "expected ':' and a rule"));
    if (paths.outputs.empty()) return fail(error_at(source_, line.data(), "expected an output"));
    return {};
  }

  /// "ccache cc -c ...", "/usr/bin/sccache cl ...", "/usr/lib/ccache/c++ -c ...".
  static bool is_cached(std::string_view command) {
    for (const std::string_view word : words_of(command.substr(0, command.find(" -")))) {
      if (word.ends_with("ccache") || word.ends_with("ccache.exe") ||
          word.find("/lib/ccache/") != word.npos) {
        return true;
      }
    }
    return false;
  }

  /// The blanks that begin the next line belong to the escape before.
  static void break_line(std::string_view line, std::size_t& i) {
    while (i + 1 < line.size() && line[i + 1] == ' ') ++i;
  }

  void add_step(const Paths& paths, const Variables& own) {
    const Lookup in_build = [&](std::string_view name) {
      const auto found = own.find(name);
      return found != own.end() ? found->second : scope_.find(name).value_or("");
    };
    NinjaStep step;
    step.phony = paths.rule == "phony";
    const auto number = [&](std::string_view raw, std::vector<std::uint32_t>& into) {
      const std::string path = evaluate(raw, in_build);
      if (!path.empty()) into.push_back(manifest_.path(canonical_path(path)));
    };
    for (const std::string_view raw : paths.outputs) number(raw, step.outputs);
    for (const std::string_view raw : paths.inputs) number(raw, step.inputs);
    const Variables* rule = scope_.rule(paths.rule);
    const auto of_step = [&](std::string_view name) -> std::string {
      const auto found = own.find(name);
      if (found != own.end()) return found->second;
      if (rule == nullptr || rule->find(name) == rule->end()) return "";
      return evaluate(rule->find(name)->second, in_build);
    };
    step.pool = of_step("pool");
    step.generator = !of_step("generator").empty();
    step.dyndep = of_step("dyndep");
    if (rule != nullptr) {
      const auto [place, is_new] = cached_.try_emplace(rule, false);
      if (is_new) place->second = is_cached(of_step("command"));
      const auto launcher = own.find("LAUNCHER");
      step.cached = place->second || (launcher != own.end() && is_cached(launcher->second));
    }
    if (!step.outputs.empty()) manifest_.steps.push_back(std::move(step));
  }

  const Source source_;
  const std::string& folder_;
  NinjaManifest& manifest_;
  Scope& scope_;
  int depth_;
  std::size_t at_;
  std::map<const Variables*, bool> cached_;  ///< by rule
};

}  // namespace

TaskGraph steps_graph(const NinjaManifest& manifest) {
  TaskGraph graph;
  std::vector<std::uint32_t> made_by(manifest.paths.size(), NameTable::kNone);
  for (std::uint32_t step = 0; step < manifest.steps.size(); ++step) {
    for (const std::uint32_t output : manifest.steps[step].outputs) made_by[output] = step;
    graph.names.emplace_back(manifest.paths.name(manifest.steps[step].outputs[0]));
  }
  graph.times.assign(graph.names.size(), 0);
  std::vector<Edge> edges;
  std::set<std::uint32_t> before;  // several files of one step are one edge
  for (std::uint32_t step = 0; step < manifest.steps.size(); ++step) {
    before.clear();
    for (const std::uint32_t input : manifest.steps[step].inputs) {
      const std::uint32_t maker = made_by[input];
      if (maker != NameTable::kNone && before.insert(maker).second) edges.push_back({maker, step});
    }
  }
  set_edges(graph, edges);
  return graph;
}

Result<NinjaManifest> parse_manifest(const Source& source, const std::string& folder) {
  NinjaManifest manifest;
  Scope scope;
  KSTAR_CHECK(ManifestParser(source, folder, manifest, scope, 0).parse());
  return manifest;
}

}  // namespace kstar::dag
