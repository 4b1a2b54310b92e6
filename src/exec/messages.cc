#include "exec/messages.h"

#include <cstddef>
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

}  // namespace kstar
