#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON, read value by value as it is asked for, and the texts of it. json_document.cc alone
/// includes simdjson, which takes seconds to compile.
namespace kstar {

/// What is wrong with JSON; false where nothing is.
struct JsonFault {
  enum Kind : std::uint8_t {
    kNone,
    kWrongType,  ///< the value is there, and is something else
    kMissing,    ///< the object has no such member
    kBehindEnd,  ///< the document has been read to its end
    kTooDeep,    ///< nested deeper than kMostNested
    kStopped,    ///< who was called back wants no more
    kOther
  };
  Kind kind = kNone;
  std::int32_t code = 0;  ///< simdjson's

  explicit operator bool() const { return kind != kNone; }
  /// "is not JSON: ..."
  std::string text() const;
};

class JsonObject;
class JsonArray;

/// A place in a JsonDocument, which must outlive it. Copies share the place; every value is read
/// once, in the order of the text.
class JsonValue {
 public:
  JsonFault get(bool& out) const;
  JsonFault get(double& out) const;  ///< never NaN or infinite
  JsonFault get(std::int64_t& out) const;
  JsonFault get(std::uint64_t& out) const;
  JsonFault get(std::string_view& out) const;  ///< is good until the document is started again
  JsonFault get(JsonObject& out) const;
  JsonFault get(JsonArray& out) const;
  JsonFault get_null(bool& out) const;
  JsonFault get_is_array(bool& out) const;

  /// The text from its beginning on: all of it, and some blanks, where it is no object or array.
  std::string_view token() const;
  /// All of its text. An object or an array is walked over, not read.
  JsonFault get_text(std::string_view& out) const;

 protected:
  friend struct JsonPlaces;
  alignas(void*) std::array<std::byte, 24> place_{};
};

/// One of an object's members.
struct JsonMember {
  std::string_view key;
  std::string_view raw_key;  ///< as it stands between its quotes
  JsonValue value;
};

class JsonObject : private JsonValue {
 public:
  /// The first member of that name, wherever it stands.
  JsonFault find(std::string_view key, JsonValue& out) const;

  /// Calls take(const JsonMember&) for each, until it returns false.
  template <typename Take>
  JsonFault each(const Take& take) const {
    return walk(&take, [](const void* context, const JsonMember& member) {
      return static_cast<bool>((*static_cast<const Take*>(context))(member));
    });
  }
  JsonFault get_text(std::string_view& out) const;

 private:
  friend struct JsonPlaces;
  JsonFault walk(const void* context, bool (*take)(const void*, const JsonMember&)) const;
};

class JsonArray : private JsonValue {
 public:
  /// Calls take(JsonValue) for each element, until it returns false.
  template <typename Take>
  JsonFault each(const Take& take) const {
    return walk(&take, [](const void* context, JsonValue value) {
      return static_cast<bool>((*static_cast<const Take*>(context))(value));
    });
  }

 private:
  friend struct JsonPlaces;
  JsonFault walk(const void* context, bool (*take)(const void*, JsonValue)) const;
};

/// One text after the other. What is read of one is gone when the next is started.
class JsonDocument {
 public:
  static constexpr std::size_t kMostNested = 1024;

  JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  /// `text` has FileText::kPadding readable bytes behind it, whatever they are.
  JsonFault start(std::string_view text);
  /// The object that it is, from its beginning; it may be asked for again.
  JsonFault get(JsonObject& out);
  /// Where reading has come to.
  JsonFault get_location(const char*& out);

  /// Whether all of a text is JSON: what is read value by value is looked at only where it is asked
  /// for. Padded as in start(), which this does not disturb.
  JsonFault check(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The keys of the text of one object; nothing where it is none. It needs no padding.
std::optional<std::vector<std::string>> json_keys(std::string_view text);

/// Where a text stops being JSON: the offset of the first byte that does not fit, or its last. 0
/// where all of it is JSON. Asked only of a text that was refused as a whole, without a place.
std::size_t json_fault_place(std::string_view text);

/// A text in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace kstar
