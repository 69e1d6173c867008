# omen_embed_text(TARGET FILES SYMBOL): generates "embedded/SYMBOL.hpp", with the text of the file, or of a list of
# files in this order, as `omen::embedded::SYMBOL` (a std::string_view), and its SHA-256 in hexadecimal digits as
# `SYMBOL_sha256`, and makes it available to TARGET. Regenerated when a file changes.
function(omen_embed_text target files symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(text "")
  set(origins "")
  foreach(file IN LISTS files)
    file(READ ${file} part)
    string(APPEND text "${part}")
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE origin)
    list(APPEND origins ${origin})
  endforeach()
  list(JOIN origins ", " origin)
  string(SHA256 sum "${text}")
  set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/embedded/${symbol}.hpp)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"// Made from @origin@; edit that.
#pragma once

#include <string_view>

namespace omen::embedded {

inline constexpr std::string_view @symbol@ = R\"--text--(@text@)--text--\";
inline constexpr std::string_view @symbol@_sha256 = \"@sum@\";

}  // namespace omen::embedded
")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
