#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "kstar/bend.h"
#include "kstar/estimate.h"
#include "kstar/study.h"

/// What the JSON of more than one result has, written the same way in each. What is not there, and
/// what has no bound, is null.
namespace kstar {

Json to_json(const Estimate& estimate);
Json to_json(const std::optional<Estimate>& estimate);
Json to_json(const Bend& bend);
Json to_json(const Note& note);

/// What `json_of` makes of a value, or of each of several; to_json, where it is overloaded.
template <typename T>
Json optional_of(const std::optional<T>& value, Json (*json_of)(const std::type_identity_t<T>&)) {
  return value ? json_of(*value) : Json();
}
template <typename T>
Json list_of(const std::vector<T>& values, Json (*json_of)(const std::type_identity_t<T>&)) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(json_of(value));
  return all;
}

/// Their names, of enumerations.
template <typename T>
Json names_of(const std::vector<T>& values) {
  Json names = Json::array();
  for (const T& value : values) names.push_back(name_of(value));
  return names;
}

/// The whole file.
std::string file_text(const Json& json);

}  // namespace kstar
