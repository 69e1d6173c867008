# omen_embed_text(TARGET FILE SYMBOL): makes "embedded/SYMBOL.hpp", with the file's text as
# `omen::embedded::SYMBOL` (a std::string_view), available to TARGET. Made anew when the file changes.
function(omen_embed_text target file symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE origin)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/embedded/${symbol}.hpp)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"// Made from @origin@; edit that.
#pragma once

#include <string_view>

namespace omen::embedded {

inline constexpr std::string_view @symbol@ = R\"--text--(@text@)--text--\";

}  // namespace omen::embedded
")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
