#pragma once

/// Seen from outside; everything else of the library is hidden.
#define KSTAR_EXPORTED __attribute__((visibility("default")))
