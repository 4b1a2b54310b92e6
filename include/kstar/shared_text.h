#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kstar {

/// A text that is mostly empty, or the same as many others, and then costs one pointer: copies
/// share it. It reads as a std::string, and is changed as a whole.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) {
    if (!text.empty()) text_ = new Owned{std::move(text)};
  }
  SharedText(std::string_view text) : SharedText(std::string(text)) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  SharedText(const SharedText& other) : text_(other.text_) {
    if (text_ != nullptr) text_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }
  ~SharedText() {
    if (text_ != nullptr && text_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete text_;
  }

  const std::string& str() const {
    static const std::string kEmpty;
    return text_ != nullptr ? text_->text : kEmpty;
  }
  operator const std::string&() const { return str(); }
  bool empty() const { return text_ == nullptr; }
  std::size_t size() const { return str().size(); }
  std::size_t find(std::string_view what) const { return str().find(what); }
  bool starts_with(std::string_view what) const { return str().starts_with(what); }
  void clear() { *this = SharedText(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  template <typename Stream>
  friend auto operator<<(Stream& out, const SharedText& text) -> decltype(out << text.str()) {
    return out << text.str();
  }

 private:
  struct Owned {
    std::string text;
    std::atomic<std::size_t> owners{1};
  };
  Owned* text_ = nullptr;
};

}  // namespace kstar
