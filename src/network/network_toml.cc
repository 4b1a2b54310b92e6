#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/network.h"
#include "spec/toml_keys.h"

/// network.toml, read and written.
namespace kstar {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kMostNetworkWorkers = 1e9;

/// NAME with NAME_low and NAME_high, both or neither; without them nothing is known of its error.
Result<Bounded> read_bounded(TomlKeys& keys, const std::string& name) {
  const auto point = keys.number(name, 0, kEndless);
  const auto low = keys.number(name + "_low", 0, kEndless);
  const auto high = keys.number(name + "_high", 0, kEndless);
  if (!point) {
    KSTAR_CHECK(keys.first_error());
    return fail(keys.error_at(name, fmt::format("expected {}, which is missing", name)));
  }
  if (!std::isfinite(*point)) return fail(keys.error_at(name, "expected a finite number, got inf"));
  const Bounded value{*point, low.value_or(*point), high.value_or(*point)};
  if (value.low <= value.point && value.point <= value.high) return value;
  return fail(keys.error_at(
      name, fmt::format("expected {0}_low <= {0} <= {0}_high, got {1}, {2} and {3}", name,
                        shortest(value.low), shortest(value.point), shortest(value.high))));
}

Result<NetworkPiece> read_piece(const TomlSource& source, const toml::table& table) {
  TomlKeys keys(source, table);
  NetworkPiece piece;
  piece.from = keys.number("from", 0, 1e18).value_or(0);
  piece.to = keys.number("to", 0, 1e18).value_or(piece.from);
  KSTAR_TRY(piece.alpha, read_bounded(keys, "alpha"));
  KSTAR_TRY(piece.beta, read_bounded(keys, "beta"));
  piece.spread = keys.number("spread", 0, 10).value_or(0);
  piece.algorithm = printable(keys.text("algorithm").value_or(""));
  KSTAR_CHECK(keys.finish());
  if (piece.to < piece.from) {
    return fail(keys.error_at("to", fmt::format("expected a size of at least from = {}, got {}",
                                                shortest(piece.from), shortest(piece.to))));
  }
  if (piece.alpha.point <= 0 && piece.beta.point <= 0) {
    return fail(keys.error_at("alpha", "expected alpha or beta above 0, got 0 for both"));
  }
  return piece;
}

/// The tables of [[NAME]], in order.
Result<std::vector<const toml::table*>> tables(const TomlSource& source, const toml::table& parent,
                                               std::string_view name) {
  std::vector<const toml::table*> all;
  const toml::node* node = parent.get(name);
  if (node == nullptr) return all;
  const toml::array* array = node->as_array();
  const Error wrong = source.error(
      node->source().begin, fmt::format("expected tables [[{}]], got {}", name, shown(*node)));
  if (array == nullptr) return fail(wrong);
  for (const toml::node& one : *array) {
    if (!one.is_table()) return fail(wrong);
    all.push_back(one.as_table());
  }
  return all;
}

/// The numbers of an array, all above `least`.
Result<std::vector<double>> read_numbers(const TomlSource& source, const toml::table& table,
                                         const char* name, double least) {
  std::vector<double> values;
  const toml::node* node = table.get(name);
  if (node == nullptr) return values;
  const toml::array* array = node->as_array();
  const Error wrong = source.error(node->source().begin,
                                   fmt::format("expected a list of numbers of {} or more, got {}",
                                               shortest(least), shown(*node)));
  if (array == nullptr) return fail(wrong);
  for (const toml::node& one : *array) {
    const auto value = one.value<double>();
    if (!one.is_number() || !value || !(*value >= least) || !std::isfinite(*value)) {
      return fail(wrong);
    }
    values.push_back(*value);
  }
  return values;
}

/// Fastest and slowest of every size, or of none.
bool is_around(const NetworkCurve& curve) {
  if (curve.fastest.empty() && curve.slowest.empty()) return true;
  const std::size_t count = curve.seconds.size();
  if (curve.fastest.size() != count || curve.slowest.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (curve.fastest[i] > curve.seconds[i] || curve.seconds[i] > curve.slowest[i]) return false;
  }
  return true;
}

Result<NetworkCurve> read_curve(const TomlSource& source, const toml::table& table,
                                const TomlKeys& keys) {
  NetworkCurve curve;
  KSTAR_TRY(curve.bytes, read_numbers(source, table, "curve_bytes", 0));
  KSTAR_TRY(curve.seconds, read_numbers(source, table, "curve_seconds", 1e-15));
  KSTAR_TRY(curve.fastest, read_numbers(source, table, "curve_fastest", 1e-15));
  KSTAR_TRY(curve.slowest, read_numbers(source, table, "curve_slowest", 1e-15));
  const bool ascending = std::adjacent_find(curve.bytes.begin(), curve.bytes.end(),
                                            std::greater_equal<>()) == curve.bytes.end();
  if (curve.bytes.size() != curve.seconds.size() || !ascending) {
    return fail(
        keys.error_at("curve_bytes", "expected as many ascending curve_bytes as curve_seconds"));
  }
  if (is_around(curve)) return curve;
  return fail(keys.error_at(
      "curve_fastest", "expected curve_fastest <= curve_seconds <= curve_slowest, or neither"));
}

Result<NetworkSweep> read_sweep(const TomlSource& source, const toml::table& table) {
  TomlKeys keys(source, table);
  NetworkSweep sweep;
  const std::string collective = keys.text("collective").value_or("");
  sweep.workers = keys.whole("workers", 1, kMostNetworkWorkers).value_or(0);
  sweep.nodes = keys.whole("nodes", 0, kMostNetworkWorkers).value_or(0);
  sweep.sizes = static_cast<std::size_t>(keys.whole("sizes", 0, 1e9).value_or(0));
  sweep.irregular = keys.choice("irregular", {"yes", "no"}) == "yes";
  sweep.wrong = keys.choice("wrong", {"yes", "no"}) == "yes";
  sweep.source = printable(keys.text("source").value_or(""));
  for (const char* key :
       {"piece", "curve_bytes", "curve_seconds", "curve_fastest", "curve_slowest"}) {
    keys.allow(key);
  }
  KSTAR_TRY(sweep.curve, read_curve(source, table, keys));
  KSTAR_CHECK(keys.finish());
  const std::optional<Collective> known = collective_named(collective);
  if (!known) {
    std::string names;
    for (const Collective one : all_collectives()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(one));
    }
    return fail(keys.error_at(
        "collective",
        expected("", fmt::format("one of {}", names), printable(collective)).message));
  }
  sweep.collective = *known;
  if (sweep.workers < 1)
    return fail(keys.error_at("workers", "expected workers, which is missing"));
  KSTAR_TRY(const auto pieces, tables(source, table, "piece"));
  for (const toml::table* one : pieces) {
    KSTAR_TRY(NetworkPiece piece, read_piece(source, *one));
    if (!sweep.pieces.empty() && piece.from < sweep.pieces.back().to) {
      return fail(source.error(one->source().begin,
                               fmt::format("expected a piece from {} bytes on, got {}",
                                           shortest(sweep.pieces.back().to), shortest(piece.from)),
                               "pieces are in the order of their sizes and do not overlap"));
    }
    sweep.pieces.push_back(std::move(piece));
  }
  if (sweep.pieces.empty()) {
    return fail(source.error(table.source().begin, "expected at least one [[sweep.piece]]"));
  }
  return sweep;
}

Result<NetworkLevels> read_levels(const TomlSource& source, const toml::table& table) {
  TomlKeys keys(source, table);
  NetworkLevels levels;
  const std::string collective = keys.text("collective").value_or("");
  levels.node_workers = keys.whole("node_workers", 1, kMostNetworkWorkers).value_or(1);
  levels.rounds = keys.choice("rounds", {"doubling", "ring"}).value_or("");
  KSTAR_TRY(levels.inside_alpha, read_bounded(keys, "inside_alpha"));
  KSTAR_TRY(levels.inside_beta, read_bounded(keys, "inside_beta"));
  KSTAR_TRY(levels.between_alpha, read_bounded(keys, "between_alpha"));
  KSTAR_TRY(levels.between_beta, read_bounded(keys, "between_beta"));
  KSTAR_CHECK(keys.finish());
  const std::optional<Collective> known = collective_named(collective);
  if (known) levels.collective = *known;
  if (known) return levels;
  return fail(keys.error_at(
      "collective",
      expected("", "a collective such as all-reduce", printable(collective)).message));
}

std::string quoted(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return '"' + safe + '"';
}

/// With a point or an exponent where TOML would take it for an integer that does not fit.
std::string toml_number(double value) {
  if (std::isinf(value)) return "inf";
  std::string text = shortest(value);
  if (text.find_first_of(".e") == text.npos && std::abs(value) >= 1e15) text += ".0";
  return text;
}

void write_bounded(std::string& text, const char* name, const Bounded& value) {
  text += fmt::format("{0} = {1}\n{0}_low = {2}\n{0}_high = {3}\n", name, toml_number(value.point),
                      toml_number(value.low), toml_number(value.high));
}

void write_curve(std::string& text, const NetworkCurve& curve) {
  if (curve.bytes.empty()) return;
  const auto list = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    text += fmt::format("{} = [", name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      text += fmt::format("{}{}", i > 0 ? ", " : "", toml_number(values[i]));
    }
    text += "]\n";
  };
  list("curve_bytes", curve.bytes);
  list("curve_seconds", curve.seconds);
  list("curve_fastest", curve.fastest);
  list("curve_slowest", curve.slowest);
}

}  // namespace

Result<Network> parse_network(std::string_view text, std::string_view name) {
  const TomlSource source(text, name);
  KSTAR_TRY(const toml::table root, source.parse());
  TomlKeys keys(source, root);
  Network network;
  network.name = printable(name);
  const auto schema = keys.whole("schema", 1, 1e6);
  network.title = printable(keys.text("title").value_or(""));
  network.node_workers = keys.whole("node_workers", 1, kMostNetworkWorkers);
  network.link = keys.positive("link");
  keys.allow("sweep");
  keys.allow("levels");
  KSTAR_CHECK(keys.finish());
  if (schema && *schema != 1) {
    return fail(keys.error_at(
        "schema", fmt::format("expected schema 1, got {}: a newer kstar wrote it", *schema)));
  }
  KSTAR_TRY(const auto sweeps, tables(source, root, "sweep"));
  for (const toml::table* one : sweeps) {
    KSTAR_TRY(NetworkSweep sweep, read_sweep(source, *one));
    network.sweeps.push_back(std::move(sweep));
  }
  if (network.sweeps.empty()) {
    return fail({.where = printable(name),
                 .message = "expected at least one [[sweep]]",
                 .hint = "kstar comm FILE writes a network file from the output of nccl-tests, OSU "
                         "or IMB"});
  }
  KSTAR_TRY(const auto levels, tables(source, root, "levels"));
  for (const toml::table* one : levels) {
    KSTAR_TRY(NetworkLevels both, read_levels(source, *one));
    network.levels.push_back(std::move(both));
  }
  sort_sweeps(network);
  return network;
}

Result<Network> load_network(const std::string& path) {
  KSTAR_TRY(const FileText text, read_file(path, TomlSource::kLargestFile));
  return parse_network(text.view(), path);
}

std::string to_toml(const Network& network) {
  std::string text =
      "# What collectives cost: time = alpha + beta x bytes, in pieces. Seconds and bytes.\n"
      "# Bytes as nccl-tests counts them: of an all-gather the result, of a reduce-scatter the\n"
      "# input, of an all-to-all all that one worker sends.\n"
      "schema = 1\n";
  if (!network.title.empty()) text += fmt::format("title = {}\n", quoted(network.title));
  if (network.node_workers) {
    text += fmt::format("node_workers = {}\n", toml_number(*network.node_workers));
  }
  if (network.link) text += fmt::format("link = {}\n", toml_number(*network.link));
  for (const NetworkLevels& both : network.levels) {
    text += fmt::format("\n[[levels]]\ncollective = \"{}\"\nnode_workers = {}\n",
                        name_of(both.collective), toml_number(both.node_workers));
    if (!both.rounds.empty()) text += fmt::format("rounds = {}\n", quoted(both.rounds));
    write_bounded(text, "inside_alpha", both.inside_alpha);
    write_bounded(text, "inside_beta", both.inside_beta);
    write_bounded(text, "between_alpha", both.between_alpha);
    write_bounded(text, "between_beta", both.between_beta);
  }
  for (const NetworkSweep& sweep : network.sweeps) {
    text += fmt::format("\n[[sweep]]\ncollective = \"{}\"\nworkers = {}\n",
                        name_of(sweep.collective), toml_number(sweep.workers));
    if (sweep.nodes > 0) text += fmt::format("nodes = {}\n", toml_number(sweep.nodes));
    if (sweep.sizes > 0) text += fmt::format("sizes = {}\n", sweep.sizes);
    if (sweep.irregular) text += "irregular = \"yes\"\n";
    if (sweep.wrong) text += "wrong = \"yes\"\n";
    if (!sweep.source.empty()) text += fmt::format("source = {}\n", quoted(sweep.source));
    write_curve(text, sweep.curve);
    for (const NetworkPiece& piece : sweep.pieces) {
      text += fmt::format("[[sweep.piece]]\nfrom = {}\nto = {}\n", toml_number(piece.from),
                          toml_number(piece.to));
      write_bounded(text, "alpha", piece.alpha);
      write_bounded(text, "beta", piece.beta);
      text += fmt::format("spread = {}\n", toml_number(piece.spread));
      if (!piece.algorithm.empty())
        text += fmt::format("algorithm = {}\n", quoted(piece.algorithm));
    }
  }
  return text;
}

}  // namespace kstar
