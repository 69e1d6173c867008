# Writes the linker's dynamic list: every global function that the runtime defines for others, and the state that
# instrumented code looks at.
execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${ARCHIVE}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)([A-Za-z_][A-Za-z0-9_]* [TW]|__omen_[a-z]+ [BD]) " lines "${symbols}")
set(list "{\n")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\n?([A-Za-z_0-9]+) [TWBD] $" "\\1" name "${line}")
  if(NOT name MATCHES "^_Z")
    string(APPEND list "  ${name};\n")
  endif()
endforeach()
string(APPEND list "};\n")
file(WRITE ${OUTPUT} "${list}")
