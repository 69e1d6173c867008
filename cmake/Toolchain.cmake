# How every target of omen is compiled: C++23, all warnings, and hardening that costs nothing.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

option(OMEN_WERROR "Warnings are errors" ON)
set(OMEN_SANITIZE "" CACHE STRING "Sanitizers for all targets, for example address,undefined")

add_library(omen_flags INTERFACE)
target_compile_options(omen_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wunused -Wdouble-promotion -Wimplicit-fallthrough
  # GCC 12 at -O3 sees overlapping copies in "text" + std::string where there are none (GCC bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${OMEN_WERROR}>:-Werror>)
target_include_directories(omen_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(OMEN_SANITIZE)
  target_compile_options(omen_flags INTERFACE -fsanitize=${OMEN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(omen_flags INTERFACE -fsanitize=${OMEN_SANITIZE})
endif()

# omen_library(NAME SOURCES… [LINK …]): one static library per folder of the pipeline.
function(omen_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC omen_flags ${ARG_LINK})
endfunction()
