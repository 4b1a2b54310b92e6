#include "exec/messages.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kstar {

namespace {

class Packer {
 public:
  template <typename T>
  void value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    value(text.size());
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T value() {
    T value{};
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = value<std::size_t>();
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string encode(const LaunchPlan& plan) {
  Packer packer;
  packer.value(plan.command.size());
  for (const std::string& word : plan.command) packer.text(word);
  packer.value(plan.variables.size());
  for (const auto& [name, value] : plan.variables) {
    packer.text(name);
    packer.text(value);
  }
  packer.value(plan.cpus.size());
  for (const int cpu : plan.cpus) packer.value(cpu);
  packer.text(plan.folder);
  packer.value(plan.time_limit);
  packer.text(plan.marks_folder);
  packer.value(plan.grace);
  return packer.take();
}

LaunchPlan decode_plan(std::string_view message) {
  Unpacker unpacker(message);
  LaunchPlan plan;
  plan.command.resize(unpacker.value<std::size_t>());
  for (std::string& word : plan.command) word = unpacker.text();
  plan.variables.resize(unpacker.value<std::size_t>());
  for (auto& [name, value] : plan.variables) {
    name = unpacker.text();
    value = unpacker.text();
  }
  plan.cpus.resize(unpacker.value<std::size_t>());
  for (int& cpu : plan.cpus) cpu = unpacker.value<int>();
  plan.folder = unpacker.text();
  plan.time_limit = unpacker.value<double>();
  plan.marks_folder = unpacker.text();
  plan.grace = unpacker.value<double>();
  return plan;
}

std::string encode(const RunReport& report) {
  Packer packer;
  packer.value(report.facts);
  packer.text(report.output.text);
  packer.value(report.output.left_out);
  packer.text(report.error_output.text);
  packer.value(report.error_output.left_out);
  return packer.take();
}

RunReport decode_report(std::string_view message) {
  Unpacker unpacker(message);
  RunReport report;
  report.facts = unpacker.value<RunFacts>();
  for (KeptText* kept : {&report.output, &report.error_output}) {
    kept->text = unpacker.text();
    kept->left_out = unpacker.value<std::size_t>();
  }
  return report;
}

bool Channel::send(std::string_view message) {
  std::uint64_t size = message.size();
  std::size_t sent = 0;
  while (sent < sizeof size + message.size()) {
    const std::size_t of_size = std::min(sent, sizeof size);
    const std::size_t of_text = sent - of_size;
    iovec parts[] = {{reinterpret_cast<char*>(&size) + of_size, sizeof size - of_size},
                     {const_cast<char*>(message.data()) + of_text, message.size() - of_text}};
    msghdr header{};
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    const ssize_t put = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    sent += static_cast<std::size_t>(put);
  }
  return true;
}

bool Channel::receive_into(char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket_.get(), to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> Channel::receive() {
  std::uint64_t size = 0;
  if (!receive_into(reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
  std::string message(size, '\0');
  if (!receive_into(message.data(), message.size())) return std::nullopt;
  return message;
}

std::optional<std::pair<Channel, Channel>> open_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return std::pair(Channel(FileHandle(ends[0])), Channel(FileHandle(ends[1])));
}

}  // namespace kstar
