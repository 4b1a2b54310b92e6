#pragma once

#include <string>
#include <string_view>

#include "import/reader.h"
#include "kstar/import.h"

/// Ways on for somebody whose input was refused.
namespace kstar {

/// One flag of `kstar import`, and when it is the right one: "if 'n' counts workers".
Offer offer(std::string_view flag, std::string value, std::string when = {});

/// What is wrong with an input as a whole, with what to do about it.
Error refusal(const Input& input, std::string message, std::string hint = {});
Error refusal(const Input& input, std::string message, std::vector<Offer> offers,
              std::string hint = {});

/// Each of these parameters as K, as far as anybody would read them.
std::vector<Offer> k_columns(const std::vector<std::string>& names);

/// The error with those of its offers alone that work, as a hint: the input is read again with
/// each, and that gives a study, or another question that has an offer which does. Behind them
/// stands what the hint said. An offer that leaves one K is kept where none leaves more, and says
/// so.
Error with_tried_offers(Error error, Reader& reader, const ImportOptions& options);

}  // namespace kstar
