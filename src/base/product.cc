#include "base/product.h"

#include "base/number.h"
#include "base/text.h"

namespace kstar {

std::optional<double> parse_product(std::string_view text) {
  double product = 1;
  while (true) {
    const std::size_t sign = text.find_first_of("xX*");
    const auto factor = parse_double(trim(text.substr(0, sign)));
    if (!factor || !(*factor > 0)) return {};
    product *= *factor;
    if (sign == std::string_view::npos) return product;
    text.remove_prefix(sign + 1);
  }
}

}  // namespace kstar
