// Which branches an input takes, for libFuzzer, from objects that g++ compiled with
// -fsanitize-coverage=trace-pc: each branch calls this with its own return address, whose offset in
// the program picks a counter. The engine finds the counters by the name of their section.
#include <cstdint>

extern "C" {

extern const char __executable_start;

constexpr std::uintptr_t kCounters = std::uintptr_t{1} << 16U;
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t kstar_counters[kCounters];

// The linker uses this (--wrap) instead of the engine's own, which only says that it does not
// know this kind of tracing.
void __wrap___sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                     reinterpret_cast<std::uintptr_t>(&__executable_start);
  // A multiplication spreads neighbours: 64 KiB of counters for a few ten thousand branches.
  ++kstar_counters[(place * 0x9E3779B1U >> 16U) % kCounters];
}

}  // extern "C"
