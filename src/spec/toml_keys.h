#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/toml_source.h"

namespace kstar {

/// Reads the keys of one TOML table by name. Every error stands at its place in the file; the first
/// one is kept, and what follows reads nothing.
class TomlKeys {
 public:
  TomlKeys(const TomlSource& source, const toml::table& table) : source_(source), table_(table) {}

  std::optional<std::string> text(std::string_view key);
  /// A number, at least `least` and at most `most`.
  std::optional<double> number(std::string_view key, double least, double most);
  /// Likewise, without a fraction.
  std::optional<double> whole(std::string_view key, double least, double most);
  std::optional<double> positive(std::string_view key);
  /// A text such as "5h".
  std::optional<double> duration(std::string_view key);
  /// A text such as "80GB".
  std::optional<double> bytes(std::string_view key);
  /// One of these texts.
  std::optional<std::string> choice(std::string_view key, const std::vector<std::string>& choices);
  /// Numbers and texts of all keys that nobody asked for, as text: parameters of a law.
  std::vector<std::pair<std::string, std::string>> others();

  /// A key that somebody else reads.
  void allow(std::string_view key) { known_.emplace_back(key); }

  /// An error at that key, or at the table where there is none.
  Error error_at(std::string_view key, std::string message, std::string hint = {}) const;
  /// The first error so far.
  Result<void> first_error() const;
  /// The first error, or that of a key that nobody asked for.
  Result<void> finish();

 private:
  const toml::node* find(std::string_view key);
  void wrong(const toml::node& node, std::string_view what);

  const TomlSource& source_;
  const toml::table& table_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace kstar
