#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kstar/result.h"
#include "trace/source.h"

/// A trace of any length, event by event, in a buffer that holds one block and one event.
namespace kstar::tracing {

/// One event, as it stands in the file. The text is good until the next one is taken.
struct EventText {
  std::string_view text;  ///< from { to }
  std::size_t inner = 0;  ///< where its first object (args) starts in it; 0: it has none
  std::size_t inner_end = 0;
};

/// A member of the object around the events: distributedInfo, baseTimeNanoseconds.
struct HeaderText {
  std::string_view key;  ///< without quotes, as it stands there
  std::string_view value;
};

/// Where the braces of an event end. Null where `end` comes first. `limit` bytes behind `end` can
/// be read.
const char* end_of_object(const char* begin, const char* end, EventText& out);

class EventSplitter {
 public:
  /// `source` must outlive this.
  explicit EventSplitter(BlockSource& source);
  ~EventSplitter();
  EventSplitter(const EventSplitter&) = delete;
  EventSplitter& operator=(const EventSplitter&) = delete;

  enum class Found { kEvent, kHeader, kEnd };

  /// The next event or header value. At kEnd, torn() says whether the file ended too early.
  Result<Found> next(EventText& event, HeaderText& header);

  bool torn() const { return torn_; }
  /// What stood between events and is none.
  std::uint64_t strange() const { return strange_; }
  /// Of the unpacked text, taken so far.
  std::uint64_t bytes() const { return taken_ + position_; }
  /// Whether anything in it looked like a trace: a list of objects, or one called traceEvents.
  bool has_events_list() const { return saw_list_; }

 private:
  enum class Place { kStart, kMembers, kEvents, kBehind };

  Result<bool> more();  ///< false at the end of the file
  Result<bool> skip_to_value();
  Result<bool> take_member(HeaderText& header);
  Result<bool> take_value(std::size_t from, std::size_t& end);
  char at() const { return data_[position_]; }

  BlockSource& source_;
  char* data_ = nullptr;
  std::size_t room_ = 0, size_ = 0, position_ = 0;
  std::uint64_t taken_ = 0, strange_ = 0;
  Place place_ = Place::kStart;
  bool in_object_ = false, torn_ = false, ended_ = false, saw_list_ = false;
};

}  // namespace kstar::tracing
