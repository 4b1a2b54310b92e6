#include "study/value_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace kstar {

static_assert(FileText::kPadding >= simdjson::SIMDJSON_PADDING);

namespace {

const char* start_of(JsonValue& value) {
  return value.raw_json_token().data();
}

/// simdjson's words, without the name of its error code in front.
std::string not_json(simdjson::error_code code) {
  const std::string_view message = simdjson::error_message(code);
  const std::size_t colon = message.find(": ");
  return fmt::format("is not JSON: {}",
                     colon == std::string_view::npos ? message : message.substr(colon + 2));
}

/// All of the value's text. An object or an array is walked over, not read.
simdjson::error_code raw_text(JsonValue& value, std::string_view& out) {
  simdjson::ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  if (type == simdjson::ondemand::json_type::object) {
    simdjson::ondemand::object inner;
    if (const auto error = value.get_object().get(inner)) return error;
    return inner.raw_json().get(out);
  }
  if (type == simdjson::ondemand::json_type::array) {
    simdjson::ondemand::array inner;
    if (const auto error = value.get_array().get(inner)) return error;
    return inner.raw_json().get(out);
  }
  out = value.raw_json_token();
  return simdjson::SUCCESS;
}

}  // namespace

bool ValueReader::start(const Line& line) {
  line_ = line;
  error_.reset();
  const simdjson::padded_string_view padded(line.text, line.text.size() + FileText::kPadding);
  const auto error = parser_.iterate(padded).get(document_);
  if (error == simdjson::SUCCESS) return true;
  // Found before there is a place to point at: look for it.
  const std::size_t bad = first_bad_byte(line.text);
  error_ = line_error(line_, bad, not_json(error));
  return false;
}

bool ValueReader::object(simdjson::ondemand::object& out) {
  // A document that met an error has let go of its parser and must not be rewound.
  if (document_.is_alive()) {
    document_.rewind();
  } else if (!start(line_)) {
    return false;
  }
  const auto error = document_.get_object().get(out);
  if (error == simdjson::INCORRECT_TYPE) {
    error_ = value_error(line_, line_.text.find_first_not_of(" \t\r"), "a JSON object");
    return false;
  }
  return error == simdjson::SUCCESS || broken(error);
}

bool ValueReader::finish() {
  const char* at = nullptr;
  if (document_.current_location().get(at) == simdjson::OUT_OF_BOUNDS) return true;
  return refuse(at, "is not JSON: something stands behind the object",
                "every record is one line of its own");
}

bool ValueReader::whole(JsonValue value, std::uint64_t& out) {
  return value.get_uint64().get(out) == simdjson::SUCCESS ||
         expected(value, "a whole number from 0 to 18446744073709551615");
}

bool ValueReader::boolean(JsonValue value, bool& out) {
  return value.get_bool().get(out) == simdjson::SUCCESS || expected(value, "true or false");
}

bool ValueReader::text(JsonValue value, std::string& out) {
  std::string_view view;
  if (value.get_string().get(view) != simdjson::SUCCESS) return expected(value, "a text");
  out = view;
  return true;
}

bool ValueReader::array(JsonValue value, simdjson::ondemand::array& out) {
  const auto error = value.get_array().get(out);
  if (error == simdjson::INCORRECT_TYPE) return expected(value, "an array");
  return error == simdjson::SUCCESS || broken(error);
}

bool ValueReader::object(JsonValue value, simdjson::ondemand::object& out) {
  const auto error = value.get_object().get(out);
  if (error == simdjson::INCORRECT_TYPE) return expected(value, "an object");
  return error == simdjson::SUCCESS || broken(error);
}

bool ValueReader::is_null(JsonValue& value) {
  bool null = false;
  return value.is_null().get(null) == simdjson::SUCCESS && null;
}

bool ValueReader::keep(const char* raw_key_start, JsonValue value, std::string& extra) {
  std::string_view raw;
  if (const auto error = raw_text(value, raw)) return broken(error);
  raw = trim(raw);
  if (!check_json(raw)) return false;
  if (extra.empty()) {
    extra.push_back('{');
  } else {
    extra.back() = ',';
  }
  extra.append("\"").append(raw_key(raw_key_start)).append("\":").append(raw).append("}");
  return true;
}

bool ValueReader::check_all() {
  return check_json(line_.text);
}

bool ValueReader::check_json(std::string_view text) {
  const auto error = checker_.parse(text.data(), text.size(), false).error();
  if (error == simdjson::SUCCESS) return true;
  if (error == simdjson::DEPTH_ERROR) {
    return refuse(text.data(), fmt::format("is nested deeper than {}", checker_.max_depth()));
  }
  return refuse(text.data(), not_json(error));
}

std::string_view ValueReader::raw_key(const char* start) const {
  const char* end = start;
  const char* const limit = line_.text.data() + line_.text.size();
  while (end < limit && *end != '"') end += *end == '\\' ? 2 : 1;
  return {start, static_cast<std::size_t>(std::min(end, limit) - start)};
}

bool ValueReader::expected(JsonValue value, std::string_view what) {
  error_ = value_error(line_, offset_of(start_of(value)), what);
  return false;
}

bool ValueReader::refuse(const char* at, std::string message, std::string hint) {
  error_ = line_error(line_, offset_of(at), std::move(message), std::move(hint));
  return false;
}

bool ValueReader::broken(simdjson::error_code code) {
  const char* at = nullptr;
  if (document_.current_location().get(at) != simdjson::SUCCESS) {
    at = line_.text.data() + line_.text.size();
  }
  return refuse(at, not_json(code));
}

bool ValueReader::refuse_line(const Line& line, std::string message, std::string hint) {
  error_ = line_error(line, 0, std::move(message), std::move(hint));
  return false;
}

std::size_t ValueReader::offset_of(const char* at) const {
  return std::min(static_cast<std::size_t>(at - line_.text.data()), line_.text.size());
}

}  // namespace kstar
