#pragma once

#include "base/inside_layout.h"

/// Which clocks this process reads, and how far they can be trusted. Nothing is exchanged between
/// processes: a message of the library's own could hang a program of which only some ranks are
/// profiled, and would disturb what is measured.
namespace kstar::inside {

/// CLOCK_MONOTONIC is one for all processes of a running kernel and a time namespace,
/// CLOCK_REALTIME one for all of a running kernel.
void name_clocks(Head& head);

RealTime read_real_time();

}  // namespace kstar::inside
