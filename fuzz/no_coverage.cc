// In a build with fuzz targets the readers say at every branch where they are (coverage.cc). No
// other program listens.
extern "C" __attribute__((weak)) void __sanitizer_cov_trace_pc() {}
