#include "cli/open_file.h"

#include <unistd.h>

#include "base/text.h"

namespace kstar {

Error become_viewer(const std::string& path) {
  // A name that starts with a dash is no option.
  const std::string file = path.starts_with('-') ? "./" + path : path;
  for (const char* viewer : {"xdg-open", "open", "sensible-browser"}) {
    execlp(viewer, viewer, file.c_str(), static_cast<char*>(nullptr));
  }
  return {.where = "--open",
          .message = "no program that shows files was found (xdg-open)",
          .hint = "the page is written: open " + printable(path) + " in a browser"};
}

}  // namespace kstar
