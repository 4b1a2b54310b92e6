// Each request is a process: from when it was due to when it has ended.
#include <fcntl.h>
#include <fmt/format.h>

#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/concurrent_jobs.h"
#include "load/requests.h"

namespace kstar {

namespace {

class ProcessRequests : public Requests {
 public:
  ProcessRequests(const LoadSpec& spec, FileHandle null)
      : spec_(spec), jobs_(spec.command, std::move(null)) {}

  bool has_program() const { return jobs_.has_program(); }

  Result<void> send(std::size_t index) override {
    const Spawned spawned = jobs_.start(index, spec_.timeout);
    if (spawned.process > 0 && spawned.failed == StartStep::kNone) return {};
    return fail({.where = printable(spec_.command[0]),
                 .message = fmt::format("cannot be started: {}",
                                        std::generic_category().message(spawned.reason))});
  }

  Result<void> wait(std::vector<pollfd>& also, double seconds,
                    std::vector<EndedRequest>& ended) override {
    std::vector<pollfd> all = also;
    all.push_back({jobs_.file(), POLLIN, 0});
    ::poll(all.data(), all.size(), static_cast<int>(jobs_.until_next(seconds) * 1000) + 1);
    for (const ConcurrentJobs::Ended& one : jobs_.take_ended()) ended.push_back(ended_of(one));
    return {};
  }

  void stop() override { jobs_.end_all(); }

 private:
  static EndedRequest ended_of(const ConcurrentJobs::Ended& job) {
    EndedRequest one{job.key, job.status, {}};
    if (job.timed_out) {
      one.error = "timeout";
    } else if (job.signal != 0) {
      one.error = fmt::format("ended by signal {}", job.signal);
    } else if (job.status != 0) {
      one.error = fmt::format("exit status {}", job.status);
    }
    return one;
  }

  const LoadSpec& spec_;
  ConcurrentJobs jobs_;
};

}  // namespace

Result<std::unique_ptr<Requests>> process_requests(const LoadSpec& spec) {
  KSTAR_TRY(FileHandle null, open_file("/dev/null", O_RDWR, "open"));
  auto requests = std::make_unique<ProcessRequests>(spec, std::move(null));
  if (!requests->has_program()) {
    return fail({.where = printable(spec.command[0]), .message = "no such program"});
  }
  return std::unique_ptr<Requests>(std::move(requests));
}

}  // namespace kstar
