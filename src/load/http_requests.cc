// HTTP through libcurl's multi interface: one thread, any number of requests in flight, connections
// used again. Proxies of the environment are not used, and redirects are not followed: a latency is
// that of one request to the address that was named.
#include "load/requests.h"

#ifdef KSTAR_HTTP
#include <curl/curl.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "base/try.h"

namespace kstar {

#ifdef KSTAR_HTTP

namespace {

std::size_t discard(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

class HttpRequests : public Requests {
 public:
  explicit HttpRequests(const LoadSpec& spec) : spec_(spec) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = curl_multi_init();
    const long most = static_cast<long>(spec.most_in_flight);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, most);
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    for (const std::string& header : spec.headers) {
      headers_ = curl_slist_append(headers_, header.c_str());
    }
  }
  ~HttpRequests() override {
    stop();
    for (Handle& handle : handles_) curl_easy_cleanup(handle.easy);
    curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
  }
  HttpRequests(const HttpRequests&) = delete;
  HttpRequests& operator=(const HttpRequests&) = delete;

  Result<void> check() {
    if (multi_ == nullptr) return fail({.where = "--http", .message = "libcurl cannot be started"});
    CURLU* parts = curl_url();
    const CURLUcode code = curl_url_set(parts, CURLUPART_URL, spec_.url.c_str(), 0);
    char* scheme = nullptr;
    std::string name;
    if (code == CURLUE_OK && curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) {
      name = scheme;
      curl_free(scheme);
    }
    curl_url_cleanup(parts);
    if (name == "http" || name == "https") return {};
    return fail(expected("--http", "an address that starts with http:// or https://", spec_.url));
  }

  Result<void> send(std::size_t index) override {
    if (idle_.empty()) KSTAR_CHECK(add_handle());
    const std::size_t place = idle_.back();
    idle_.pop_back();
    handles_[place].index = index;
    curl_multi_add_handle(multi_, handles_[place].easy);
    return {};
  }

  void push() override {
    int running = 0;
    curl_multi_perform(multi_, &running);
  }

  Result<void> wait(std::vector<pollfd>& also, double seconds,
                    std::vector<EndedRequest>& ended) override {
    take(ended);
    if (!ended.empty()) return {};
    curl_waitfd more[4];
    const std::size_t count = std::min<std::size_t>(also.size(), 4);
    for (std::size_t i = 0; i < count; ++i) more[i] = {also[i].fd, CURL_WAIT_POLLIN, 0};
    int ready = 0, running = 0;
    curl_multi_poll(multi_, more, static_cast<unsigned>(count), static_cast<int>(seconds * 1000),
                    &ready);
    curl_multi_perform(multi_, &running);
    take(ended);
    return {};
  }

  void stop() override {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (std::find(idle_.begin(), idle_.end(), i) != idle_.end()) continue;
      curl_multi_remove_handle(multi_, handles_[i].easy);
      idle_.push_back(i);
    }
  }

 private:
  struct Handle {
    CURL* easy = nullptr;
    std::size_t index = 0;
  };

  Result<void> add_handle() {
    CURL* const easy = curl_easy_init();
    if (easy == nullptr) return fail({.where = "--http", .message = "libcurl has no more handles"});
    curl_easy_setopt(easy, CURLOPT_URL, spec_.url.c_str());
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(std::ceil(spec_.timeout * 1000)));
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "kstar/" KSTAR_VERSION);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (headers_ != nullptr) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_);
    if (!spec_.body.empty()) {
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(spec_.body.size()));
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, spec_.body.data());
    }
    curl_easy_setopt(easy, CURLOPT_PRIVATE, reinterpret_cast<void*>(handles_.size()));
    idle_.push_back(handles_.size());
    handles_.push_back({easy, 0});
    return {};
  }

  void take(std::vector<EndedRequest>& ended) {
    int left = 0;
    while (CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      char* place = nullptr;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &place);
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      const auto at = reinterpret_cast<std::size_t>(place);
      EndedRequest one{handles_[at].index, static_cast<int>(status), {}};
      constexpr long kFirstError = 400;
      if (code != CURLE_OK) {
        one.error = curl_easy_strerror(code);
      } else if (status >= kFirstError) {
        one.error = fmt::format("status {}", status);
      }
      ended.push_back(std::move(one));
      curl_multi_remove_handle(multi_, easy);
      idle_.push_back(at);
    }
  }

  const LoadSpec& spec_;
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::vector<Handle> handles_;
  std::vector<std::size_t> idle_;
};

}  // namespace

Result<std::unique_ptr<Requests>> http_requests(const LoadSpec& spec) {
  auto requests = std::make_unique<HttpRequests>(spec);
  KSTAR_CHECK(requests->check());
  return std::unique_ptr<Requests>(std::move(requests));
}

bool can_send_http() {
  return true;
}

#else

Result<std::unique_ptr<Requests>> http_requests(const LoadSpec&) {
  return fail({.where = "--http",
               .message = "this build has no libcurl",
               .hint = "build with libcurl4-openssl-dev, or measure a command: -- curl ..."});
}

bool can_send_http() {
  return false;
}

#endif

}  // namespace kstar
