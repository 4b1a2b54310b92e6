#pragma once

#include <cstdint>
#include <string_view>

namespace kstar {

/// What can stand in the words of a launcher of the user's own; in the order of kTemplateNames.
enum class TemplateName : std::uint8_t { kWorkers, kNodes, kRanks, kThreads, kTasks, kHosts };
inline constexpr std::string_view kTemplateNames[] = {"K",       "nodes", "ranks",
                                                      "threads", "tasks", "hosts"};

/// The word that all words of the job take the place of.
inline constexpr std::string_view kCommandWord = "{command}";

}  // namespace kstar
