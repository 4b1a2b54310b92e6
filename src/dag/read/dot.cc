#include <fmt/format.h>

#include <deque>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/source.h"

// The DOT language of Graphviz: a digraph of nodes and edges, with attributes. A node's time and an
// edge's cost are numbers in one of a few attributes; Graphviz itself takes an edge's `weight` for
// drawing, so that one is a cost only where nodes have weights as well.
namespace kstar::dag {

namespace {

enum class DotKind : std::uint8_t { kEnd, kName, kSign };

struct DotToken {
  DotKind kind = DotKind::kEnd;
  std::string_view text;
  const char* at = nullptr;
};

/// Names (plain, in quotes, HTML) and signs; comments and lines of the C preprocessor are passed.
class DotLexer {
 public:
  explicit DotLexer(const Source& source) : source_(source), at_(source.text.data()) {}

  Result<DotToken> next() {
    KSTAR_CHECK(skip());
    if (at_ == end()) return DotToken{DotKind::kEnd, {}, at_};
    if (*at_ == '"') return quoted();
    if (*at_ == '<') return html();
    if (is_name(*at_) || *at_ == '.' || (*at_ == '-' && at_ + 1 < end() && is_number(at_[1]))) {
      return plain();
    }
    const bool arrow = *at_ == '-' && at_ + 1 < end() && (at_[1] == '>' || at_[1] == '-');
    const DotToken sign{DotKind::kSign, {at_, arrow ? 2U : 1U}, at_};
    at_ += sign.text.size();
    return sign;
  }

 private:
  const char* end() const { return source_.text.data() + source_.text.size(); }
  static bool is_number(char c) { return is_digit(c) || c == '.'; }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           static_cast<unsigned char>(c) >= 0x80U;
  }

  Result<void> skip() {
    while (at_ < end()) {
      const std::string_view rest(at_, static_cast<std::size_t>(end() - at_));
      const bool line_start = at_ == source_.text.data() || at_[-1] == '\n';
      if (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') {
        ++at_;
      } else if (rest.starts_with("//") || (*at_ == '#' && line_start)) {
        at_ += std::min(rest.find('\n'), rest.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t close = rest.find("*/", 2);
        if (close == rest.npos) return fail(error_at(source_, at_, "this comment does not end"));
        at_ += close + 2;
      } else {
        break;
      }
    }
    return {};
  }

  DotToken plain() {
    const char* begin = at_;
    if (*at_ == '-' || is_number(*at_)) {
      ++at_;
      while (at_ < end() && is_number(*at_)) ++at_;
    }
    while (at_ < end() && is_name(*at_)) ++at_;
    return {DotKind::kName, {begin, static_cast<std::size_t>(at_ - begin)}, begin};
  }

  /// Pieces in quotes are joined by +; a backslash before a quote or an end of line is dropped.
  Result<DotToken> quoted() {
    const char* begin = at_;
    std::string text;
    for (;;) {
      for (++at_; at_ < end() && *at_ != '"'; ++at_) {
        if (*at_ == '\\' && at_ + 1 < end() && (at_[1] == '"' || at_[1] == '\n')) {
          if (*++at_ == '"') text += '"';
        } else {
          text += *at_;
        }
      }
      if (at_ == end()) return fail(error_at(source_, begin, "this quote does not end"));
      ++at_;
      KSTAR_CHECK(skip());
      if (at_ == end() || *at_ != '+') break;
      ++at_;
      KSTAR_CHECK(skip());
      if (at_ == end() || *at_ != '"')
        return fail(error_at(source_, at_, "expected a quote after +"));
    }
    kept_.push_back(std::move(text));
    return DotToken{DotKind::kName, kept_.back(), begin};
  }

  Result<DotToken> html() {
    const char* begin = at_;
    int open = 0;
    do {
      if (at_ == end()) return fail(error_at(source_, begin, "this HTML text does not end"));
      open += *at_ == '<' ? 1 : *at_ == '>' ? -1 : 0;
      ++at_;
    } while (open > 0);
    return DotToken{DotKind::kName, {begin, static_cast<std::size_t>(at_ - begin)}, begin};
  }

  const Source& source_;
  const char* at_;
  std::deque<std::string> kept_;  ///< texts that do not stand in the file as they are
};

using Attributes = std::map<std::string, DotToken, std::less<>>;

class DotReader {
 public:
  explicit DotReader(const Source& source) : source_(source), lexer_(source) {}

  Result<TaskGraph> read() {
    KSTAR_CHECK(advance());
    if (is_word("strict")) KSTAR_CHECK(advance());
    if (is_word("graph")) {
      return fail(error_at(source_, token_.at, "expected a digraph: a graph has no direction"));
    }
    if (!is_word("digraph")) return fail(wrong_value(source_, token_text(), "digraph"));
    KSTAR_CHECK(advance());
    if (is_word("ninja")) {
      return fail(error_at(source_, token_.at,
                           "ninja -t graph has files as nodes, and they are no tasks",
                           "read the folder of build.ninja, which has the times too"));
    }
    if (token_.kind == DotKind::kName) KSTAR_CHECK(advance());
    KSTAR_CHECK(expect("{"));
    KSTAR_CHECK(read_statements(0, {}));
    KSTAR_CHECK(expect("}"));
    return finish();
  }

 private:
  using Nodes = std::vector<std::uint32_t>;
  struct DotEdge {
    std::uint32_t from, to;
    Attributes attributes;
  };

  std::string_view token_text() const {
    return token_.kind == DotKind::kEnd ? std::string_view("the end") : token_.text;
  }
  bool is_sign(std::string_view sign) const {
    return token_.kind == DotKind::kSign && token_.text == sign;
  }
  bool is_word(std::string_view word) const {
    return token_.kind == DotKind::kName && *token_.at != '"' && lower_case(token_.text) == word;
  }
  Result<void> advance() {
    KSTAR_TRY(token_, lexer_.next());
    return {};
  }
  Error unexpected(std::string_view what) const {
    return error_at(source_, token_.at,
                    fmt::format("expected {}, got {}", what,
                                token_.kind == DotKind::kEnd
                                    ? "the end of the file"
                                    : fmt::format("'{}'", shorten(printable(token_.text), 40))));
  }
  Result<void> expect(std::string_view sign) {
    if (!is_sign(sign)) return fail(unexpected(fmt::format("'{}'", sign)));
    if (sign == "}" && depth_ == 0) return end_graph();
    return advance();
  }

  /// What follows the last brace is not the graph's; a second graph is not dropped in silence.
  Result<void> end_graph() {
    Result<DotToken> behind = lexer_.next();
    token_ = behind ? *behind : DotToken{};
    behind_ = !behind || token_.kind != DotKind::kEnd;
    if (behind && (is_word("digraph") || is_word("graph") || is_word("strict"))) {
      return fail(error_at(source_, token_.at, "expected one graph: a second one begins here",
                           "write each to a file of its own"));
    }
    token_ = {};
    return {};
  }

  /// What is set for all nodes or edges of a subgraph holds in it, from there on.
  struct Defaults {
    Attributes node, edge;
  };

  Result<Nodes> read_statements(int depth, Defaults defaults) {
    constexpr int kDeepest = 200;
    if (depth > kDeepest)
      return fail(error_at(source_, token_.at, "subgraphs are nested too deeply"));
    depth_ = depth;
    Nodes all;
    while (!is_sign("}")) {
      if (token_.kind == DotKind::kEnd) return fail(unexpected("'}'"));
      if (is_sign(";") || is_sign(",")) {
        KSTAR_CHECK(advance());
      } else if (is_word("node") || is_word("edge") || is_word("graph")) {
        Attributes ignored;
        Attributes& target = is_word("node")   ? defaults.node
                             : is_word("edge") ? defaults.edge
                                               : ignored;
        KSTAR_CHECK(advance());
        KSTAR_CHECK(read_attributes(target));
      } else {
        KSTAR_TRY(const Nodes some, read_statement(depth, defaults));
        all.insert(all.end(), some.begin(), some.end());
      }
      depth_ = depth;
    }
    return all;
  }

  /// A node, a chain of edges, a subgraph, or an attribute of the graph.
  Result<Nodes> read_statement(int depth, const Defaults& defaults) {
    KSTAR_TRY(Nodes nodes, read_end(depth, defaults));
    if (is_sign("=")) {  // name = value: no node was meant
      KSTAR_CHECK(advance());
      if (token_.kind != DotKind::kName) return fail(unexpected("a value"));
      KSTAR_CHECK(advance());
      return Nodes{};
    }
    for (const std::uint32_t node : nodes) declare(node, defaults.node);
    Nodes all = nodes;
    bool chain = false;
    const std::size_t first_edge = edges_.size();
    while (is_sign("->") || is_sign("--")) {
      if (is_sign("--")) return fail(unexpected("'->': a digraph's edges have a direction"));
      chain = true;
      KSTAR_CHECK(advance());
      KSTAR_TRY(Nodes next, read_end(depth, defaults));
      for (const std::uint32_t node : next) declare(node, defaults.node);
      constexpr std::size_t kMostEdges = 50'000'000;
      if (nodes.size() * next.size() + edges_.size() > kMostEdges) {
        return fail(error_at(source_, token_.at, "expected at most 50 million edges"));
      }
      for (const std::uint32_t from : nodes) {
        for (const std::uint32_t to : next) edges_.push_back({from, to, defaults.edge});
      }
      all.insert(all.end(), next.begin(), next.end());
      nodes = std::move(next);
    }
    Attributes own;
    if (is_sign("[")) KSTAR_CHECK(read_attributes(own));
    if (chain) {
      for (std::size_t i = first_edge; i < edges_.size(); ++i) set(own, edges_[i].attributes);
    } else if (all.size() == 1) {
      set(own, attributes_[all[0]]);
    }
    return all;
  }

  /// One end of an edge: a node, with a port perhaps, or all nodes of a subgraph.
  Result<Nodes> read_end(int depth, const Defaults& defaults) {
    if (is_word("subgraph")) {
      KSTAR_CHECK(advance());
      if (is_word("clusterlegend")) {
        return fail(error_at(source_, token_.at,
                             "cmake --graphviz has targets as nodes, not tasks, and a legend",
                             "read the folder of build.ninja, which has the times too"));
      }
      if (token_.kind == DotKind::kName) KSTAR_CHECK(advance());
      if (!is_sign("{")) return Nodes{};
    }
    if (is_sign("{")) {
      KSTAR_CHECK(advance());
      KSTAR_TRY(Nodes nodes, read_statements(depth + 1, defaults));
      depth_ = depth + 1;
      KSTAR_CHECK(expect("}"));
      depth_ = depth;
      return nodes;
    }
    if (token_.kind != DotKind::kName) return fail(unexpected("a node, an edge or a subgraph"));
    pending_ = token_.text;
    KSTAR_CHECK(advance());
    while (is_sign(":")) {  // a port
      KSTAR_CHECK(advance());
      if (token_.kind != DotKind::kName) return fail(unexpected("a port"));
      KSTAR_CHECK(advance());
    }
    if (is_sign("=")) return Nodes{};
    return Nodes{builder_.task(pending_)};
  }

  void declare(std::uint32_t node, const Attributes& defaults) {
    if (node < attributes_.size() && declared_[node]) return;
    if (attributes_.size() <= node) {
      attributes_.resize(node + 1);
      declared_.resize(node + 1, false);
    }
    declared_[node] = true;
    attributes_[node] = defaults;
  }

  static void set(const Attributes& from, Attributes& to) {
    for (const auto& [name, value] : from) to[name] = value;
  }

  Result<void> read_attributes(Attributes& into) {
    while (is_sign("[")) {
      KSTAR_CHECK(advance());
      while (!is_sign("]")) {
        if (is_sign(",") || is_sign(";")) {
          KSTAR_CHECK(advance());
          continue;
        }
        if (token_.kind != DotKind::kName) return fail(unexpected("an attribute or ']'"));
        const std::string name(token_.text);
        KSTAR_CHECK(advance());
        DotToken value;
        if (is_sign("=")) {
          KSTAR_CHECK(advance());
          if (token_.kind != DotKind::kName) return fail(unexpected("a value"));
          value = token_;
          KSTAR_CHECK(advance());
        }
        if (is_amount(name) || name == "label") into[name] = value;
      }
      KSTAR_CHECK(advance());
    }
    return {};
  }

  static bool is_amount(std::string_view name) {
    for (const std::string_view known : kAmounts) {
      if (lower_case(name) == known) return true;
    }
    return false;
  }

  /// The attribute that holds the amount, by the order of kAmounts.
  static const std::pair<const std::string, DotToken>* amount_in(const Attributes& attributes) {
    for (const std::string_view known : kAmounts) {
      for (const auto& entry : attributes) {
        if (lower_case(entry.first) == known) return &entry;
      }
    }
    return nullptr;
  }

  Result<double> amount(const DotToken& value, std::string_view what) const {
    const std::optional<double> number = parse_double(trim(value.text));
    if (number && *number >= 0) return *number;
    return fail(error_at(source_, value.at == nullptr ? source_.text.data() : value.at,
                         fmt::format("expected {} of 0 or more, got '{}'", what,
                                     shorten(printable(value.text), 40))));
  }

  Result<TaskGraph> finish() {
    bool timed = false;
    std::string used;
    for (std::uint32_t node = 0; node < builder_.size(); ++node) {
      const auto* entry = amount_in(attributes_[node]);
      if (entry == nullptr) continue;
      KSTAR_TRY(const double time, amount(entry->second, "a time"));
      builder_.set_time(node, time);
      if (used.empty()) used = entry->first;
      timed = true;
    }
    for (const DotEdge& edge : edges_) {
      const auto* entry = amount_in(edge.attributes);
      double cost = 0;
      const bool is_size = entry != nullptr && lower_case(entry->first) == "size";
      sized_edges_ = sized_edges_ || is_size;  // bytes, in the files of simulators
      if (timed && entry != nullptr && !is_size) {
        KSTAR_TRY(cost, amount(entry->second, "a cost"));
      }
      builder_.add_edge(edge.from, edge.to, cost);
    }
    return described(timed, used);
  }

  TaskGraph described(bool timed, const std::string& used) {
    std::size_t untimed = 0;
    for (std::uint32_t node = 0; node < builder_.size(); ++node) {
      if (!builder_.has_time(node)) ++untimed;
    }
    TaskGraph graph = builder_.finish(timed ? 0 : 1);
    graph.seconds = false;
    graph.timed = timed;
    if (!timed) {
      graph.notes.emplace_back("no node has a weight: every task counts 1 (--times FILE)");
    } else if (untimed > 0) {
      graph.notes.push_back(fmt::format("without '{2}', counted as 0: {0} of {1} nodes", untimed,
                                        graph.size(), used));
      doubt_missing_times(graph, untimed, graph.size());
    }
    if (sized_edges_) {
      graph.notes.emplace_back(
          "the 'size' of an edge is no time: edges cost nothing (--edge-cost)");
    }
    if (behind_) graph.notes.emplace_back("text behind the last brace of the graph: not read");
    name_by_labels(graph);
    return graph;
  }

  /// A label says more than "n17", where no two are the same.
  void name_by_labels(TaskGraph& graph) const {
    std::map<std::string_view, int> seen;
    for (const Attributes& attributes : attributes_) {
      const auto label = attributes.find("label");
      if (label == attributes.end() || label->second.text.empty() ||
          label->second.text.starts_with('<') || label->second.text == "\\N") {
        return;
      }
      if (++seen[label->second.text] > 1) return;
    }
    graph.ids = graph.names;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      graph.names[i] = one_line(attributes_[i].find("label")->second.text);
    }
  }

  /// Graphviz writes ends of lines as \n, \l and \r.
  static std::string one_line(std::string_view label) {
    std::string text;
    for (std::size_t i = 0; i < label.size(); ++i) {
      const bool escape = label[i] == '\\' && i + 1 < label.size();
      if (escape && std::string_view("nlr").find(label[i + 1]) != std::string_view::npos) {
        text += ' ';
        ++i;
      } else {
        text += label[i];
      }
    }
    return std::string(trim(text));
  }

  /// In small letters; the first that is there counts.
  static constexpr std::string_view kAmounts[] = {"weight", "time",    "duration", "seconds",
                                                  "cost",   "runtime", "size"};

  const Source& source_;
  DotLexer lexer_;
  DotToken token_;
  GraphBuilder builder_;
  std::vector<Attributes> attributes_;
  std::vector<bool> declared_;
  std::vector<DotEdge> edges_;
  bool sized_edges_ = false;
  bool behind_ = false;  ///< there is more than the graph in the file
  std::string_view pending_;
  int depth_ = 0;
};

}  // namespace

Result<TaskGraph> read_dot(const Source& source, const GraphReadOptions&) {
  return DotReader(source).read();
}

}  // namespace kstar::dag
