#include "exec/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace kstar {

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
