#include "report/html/html.h"

#include <fmt/format.h>

#include <cctype>

#include "base/markup.h"
#include "base/text.h"

namespace kstar {

std::string html(std::string_view text) {
  return markup_escaped(printable(text));
}

std::string html_lines(std::string_view text) {
  std::string safe;
  for (const std::string_view line : split(text, '\n')) {
    if (!safe.empty()) safe += '\n';
    safe += html(line);
  }
  return safe;
}

std::string script_json(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

std::string json_text(std::string_view text) {
  std::string safe = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "\"";
}

std::string file_address(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string address = "./";
  for (const char c : path.substr(slash == std::string_view::npos ? 0 : slash + 1)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_');
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return address;
}

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name.empty() ? "study" : name;
}

}  // namespace kstar
