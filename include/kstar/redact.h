#pragma once

#include "kstar/export.h"
#include "kstar/study.h"

namespace kstar {

/// The study without commands, output, hosts and paths, to be passed on. What is kept is listed,
/// not what is left out: numbers, roles and regimes, units of one word, names of processors and
/// accelerators, versions that look like some, names of MPI calls. Hosts, sessions and
/// communicators get numbers instead of names, so that who is slow can still be seen; other
/// texts become "[redacted]", so that what was said is still known to have been said. Redacting
/// once more changes nothing.
KSTAR_EXPORT Study redacted(const Study& study);

}  // namespace kstar
