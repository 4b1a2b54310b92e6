# How everything is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(kstar_compile_flags INTERFACE)
target_compile_options(kstar_compile_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast
  # A designated initializer names what differs from the defaults: the rest is meant to be left out.
  -Wno-missing-field-initializers)
# Errors for those who work on kstar (the presets say so); another compiler's new warning must not
# keep a user from building it.
if(KSTAR_WERROR)
  target_compile_options(kstar_compile_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12 on assigning a literal to a string when optimising (gcc PR 105329).
  target_compile_options(kstar_compile_flags INTERFACE -Wno-restrict)
endif()

if(KSTAR_UNITY)  # what a source keeps to itself seems to come from a header there
  target_compile_options(kstar_compile_flags INTERFACE -Wno-subobject-linkage)
endif()

# Undefined behaviour traps: what a message needs would be 70 MB of guarded globals, and 0.15 s at
# every start. The address sanitizer shows where (ASAN_OPTIONS=handle_sigill=1).
if(KSTAR_SANITIZE)
  add_compile_options(-fsanitize=${KSTAR_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -fsanitize-undefined-trap-on-error)
  add_link_options(-fsanitize=${KSTAR_SANITIZE})
endif()

# Debian ships fmt and simdjson as shared libraries only: the portable build takes fmt as headers
# and lays libsimdjson beside the program.
set(KSTAR_FMT fmt::fmt)
set(KSTAR_RE2 re2)
if(KSTAR_PORTABLE)
  set(KSTAR_FMT $<BUILD_INTERFACE:fmt::fmt-header-only>)
  set(KSTAR_RE2 -l:libre2.a)
  set(ZLIB_USE_STATIC_LIBS ON)
  add_link_options(-static-libstdc++ -static-libgcc)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
endif()
