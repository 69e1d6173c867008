# cmake -DCMAKE_TOOLCHAIN_FILE=…/share/omen/omen-toolchain.cmake: builds a project with omen-cc and omen-c++. They are
# located relative to this file, so it works in a build tree of omen and in an installation.
get_filename_component(omen_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${omen_root}/bin/omen-cc")
set(CMAKE_CXX_COMPILER "${omen_root}/bin/omen-c++")
