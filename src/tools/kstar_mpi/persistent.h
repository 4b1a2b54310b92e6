#pragma once

#include "tools/kstar_mpi/communicators.h"

/// What persistent sends carry: told where they are made, counted where they are started.
namespace kstar::inside {

void remember_request(Key request, std::uint64_t bytes);
void forget_request(Key request);
/// 0 for what is no persistent send.
std::uint64_t bytes_of_request(Key request);

}  // namespace kstar::inside
