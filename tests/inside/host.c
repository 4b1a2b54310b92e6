/* Loads an MPI program privately, as Python loads its modules: host PROGRAM.so ARGUMENTS... */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* program = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (program == NULL) {
    puts(dlerror());
    return 1;
  }
  int (*run)(int, char**);
  *(void**)&run = dlsym(program, "program_main");
  return run(argc - 1, argv + 1);
}
