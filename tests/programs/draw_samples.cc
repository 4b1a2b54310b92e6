// Draws every sample chart into a folder, to look at:
//   draw_samples FOLDER [WIDTH [FONT [png|pdf|page]]]
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  const std::string more = count > 4 ? words[4] : "";
  if (more == "page") {
    style.id = "chart";
    style.title = false;
  }
  for (const kstar::SampleChart& sample : kstar::sample_charts()) {
    const std::string svg = kstar::to_svg(sample.chart, style);
    write(folder / (sample.name + ".svg"), svg);
    if (more != "png" && more != "pdf") continue;
    const auto picture = more == "png" ? kstar::to_png(svg, 200) : kstar::to_pdf(svg);
    if (!picture) {
      fmt::print(stderr, "{}: {}\n", sample.name, picture.error().message);
      return 1;
    }
    write(folder / (sample.name + "." + more), *picture);
  }
  return 0;
}
