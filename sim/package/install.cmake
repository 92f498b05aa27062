# SPDX-License-Identifier: Apache-2.0
# Component `library`: static libraries, headers, CMake package and pkg-config file, for programs
# that embed the machine or bind their own SystemC modules to it.
include(CMakePackageConfigHelpers)
foreach(folder sim kernels workloads results)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} COMPONENT library
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint FILES_MATCHING PATTERN "*.hpp"
          PATTERN "cli" EXCLUDE PATTERN "bench" EXCLUDE)
endforeach()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ridgepoint)
install(EXPORT ridgepoint NAMESPACE ridgepoint:: FILE ridgepoint-targets.cmake
        DESTINATION ${package} COMPONENT library)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ridgepoint-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/sim/package/ridgepoint-config.cmake
              ${PROJECT_BINARY_DIR}/ridgepoint-config-version.cmake
        DESTINATION ${package} COMPONENT library)
# From where the pkg-config file lies up to the prefix: the folder may be moved.
file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/sim/package/ridgepoint.pc.in
               ${PROJECT_BINARY_DIR}/ridgepoint.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ridgepoint.pc COMPONENT library
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
