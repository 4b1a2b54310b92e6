#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "kstar/bend.h"
#include "kstar/estimate.h"
#include "kstar/study.h"

/// What the JSON of more than one result has, written the same way in each.
namespace kstar::json_parts {

using Json = nlohmann::ordered_json;

/// What is not there, and what has no bound, is null.
Json number(double value);
Json number(const std::optional<double>& value);
Json whole(const std::optional<int>& value);

Json estimate(const Estimate& estimate);
Json estimate(const std::optional<Estimate>& value);
Json bend(const Bend& bend);
Json note(const Note& note);

/// The whole file. Names and notes come from outside: what is not UTF-8 in them is replaced, not
/// thrown at.
std::string text(const Json& json);

}  // namespace kstar::json_parts
