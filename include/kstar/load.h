#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// Requests at a rate, whatever becomes of those before (an open loop): each is due at its time,
/// and its latency counts from then. A server that stalls is therefore seen by every request that
/// was due meanwhile, and none is omitted.
namespace kstar {

struct LoadSpec {
  double rate = 0;                    ///< per second
  bool poisson = false;               ///< else at equal intervals
  std::uint64_t seed = 1;             ///< of the Poisson process
  double time = 10;                   ///< seconds in which requests are due
  std::uint64_t most = 1000000;       ///< requests, at most
  double timeout = 10;                ///< seconds after which a request has failed
  std::size_t most_in_flight = 1000;  ///< more wait here, and their latency counts on

  std::string url;                   ///< HTTP requests to it; or ...
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;                  ///< a POST of it; empty: a GET
  std::vector<std::string> command;  ///< ... a process each

  std::string log;       ///< the file that every request is written to as it ends
  bool replace = false;  ///< may the file be there already
};

/// No request is ever sent before it is due: at every moment at most rate x time + 1 were.
struct LoadResult {
  std::uint64_t sent = 0;
  std::uint64_t failed = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t waited_here = 0;  ///< because too many were in flight
  double duration = 0;            ///< seconds, to the last answer
  double sending = 0;             ///< seconds from the first to the last that was sent
  double late = 0;                ///< the 99th percentile of how late requests were sent
  bool interrupted = false;
};

/// Bounds that a spec must keep.
inline constexpr double kMostLoadRate = 1e5;
inline constexpr double kMostLoadTime = 86400;
inline constexpr std::uint64_t kMostLoadRequests = 10000000;

/// Sends, writes the log, and returns when every request has an answer or its time is over. SIGINT,
/// SIGTERM and SIGHUP end it early: what is in flight then is written as unanswered.
KSTAR_EXPORT Result<LoadResult> generate_load(const LoadSpec& spec);

/// An address without the password (or token) that may stand before its host.
KSTAR_EXPORT std::string without_password(const std::string& url);

/// Whether HTTP is in this build.
KSTAR_EXPORT bool can_send_http();

}  // namespace kstar
