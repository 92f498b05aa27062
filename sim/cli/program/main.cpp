// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/main_entry.hpp"

// SystemC's library asks for it; elaboration happens in soc::Machine.
extern "C" int sc_main(int, char**) { return 0; }

int main(int count, char** values) {
  // SystemC prints a banner before main's first line can stop it, unless this is set; a reader that
  // goes away (`| head`) is a write error with a message, not a silent death.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return ridgepoint::cli::run_program(arguments, std::cout, std::cerr);
}
