// A program of somebody else's, built against the installed package.
#include <cstdio>

#include "kstar/result.h"

int main() {
  const kstar::Error error = kstar::expected("--workers", "a whole number", "many");
  std::printf("%s: %s\n", error.where.c_str(), error.message.c_str());
  const kstar::Result<int> result = kstar::fail(error);
  return result.has_value() ? 1 : 0;
}
