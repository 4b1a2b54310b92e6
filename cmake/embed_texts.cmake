# Writes OUT: the files of INPUTS as raw string literals behind kstar::ACCESSOR().
set(body "#include \"base/embedded.h\"\n\nnamespace kstar {\n\nnamespace {\nconstexpr EmbeddedText kTexts[] = {\n")
foreach(file ${INPUTS})
  file(READ ${file} text)
  get_filename_component(name ${file} NAME_WE)
  string(APPEND body "    {\"${name}\", R\"kstar_text(${text})kstar_text\"},\n")
endforeach()
string(APPEND body "};\n}  // namespace\n\nstd::span<const EmbeddedText> ${ACCESSOR}() { return kTexts; }\n\n}  // namespace kstar\n")
file(WRITE ${OUT} "${body}")
