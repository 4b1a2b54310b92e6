#pragma once

/// A name that libkstar.so shows; all others stay inside. (A static library has the same objects.)
#define KSTAR_EXPORT __attribute__((visibility("default")))
