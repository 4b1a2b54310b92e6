#include "trace/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "trace/event.h"
#include "trace/splitter.h"

namespace kstar::tracing {

std::uint32_t Names::id(std::string_view name) {
  constexpr std::uint32_t kOthers = 200'000;
  constexpr std::size_t kMost = kOthers;  // names of a hostile trace; a real one has some hundred
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (texts_.size() > kMost) return kOthers;
  if (texts_.size() == kMost) name = "(other names)";
  const auto added = ids_.emplace(std::string(name), static_cast<std::uint32_t>(texts_.size()));
  texts_.push_back(&added.first->first);
  return added.first->second;
}

namespace {

enum class Category { kDevice, kHost, kAnnotation, kRuntime, kSync, kIgnored, kUnknown };

Category category_of(std::string_view text) {
  switch (text.size()) {
    case 6:
      if (text == "kernel" || text == "Kernel" || text == "Memcpy" || text == "Memset") {
        return Category::kDevice;
      }
      if (text == "cpu_op") return Category::kHost;
      return Category::kUnknown;
    case 5:
      return text == "Trace" ? Category::kIgnored : Category::kUnknown;
    case 8:
      if (text == "Operator") return Category::kHost;
      return text == "overhead" ? Category::kIgnored : Category::kUnknown;
    case 7:
      return text == "Runtime" ? Category::kRuntime : Category::kUnknown;
    case 9:
      return text == "cuda_sync" ? Category::kSync : Category::kUnknown;
    default:
      break;
  }
  if (text == "gpu_memcpy" || text == "gpu_memset" || text == "concurrent_kernel") {
    return Category::kDevice;
  }
  if (text == "user_annotation") return Category::kAnnotation;
  if (text == "cuda_runtime" || text == "cuda_driver" || text == "hip_runtime" ||
      text == "xpu_runtime" || text == "privateuse1_runtime" || text == "mtia_runtime") {
    return Category::kRuntime;
  }
  if (text == "python_function" || text == "gpu_user_annotation" || text == "cuda_profiler_range" ||
      text == "hpu_op" || text == "cpu_instant_event") {
    return Category::kIgnored;
  }
  return Category::kUnknown;
}

/// A PyTorch without Kineto, such as Debian's, writes no categories: everything ran on the CPU, and
/// of its annotations only the steps can be distinguished from operations.
Category category_of(const EventFields& event) {
  if (!event.category.empty() || event.process != "CPU functions") {
    return category_of(event.category);
  }
  return event.name.starts_with("ProfilerStep#") ? Category::kAnnotation : Category::kHost;
}

std::int64_t bytes_of_type(std::string_view type) {
  struct Type {
    std::string_view name;
    std::int64_t bytes;
  };
  static constexpr std::array kTypes = {
      Type{"float", 4},   Type{"double", 8},   Type{"half", 2},  Type{"c10::half", 2},
      Type{"long", 8},    Type{"int", 4},      Type{"char", 1},  Type{"byte", 1},
      Type{"bool", 1},    Type{"bfloat16", 2}, Type{"short", 2}, Type{"c10::bfloat16", 2},
      Type{"float16", 2}, Type{"float32", 4},  Type{"int32", 4}, Type{"unsigned char", 1},
      Type{"int64", 8},   Type{"uint8", 1},    Type{"int8", 1},  Type{"long int", 8}};
  const std::string small = lower_case(type);
  for (const Type& known : kTypes) {
    if (known.name == small) return known.bytes;
  }
  if (small.starts_with("float8") || small.starts_with("c10::float8")) return 1;
  return 0;
}

/// The product of the first list of "[[1024, 4], [], ...]".
std::int64_t elements_of(std::string_view dims) {
  std::int64_t product = 0;
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!is_digit(dims[i])) {
      if (dims[i] == ']' && product > 0) return product;
      continue;
    }
    std::int64_t value = 0;
    for (; i < dims.size() && is_digit(dims[i]) && value < kMost; ++i) {
      value = 10 * value + (dims[i] - '0');
    }
    if (product > kMost / std::max<std::int64_t>(value, 1)) return 0;
    product = product == 0 ? value : product * value;
    if (i < dims.size() && dims[i] == ']') return product;
  }
  return product;
}

/// "[\"float\", \"Scalar\"]": the first.
std::string_view first_type(std::string_view types) {
  const std::size_t open = types.find('"');
  if (open == std::string_view::npos) return "";
  const std::size_t close = types.find('"', open + 1);
  return close == std::string_view::npos ? "" : types.substr(open + 1, close - open - 1);
}

/// What an event says in its args, as far as anybody asks.
struct Args {
  std::int64_t stream = -1, correlation = -1, step = -1;
  bool has_stream = false, has_step = false;
  std::string_view name, collective, group, description, ranks, type, dims, types;
  std::int64_t in = 0, out = 0, size = 0, sequence = -1;
};

Args read_args(std::string_view text) {
  Args args;
  each_member(text, [&](std::string_view key, std::string_view value) {
    switch (key.size()) {
      case 3:
        if (key == "Seq" || key == "seq") read_whole(value, args.sequence);
        break;
      case 4:
        if (key == "name") args.name = value;
        if (key == "step") args.has_step = read_whole(value, args.step);
        break;
      case 5:
        if (key == "dtype") args.type = value;
        break;
      case 6:
        if (key == "stream") args.has_stream = read_whole(value, args.stream);
        break;
      case 10:
        if (key == "Group size") read_whole(value, args.size);
        if (key == "Input Dims") args.dims = value;
        if (key == "Input type") args.types = value;
        break;
      case 11:
        if (key == "correlation" && !read_whole(value, args.correlation)) args.correlation = -1;
        break;
      case 13:
        if (key == "In msg nelems") read_whole(value, args.in);
        break;
      case 14:
        if (key == "Out msg nelems") read_whole(value, args.out);
        break;
      case 15:
        if (key == "Collective name") args.collective = value;
        break;
      case 18:
        if (key == "Process Group Name") args.group = value;
        break;
      case 19:
        if (key == "Process Group Ranks") args.ranks = value;
        break;
      case 25:
        if (key == "Process Group Description") args.description = value;
        break;
      default:
        break;
    }
    return true;
  });
  return args;
}

/// Reads one file, event by event.
class Reading {
 public:
  Reading(TraceFile& file, const Rules& rules) : file_(file), rules_(rules) {}

  void take(const EventText& text) {
    ++file_.events;
    EventFields event;
    if (!read_event(text, event)) {
      ++file_.bad;
      return;
    }
    if (event.phase == 'M') return take_metadata(event);
    if (event.phase != 'X') return;
    if (event.bad_time || !event.has_start || !event.has_duration ||
        event.start > kLatest - event.duration || event.duration > kLatest) {
      ++file_.bad;
      return;
    }
    file_.start_fractions = file_.start_fractions || event.fractions;
    take_complete(event);
  }

  void take(const HeaderText& header) {
    if (header.key == "baseTimeNanoseconds") {
      std::int64_t base = 0;
      if (read_whole(header.value, base) && base > 0 && base < kLatest) file_.base = base;
    } else if (header.key == "distributedInfo") {
      each_member(header.value, [&](std::string_view key, std::string_view value) {
        if (key == "rank") read_number(value, file_.rank);
        if (key == "world_size") read_number(value, file_.world);
        if (key == "backend") file_.backend = unescaped(value);
        return true;
      });
    }
  }

 private:
  /// 146 years: room for the sum of a time and a base.
  static constexpr std::int64_t kLatest = std::int64_t{1} << 62;

  static void read_number(std::string_view text, std::int64_t& out) {
    std::int64_t value = 0;
    if (read_whole(text, value) && value >= 0 && value <= 1'000'000'000) out = value;
  }

  void take_metadata(const EventFields& event) {
    if (event.name != "thread_name" && event.name != "process_name") return;
    const Args args = read_args(event.args);
    if (event.name == "process_name") {
      if (file_.processes.size() < kMostLanes) {
        file_.processes.emplace(event.process, unescaped(args.name));
      }
      return;
    }
    file_.lanes[lane(event)].name = unescaped(args.name);
  }

  void take_complete(const EventFields& event) {
    const Category category = category_of(event);
    switch (category) {
      case Category::kIgnored:
        return;
      case Category::kHost:
        return take_host(event, false);
      case Category::kAnnotation:
        return take_host(event, true);
      case Category::kRuntime: {
        const Args args = read_args(event.args);
        if (args.correlation < 0) return;
        file_.launches.add(
            {static_cast<std::uint32_t>(args.correlation), lane(event), event.start});
        return;
      }
      case Category::kDevice:
      case Category::kSync:
      case Category::kUnknown:
        return take_device(event, category);
    }
  }

  Work work_of(const EventFields& event) {
    Work work;
    work.start = event.start;
    work.end = event.start + event.duration;
    work.name = name_id(event.name);
    work.lane = lane(event);
    return work;
  }

  void take_device(const EventFields& event, Category category) {
    const Args args = read_args(event.args);
    const bool waits = category == Category::kSync;
    if (waits && !args.has_stream) return;
    Work work = work_of(event);
    work.on_device = true;
    work.counts = !waits;
    work.generic = category == Category::kUnknown && !args.has_stream;
    if (args.has_step) {
      work.step = static_cast<std::int32_t>(std::clamp<std::int64_t>(args.step, -1, 1 << 30));
    }
    if (args.correlation >= 0 && args.correlation < kNoCorrelation) {
      work.correlation = static_cast<std::uint32_t>(args.correlation);
    }
    const Rule* rule = rule_of(work.name);
    work.kind = rule == nullptr ? Kind::kUnclassified : rule->kind;
    if (category == Category::kDevice && work.kind == Kind::kNone) {
      work.kind = Kind::kUnclassified;  // it is on a device, whatever its name says
    }
    if (event.category.starts_with("gpu_mem") && work.kind != Kind::kCommunication) {
      work.kind = Kind::kCopy;
    }
    if (!args.collective.empty()) {
      work.kind = Kind::kCommunication;
      work.facts = facts(args);
      work.sequence = sequence(args);
    }
    if (waits) work.kind = Kind::kNone;
    file_.last = std::max(file_.last, work.end);
    file_.has_generic = file_.has_generic || work.generic;
    file_.has_kernels = file_.has_kernels || (!waits && !work.generic);
    if (!waits && !file_.has_device) {
      file_.has_device = true;
      file_.tops.clear();  // the device does the work
    }
    file_.device.add(work);
  }

  /// HTA takes whatever names a stream for an operation of the device; nobody else does.
  void take_for_hta(const EventFields& event) {
    constexpr std::string_view kKey = "\"stream\"";
    if (memmem(event.args.data(), event.args.size(), kKey.data(), kKey.size()) == nullptr) return;
    const Args args = read_args(event.args);
    if (!args.has_stream || args.stream < 0) return;
    Work work = work_of(event);
    work.on_device = true;
    work.counts = false;
    work.kind = Kind::kNone;
    file_.device.add(work);
  }

  void take_host(const EventFields& event, bool annotation) {
    if (!event.args.empty()) take_for_hta(event);
    HostEvent host{event.start, event.duration, lane(event), 0, kNoFacts, -1};
    file_.last = std::max(file_.last, event.start + event.duration);
    host.name = name_id(event.name);
    const Rule* rule = rule_of(host.name);
    const bool transfers = rule != nullptr && rule->kind == Kind::kCommunication && rule->host;
    const bool is_call = event.name == "record_param_comms" || transfers;
    if (is_call) {
      const Args args = read_args(event.args);
      if (!args.collective.empty() || !args.dims.empty()) host.facts = facts(args);
      host.sequence = sequence(args);
    }
    if (transfers) {
      file_.transfers.push_back(host);
      return;
    }
    if (is_call) file_.calls.push_back(host);
    if (annotation) {
      file_.annotations.push_back(host);
      return;
    }
    if (!file_.has_device) take_top(event, host.lane);
  }

  /// Operations of a thread stand there from the outer to the inner: those inside of the last one
  /// that was kept add nothing.
  void take_top(const EventFields& event, std::uint32_t lane) {
    if (lane >= last_top_.size()) last_top_.resize(lane + 1, {1, 0});
    const std::int64_t end = event.start + event.duration;
    if (last_top_[lane].first <= event.start && end <= last_top_[lane].second) return;
    last_top_[lane] = {event.start, end};
    file_.tops.add(work_of(event));
  }

  static std::int32_t sequence(const Args& args) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(args.sequence, -1, 1 << 30));
  }

  std::uint32_t facts(const Args& args) {
    CommunicationFacts found;
    found.collective = collective_name(args.collective);
    if (found.collective.empty()) found.collective = lower_case(unescaped(args.collective));
    found.group = unescaped(args.group.empty() ? args.description : args.group);
    if (args.ranks.find("...") == std::string_view::npos) found.ranks = unescaped(args.ranks);
    found.size = std::max<std::int64_t>(args.size, 0);
    const std::int64_t elements =
        std::max({args.in, args.out, args.in == 0 ? elements_of(args.dims) : 0});
    const std::int64_t width =
        bytes_of_type(args.type.empty() ? first_type(args.types) : args.type);
    constexpr std::int64_t kMostElements = std::int64_t{1} << 50;
    found.bytes = elements > 0 && elements < kMostElements ? elements * width : 0;
    const auto key = found;
    const auto at = fact_ids_.find(key);
    if (at != fact_ids_.end()) return at->second;
    const auto id = static_cast<std::uint32_t>(file_.facts.size());
    fact_ids_.emplace(key, id);
    file_.facts.push_back(std::move(found));
    return id;
  }

  std::uint32_t name_id(std::string_view raw) { return file_.names.id(raw); }

  const Rule* rule_of(std::uint32_t name) {
    if (name >= file_.rules.size()) {
      for (auto i = static_cast<std::uint32_t>(file_.rules.size()); i <= name; ++i) {
        file_.rules.push_back(rules_.find(unescaped(file_.names.text(i))));
      }
    }
    return file_.rules[name];
  }

  /// Events of a lane follow each other: the last one is looked at first.
  std::uint32_t lane(const EventFields& event) {
    if (!file_.lanes.empty()) {
      const Lane& last = file_.lanes[last_lane_];
      if (last.thread == event.thread && last.process == event.process) return last_lane_;
    }
    lane_key_.assign(event.process);
    lane_key_ += '\n';
    lane_key_ += event.thread;
    const auto found = lane_ids_.find(lane_key_);
    if (found != lane_ids_.end()) return last_lane_ = found->second;
    if (file_.lanes.size() >= kMostLanes) return 0;
    last_lane_ = static_cast<std::uint32_t>(file_.lanes.size());
    lane_ids_.emplace(lane_key_, last_lane_);
    file_.lanes.push_back({std::string(event.process), std::string(event.thread), ""});
    return last_lane_;
  }

  static constexpr std::size_t kMostLanes = 100'000;
  TraceFile& file_;
  const Rules& rules_;
  std::unordered_map<std::string, std::uint32_t> lane_ids_;
  std::map<CommunicationFacts, std::uint32_t> fact_ids_;
  std::vector<std::pair<std::int64_t, std::int64_t>> last_top_;
  std::string lane_key_;
  std::uint32_t last_lane_ = 0;
};

/// The text in front of `what`: "file: byte 12: message".
Error at_file(Error error, const std::string& path) {
  error.where =
      error.where.empty() ? printable(path) : fmt::format("{}: {}", printable(path), error.where);
  return error;
}

}  // namespace

Result<TraceFile> read_trace(BlockSource& source, const std::string& path, const Rules& rules,
                             std::size_t run_length) {
  TraceFile file(run_length);
  file.path = path;
  Reading reading(file, rules);
  EventSplitter splitter(source);
  EventText event;
  HeaderText header;
  for (;;) {
    auto found = splitter.next(event, header);
    if (!found) return fail(at_file(std::move(found.error()), path));
    if (*found == EventSplitter::Found::kEnd) break;
    if (*found == EventSplitter::Found::kEvent) reading.take(event);
    if (*found == EventSplitter::Found::kHeader) reading.take(header);
  }
  file.bytes = splitter.bytes();
  file.torn = splitter.torn();
  file.strange = splitter.strange();
  if (file.events == 0) {
    return fail({.where = printable(path),
                 .message = source.broken()         ? "is damaged: nothing of it can be unpacked"
                            : splitter.bytes() == 0 ? "is empty"
                            : splitter.has_events_list() ? "has no events"
                                                         : "is no trace: it has no traceEvents",
                 .hint = "expected a Chrome trace as torch.profiler writes it: "
                         "prof.export_chrome_trace(\"trace.json\")"});
  }
  return file;
}

}  // namespace kstar::tracing
