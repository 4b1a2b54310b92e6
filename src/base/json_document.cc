#include "base/json_document.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/file.h"

namespace kstar {

namespace ondemand = simdjson::ondemand;

static_assert(FileText::kPadding >= simdjson::SIMDJSON_PADDING);
static_assert(JsonDocument::kMostNested == simdjson::DEFAULT_MAX_DEPTH);

/// simdjson's values are three words that point into its document: they are kept as bytes.
struct JsonPlaces {
  using Bytes = decltype(JsonValue::place_);

  template <typename Theirs>
  static Theirs theirs(const JsonValue& ours) {
    static_assert(std::is_trivially_copyable_v<Theirs> && sizeof(Theirs) == sizeof(Bytes));
    return std::bit_cast<Theirs>(ours.place_);
  }
  template <typename Theirs>
  static void keep(JsonValue& ours, const Theirs& theirs) {
    ours.place_ = std::bit_cast<Bytes>(theirs);
  }
  static JsonValue& value_of(JsonObject& object) { return object; }
  static JsonValue& value_of(JsonArray& array) { return array; }
  static const JsonValue& value_of(const JsonObject& object) { return object; }
  static const JsonValue& value_of(const JsonArray& array) { return array; }
};

namespace {

JsonFault fault_of(simdjson::error_code code) {
  const auto kind = [&] {
    switch (code) {
      case simdjson::SUCCESS:
        return JsonFault::kNone;
      case simdjson::INCORRECT_TYPE:
        return JsonFault::kWrongType;
      case simdjson::NO_SUCH_FIELD:
        return JsonFault::kMissing;
      case simdjson::OUT_OF_BOUNDS:
        return JsonFault::kBehindEnd;
      case simdjson::DEPTH_ERROR:
        return JsonFault::kTooDeep;
      default:
        return JsonFault::kOther;
    }
  }();
  return {kind, code};
}

ondemand::value theirs(const JsonValue& value) {
  return JsonPlaces::theirs<ondemand::value>(value);
}

/// A key as it stands: behind its opening quote a closing one is sure to come.
std::string_view until_quote(const char* begin) {
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

simdjson::error_code read_member(simdjson::simdjson_result<ondemand::field> item, JsonMember& out) {
  ondemand::field field;
  if (const auto error = std::move(item).get(field)) return error;
  out.raw_key = out.key = until_quote(field.key().raw());
  if (out.key.find('\\') != std::string_view::npos) {
    if (const auto error = field.unescaped_key().get(out.key)) return error;
  }
  JsonPlaces::keep(out.value, field.value());
  return simdjson::SUCCESS;
}

/// Takes everything, and keeps where it ended. The parser behind it does not recurse: nesting costs
/// a bit a level.
struct FaultFinder : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fault = position == 0 ? 0 : position - 1;  // it counts the bytes that it has read
    return false;
  }

  std::size_t fault = 0;
};

}  // namespace

/// simdjson's words, without the name of its error code in front.
std::string JsonFault::text() const {
  const std::string_view message = simdjson::error_message(static_cast<simdjson::error_code>(code));
  const std::size_t colon = message.find(": ");
  return fmt::format("is not JSON: {}",
                     colon == std::string_view::npos ? message : message.substr(colon + 2));
}

JsonFault JsonValue::get(bool& out) const {
  return fault_of(theirs(*this).get_bool().get(out));
}

JsonFault JsonValue::get(double& out) const {
  return fault_of(theirs(*this).get_double().get(out));
}

JsonFault JsonValue::get(std::int64_t& out) const {
  return fault_of(theirs(*this).get_int64().get(out));
}

JsonFault JsonValue::get(std::uint64_t& out) const {
  return fault_of(theirs(*this).get_uint64().get(out));
}

JsonFault JsonValue::get(std::string_view& out) const {
  return fault_of(theirs(*this).get_string().get(out));
}

JsonFault JsonValue::get(JsonObject& out) const {
  ondemand::object object;
  const auto error = theirs(*this).get_object().get(object);
  JsonPlaces::keep(JsonPlaces::value_of(out), object);
  return fault_of(error);
}

JsonFault JsonValue::get(JsonArray& out) const {
  ondemand::array array;
  const auto error = theirs(*this).get_array().get(array);
  JsonPlaces::keep(JsonPlaces::value_of(out), array);
  return fault_of(error);
}

JsonFault JsonValue::get_null(bool& out) const {
  return fault_of(theirs(*this).is_null().get(out));
}

JsonFault JsonValue::get_is_array(bool& out) const {
  ondemand::json_type type{};
  const auto error = theirs(*this).type().get(type);
  out = type == ondemand::json_type::array;
  return fault_of(error);
}

std::string_view JsonValue::token() const {
  return theirs(*this).raw_json_token();
}

JsonFault JsonValue::get_text(std::string_view& out) const {
  ondemand::value value = theirs(*this);
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return fault_of(error);
  if (type == ondemand::json_type::object) {
    ondemand::object inner;
    if (const auto error = value.get_object().get(inner)) return fault_of(error);
    return fault_of(inner.raw_json().get(out));
  }
  if (type == ondemand::json_type::array) {
    ondemand::array inner;
    if (const auto error = value.get_array().get(inner)) return fault_of(error);
    return fault_of(inner.raw_json().get(out));
  }
  out = value.raw_json_token();
  return {};
}

JsonFault JsonObject::find(std::string_view key, JsonValue& out) const {
  auto object = JsonPlaces::theirs<ondemand::object>(*this);
  ondemand::value value;
  const auto error = object.find_field_unordered(key).get(value);
  JsonPlaces::keep(out, value);
  return fault_of(error);
}

JsonFault JsonObject::walk(const void* context,
                           bool (*take)(const void*, const JsonMember&)) const {
  auto object = JsonPlaces::theirs<ondemand::object>(*this);
  JsonMember member;
  for (auto item : object) {
    if (const auto error = read_member(std::move(item), member)) return fault_of(error);
    if (!take(context, member)) return {JsonFault::kStopped, 0};
  }
  return {};
}

JsonFault JsonObject::get_text(std::string_view& out) const {
  return fault_of(JsonPlaces::theirs<ondemand::object>(*this).raw_json().get(out));
}

JsonFault JsonArray::walk(const void* context, bool (*take)(const void*, JsonValue)) const {
  auto array = JsonPlaces::theirs<ondemand::array>(*this);
  JsonValue element;
  for (auto item : array) {
    ondemand::value value;
    if (const auto error = std::move(item).get(value)) return fault_of(error);
    JsonPlaces::keep(element, value);
    if (!take(context, element)) return {JsonFault::kStopped, 0};
  }
  return {};
}

struct JsonDocument::State {
  std::string_view text;
  ondemand::parser parser;
  ondemand::document document;
  simdjson::dom::parser checker;
};

JsonDocument::JsonDocument() : state_(std::make_unique<State>()) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonFault JsonDocument::start(std::string_view text) {
  state_->text = text;
  const simdjson::padded_string_view padded(text, text.size() + FileText::kPadding);
  return fault_of(state_->parser.iterate(padded).get(state_->document));
}

JsonFault JsonDocument::get(JsonObject& out) {
  // A document that met an error has let go of its parser and must not be rewound.
  if (state_->document.is_alive()) {
    state_->document.rewind();
  } else if (const JsonFault fault = start(state_->text)) {
    return fault;
  }
  ondemand::object object;
  const auto error = state_->document.get_object().get(object);
  JsonPlaces::keep(JsonPlaces::value_of(out), object);
  return fault_of(error);
}

JsonFault JsonDocument::get_location(const char*& out) {
  return fault_of(state_->document.current_location().get(out));
}

JsonFault JsonDocument::check(std::string_view text) {
  return fault_of(state_->checker.parse(text.data(), text.size(), false).error());
}

std::optional<std::vector<std::string>> json_keys(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::string> keys;
  for (const auto [key, value] : object) keys.emplace_back(key);
  return keys;
}

std::size_t json_fault_place(std::string_view text) {
  FaultFinder finder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &finder)) return 0;
  // What ends early is shown where it ends, not on the empty line behind that.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::min(finder.fault, last == std::string_view::npos ? 0 : last);
}

std::string json_string(std::string_view text) {
  return nlohmann::ordered_json(text).dump(-1, ' ', false,
                                           nlohmann::ordered_json::error_handler_t::replace);
}

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace kstar
