#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"

namespace kstar {

namespace {

/// What is written as a part of a sentence, as one.
std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return capitalized(std::move(text));
}

/// Inside another sentence.
std::string lower_first(std::string text) {
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

double number(const Note& note, std::string_view name) {
  const auto found = note.values.find(name);
  const double* value =
      found != note.values.end() ? std::get_if<double>(&found->second.value) : nullptr;
  return value != nullptr ? *value : 0;
}

std::vector<std::string> list(const Note& note, std::string_view name) {
  const auto found = note.values.find(name);
  const auto* value = found != note.values.end()
                          ? std::get_if<std::vector<std::string>>(&found->second.value)
                          : nullptr;
  return value != nullptr ? *value : std::vector<std::string>();
}

std::string workers_at(const Note& note, std::string_view name) {
  return significant(number(note, name), 9);
}

/// "The prediction for K = 64 rests", "Predictions for K = 20 to 64 rest".
std::string predictions_rest(const std::vector<std::string>& workers) {
  if (workers.size() == 1) return fmt::format("The prediction for K = {} rests", workers[0]);
  constexpr std::size_t kListed = 3;
  return fmt::format("Predictions for K = {} rest",
                     workers.size() <= kListed
                         ? fmt::format("{}", fmt::join(workers, ", "))
                         : fmt::format("{} to {}", workers.front(), workers.back()));
}

std::string step(const Note& note) {
  return fmt::format(
      "Between K = {} and {} T steps to {}x of what the models expect ({} sure): something else "
      "changes there (a node, a socket, a setting).",
      workers_at(note, "from"), workers_at(note, "to"), significant(number(note, "factor"), 3),
      chance_words(number(note, "probability")));
}

std::string misfit(const Note& note) {
  return fmt::format(
      "No model fits these times within their errors: they differ by {} per doubling of K. "
      "Predictions are widened by it.",
      percent(number(note, "drift"), 0));
}

std::string disturbed(const Note& note) {
  return fmt::format(
      "T({0}) is {1}x what the other K suggest ({2} sure): a disturbed run, or something else "
      "changes at K = {0}. Repeat it.",
      workers_at(note, "workers"), significant(number(note, "factor"), 3),
      chance_words(number(note, "probability")));
}

std::string hindcast(const Note& note) {
  Estimate predicted;
  predicted.point = number(note, "predicted");
  predicted.low = number(note, "low");
  predicted.high = number(note, "high");
  return fmt::format(
      "The hindcast failed: from the smaller K the models predict T({}) = {}, measured was {}. Do "
      "not rely on predictions beyond K = {}.",
      workers_at(note, "workers"), time_value_text(predicted), time_text(number(note, "observed")),
      workers_at(note, "largest"));
}

std::string one_node(const Note& note) {
  return fmt::format(
      "Only one node was measured: {} on the assumption that more nodes cost nothing more.",
      lower_first(predictions_rest(list(note, "workers"))));
}

std::string far(const Note& note) {
  return fmt::format("{} on the models alone: more than 4 times the largest measured K, {}.",
                     predictions_rest(list(note, "workers")), workers_at(note, "largest"));
}

std::string continued(const Note& /*note*/) {
  return "Predictions beyond the largest measured K continue an efficiency above 1: do not rely on "
         "them.";
}

std::string gap(const Note& note) {
  return fmt::format(
      "Nothing was measured between K = {} and {}, where E falls below {}: measure there.",
      workers_at(note, "from"), workers_at(note, "to"), significant(number(note, "threshold"), 3));
}

std::string equal_runs(const Note& note) {
  return fmt::format(
      "The runs of a K are equal to the last digit at {} of {} K: rounded or copied values hide "
      "the "
      "noise, so intervals are too narrow.",
      workers_at(note, "equal"), workers_at(note, "repeated"));
}

std::string failed(const Note& note) {
  return fmt::format("Runs failed at K = {}, and are not used.",
                     fmt::join(list(note, "workers"), ", "));
}

std::string no_times(const Note& note) {
  return fmt::format("{} has no usable time.", note.where);
}

struct Said {
  std::string_view code;
  std::string (*words)(const Note&);
};
constexpr std::array<Said, 11> kSaid = {{{"step", step},
                                         {"misfit", misfit},
                                         {"disturbed", disturbed},
                                         {"hindcast", hindcast},
                                         {"one-node", one_node},
                                         {"far", far},
                                         {"continued-above-1", continued},
                                         {"gap", gap},
                                         {"equal-runs", equal_runs},
                                         {"failed", failed},
                                         {"no-times", no_times}}};

/// The suspicion that a doubt is about.
std::optional<Suspicion> suspicion_of(const Note& note) {
  constexpr auto kLast = static_cast<std::uint8_t>(SuspicionKind::kNoBend);
  for (std::uint8_t i = 0; i <= kLast; ++i) {
    const auto kind = static_cast<SuspicionKind>(i);
    if (name_of(kind) != note.what) continue;
    Suspicion suspicion{.kind = kind,
                        .regime = *regime_named(text_value(note, "regime")),
                        .workers = static_cast<int>(number(note, "workers")),
                        .value = number(note, "value"),
                        .cpus = number(note, "cpus"),
                        .own = number(note, "own") != 0};
    if (note.values.contains("factor")) {
      suspicion.step = SpeedStep{.from = static_cast<int>(number(note, "from")),
                                 .to = static_cast<int>(number(note, "to")),
                                 .factor = number(note, "factor")};
    }
    return suspicion;
  }
  return std::nullopt;
}

}  // namespace

std::string doubt_words(const Doubt& doubt) {
  const Note& note = doubt.note;
  for (const Said& said : kSaid) {
    if (said.code == note.what) return said.words(note);
  }
  if (const std::optional<Suspicion> suspicion = suspicion_of(note)) {
    const std::string cause = text_value(note, "likely_cause");
    return suspicion_words(*suspicion) +
           (cause.empty() ? ""
                          : fmt::format(" {} {}", sentence(cause),
                                        sentence(text_value(note, "measurement"))));
  }
  return sentence((note.where.empty() ? "" : note.where + ": ") + note_sentence(note));
}

std::vector<std::string> doubts_of(const Verdict& verdict) {
  std::vector<std::string> texts;
  for (const Doubt& doubt : verdict.doubts) texts.push_back(doubt_words(doubt));
  return texts;
}

}  // namespace kstar
