# SPDX-License-Identifier: Apache-2.0
# find_package(ridgepoint) gives ridgepoint::soc (the machine), ::config, ::kernels, ::workloads,
# ::results and what they stand on. Sources that include <systemc> also need SC_CPLUSPLUS=201703L
# where SystemC itself was built as C++17, as Debian does.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(PkgConfig)
find_dependency(Boost 1.74 COMPONENTS program_options)
find_dependency(nlohmann_json 3.11)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc tlm)
include(${CMAKE_CURRENT_LIST_DIR}/ridgepoint-targets.cmake)
