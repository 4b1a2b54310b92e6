// Nsight Compute: `ncu --csv`, with --page details or raw, or with single --metrics.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/ncu_launch.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

bool is_ncu_head(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) &&
         line.find("Kernel Name") != line.npos;
}

bool is_ncu(const Input& input) {
  return std::any_of(input.lines.begin(), input.lines.end(), is_ncu_head);
}

struct NcuColumns {
  std::size_t id = 0, process = 0, kernel = 0, capability = 0, metric = 0, unit = 0, value = 0,
              rule = 0;
  bool has_process = false, has_capability = false, has_rule = false, long_form = false;
};

class NcuReader {
 public:
  explicit NcuReader(const Input& input) : input_(input) {}

  Result<RooflineProfile> read();

 private:
  Result<void> read_head(std::size_t line);
  Result<void> take(std::size_t line);
  void find_locale(std::size_t first);
  void put(Launch& launch, const std::string& metric, const std::string& text,
           std::string_view unit);
  void take_metric(const std::vector<std::string>& fields);
  void take_row(const std::vector<std::string>& fields);
  Launch& launch_of(const std::vector<std::string>& fields);

  const Input& input_;
  std::vector<std::string> head_;
  std::vector<std::string> units_;
  NcuColumns columns_;
  std::vector<Launch> launches_;
  std::map<std::string, std::size_t> places_;
  std::size_t skipped_ = 0;
  bool decimal_comma_ = false;
  bool unit_missing_ = false;  ///< of a time or of bytes, which are then not used
};

Result<void> NcuReader::read_head(std::size_t line) {
  const auto fields = csv_fields(input_.lines[line]);
  if (!fields) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected a header of CSV, got a quote that is never closed"));
  }
  head_ = *fields;
  const auto find = [&](std::string_view name, std::size_t& at) {
    const auto found = std::find(head_.begin(), head_.end(), name);
    at = static_cast<std::size_t>(found - head_.begin());
    return found != head_.end();
  };
  if (!find("ID", columns_.id) || !find("Kernel Name", columns_.kernel)) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected the columns ID and Kernel Name"));
  }
  columns_.has_process = find("Process ID", columns_.process);
  columns_.has_capability = find("CC", columns_.capability);
  columns_.has_rule = find("Rule Description", columns_.rule);
  columns_.long_form = find("Metric Name", columns_.metric);
  if (columns_.long_form &&
      (!find("Metric Unit", columns_.unit) || !find("Metric Value", columns_.value))) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected the columns Metric Unit and Metric Value"));
  }
  return {};
}

Launch& NcuReader::launch_of(const std::vector<std::string>& fields) {
  const std::string key =
      (columns_.has_process ? fields[columns_.process] : "") + " " + fields[columns_.id];
  const auto [place, added] = places_.emplace(key, launches_.size());
  if (added) {
    launches_.emplace_back();
    launches_.back().kernel = fields[columns_.kernel];
    if (columns_.has_capability) launches_.back().capability = fields[columns_.capability];
  }
  return launches_[place->second];
}

/// One number that is written with a decimal comma decides for all: "117.344" alone does not tell.
void NcuReader::find_locale(std::size_t first) {
  for (std::size_t i = first; i < input_.lines.size() && !decimal_comma_; ++i) {
    const auto fields = csv_fields(input_.lines[i]);
    if (!fields) continue;
    if (!columns_.long_form) {
      for (std::size_t at = 0; at < fields->size() && at < head_.size(); ++at) {
        // "gpu__time_duration.sum"; lists of ports and attributes of the device have no such point.
        const bool measured =
            head_[at].find("__") != std::string::npos && head_[at].find('.') != std::string::npos;
        decimal_comma_ = decimal_comma_ || (measured && shows_decimal_comma((*fields)[at], ""));
      }
    } else if (fields->size() > std::max(columns_.unit, columns_.value)) {
      const std::string& value = (*fields)[columns_.value];
      decimal_comma_ = shows_decimal_comma(value, (*fields)[columns_.unit]);
    }
  }
}

void NcuReader::put(Launch& launch, const std::string& metric, const std::string& text,
                    std::string_view unit) {
  const auto value = ncu_number(text, decimal_comma_);
  if (!value || *value < 0 || metric.empty()) return;  // nothing that is counted is negative
  unit_missing_ = !put_metric(launch, metric, *value, unit) || unit_missing_;
}

void NcuReader::take_metric(const std::vector<std::string>& fields) {
  Launch& launch = launch_of(fields);
  put(launch, fields[columns_.metric], fields[columns_.value], fields[columns_.unit]);
  if (columns_.has_rule && columns_.rule < fields.size()) launch.rules += fields[columns_.rule];
}

/// One row per launch, one column per metric; the first row has the units.
void NcuReader::take_row(const std::vector<std::string>& fields) {
  if (fields[columns_.id].empty() && fields[columns_.kernel].empty()) {
    units_ = fields;
    return;
  }
  Launch& launch = launch_of(fields);
  for (std::size_t i = 0; i < fields.size() && i < head_.size(); ++i) {
    if (head_[i].find("__") == std::string::npos) continue;
    if (head_[i] == "device__attribute_display_name") launch.device = fields[i];
    put(launch, head_[i], fields[i], i < units_.size() ? std::string_view(units_[i]) : "");
  }
}

Result<void> NcuReader::take(std::size_t line) {
  const std::string_view text = input_.lines[line];
  if (text.empty() || text.starts_with("==") || is_ncu_head(text)) return {};
  const auto fields = csv_fields(text);
  // Columns behind those that are read may be left out of rows that have nothing in them.
  std::size_t needed = std::max(columns_.id, columns_.kernel);
  if (columns_.has_process) needed = std::max(needed, columns_.process);
  if (columns_.has_capability) needed = std::max(needed, columns_.capability);
  if (columns_.long_form) {
    needed = std::max({needed, columns_.metric, columns_.unit, columns_.value});
  }
  if (!fields || fields->size() <= needed || fields->size() > head_.size() + 1) {
    ++skipped_;
    return {};
  }
  columns_.long_form ? take_metric(*fields) : take_row(*fields);
  return {};
}

Result<RooflineProfile> NcuReader::read() {
  const auto head = std::find_if(input_.lines.begin(), input_.lines.end(), is_ncu_head);
  const auto first = static_cast<std::size_t>(head - input_.lines.begin());
  KSTAR_CHECK(read_head(first));
  find_locale(first + 1);
  for (std::size_t i = first + 1; i < input_.lines.size(); ++i) KSTAR_CHECK(take(i));
  const bool details = std::any_of(launches_.begin(), launches_.end(), [](const Launch& launch) {
    return launch.value("Duration").has_value();
  });
  const char* const source = details              ? "Nsight Compute, details page"
                             : columns_.long_form ? "Nsight Compute"
                                                  : "Nsight Compute, raw page";
  KSTAR_TRY(RooflineProfile profile,
            profile_of_launches(launches_, source, input_.name, unit_missing_));
  if (skipped_ > 0) {
    profile.notes.push_back(fmt::format("{} not of the table {} skipped",
                                        count_text(skipped_, "line"),
                                        skipped_ == 1 ? "was" : "were"));
  }
  if (decimal_comma_) {
    profile.notes.emplace_back("numbers are read as 1.234,5: a point groups digits in this file");
  }
  return profile;
}

Result<RooflineProfile> read_ncu(const Input& input) {
  return NcuReader(input).read();
}

}  // namespace

const ProfileFormat kNcuFormat = {"Nsight Compute CSV", is_ncu, read_ncu};

}  // namespace kstar::roofline
