#pragma once

#include <string_view>

/// Words that say how a program was built or started, and what they mean for its time.
namespace kstar {

struct Sign {
  const char* word;
  const char* what;
};

/// Whether a switch with this value is on.
bool switched_on(std::string_view value);

/// Whether the text has the word, and does not say the contrary: --no-debug, --debug=0,
/// unoptimised.
bool says(std::string_view text, std::string_view word);

/// What the text says that slows a program down; null where it says nothing.
const Sign* handicap_in(std::string_view text);

/// What the text says of optimisation; null where it says nothing.
const char* optimisation_in(std::string_view text);

}  // namespace kstar
