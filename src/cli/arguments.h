#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "kstar/result.h"

namespace kstar {

/// What one command was given. Values are text until a getter reads them and names what is wrong.
class Arguments {
 public:
  const Command* command = nullptr;
  std::string path;                ///< "kstar predict amdahl"
  std::vector<std::string> words;  ///< the command line without the program's name
  std::vector<std::string> positionals;
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;  ///< of flags that repeat
  bool wants_help = false;

  bool has(std::string_view flag) const { return values.find(flag) != values.end(); }
  /// The value of a flag, or `otherwise`.
  std::string text(std::string_view flag, std::string_view otherwise = "") const;
  /// All values of a flag that may repeat, in order.
  std::vector<std::string> list(std::string_view flag) const;
  /// A number above 0 and at most 1.
  Result<double> share(std::string_view flag, double otherwise) const;
};

/// Finds the command that `words` (the command line without the program's name) asks for, and
/// reads its flags. Every error is one of usage.
Result<Arguments> parse_arguments(const Command& program, std::span<const std::string> words);

/// The same error, as one of the command line.
Error usage(Error error);

}  // namespace kstar
