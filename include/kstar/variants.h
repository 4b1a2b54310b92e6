#pragma once

#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"

/// Several programs that one session measures interleaved: the command and the one of `against`,
/// and the values of `parameters`.
namespace kstar {

/// One of them: a spec that has no variants, and a study of its own.
struct Variant {
  std::string name;  ///< "n=10 against"; "" for the command itself
  MeasureSpec spec;
};

KSTAR_EXPORT bool has_variants(const MeasureSpec& spec);

/// One for each combination of values, the command before what it is measured against. Their
/// files are named after that of the spec: of study.jsonl, study.n=10.jsonl, study.against.jsonl.
/// Fails where nothing uses a parameter.
KSTAR_EXPORT Result<std::vector<Variant>> variants_of(const MeasureSpec& spec);

}  // namespace kstar
