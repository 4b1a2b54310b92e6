#include "trace/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

// A line of words: whole numbers, and texts as LENGTH:BYTES. One function lists the fields, for
// writing and for reading.
namespace kstar::tracing {

namespace {

constexpr std::string_view kMagic = "kstar-trace-part 3\n";

class PartWriter {
 public:
  static constexpr bool kReads = false;
  std::string text;

  void number(std::int64_t value) { fmt::format_to(std::back_inserter(text), "{} ", value); }
  void string(const std::string& value) {
    fmt::format_to(std::back_inserter(text), "{}:", value.size());
    text += value;
    text += ' ';
  }
  void end() { text.back() = '\n'; }
};

class PartReader {
 public:
  static constexpr bool kReads = true;
  explicit PartReader(std::string_view text) : text_(text) {}

  std::int64_t number() {
    const std::size_t blank = text_.find_first_of(" \n", at_);
    if (blank == std::string_view::npos || blank - at_ > 20) return wrong();
    const auto value = parse_integer(text_.substr(at_, blank - at_));
    if (!value) return wrong();
    at_ = blank + 1;
    return *value;
  }
  void string(std::string& out) {
    const std::size_t colon = text_.find(':', at_);
    if (colon == std::string_view::npos || colon - at_ > 10) return void(wrong());
    const auto size = parse_integer(text_.substr(at_, colon - at_));
    if (!size || *size < 0 || static_cast<std::size_t>(*size) >= text_.size() - colon) {
      return void(wrong());
    }
    out.assign(text_.substr(colon + 1, static_cast<std::size_t>(*size)));
    at_ = std::min(text_.size(), colon + 2 + static_cast<std::size_t>(*size));
  }
  /// Of a list: every element takes two bytes at least.
  std::size_t count() {
    const std::int64_t value = number();
    if (value < 0 || static_cast<std::size_t>(value) > text_.size() - at_) return wrong(), 0;
    return static_cast<std::size_t>(value);
  }
  std::int64_t wrong() {
    if (good_) wrong_at_ = at_;
    good_ = false;
    at_ = text_.size();
    return 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return at_ >= text_.size(); }
  std::size_t wrong_at() const { return wrong_at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, wrong_at_ = 0;
  bool good_ = true;
};

template <typename Archive, typename T>
void field(Archive& archive, T& value) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, std::string>) {
    archive.string(value);
  } else if constexpr (Archive::kReads) {
    value = static_cast<Plain>(archive.number());
  } else {
    archive.number(static_cast<std::int64_t>(value));
  }
}

template <typename Archive, typename... T>
void fields(Archive& archive, T&... values) {
  (field(archive, values), ...);
}

/// A list: its length, and each element by `one`.
template <typename Archive, typename List, typename One>
void list(Archive& archive, List& values, const One& one) {
  if constexpr (Archive::kReads) {
    const std::size_t count = archive.count();
    values.clear();
    for (std::size_t i = 0; i < count && archive.good(); ++i) one(values.emplace_back());
  } else {
    archive.number(static_cast<std::int64_t>(values.size()));
    for (auto& value : values) one(value);
  }
}

template <typename Archive, typename Rank>
void rank_fields(Archive& a, Rank& rank) {
  fields(a, rank.file, rank.skipped, rank.rank, rank.world, rank.title, rank.backend, rank.device,
         rank.step_source, rank.step_name, rank.shown, rank.unclassified_time, rank.busy_time,
         rank.events, rank.bytes, rank.bad, rank.strange, rank.torn, rank.cut_step);
  list(a, rank.steps, [&](auto& step) {
    fields(a, step.label, step.start, step.end, step.compute, step.communication, step.exposed,
           step.copies, step.idle, step.active);
  });
  list(a, rank.kinds, [&](auto& kind) {
    fields(a, kind.collective, kind.group, kind.ranks, kind.library, kind.size, kind.bytes);
  });
  list(a, rank.operations,
       [&](auto& one) { fields(a, one.start, one.end, one.sequence, one.step, one.kind); });
  list(a, rank.exposed, [&](auto& one) { fields(a, one.start, one.end); });
  list(a, rank.lanes, [&](auto& one) { field(a, one); });
  list(a, rank.names, [&](auto& one) { field(a, one); });
  list(a, rank.stretches, [&](auto& one) {
    fields(a, one.start, one.end, one.launch, one.operation, one.lane, one.name, one.count,
           one.kind);
  });
  list(a, rank.unclassified, [&](auto& one) { fields(a, one.name, one.time); });
  fields(a, rank.hta.known, rank.hta.idle, rank.hta.compute, rank.hta.non_compute,
         rank.hta.kernel_time, rank.hta.communication, rank.hta.overlap);
  for (auto& kind : rank.hta.kinds) field(a, kind);
}

bool in_time(std::int64_t value) {
  return value > -(std::int64_t{1} << 62) && value < (std::int64_t{1} << 62);
}

/// Whether what refers to something refers to something that is there.
bool is_sound(const RankSummary& rank) {
  const auto steps = static_cast<std::int64_t>(rank.steps.size());
  const auto operations = static_cast<std::int64_t>(rank.operations.size());
  if (rank.shown < 0 || (steps > 0 && rank.shown >= steps)) return false;
  if (rank.step_source > TraceSteps::kWhole) return false;
  for (const RankStep& step : rank.steps) {
    if (!in_time(step.start) || !in_time(step.end) || step.end < step.start) return false;
  }
  for (const Operation& one : rank.operations) {
    if (one.step < -1 || one.step >= steps || one.kind >= rank.kinds.size()) return false;
    if (!in_time(one.start) || !in_time(one.end) || one.end < one.start) return false;
  }
  for (const Interval& one : rank.exposed) {
    if (!in_time(one.start) || !in_time(one.end) || one.end < one.start) return false;
  }
  return std::all_of(rank.stretches.begin(), rank.stretches.end(), [&](const Stretch& one) {
    return one.lane < rank.lanes.size() && one.name < rank.names.size() && one.operation >= -1 &&
           one.operation < operations && in_time(one.start) && in_time(one.end) &&
           in_time(one.launch) && one.end >= one.start && one.kind <= Kind::kUnclassified;
  });
}

/// What stands at the head of a part.
struct PartHead {
  std::int64_t part = 0, parts = 0, files = 0;
  std::string step, rules;
  bool operator==(const PartHead&) const = default;
};

Error damaged(std::string_view name, std::size_t at) {
  return {.where = printable(name),
          .message = fmt::format("expected a part of 'kstar trace --part', damaged at byte {}", at),
          .hint = "write the part again"};
}

Result<std::vector<RankSummary>> parse(std::string_view text, std::string_view name,
                                       PartHead& head) {
  if (!is_trace_part(text)) {
    return fail({.where = printable(name),
                 .message = "expected a part of a trace, written by 'kstar trace --part'"});
  }
  text.remove_prefix(kMagic.size());
  PartReader reader(text);
  fields(reader, head.part, head.parts, head.files, head.step, head.rules);
  std::vector<RankSummary> ranks;
  std::int64_t count = reader.number();
  for (; count > 0 && reader.good(); --count) {
    RankSummary rank;
    rank_fields(reader, rank);
    if (reader.good() && !is_sound(rank)) reader.wrong();
    if (reader.good()) ranks.push_back(std::move(rank));
  }
  if (!reader.good() || count != 0) {
    return fail(damaged(name, kMagic.size() + reader.wrong_at()));
  }
  if (head.parts < 1 || head.part < 1 || head.part > head.parts) return fail(damaged(name, 0));
  return ranks;
}

}  // namespace

Result<std::string> part_text(const std::vector<RankSummary>& ranks, const TraceOptions& options,
                              std::size_t files) {
  PartWriter writer;
  writer.text = kMagic;
  const PartHead head{options.part, options.parts, static_cast<std::int64_t>(files), options.step,
                      options.rules};
  fields(writer, head.part, head.parts, head.files, head.step, head.rules);
  writer.number(static_cast<std::int64_t>(ranks.size()));
  writer.end();
  for (const RankSummary& rank : ranks) {
    rank_fields(writer, rank);
    writer.end();
  }
  return std::move(writer.text);
}

Result<std::vector<RankSummary>> parse_part(std::string_view text, std::string_view name) {
  PartHead head;
  return parse(text, name, head);
}

Result<std::vector<RankSummary>> read_parts(std::span<const std::string> paths) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 36;
  std::vector<RankSummary> all;
  std::map<std::int64_t, std::string> seen;
  PartHead first;
  for (const std::string& path : paths) {
    KSTAR_TRY(const FileText text, read_file(path, kMostBytes));
    PartHead head;
    KSTAR_TRY(std::vector<RankSummary> ranks, parse(text.view(), path, head));
    if (seen.empty()) first = head;
    if (head.parts != first.parts || head.files != first.files || head.step != first.step ||
        head.rules != first.rules) {
      return fail({.where = printable(path),
                   .message = fmt::format("is a part of other traces than {}",
                                          printable(seen.begin()->second)),
                   .hint = "all parts must be of the same folder, with the same options"});
    }
    const auto added = seen.emplace(head.part, path);
    if (!added.second) {
      return fail({.where = printable(path),
                   .message = fmt::format("is part {} of {}, as {} is", head.part, head.parts,
                                          printable(added.first->second))});
    }
    for (RankSummary& rank : ranks) all.push_back(std::move(rank));
  }
  for (std::int64_t part = 1; part <= first.parts; ++part) {
    if (seen.count(part) > 0) continue;
    return fail({.where = "kstar merge",
                 .message = fmt::format("expected {} parts, got {}: part {} is missing",
                                        first.parts, seen.size(), part),
                 .hint = fmt::format("kstar trace --part {}/{} ...", part, first.parts)});
  }
  if (all.empty()) return fail({.where = "kstar merge", .message = "the parts have no traces"});
  return all;
}

}  // namespace kstar::tracing

namespace kstar {

bool is_trace_part(std::string_view text) {
  return text.starts_with(tracing::kMagic);
}

}  // namespace kstar
