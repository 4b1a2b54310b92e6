#pragma once

#include "kstar/study.h"

namespace kstar {

/// What kstar 0.1.0 said in sentences becomes fields. Nothing else reads sentences, and what a
/// newer kstar wrote stays as it is.
void take_old_sentences(Study& study);

}  // namespace kstar
