#pragma once

// Only the files that read TOML include this: toml++ is heavy, and is used as headers alone.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32

// toml++ 3.3 takes for granted that a table's name begins as a key does, before it looks: "[?"
// would end the program, or worse in a release. Without the assumption it looks, and refuses.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_cast<void>(0)

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/source_line.h"
#include "kstar/result.h"

namespace kstar {

/// The text of one TOML file, and errors at places in it.
class TomlSource {
 public:
  static constexpr std::size_t kLargestFile = std::size_t{1} << 20U;

  /// Both must outlive it.
  TomlSource(std::string_view text, std::string_view name);

  /// An error shows the line.
  Result<toml::table> parse() const;

  Error error(const toml::source_position& at, std::string message, std::string hint = {}) const;

 private:
  Line line(std::size_t number) const;
  Result<void> check_lines() const;
  Result<void> check_characters() const;

  std::string_view text_;
  std::string_view name_;
  std::vector<std::string_view> lines_;
};

/// What stands there, as the file writes it, or its kind where that would be long.
std::string shown(const toml::node& node);

}  // namespace kstar
