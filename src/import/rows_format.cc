#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/runs.h"
#include "import/importer.h"
#include "import/json_tree.h"
#include "import/registry.h"

// JSON that holds rows: a list of objects, JSON Lines, objects by the number of workers, or a list
// for each column.
namespace kstar {

namespace {

using RowFields = TableMaker::Fields;

bool is_whole_key(std::string_view key) {
  const auto number = parse_integer(key);
  return number && *number >= 0;
}

/// The scalars of an object, those of objects in it under both names. A list of numbers is one of
/// repeats.
void add_fields(const JsonNode& node, const std::string& prefix, RowFields& fields) {
  for (const auto& [key, value] : node.members) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_scalar()) {
      fields.emplace_back(name, value.scalar);
    } else if (value.kind == JsonNode::Kind::kObject) {
      add_fields(value, name, fields);
    } else {
      constexpr std::size_t kMostRepeats = 1000;
      const bool numbers =
          std::all_of(value.members.begin(), value.members.end(),
                      [](const auto& one) { return one.second.kind == JsonNode::Kind::kNumber; });
      if (!numbers || value.members.size() > kMostRepeats) continue;
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        const std::string each =
            value.members.size() == 1 ? name : fmt::format("{}_{}", name, i + 1);
        fields.emplace_back(each, value.members[i].second.scalar);
      }
    }
  }
}

class RowFinder {
 public:
  explicit RowFinder(const JsonTree& tree) : tree_(tree) {}

  std::vector<TextTable> find() {
    look(tree_.root, "", 0);
    if (tree_.root.kind == JsonNode::Kind::kObject && !lists_workers_) take_whole();
    return std::move(found_);
  }

 private:
  void look(const JsonNode& node, const std::string& name, int depth) {
    constexpr int kDeep = 4;
    if (depth > kDeep) return;
    if (node.kind == JsonNode::Kind::kArray) {
      take_list(node, name);
    } else if (node.kind == JsonNode::Kind::kObject && take_columns(node, name)) {
      const std::vector<std::string>& names = found_.back().names;
      lists_workers_ = depth == 0 && std::any_of(names.begin(), names.end(), names_workers);
    } else if (node.kind == JsonNode::Kind::kObject && !take_keyed(node, name) &&
               !take_map(node, name)) {
      for (const auto& [key, value] : node.members) look(value, key, depth + 1);
    }
  }

  /// One run: all that stands in it, where it says K, or there is nothing else.
  void take_whole() {
    TableMaker rows = maker();
    RowFields fields;
    add_fields(tree_.root, "", fields);
    if (fields.empty()) return;
    rows.add(fields);
    TextTable table = rows.table();
    const bool says = std::any_of(table.names.begin(), table.names.end(), names_workers);
    if (says || found_.empty()) keep(std::move(table), "");
  }

  void take_list(const JsonNode& node, const std::string& name) {
    TableMaker rows = maker();
    bool any = false;
    for (const auto& [key, element] : node.members) {
      if (element.kind != JsonNode::Kind::kObject) continue;
      RowFields fields;
      add_fields(element, "", fields);
      if (fields.empty()) continue;
      rows.add(fields);
      any = true;
    }
    if (any) keep(rows.table(), name);
  }

  /// {"threads": [1, 2], "time": [9, 5]}, or the same with the number of the row as a name.
  bool take_columns(const JsonNode& node, const std::string& name) {
    std::vector<const std::pair<std::string, JsonNode>*> lists;
    for (const auto& member : node.members) {
      if (is_list_of_scalars(member.second)) lists.push_back(&member);
    }
    if (lists.size() < 2) return false;
    const std::size_t size = lists[0]->second.members.size();
    const bool same = std::all_of(lists.begin(), lists.end(), [&](const auto* list) {
      return list->second.members.size() == size;
    });
    if (!same || size < 2) return false;
    TableMaker rows = maker();
    for (std::size_t i = 0; i < size; ++i) {
      RowFields fields;
      for (const auto* list : lists) {
        fields.emplace_back(list->first, list->second.members[i].second.scalar);
      }
      rows.add(fields);
    }
    keep(rows.table(), name);
    return true;
  }

  static bool is_list_of_scalars(const JsonNode& node) {
    if (node.members.empty()) return false;
    const bool scalars = std::all_of(node.members.begin(), node.members.end(),
                                     [](const auto& one) { return one.second.is_scalar(); });
    if (node.kind == JsonNode::Kind::kArray) return scalars;
    if (node.kind != JsonNode::Kind::kObject || !scalars) return false;
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      if (node.members[i].first != std::to_string(i)) return false;
    }
    return true;
  }

  /// {"1": {"time": 9}, "2": {"time": 5}}: the names are a column, too.
  bool take_keyed(const JsonNode& node, const std::string& name) {
    if (node.members.size() < 2) return false;
    std::set<std::string> known;
    for (const auto& [key, value] : node.members) {
      if (value.kind != JsonNode::Kind::kObject) return false;
      const bool flat = std::any_of(value.members.begin(), value.members.end(),
                                    [](const auto& one) { return one.second.is_scalar(); });
      if (!flat) return false;
      for (const auto& one : value.members) known.insert(one.first);
    }
    const bool inner = std::all_of(known.begin(), known.end(), is_whole_key);
    if (inner) return take_crossed(node, name);
    TableMaker rows = maker();
    const bool whole = std::all_of(node.members.begin(), node.members.end(),
                                   [](const auto& one) { return is_whole_key(one.first); });
    const std::string column = names_workers(name) ? name : "key";
    for (const auto& [key, value] : node.members) {
      RowFields fields{{column, tree_.texts->emplace_back(key)}};
      add_fields(value, "", fields);
      rows.add(fields);
    }
    keep(rows.table(), name);
    found_.back().key_is_guess = whole && column == "key";
    return true;
  }

  /// {"time": {"1": 9, "2": 5}, "speedup": {"1": 1, "2": 1.8}}
  bool take_crossed(const JsonNode& node, const std::string& name) {
    std::vector<std::string> keys;
    for (const auto& [outer, value] : node.members) {
      for (const auto& [key, cell] : value.members) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
    TableMaker rows = maker();
    const std::string column = names_workers(name) ? name : "key";
    for (const std::string& key : keys) {
      RowFields fields{{column, tree_.texts->emplace_back(key)}};
      for (const auto& [outer, value] : node.members) {
        const JsonNode* const cell = value.find(key);
        if (cell != nullptr && cell->is_scalar()) fields.emplace_back(outer, cell->scalar);
      }
      rows.add(fields);
    }
    keep(rows.table(), name);
    found_.back().key_is_guess = column == "key";
    return true;
  }

  /// {"1": 9, "2": 5}
  bool take_map(const JsonNode& node, const std::string& name) {
    const bool map = node.members.size() > 1 &&
                     std::all_of(node.members.begin(), node.members.end(), [](const auto& one) {
                       return is_whole_key(one.first) && one.second.kind == JsonNode::Kind::kNumber;
                     });
    if (!map) return false;
    TableMaker rows = maker();
    const bool workers = names_workers(name);
    for (const auto& [key, value] : node.members) {
      rows.add({{workers ? name : "key", tree_.texts->emplace_back(key)},
                {workers || name.empty() ? "value" : name, value.scalar}});
    }
    keep(rows.table(), name);
    found_.back().key_is_guess = !workers;
    return true;
  }

  TableMaker maker() const {
    TableMaker rows(tree_.input);
    rows.keep(tree_.texts);
    return rows;
  }

  void keep(TextTable table, std::string_view title) {
    table.title = title;
    found_.push_back(std::move(table));
  }

  static bool names_workers(const std::string& name) {
    return column_named(name).kind == ColumnKind::kWorkers;
  }

  const JsonTree& tree_;
  std::vector<TextTable> found_;
  bool lists_workers_ = false;  ///< the object is columns, and K is one of them
};

/// Any JSON that nobody else knows.
bool sniff_rows(std::string_view start) {
  return begins_json(start) && start.find('\0') == std::string_view::npos;
}

std::string columns_of(const std::vector<TextTable>& tables) {
  if (tables.empty()) return {};
  return fmt::format("; of rows, name the columns with --k-column and --time-column ({})",
                     shorten(printable(fmt::format("{}", fmt::join(tables[0].names, ", "))), 200));
}

Result<TextTable> table_of_rows(const Input& input, const ImportOptions& options) {
  KSTAR_TRY(const JsonTree tree, read_json_tree(input));
  std::vector<TextTable> tables = RowFinder(tree).find();
  const bool fit = std::any_of(tables.begin(), tables.end(), [&](const TextTable& table) {
    return fits(table, options) > 0 || options.across || options.table || options.workers;
  });
  if (!fit) {
    return fail(error_at(input, input.text.data(), "has an unknown format",
                         "'kstar import --list' lists the known formats" + columns_of(tables)));
  }
  return chosen_table(input, std::move(tables), options);
}

}  // namespace

const Importer& rows_importer() {
  static const Importer kImporter = table_importer<table_of_rows>(
      {"rows", "JSON or JSON Lines with an object per row, by K, or a list per column"},
      &sniff_rows);
  return kImporter;
}

}  // namespace kstar
