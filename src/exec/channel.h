#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace kstar {

/// Whole messages over a connected stream socket. Neither a signal nor a dead peer raises anything:
/// a dead peer is a false, or nothing.
class Channel {
 public:
  Channel() = default;
  explicit Channel(FileHandle socket) : socket_(std::move(socket)) {}

  bool send(std::string_view message);
  /// Waits for the next message.
  std::optional<std::string> receive();
  int fd() const { return socket_.get(); }

 private:
  bool receive_into(char* to, std::size_t size);

  FileHandle socket_;
};

/// The two ends of a new channel, closed on exec; empty when the system has none (errno).
std::optional<std::pair<Channel, Channel>> open_channel();

}  // namespace kstar
