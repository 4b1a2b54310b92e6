#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kstar/load.h"

namespace kstar {

/// A request that has ended.
struct EndedRequest {
  std::size_t index = 0;
  int status = 0;     ///< of HTTP, or of the process
  std::string error;  ///< why it failed; "" where it did not
};

/// Requests that are in flight, of one kind. They run while wait() is called.
class Requests {
 public:
  virtual ~Requests() = default;
  /// Sends the request now.
  virtual Result<void> send(std::size_t index) = 0;
  /// Onto the wire with what was sent, not only when somebody waits.
  virtual void push() {}
  /// Waits until something happens to a request, or one of `also` can be read, or for `seconds`.
  /// Appends what has ended.
  virtual Result<void> wait(std::vector<pollfd>& also, double seconds,
                            std::vector<EndedRequest>& ended) = 0;
  /// Drops what is in flight.
  virtual void stop() = 0;
};

Result<std::unique_ptr<Requests>> http_requests(const LoadSpec& spec);
Result<std::unique_ptr<Requests>> process_requests(const LoadSpec& spec);

/// Seconds of a clock that never jumps.
double load_clock();

}  // namespace kstar
