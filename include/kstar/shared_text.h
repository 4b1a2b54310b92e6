#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kstar {

/// A text that is mostly empty, or the same as many others, and then costs two pointers: copies
/// share it. It reads as a std::string, and is changed as a whole.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) {
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }
  SharedText(std::string_view text) : SharedText(std::string(text)) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const std::string kEmpty;
    return text_ ? *text_ : kEmpty;
  }
  operator const std::string&() const { return str(); }
  bool empty() const { return !text_; }
  std::size_t size() const { return str().size(); }
  std::size_t find(std::string_view what) const { return str().find(what); }
  bool starts_with(std::string_view what) const { return str().starts_with(what); }
  void clear() { text_.reset(); }

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
  std::shared_ptr<const std::string> text_;
};

}  // namespace kstar
