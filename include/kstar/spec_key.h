#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"

/// The one table of what can be said about a measurement. The reader and the writer of study.toml
/// and the flags of `kstar measure` are made from it, so that they cannot differ.
namespace kstar {

/// What a study.toml may write for a key; a flag is always text.
enum class SpecType : std::uint8_t {
  kText,      ///< "..."
  kNumber,    ///< 0.5, or text where a unit or a word goes along: "2%", "90s", "auto"
  kSwitch,    ///< true, false
  kCounts,    ///< [1, 2, 4], 8, or text: "1..64"
  kWords,     ///< ["./prog", "--threads", "{K}"], or text that is split as a shell would
  kVariables  ///< a table of text; a flag says NAME=VALUE, and may be said more than once
};

/// Why a text is no value of a key: "expected <what>, got '<text>'", then the hint.
struct SpecRefusal {
  std::string what;
  std::string hint;
};

struct SpecKey {
  std::string_view group;    ///< the table of study.toml that it stands in
  std::string_view name;     ///< its name there
  std::string_view flag;     ///< of `kstar measure`, without dashes; empty: no flag of that kind
  std::string_view value;    ///< what stands for its value in help; empty: a switch
  std::string_view help;     ///< one line
  std::string_view example;  ///< as study.toml would say it, where there is no default
  SpecType type = SpecType::kText;
  std::vector<std::string> choices;  ///< the only values, when there are any
  /// Reads a text into the spec.
  std::function<std::optional<SpecRefusal>(MeasureSpec&, std::string_view)> set;
  /// The text that set() would read back; empty when the spec does not say it.
  std::function<std::string(const MeasureSpec&)> get;
  std::vector<std::string> MeasureSpec::*words = nullptr;            ///< of kWords
  std::map<std::string, std::string> MeasureSpec::*table = nullptr;  ///< of kVariables
};

/// In the order of study.toml.
KSTAR_EXPORT const std::vector<SpecKey>& spec_keys();

/// Null when there is none.
KSTAR_EXPORT const SpecKey* find_spec_key(std::string_view group, std::string_view name);

/// One key that a file or a command line sets.
struct SpecSetting {
  const SpecKey* key = nullptr;
  std::string text;
  std::vector<std::string> words;  ///< of kWords: already split, if there are any
};

/// What is wrong with one of the settings.
struct SettingProblem {
  std::size_t index = 0;             ///< into the settings
  std::optional<std::size_t> other;  ///< the two contradict each other; the message is empty
  std::string message;
  std::string hint;
};

/// Applies all settings of one source, in the table's order. Two settings of which one undoes the
/// other (a pattern and a JSON key, strong and weak) are a problem.
KSTAR_EXPORT std::optional<SettingProblem> apply_settings(MeasureSpec& spec,
                                                          std::span<const SpecSetting> settings);

/// Where a file says a key.
struct SpecPlace {
  std::string where;    ///< file:line:column
  std::string excerpt;  ///< the line and a caret
};

/// A spec, and where its file says what it says: check_spec() knows flags only.
struct SpecFile {
  MeasureSpec spec;
  std::map<const SpecKey*, SpecPlace> places;
};

/// As read_spec() and load_spec(), with the places.
KSTAR_EXPORT Result<SpecFile> read_spec_file(std::string_view toml, std::string_view name);
KSTAR_EXPORT Result<SpecFile> load_spec_file(const std::string& path);

/// An error about a flag, moved to the place in the file where that key is said, with the names
/// that the file uses; the same error when the file does not say it.
KSTAR_EXPORT Error at_its_place(const SpecFile& file, Error error);

}  // namespace kstar
