# Rooms of the library, and how their sources become objects.
#
# kstar_room(NAME SOURCES...): the object library kstar_NAME of src/NAME, a part of kstar.
add_library(kstar_room_needs INTERFACE)
target_include_directories(kstar_room_needs INTERFACE ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(kstar_room_needs INTERFACE KSTAR_VERSION="${PROJECT_VERSION}")
target_link_libraries(kstar_room_needs INTERFACE kstar_compile_flags ${KSTAR_FMT} tl::expected
  simdjson::simdjson ZLIB::ZLIB PkgConfig::HWLOC nlohmann_json::nlohmann_json Boost::headers
  Eigen3::Eigen)

# The headers that nearly every source reads, compiled once for all rooms.
add_library(kstar_common_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/common_headers.cc)
target_link_libraries(kstar_common_headers PRIVATE kstar_room_needs)
if(NOT KSTAR_UNITY)
  target_precompile_headers(kstar_common_headers PRIVATE <algorithm> <cmath> <functional> <map>
    <optional> <set> <span> <string> <string_view> <vector> <fmt/format.h> <tl/expected.hpp>)
endif()

# kstar_compile_together(TARGET): in builds from nothing (KSTAR_UNITY), many sources are one
# compilation, and share what their headers and templates cost. Otherwise a changed source is
# compiled alone, with the common headers ready.
function(kstar_compile_together target)
  if(KSTAR_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  elseif(NOT target MATCHES "^kstar_(base|commands)$")  # which are compiled with fewer libraries
    target_precompile_headers(${target} REUSE_FROM kstar_common_headers)
  endif()
endfunction()

function(kstar_room name)
  add_library(kstar_${name} OBJECT ${ARGN})
  target_link_libraries(kstar_${name} PRIVATE kstar_room_needs)
  kstar_compile_together(kstar_${name})
  target_sources(kstar PRIVATE $<TARGET_OBJECTS:kstar_${name}>)
endfunction()
