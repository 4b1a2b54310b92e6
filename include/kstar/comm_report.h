#pragma once

#include <optional>
#include <string>

#include "kstar/chart.h"
#include "kstar/comm_fit.h"
#include "kstar/comm_predict.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// Collectives as people and programs read them: pure functions from results to text.
namespace kstar {

/// What `kstar comm` answers.
struct CommReport {
  std::string title;
  CommAnalysis analysis;
  std::optional<CommPrediction> prediction;
};

struct CommView {
  bool full = false;   ///< every piece of every sweep; else one screen
  bool chart = false;  ///< time by size
};

KSTAR_EXPORT Document to_document(const CommReport& report, const CommView& view);
/// The sizes: measured and fitted time, algorithm and bus bandwidth.
KSTAR_EXPORT std::string to_csv(const CommReport& report);
/// Everything, as schema/comm.schema.json describes it.
KSTAR_EXPORT std::string to_json(const CommReport& report);

enum class CommChartKind { kTime, kBandwidth };
KSTAR_EXPORT Chart to_chart(const CommAnalysis& analysis, CommChartKind kind);

/// A prediction alone, from a network file.
KSTAR_EXPORT Document to_document(const CommPrediction& prediction, const CommView& view);
KSTAR_EXPORT std::string to_csv(const CommPrediction& prediction);
KSTAR_EXPORT std::string to_json(const CommPrediction& prediction);

/// Formulas alone.
KSTAR_EXPORT Document to_document(const AlgorithmTable& table, const CommView& view);
KSTAR_EXPORT std::string to_csv(const AlgorithmTable& table);
KSTAR_EXPORT std::string to_json(const AlgorithmTable& table);

}  // namespace kstar
