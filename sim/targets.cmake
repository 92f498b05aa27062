# SPDX-License-Identifier: Apache-2.0
# The two ways a target is made. Sources are globbed (with a re-check at build time), so that adding
# a DRAM standard, a kernel or a scheduler means adding a file and nothing else.

add_library(ridgepoint_flags INTERFACE)
include(GNUInstallDirs)
target_include_directories(ridgepoint_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint>)
target_compile_features(ridgepoint_flags INTERFACE cxx_std_20)
# Floating-point contraction is off: the same source must give the same bits on every machine.
target_compile_options(ridgepoint_flags INTERFACE
  $<BUILD_INTERFACE:-Wall$<SEMICOLON>-Wextra$<SEMICOLON>-Wpedantic$<SEMICOLON>-Wshadow>
  -ffp-contract=off)
# For every source that includes the CSV parser: its classes differ with and without the thread, and
# a program that mixes both reads files as empty.
target_compile_definitions(ridgepoint_flags INTERFACE CSV_IO_NO_THREAD)
if(RIDGEPOINT_WERROR)
  target_compile_options(ridgepoint_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
install(TARGETS ridgepoint_flags EXPORT ridgepoint COMPONENT library)

# ridgepoint_library(NAME [LINK targets...]): the sources of this folder and of its sub-folders
# without a CMakeLists.txt of their own.
function(ridgepoint_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(program|bench)/")
  if(sources)
    add_library(ridgepoint_${name} STATIC ${sources})
    target_link_libraries(ridgepoint_${name} PUBLIC ridgepoint_flags ${ARG_LINK})
  else()
    add_library(ridgepoint_${name} INTERFACE)
    target_link_libraries(ridgepoint_${name} INTERFACE ridgepoint_flags ${ARG_LINK})
  endif()
  # ridgepoint::soc for those who embed it
  set_target_properties(ridgepoint_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT name STREQUAL "cli")
    install(TARGETS ridgepoint_${name} EXPORT ridgepoint ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT library)
  endif()
endfunction()

# ridgepoint_test(NAME [LINK targets...]): one test program from the *_test.cpp of this folder;
# every TEST becomes a ctest test (its own process, so SystemC elaborates once per test).
function(ridgepoint_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources} $<TARGET_OBJECTS:ridgepoint_test_main>)
  target_link_libraries(${name}_test PRIVATE ridgepoint_flags GTest::gtest GTest::gmock ${ARG_LINK})
  target_compile_definitions(${name}_test PRIVATE
    RIDGEPOINT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
