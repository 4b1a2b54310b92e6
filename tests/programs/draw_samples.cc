// Draws every sample chart into a folder, to look at:
//   draw_samples FOLDER [WIDTH [FONT [png] [pdf] [page]]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "kstar/svg.h"
#include "support/sample_charts.h"

namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const std::filesystem::path folder = words[1];
  std::filesystem::create_directories(folder);
  kstar::SvgStyle style;
  if (count > 2) style.width = std::atof(words[2]);
  if (count > 3) style.font = std::atof(words[3]);
  const std::set<std::string> also(words + std::min(count, 4), words + count);
  if (also.contains("page")) {
    style.id = "chart";
    style.title = false;
  }
  for (const kstar::SampleChart& sample : kstar::sample_charts()) {
    const std::string svg = kstar::to_svg(sample.chart, style);
    write(folder / (sample.name + ".svg"), svg);
    for (const std::string format : {"png", "pdf"}) {
      if (!also.contains(format)) continue;
      const auto picture = format == "png" ? kstar::to_png(svg, 200) : kstar::to_pdf(svg);
      if (!picture) {
        fmt::print(stderr, "{}: {}\n", sample.name, picture.error().message);
        return 1;
      }
      write(folder / (sample.name + "." + format), *picture);
    }
  }
  return 0;
}
