#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The words of a column's name.
namespace kstar {

using Words = std::vector<std::string>;
using Names = std::span<const std::string_view>;

bool among(std::string_view word, Names names);
bool among(std::string_view word, std::initializer_list<std::string_view> names);
bool holds(const Words& words, Names names);
bool holds(const Words& words, std::initializer_list<std::string_view> names);

/// Lower-case words; a change from small to capital letters and from letters to digits separates,
/// "%" and "/" are the words percent and per, and the two signs for micro are a u.
Words words_of(std::string_view name);

/// Whether a column of this name holds a setting of the program or of its problem, and no name of a
/// machine, a day or a person: a precision, a target, checkpointing.
bool names_setting(std::string_view name);

/// The same of what ends a run or slows it down: a column of numbers may say it as well.
bool names_target(std::string_view name);

/// What a unit of time has in seconds, of a word that is one.
std::optional<double> seconds_of(std::string_view word);

/// The order in which names are taken for K: the smaller the part of the machine it counts, the
/// earlier. 0: it is no such name.
int workers_rank(std::string_view word);
inline constexpr int kRankOfGpus = 2, kRankOfRanks = 3, kRankOfThreads = 4, kRankOfNodes = 6,
                     kRankOfClients = 7;

}  // namespace kstar
