#include "import/json_fault.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kstar {

namespace {

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

std::size_t json_fault(std::string_view text) {
  FaultFinder finder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &finder)) return 0;
  // What ends early is shown where it ends, not on the empty line behind that.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::min(finder.fault, last == std::string_view::npos ? 0 : last);
}

}  // namespace kstar
