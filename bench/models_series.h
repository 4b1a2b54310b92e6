#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kstar/models.h"

/// Real series for bench_models, read from ../shared; nothing of them is part of the project.
namespace bench {

/// Domain, then series: K, T and runs, by K.
using Series = std::map<std::string, std::map<std::string, kstar::Curve>>;

/// Empty without the folder. `fewest`: K of an MLPerf series.
Series read_series(const std::string& shared, std::size_t fewest = 4);

}  // namespace bench
