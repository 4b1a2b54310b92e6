#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "kstar/export.h"

/// Errors are values between rooms; only the command line prints them and exits.
namespace kstar {

/// What a kstar process may return to its caller.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,        ///< it could not be done
  kUsage = 2,         ///< the command line was wrong
  kGate = 3,          ///< done, and a gate or an audit did not pass
  kInterrupted = 130  ///< stopped by Ctrl-C
};

/// A way on after an error: flags of the command line, and when they are the right ones.
struct Offer {
  /// Names without hyphens, and values; "" of a flag that takes none.
  std::vector<std::pair<std::string, std::string>> flags;
  std::string when;  ///< behind the flags: "if 'n' counts workers", "for one of them"
};

/// Why something failed, in the parts that a person needs.
struct Error {
  std::string where;          ///< file:line:column for inputs, the flag for the command line
  std::string message;        ///< for example: expected a number, got 'x'
  std::string hint;           ///< what to do about it; may be empty
  std::string excerpt;        ///< the offending line and a caret below it; may be empty
  std::vector<Offer> offers;  ///< those that the hint lists, for programs; may be empty
  ExitCode code = ExitCode::kFailed;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// Turns an Error into the failing value of any Result.
inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// The commonest error: `where` names the place, `what` the constraint, `value` what stood there.
KSTAR_EXPORT Error expected(std::string_view where, std::string_view what, std::string_view value,
                            std::string_view hint = "");

}  // namespace kstar
