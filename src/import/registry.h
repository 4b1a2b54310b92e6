#pragma once

#include <string_view>

#include "import/importer.h"

namespace kstar {

/// The importer that the options ask for, else the first that knows the beginning of the text as
/// its own. The error says what the text is instead.
Result<const Importer*> choose_importer(std::string_view text, std::string_view name,
                                        const ImportOptions& options);

/// Whether a text begins as JSON does: what is wrong with such a text shows in all of it.
bool begins_json(std::string_view text);

}  // namespace kstar
