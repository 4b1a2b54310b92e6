# kstar_embed(TARGET ACCESSOR FILES...): text files become one generated source of TARGET with
#   std::span<const EmbeddedText> ACCESSOR()   in namespace kstar, in the order given,
# so that what the binary prints and what the repository holds are one text.
function(kstar_embed target accessor)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${accessor}.cc)
  set(inputs)
  foreach(file ${ARGN})
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DACCESSOR=${accessor} "-DINPUTS=${inputs}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
