#pragma once

#include "base/json.h"
#include "kstar/verdict.h"

namespace kstar {

/// The same in the JSON of every command that has a study.
Json to_json(const Verdict& verdict);
Json to_json(const NetworkVerdict& verdict);

}  // namespace kstar
