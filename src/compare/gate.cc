#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "kstar/compare.h"

//   gate     = quantity verb [percent]        T(8) rises 5%
//   quantity = ("T" | "S" | "E") "(" (K | "any") ")" | "bend" | "K*"
//   verb     = "rises" | "drops"
// A percentage goes with T, S and E only: the bend and K* move from one K to another.
namespace kstar {

namespace {

constexpr std::string_view kHint =
    "as in \"T(8) rises 5%\", \"E(any) drops 5%\", \"S(16) drops 10%\", \"bend drops\", \"K* "
    "drops\"";

/// The words of a gate, one after the other.
class GateReader {
 public:
  GateReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  /// The next word, or "" at the end.
  std::string_view next() {
    start_ = std::min(text_.find_first_not_of(" \t", end_), text_.size());
    end_ = std::min(text_.find_first_of(" \t", start_), text_.size());
    return text_.substr(start_, end_ - start_);
  }

  /// The same, with a percent sign that stands apart: "5 %".
  std::string_view next_percentage() {
    next();
    const std::size_t behind = std::min(text_.find_first_not_of(" \t", end_), text_.size());
    if (behind < text_.size() && text_[behind] == '%') end_ = behind + 1;
    return text_.substr(start_, end_ - start_);
  }

  /// About the last word read; `skip` bytes of it are fine.
  tl::unexpected<Error> wrong(std::string_view what, std::string_view value,
                              std::size_t skip = 0) const {
    return fail(expected_at(where_, text_, start_ + skip, what, value, kHint));
  }

 private:
  std::string_view text_;
  std::string_view where_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

constexpr std::string_view kQuantities = "T(K), S(K), E(K), bend or K*";

/// "T(8)".
Result<void> read_at_workers(const GateReader& reader, std::string_view word, Gate& gate) {
  constexpr std::int64_t kMost = 2147483647;
  const std::string_view inside =
      word.size() > 3 && word.back() == ')' ? word.substr(2, word.size() - 3) : std::string_view();
  if (lower_case(inside) == "any") return {};
  const std::optional<std::int64_t> workers = parse_integer(inside);
  if (!workers || *workers < 1 || *workers > kMost) {
    return reader.wrong("a number of workers from 1 on, or any, in round brackets", word.substr(1),
                        1);
  }
  gate.workers = static_cast<int>(*workers);
  return {};
}

Result<void> read_quantity(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next();
  const std::string name = lower_case(word);
  if (name == "bend") {
    gate.quantity = GateQuantity::kBend;
    return {};
  }
  if (name == "k*") {
    gate.quantity = GateQuantity::kBestWorkers;
    return {};
  }
  constexpr std::array kByLetter = {std::pair{'t', GateQuantity::kTime},
                                    std::pair{'s', GateQuantity::kSpeedup},
                                    std::pair{'e', GateQuantity::kEfficiency}};
  for (const auto& [letter, quantity] : kByLetter) {
    if (name.size() < 2 || name[0] != letter || name[1] != '(') continue;
    gate.quantity = quantity;
    return read_at_workers(reader, word, gate);
  }
  return reader.wrong(kQuantities, word);
}

Result<void> read_verb(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next();
  const std::string name = lower_case(word);
  if (name != "rises" && name != "drops") return reader.wrong("rises or drops", word);
  gate.rises = name == "rises";
  return {};
}

Result<void> read_limit(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next_percentage();
  if (word.empty()) return {};
  if (gate.quantity == GateQuantity::kBend || gate.quantity == GateQuantity::kBestWorkers) {
    return reader.wrong("the end, for the bend and K* move from one K to another", word);
  }
  const std::optional<double> value =
      word.back() == '%' ? parse_double(trim(word.substr(0, word.size() - 1))) : std::nullopt;
  const bool possible = value && *value >= 0 && (gate.rises || *value < 100);
  if (!possible) {
    return reader.wrong(
        gate.rises ? "a percentage from 0% on" : "a percentage from 0% to below 100%", word);
  }
  gate.limit = *value / 100;
  return {};
}

}  // namespace

Result<Gate> parse_gate(std::string_view text, std::string_view where) {
  Gate gate;
  gate.text = std::string(trim(text));
  GateReader reader(text, where);
  for (const auto read : {read_quantity, read_verb, read_limit}) {
    if (const Result<void> done = read(reader, gate); !done) return fail(done.error());
  }
  if (const std::string_view rest = reader.next(); !rest.empty()) {
    return reader.wrong("the end", rest);
  }
  return gate;
}

}  // namespace kstar
