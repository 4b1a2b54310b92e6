#include "import/offers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <variant>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/runs.h"
#include "import/registry.h"

namespace kstar {

namespace {

struct ImportFlag {
  std::string_view name;
  std::variant<std::string ImportOptions::*, std::vector<std::string> ImportOptions::*,
               bool ImportOptions::*, std::optional<int> ImportOptions::*,
               std::optional<Regime> ImportOptions::*>
      option;
  /// It takes a name or a value of the input.
  bool takes_text() const { return option.index() < 2 && name != "preset" && name != "decimal"; }
};

/// What may be offered.
constexpr std::array kFlags = {ImportFlag{"preset", &ImportOptions::preset},
                               ImportFlag{"columns", &ImportOptions::columns},
                               ImportFlag{"across", &ImportOptions::across},
                               ImportFlag{"table", &ImportOptions::table},
                               ImportFlag{"decimal", &ImportOptions::decimal},
                               ImportFlag{"k-column", &ImportOptions::worker_column},
                               ImportFlag{"time-column", &ImportOptions::time_column},
                               ImportFlag{"rate-column", &ImportOptions::rate_column},
                               ImportFlag{"select", &ImportOptions::select},
                               ImportFlag{"series", &ImportOptions::series},
                               ImportFlag{"ignore", &ImportOptions::ignored_columns},
                               ImportFlag{"k", &ImportOptions::workers},
                               ImportFlag{"regime", &ImportOptions::regime}};

const ImportFlag& flag_named(std::string_view name) {
  return *std::find_if(kFlags.begin(), kFlags.end(),
                       [&](const ImportFlag& flag) { return flag.name == name; });
}

// An option as its flag sets it, and the values with which the flag would.

void set(std::string& option, const std::string& value) {
  option = value;
}
void set(std::vector<std::string>& option, const std::string& value) {
  option.push_back(value);
}
void set(bool& option, const std::string&) {
  option = true;
}
void set(std::optional<int>& option, const std::string& value) {
  constexpr int kAny = 2;  // of "--k N"
  option = static_cast<int>(parse_integer(value).value_or(kAny));
}
void set(std::optional<Regime>& option, const std::string& value) {
  option = regime_named(value);
}

using Values = std::vector<std::string>;

Values values_of(const std::string& option) {
  return option.empty() ? Values() : Values{option};
}
Values values_of(const std::vector<std::string>& option) {
  return option;
}
Values values_of(bool option) {
  return option ? Values{""} : Values();
}
Values values_of(const std::optional<int>& option) {
  return option ? Values{std::to_string(*option)} : Values();
}
Values values_of(const std::optional<Regime>& option) {
  return option ? Values{std::string(name_of(*option))} : Values();
}

bool has_flag(const Offer& offer, std::string_view name) {
  return std::any_of(offer.flags.begin(), offer.flags.end(),
                     [&](const auto& flag) { return flag.first == name; });
}

/// A selection narrows the one that is there.
void narrow(const ImportOptions& options, Offer& offer) {
  for (auto& [name, value] : offer.flags) {
    if (name == "select" && !options.select.empty()) value = options.select + "," + value;
  }
}

ImportOptions with_offer(ImportOptions options, Offer offer) {
  narrow(options, offer);
  for (const auto& [name, value] : offer.flags) {
    if (name == "time-column") options.rate_column.clear();
    if (name == "rate-column") options.time_column.clear();
    std::visit([&, &given = value](const auto option) { set(options.*option, given); },
               flag_named(name).option);
  }
  return options;
}

Offer all_flags(const ImportOptions& options) {
  Offer all;
  for (const ImportFlag& flag : kFlags) {
    std::visit(
        [&](const auto option) {
          for (const std::string& value : values_of(options.*option)) {
            all.flags.emplace_back(flag.name, value);
          }
        },
        flag.option);
  }
  return all;
}

std::string text_of(const Offer& offer) {
  std::string text;
  for (const auto& [name, value] : offer.flags) {
    text += fmt::format("{}--{}", text.empty() ? "" : " ", name);
    const bool plain =
        !flag_named(name).takes_text() || (name == "columns" && is_plain_word(value));
    if (!value.empty()) text += " " + (plain ? value : shell_word(value));
  }
  return text;
}

/// Other commands that read files do not have it.
bool is_of_import(const Offer& offer) {
  return std::any_of(offer.flags.begin(), offer.flags.end(), [](const auto& flag) {
    const auto& [name, value] = flag;
    return name == "series" || name == "k" || name == "preset" || value == "mixed";
  });
}

/// What is to be pasted: flags behind the command, or all of it.
std::string text_of(Offer offer, const std::string& file, const ImportOptions& options) {
  narrow(options, offer);
  if (!is_of_import(offer)) return text_of(offer);
  const std::string given = text_of(all_flags(options));
  return fmt::format("kstar import {} {}{}{}{}", is_plain_word(file) ? file : shell_word(file),
                     given, given.empty() ? "" : " ", text_of(offer),
                     has_flag(offer, "series") ? " -o studies/" : "");
}

/// What came of an offer: a study of so many K, or the reason why there is none.
struct Outcome {
  std::size_t workers = 0;
  std::string reason = {};
  bool tried = true;
};

/// Reads an input again with what is offered.
class Trial {
 public:
  explicit Trial(const Input& input)
      : input_(input), left_(kMostBytes / std::max(input.text.size(), kLeastBytes)) {}

  Outcome see(const Offer& offer, const Error& error, const ImportOptions& options, int depth = 0) {
    if (left_ == 0) return {.tried = false};
    --left_;
    const ImportOptions changed = with_offer(options, offer);
    const auto workers = read(changed);
    if (workers) return {.workers = *workers, .reason = "no run in it has a time"};
    constexpr int kDeepest = 3;
    const Error& next = workers.error();
    Outcome best{.reason = next.message};
    if (is_same(next, error) || depth == kDeepest) return best;
    for (const Offer& one : next.offers) {
      const Outcome behind = see(one, next, changed, depth + 1);
      if (behind.workers > best.workers) best = behind;
      if (best.workers == 0 && !behind.tried) best.tried = false;
      if (best.workers > 1) break;
    }
    return best;
  }

 private:
  /// 32 MiB in all, and no small text a thousand times.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
  static constexpr std::size_t kLeastBytes = std::size_t{256} << 10U;

  /// How many K there are, in the longest of several studies.
  Result<std::size_t> read(const ImportOptions& options) const {
    KSTAR_TRY(const Importer* importer, choose_importer(input_.text, input_.name, options));
    Reader reader(input_.text, input_.name);
    if (options.series.empty() || importer->table == nullptr) {
      KSTAR_TRY(const Study study, importer->read(reader, options));
      return workers_in(study);
    }
    KSTAR_TRY(const ImportedSeries series, read_series(*importer, reader, options));
    std::size_t most = 0;
    for (const Study& study : series.studies) most = std::max(most, workers_in(study));
    return most;
  }

  static bool is_same(const Error& a, const Error& b) {
    return a.message == b.message &&
           std::equal(
               a.offers.begin(), a.offers.end(), b.offers.begin(), b.offers.end(),
               [](const Offer& one, const Offer& other) { return one.flags == other.flags; });
  }

  static std::size_t workers_in(const Study& study) {
    std::set<int> workers;
    for (const Run& run : study.runs) {
      if (counts(run)) workers.insert(run.workers);
    }
    return workers.size();
  }

  Input input_;
  std::size_t left_;  ///< how often it may still be read
};

/// Those that work, in their order; nothing where none does.
std::vector<Offer> working(std::vector<Offer> offers, const std::vector<Outcome>& outcomes) {
  std::size_t most = 0;
  for (const Outcome& one : outcomes) most = std::max(most, one.workers);
  std::vector<Offer> kept;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const bool untried = most == 0 && !outcomes[i].tried;
    if (!untried &&
        (outcomes[i].workers == 0 || outcomes[i].workers < std::min<std::size_t>(most, 2)))
      continue;
    std::string& when = offers[i].when;
    const bool lonely =
        most == 1 && (has_flag(offers[i], "select") || has_flag(offers[i], "table"));
    if (untried || lonely) {
      when +=
          fmt::format("{}({})", when.empty() ? "" : " ", untried ? "not tried" : "leaves one K");
    }
    kept.push_back(std::move(offers[i]));
  }
  return kept;
}

}  // namespace

Offer offer(std::string_view flag, std::string value, std::string when) {
  return {.flags = {{std::string(flag), std::move(value)}}, .when = std::move(when)};
}

Error refusal(const Input& input, std::string message, std::string hint) {
  return refusal(input, std::move(message), std::vector<Offer>(), std::move(hint));
}

Error refusal(const Input& input, std::string message, std::vector<Offer> offers,
              std::string hint) {
  return {.where = printable(input.name),
          .message = std::move(message),
          .hint = std::move(hint),
          .excerpt = {},
          .offers = std::move(offers)};
}

std::vector<Offer> k_columns(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<Offer> offers;
  for (const std::string& name : names) {
    if (offers.size() < kShown) offers.push_back(offer("k-column", printable(name), "if it is K"));
  }
  return offers;
}

Error with_tried_offers(Error error, Reader& reader, const ImportOptions& options) {
  if (error.offers.empty()) return error;
  std::vector<Outcome> outcomes(error.offers.size(), {.tried = false});
  if (const auto input = reader.is_file() ? fail(error) : reader.whole()) {
    Trial trial(*input);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      outcomes[i] = trial.see(error.offers[i], error, options);
    }
  }
  const Offer first = error.offers.front();
  error.offers = working(std::move(error.offers), outcomes);
  std::string ways;
  for (const Offer& one : error.offers) {
    ways += fmt::format("{}{}{}{}", ways.empty() ? "" : "\n   or ",
                        text_of(one, printable(reader.name()), options),
                        one.when.empty() ? "" : " ", one.when);
  }
  if (error.offers.empty()) {
    ways = fmt::format(
        "no flag reads it ({}: {}): write K and the times of one series in a table of "
        "their own",
        text_of(first), outcomes.front().reason);
  }
  if (!error.hint.empty()) {
    error.hint.insert(0, error.offers.size() > 1 ? "\n      " : "; ");
  }
  error.hint.insert(0, ways);
  return error;
}

}  // namespace kstar
