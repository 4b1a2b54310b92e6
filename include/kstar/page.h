#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/view.h"

/// One HTML file that shows studies and carries them: it asks the network for nothing, and
/// `kstar import` gets the studies out of it again.
namespace kstar {

/// A study that is still being measured.
struct LiveProgress {
  std::string text;            ///< "run 12 of about 40, 3 min left"
  std::optional<double> done;  ///< the share of it; none where it cannot be known
  int reload_seconds = 2;      ///< the page loads itself anew after this long
  /// When it was written, in seconds since 1970, and after how long without news the page says that
  /// measuring may have been stopped; 0: never.
  std::int64_t written = 0;
  double patience_seconds = 0;
};

struct Comparison;  // kstar/compare.h

struct PageOptions {
  bool redacted = false;             ///< its studies are, and it says so: kstar/redact.h
  std::optional<LiveProgress> live;  ///< none: the study is finished
  /// A study of more bytes than this is not carried but named.
  std::size_t most_bytes = std::size_t{32} << 20U;
  /// Of two subjects: what changed from the first to the second, or why that is not known.
  std::shared_ptr<const Comparison> comparison = {};
  std::string incomparable = {};
};

KSTAR_EXPORT Result<std::string> to_page(std::span<const Subject> subjects,
                                         const PageOptions& options = {});

}  // namespace kstar
