#pragma once

// Instead of the file that CMake makes: a program of objects exports nothing. See build-alone.

#define KSTAR_EXPORT
