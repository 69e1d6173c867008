# `cmake --install` and `cpack -G DEB`. Everything is found from bin/ by relative paths, so an installed tree can be moved.
#   bin/omen bin/omen-cc bin/omen-c++ bin/omen-proved-checker (if the proofs are built) bin/omen-values (with LLVM 19)
#   lib/omen: the runtime, the plugins of clang and GCC, GCC's specs, tools/ (omen-cc as assembler and linker)
#   lib/pkgconfig/omen.pc   lib/cmake/Omen: find_package(Omen)
#   share/omen: the CMake toolchain file   share/doc/omen: the documents and the licence   share/man   completions of shells
# Three packages: omen, all that runs and analyses; omen-runtime, what programs are linked with; omen-dev, what builds them.
set(driver ${PROJECT_SOURCE_DIR}/capture/driver)

# omen
install(TARGETS omen RUNTIME DESTINATION bin COMPONENT omen)
install(FILES ${PROJECT_SOURCE_DIR}/cli/omen_gdb.py DESTINATION share/omen COMPONENT omen)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/omen COMPONENT omen)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/omen RENAME copyright COMPONENT omen)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/omen COMPONENT omen FILES_MATCHING PATTERN *.md)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/ DESTINATION share/man COMPONENT omen REGEX "/omen-c(c|\\+\\+)\\.1$" EXCLUDE)
set(completions ${CMAKE_BINARY_DIR}/share/completions)
install(FILES ${completions}/omen.bash DESTINATION share/bash-completion/completions RENAME omen COMPONENT omen)
install(FILES ${completions}/omen.zsh DESTINATION share/zsh/vendor-completions RENAME _omen COMPONENT omen)
install(FILES ${completions}/omen.fish DESTINATION share/fish/vendor_completions.d COMPONENT omen)

# … with the runtime as a shared library: no program is linked with that one.
if(TARGET omen_rt_shared)
  install(TARGETS omen_rt_shared LIBRARY DESTINATION lib/omen COMPONENT omen)
  install(CODE "set(strip \"${CMAKE_STRIP}\")" COMPONENT omen)
  install(CODE [[
    execute_process(COMMAND "${strip}" --strip-debug "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/omen/libomen_rt.so" COMMAND_ERROR_IS_FATAL ANY)
  ]] COMPONENT omen)
endif()

# omen-runtime
if(TARGET omen_rt)
  install(TARGETS omen_rt omen_thunks ARCHIVE DESTINATION lib/omen COMPONENT omen-runtime)
  install(FILES ${CMAKE_BINARY_DIR}/lib/omen_rt.syms DESTINATION lib/omen COMPONENT omen-runtime)
  # Every program gets a copy of the runtime: without its debugging information.
  install(CODE "set(strip \"${CMAKE_STRIP}\")" COMPONENT omen-runtime)
  install(CODE [[
    foreach(archive libomen_rt.a libomen_thunks.a)
      execute_process(COMMAND "${strip}" --strip-debug "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/omen/${archive}" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()]] COMPONENT omen-runtime)
endif()

# omen-dev
install(TARGETS omen-cc RUNTIME DESTINATION bin COMPONENT omen-dev)
install(CODE [[file(CREATE_LINK omen-cc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/omen-c++" SYMBOLIC)]] COMPONENT omen-dev)
install(CODE [[
  set(tools "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/omen/tools")
  file(MAKE_DIRECTORY "${tools}")
  foreach(tool as ld ld.bfd ld.gold ld.lld ld.mold)
    file(CREATE_LINK ../../../bin/omen-cc "${tools}/${tool}" SYMBOLIC)
  endforeach()]] COMPONENT omen-dev)
if(TARGET omen-values)
  install(TARGETS omen-values RUNTIME DESTINATION bin COMPONENT omen-dev)
endif()
if(TARGET omen_placement)
  install(TARGETS omen_placement omen_instrumentation omen_values LIBRARY DESTINATION lib/omen COMPONENT omen-dev)
endif()
if(TARGET omen_gcc)
  install(TARGETS omen_gcc LIBRARY DESTINATION lib/omen COMPONENT omen-dev)
endif()
install(FILES ${driver}/omen-gcc.specs ${driver}/omen-incomplete.h DESTINATION lib/omen COMPONENT omen-dev)
install(FILES ${CMAKE_BINARY_DIR}/share/omen/omen.pc DESTINATION lib/pkgconfig COMPONENT omen-dev)
install(FILES ${CMAKE_BINARY_DIR}/lib/cmake/Omen/OmenConfig.cmake ${CMAKE_BINARY_DIR}/lib/cmake/Omen/OmenConfigVersion.cmake
  DESTINATION lib/cmake/Omen COMPONENT omen-dev)
install(FILES ${driver}/omen-toolchain.cmake DESTINATION share/omen COMPONENT omen-dev)
install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/omen-cc.1 ${CMAKE_BINARY_DIR}/share/man/man1/omen-c++.1
  DESTINATION share/man/man1 COMPONENT omen-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME omen)
set(CPACK_PACKAGE_VENDOR "The omen project")
set(CPACK_PACKAGE_CONTACT "The omen project <omen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL omen omen-runtime omen-dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_OMEN_PACKAGE_NAME omen)
set(CPACK_DEBIAN_OMEN_PACKAGE_RECOMMENDS omen-dev)
set(CPACK_DEBIAN_OMEN-RUNTIME_PACKAGE_NAME omen-runtime)
set(CPACK_DEBIAN_OMEN-DEV_PACKAGE_NAME omen-dev)
set(CPACK_DEBIAN_OMEN-DEV_PACKAGE_DEPENDS "omen (= ${PROJECT_VERSION}), omen-runtime (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_OMEN-DEV_PACKAGE_RECOMMENDS "g++ (>= 4:12) | clang (>= 1:14)")
set(CPACK_COMPONENT_OMEN_DESCRIPTION
"omen takes one ordinary run of a C or C++ program, predicts which data races
other schedules of that run would show, and proves each with a schedule.
This package runs and analyses programs; omen-dev builds them.")
set(CPACK_COMPONENT_OMEN-RUNTIME_DESCRIPTION
"The runtime of omen, a predictive detector of data races, that programs are
linked with.")
set(CPACK_COMPONENT_OMEN-DEV_DESCRIPTION
"omen-cc and omen-c++ stand in for the compiler: the programs that they build
can be watched by omen, a predictive detector of data races. With files for
CMake and pkg-config.")
include(CPack)
