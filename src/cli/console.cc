#include "cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "cli/arguments.h"

namespace kstar {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_color(int stream) {
  return isatty(stream) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

/// The columns of the terminal that a stream goes to; nothing when it goes elsewhere.
std::optional<int> columns_of(int stream) {
  winsize size{};
  if (isatty(stream) != 1 || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return size.ws_col;
}

int terminal_width() {
  constexpr int kDefault = 80, kLeast = 40, kMost = 500;
  if (const std::optional<int> own = columns_of(STDOUT_FILENO)) {
    return std::clamp(*own, kLeast, kMost);
  }
  const auto columns = parse_integer(environment("COLUMNS"));
  return columns ? static_cast<int>(std::clamp<std::int64_t>(*columns, kLeast, kMost)) : kDefault;
}

bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

/// A closed stream is opened on nothing: a file opened later must not take its place, and get what
/// is printed.
void keep_streams_open() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDWR));
  }
}

}  // namespace

Console::Console() {
  keep_streams_open();
  style_ = {
      .width = terminal_width(), .color = wants_color(STDOUT_FILENO), .unicode = shows_unicode()};
  color_errors_ = wants_color(STDERR_FILENO);
}

void Console::apply(const Arguments& arguments) {
  const std::string when = arguments.text("color", "auto");
  if (when != "auto") style_.color = color_errors_ = when == "always";
  if (arguments.has("ascii")) style_.unicode = false;
}

TerminalStyle Console::error_style() const {
  return {.width = columns_of(STDERR_FILENO).value_or(style_.width),
          .color = color_errors_,
          .unicode = style_.unicode};
}

bool Console::can_redraw() const {
  return isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" &&
         !environment("TERM").empty();
}

void Console::print(std::string_view text) {
  // What cannot be written is found by flush(), once.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
}

Result<void> Console::flush() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return fail({.where = "standard output", .message = std::strerror(errno)});
}

namespace {

/// Whatever it holds of others' files, line by line.
std::string safe_lines(std::string_view text) {
  std::string safe;
  for (const std::string_view line : split(text, '\n')) {
    safe += (safe.empty() && line.data() == text.data() ? "" : "\n") + printable(line);
  }
  return safe;
}

}  // namespace

void Console::print_error(const Error& error) const {
  const char* red = color_errors_ ? "\x1b[1;31m" : "";
  const char* plain = color_errors_ ? "\x1b[0m" : "";
  std::string text = fmt::format("kstar: {}error:{} ", red, plain);
  if (!error.where.empty()) text += printable(error.where) + ": ";
  text += safe_lines(error.message) + "\n";
  if (!error.excerpt.empty()) text += error.excerpt + (error.excerpt.ends_with("\n") ? "" : "\n");
  if (!error.hint.empty()) text += fmt::format("hint: {}\n", safe_lines(error.hint));
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void Console::note(std::string_view text) const {
  const std::string line = fmt::format("kstar: {}\n", safe_lines(text));
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace kstar
