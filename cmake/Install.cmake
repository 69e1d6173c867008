# `cmake --install` and `cpack -G DEB`. Everything is found from bin/ by relative paths, so an installed tree can be moved.
#   bin/omen bin/omen-cc bin/omen-c++ bin/omen-proved-checker (if the proofs are built)   lib/omen: the runtime, clang's plugins, GCC's specs, tools/ (omen-cc as assembler and linker)
#   lib/pkgconfig/omen.pc   lib/cmake/Omen: find_package(Omen)
#   share/omen: the CMake toolchain file   share/doc/omen: the documents and the licence
set(driver ${PROJECT_SOURCE_DIR}/capture/driver)
install(TARGETS omen omen-cc RUNTIME DESTINATION bin)
install(CODE [[file(CREATE_LINK omen-cc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/omen-c++" SYMBOLIC)]])
install(CODE [[
  set(tools "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/omen/tools")
  file(MAKE_DIRECTORY "${tools}")
  foreach(tool as ld ld.bfd ld.gold ld.lld ld.mold)
    file(CREATE_LINK ../../../bin/omen-cc "${tools}/${tool}" SYMBOLIC)
  endforeach()]])
if(TARGET omen_rt)
  install(TARGETS omen_rt omen_thunks ARCHIVE DESTINATION lib/omen)
  install(FILES ${CMAKE_BINARY_DIR}/lib/omen_rt.syms DESTINATION lib/omen)
  # Every program gets a copy of the runtime: without its debugging information.
  install(CODE "set(strip \"${CMAKE_STRIP}\")")
  install(CODE [[
    foreach(archive libomen_rt.a libomen_thunks.a)
      execute_process(COMMAND "${strip}" --strip-debug "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/omen/${archive}" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()]])
endif()
if(TARGET omen_placement)
  install(TARGETS omen_placement omen_instrumentation LIBRARY DESTINATION lib/omen)
endif()
install(FILES ${driver}/omen-gcc.specs ${driver}/omen-incomplete.h DESTINATION lib/omen)
install(FILES ${CMAKE_BINARY_DIR}/share/omen/omen.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/lib/cmake/Omen/OmenConfig.cmake ${CMAKE_BINARY_DIR}/lib/cmake/Omen/OmenConfigVersion.cmake
  DESTINATION lib/cmake/Omen)
install(FILES ${driver}/omen-toolchain.cmake ${PROJECT_SOURCE_DIR}/cli/omen_gdb.py DESTINATION share/omen)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/omen)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/omen RENAME copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/omen FILES_MATCHING PATTERN *.md)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME omen)
set(CPACK_PACKAGE_VENDOR "The omen project")
set(CPACK_PACKAGE_CONTACT "The omen project <omen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:12) | clang (>= 1:14)")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"omen takes one ordinary run of a C or C++ program, predicts which data races
other schedules of that run would show, and proves each with a schedule.
omen-cc and omen-c++ stand in for the compiler.")
include(CPack)
