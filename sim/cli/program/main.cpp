// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/main_entry.hpp"

// SystemC's library asks for it; elaboration happens in soc::Machine.
extern "C" int sc_main(int, char**) { return 0; }

int main(int count, char** values) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return ridgepoint::cli::run_program(arguments, std::cout, std::cerr);
}
