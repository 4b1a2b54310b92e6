# What `cmake --install` lays down. Components: library, program, documents.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kstar)

# The library, its headers, and the two ways to find it.
install(TARGETS kstar EXPORT kstar-targets COMPONENT library
        LIBRARY NAMELINK_COMPONENT library)
install(DIRECTORY include/kstar
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.h")
install(EXPORT kstar-targets NAMESPACE kstar:: FILE kstarTargets.cmake
        DESTINATION ${package_dir} COMPONENT library)

# A static kstar leaves its libraries to the program that links it.
get_target_property(kstar_type kstar TYPE)
set(KSTAR_PC_REQUIRES_PRIVATE "")
set(KSTAR_LINK_DEPENDENCIES "")
set(KSTAR_PC_LIBS_PRIVATE "")
if(kstar_type STREQUAL "STATIC_LIBRARY")
  set(KSTAR_LINK_DEPENDENCIES "simdjson ZLIB")
  set(KSTAR_PC_REQUIRES_PRIVATE "simdjson, zlib, re2")
  # Not as a requirement: hwloc.pc asks static programs for libudev, which Debian does not bring along.
  set(KSTAR_PC_LIBS_PRIVATE "-lhwloc")
  if(LIBRSVG_FOUND)  # nor this one: librsvg-2.0.pc asks them for all that Pango is made of
    string(APPEND KSTAR_PC_LIBS_PRIVATE " -lrsvg-2 -lcairo -lgobject-2.0 -lglib-2.0")
  endif()
  if(LIBISAL_FOUND)
    string(APPEND KSTAR_PC_LIBS_PRIVATE " -lisal")
  endif()
  if(LIBZSTD_FOUND)
    string(APPEND KSTAR_PC_LIBS_PRIVATE " -lzstd")
  endif()
  if(LIBCURL_FOUND)
    string(APPEND KSTAR_PC_LIBS_PRIVATE " -lcurl")
  endif()
  if(NOT KSTAR_PORTABLE)
    string(PREPEND KSTAR_LINK_DEPENDENCIES "fmt ")
    string(PREPEND KSTAR_PC_REQUIRES_PRIVATE "fmt, ")
  endif()
endif()

configure_package_config_file(cmake/kstarConfig.cmake.in ${PROJECT_BINARY_DIR}/kstarConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kstarConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # as long as it is 0.x
install(FILES ${PROJECT_BINARY_DIR}/kstarConfig.cmake ${PROJECT_BINARY_DIR}/kstarConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)

# kstar.pc finds the prefix from where it lies, so that an installed folder can move.
file(RELATIVE_PATH KSTAR_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" KSTAR_PC_UP "${KSTAR_PC_UP}")
configure_file(cmake/kstar.pc.in ${PROJECT_BINARY_DIR}/kstar.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kstar.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# The program, and what the build made from it: kstar.1, kstar.bash, _kstar, kstar.fish.
if(TARGET kstar_cli)
  install(TARGETS kstar_cli COMPONENT program)
endif()
install(TARGETS kstar_train COMPONENT program)
if(TARGET kstar_comm_mpi)
  install(TARGETS kstar_comm_mpi COMPONENT program)
endif()
if(TARGET kstar_train_mpi)
  install(TARGETS kstar_train_mpi COMPONENT program)
endif()
install(TARGETS kstar_mpi COMPONENT program LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES python/kstar_mark.py DESTINATION ${CMAKE_INSTALL_DATADIR}/kstar COMPONENT program)
foreach(made
    "kstar.1:${CMAKE_INSTALL_MANDIR}/man1:kstar.1"
    "kstar.bash:${CMAKE_INSTALL_DATADIR}/bash-completion/completions:kstar"
    "_kstar:${CMAKE_INSTALL_DATADIR}/zsh/site-functions:_kstar"
    "kstar.fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d:kstar.fish")
  string(REPLACE ":" ";" made "${made}")
  list(GET made 0 file)
  list(GET made 1 folder)
  list(GET made 2 name)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${folder} RENAME ${name}
          COMPONENT program OPTIONAL)
endforeach()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT documents OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT documents OPTIONAL FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.svg")
