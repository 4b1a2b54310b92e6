#include "audit/file_claims.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/number.h"

namespace kstar {

namespace {

using Json = nlohmann::json;

std::optional<double> positive(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return {};
  const double value = found->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<int> whole(const Json& object, const char* key) {
  constexpr double kMost = 1e9;
  const std::optional<double> value = positive(object, key);
  if (!value || *value > kMost || *value != std::floor(*value)) return {};
  return static_cast<int>(*value);
}

std::optional<ClaimBase> base_in(const Json& claim) {
  const auto found = claim.find("base");
  if (found == claim.end() || !found->is_object()) return {};
  const std::optional<int> workers = whole(*found, "workers");
  const std::optional<double> seconds = positive(*found, "seconds");
  if (!workers || !seconds) return {};
  return ClaimBase{.workers = *workers, .seconds = *seconds};
}

}  // namespace

std::vector<FileClaim> file_claims(const Study& study) {
  std::vector<FileClaim> claims;
  for (const Run& run : study.runs) {
    if (run.extra.find("\"claim\"") == std::string::npos) continue;
    const Json extra = Json::parse(run.extra.str(), nullptr, false);
    if (!extra.is_object()) continue;
    const auto found = extra.find("claim");
    if (found == extra.end() || !found->is_object()) continue;
    FileClaim claim{.run = &run,
                    .speedup = positive(*found, "speedup"),
                    .efficiency = positive(*found, "efficiency"),
                    .base = base_in(*found),
                    .line = whole(*found, "line")};
    if (claim.speedup || claim.efficiency) claims.push_back(claim);
  }
  return claims;
}

bool stand_row_by_row(const std::vector<FileClaim>& claims) {
  std::map<std::pair<Role, int>, const FileClaim*> first;
  return std::any_of(claims.begin(), claims.end(), [&](const FileClaim& claim) {
    const FileClaim& one =
        *first.try_emplace({claim.run->role, claim.run->workers}, &claim).first->second;
    return claim.speedup != one.speedup || claim.efficiency != one.efficiency;
  });
}

double rounding_of(double claimed) {
  const std::string text = shortest(claimed);
  if (text.find('e') != std::string::npos) return 0;
  const std::size_t point = text.find('.');
  const auto decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

ClaimRuns::ClaimRuns(const Study& study, int base_workers) : base_workers_(base_workers) {
  for (const Run& run : study.runs) {
    if (run.role != Role::kParallel || !counts(run)) continue;
    auto& same = at_[run.workers];
    place_.emplace(&run, same.size());
    same.push_back(&run);
    if (run.workers == base_workers && run.block)
      block_.try_emplace({run.session, *run.block}, &run);
  }
  const std::vector<const Run*>* base = at(base_workers);
  if (base == nullptr || base->size() < 2) return;
  for (const auto& [workers, runs] : at_) {
    if (runs.size() != base->size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      sum += *steady_time(*(*base)[i]) / *steady_time(*runs[i]);
    }
    mean_ratio_[workers] = sum / static_cast<double>(runs.size());
  }
}

std::optional<double> ClaimRuns::base_of_block(const Run& run) const {
  if (!run.block) return {};
  const auto found = block_.find({run.session, *run.block});
  return found == block_.end() ? std::nullopt : steady_time(*found->second);
}

std::optional<double> ClaimRuns::base_of_place(const Run& run) const {
  const auto place = place_.find(&run);
  const std::vector<const Run*>*base = at(base_workers_), *same = at(run.workers);
  if (place == place_.end() || base == nullptr || base->size() != same->size()) return {};
  return steady_time(*(*base)[place->second]);
}

std::optional<double> ClaimRuns::mean_ratio(int workers) const {
  const auto found = mean_ratio_.find(workers);
  return found == mean_ratio_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<const Run*>* ClaimRuns::at(int workers) const {
  const auto found = at_.find(workers);
  return found == at_.end() ? nullptr : &found->second;
}

}  // namespace kstar
