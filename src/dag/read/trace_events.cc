#include "dag/read/trace_events.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/name_table.h"
#include "dag/read/json_walk.h"

namespace kstar::dag {

namespace {

/// What is read of one event.
struct RawEvent {
  std::string_view phase, name, id, binding, detail, category;
  std::string_view process, thread;
  double at = std::nan(""), length = std::nan("");
};

/// A text without its quotes, or a number as it is written.
std::string_view plain_token(const JsonValue& value) {
  std::string_view text;
  if (!value.get(text)) return text;
  text = value.token();
  return trim(text.substr(0, text.find_first_of(",}]\n")));
}

class EventReader {
 public:
  explicit EventReader(const Source& source) : name_(source.name), json_(source) {}

  Result<TraceEvents> read() {
    JsonObject root;
    bool found = false;
    const bool good = json_.start(root) && json_.each(root, [&](const JsonMember& member) {
      if (member.key != "traceEvents") return true;
      found = true;
      return json_.elements(member.value, [&](JsonValue event) { return read_event(event); });
    });
    if (!good) return fail(json_.take_error());
    if (!found)
      return fail({.where = printable(name_), .message = "expected a list of traceEvents"});
    close_flows();
    for (const auto& [thread, open] : open_) events_.endless += open.size();
    return std::move(events_);
  }

 private:
  bool read_event(JsonValue value) {
    RawEvent event;
    const bool good = json_.members(value, [&](const JsonMember& member) {
      if (member.key == "ph") event.phase = plain_token(member.value);
      if (member.key == "name") event.name = plain_token(member.value);
      if (member.key == "cat") event.category = plain_token(member.value);
      if (member.key == "id" || member.key == "bind_id") event.id = plain_token(member.value);
      if (member.key == "bp") event.binding = plain_token(member.value);
      if (member.key == "pid") event.process = plain_token(member.value);
      if (member.key == "tid") event.thread = plain_token(member.value);
      if (member.key == "ts" && !number(member.value, event.at)) return false;
      if (member.key == "dur" && !number(member.value, event.length)) return false;
      if (member.key == "args") read_detail(member.value, event);
      return true;
    });
    if (!good) return false;
    if (event.phase.size() == 1 && !std::isnan(event.at)) take(event);
    return true;
  }

  /// Some programs write their numbers as texts.
  bool number(const JsonValue& value, double& out) {
    if (!value.get(out)) return true;
    return json_.refuse(value, "expected a number of microseconds");
  }

  static void read_detail(const JsonValue& args, RawEvent& event) {
    JsonObject object;
    if (args.get(object)) return;
    static_cast<void>(object.each([&](const JsonMember& member) {
      if (member.key == "detail") event.detail = plain_token(member.value);
      return true;
    }));
  }

  void take(const RawEvent& event) {
    const std::uint32_t thread = thread_of(event);
    switch (event.phase[0]) {
      case 'X':
        if (event.length > 0) add_slice(thread, event, event.at, event.at + event.length);
        if (event.length < 0) ++events_.endless;
        break;
      case 'B':
        open_[thread].push_back({thread, event.at, 0, keep(event.name), keep(event.detail)});
        break;
      case 'E':
        end_slice(thread, event.at);
        break;
      case 's':
      case 't':
      case 'f':
        flow_ends_[std::string(event.category) + '\n' + std::string(event.name) + '\n' +
                   std::string(event.id)]
            .push_back({event.phase[0],
                        {thread, event.at, event.phase[0] == 'f' && event.binding != "e"}});
        break;
      default:
        break;
    }
  }

  void add_slice(std::uint32_t thread, const RawEvent& event, double start, double end) {
    events_.slices.push_back({thread, start, end, keep(event.name), keep(event.detail)});
  }

  void end_slice(std::uint32_t thread, double at) {
    std::vector<TraceSlice>& open = open_[thread];
    if (open.empty()) return;
    open.back().end = at;
    if (at > open.back().start) events_.slices.push_back(open.back());
    if (at < open.back().start) ++events_.endless;
    open.pop_back();
  }

  std::uint32_t thread_of(const RawEvent& event) {
    return threads_
        .try_emplace({std::string(event.process), std::string(event.thread)},
                     static_cast<std::uint32_t>(threads_.size()))
        .first->second;
  }

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    const std::uint32_t known = names_.find(text);
    if (known != NameTable::kNone) return names_.name(known);
    events_.kept.emplace_back(text);
    return names_.name(names_.number(events_.kept.back()));
  }

  struct FlowEvent {
    char phase;
    TraceFlowEnd end;
  };

  /// The same id may be used again once its flow has ended.
  void close_flows() {
    for (auto& [id, ends] : flow_ends_) {
      std::stable_sort(ends.begin(), ends.end(),
                       [](const FlowEvent& a, const FlowEvent& b) { return a.end.at < b.end.at; });
      const FlowEvent* before = nullptr;
      for (const FlowEvent& end : ends) {
        if (end.phase == 's') {
          if (before != nullptr && before->phase == 's') ++events_.open_flows;
          before = &end;
        } else if (before == nullptr) {
          ++events_.open_flows;
        } else {
          events_.flows.push_back({before->end, end.end});
          if (end.phase == 't') before = &end;  // further ends of a flow begin where this one did
        }
      }
      if (before != nullptr && ends.size() == 1) ++events_.open_flows;
    }
  }

  std::string_view name_;
  JsonWalk json_;
  TraceEvents events_;
  NameTable names_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> threads_;
  std::map<std::uint32_t, std::vector<TraceSlice>> open_;
  std::map<std::string, std::vector<FlowEvent>> flow_ends_;
};

}  // namespace

Result<TraceEvents> read_trace_events(const Source& source) {
  const std::string_view text = trim(source.text);
  if (!text.starts_with('[')) return EventReader(source).read();
  // A list alone; Chrome itself may leave out its end, or be stopped in the midst of an event.
  std::string object = "{\"traceEvents\":" + std::string(text);
  bool cut_off = false;
  if (!text.ends_with(']')) {
    const std::size_t last = text.rfind('}');
    const bool whole =
        last != text.npos && json_fault_place(std::string(text.substr(0, last + 1)) + "]") == 0;
    if (whole) {
      cut_off = last + 1 < text.size() && trim(text.substr(last + 1)) != ",";
      object = "{\"traceEvents\":" + std::string(text.substr(0, last + 1)) + "]";
    }
  }
  object += "}";
  const FileText padded(object);
  const Source wrapped{padded.view(), source.name};
  KSTAR_TRY(TraceEvents events, EventReader(wrapped).read());
  events.cut_off = cut_off;
  return events;
}

}  // namespace kstar::dag
