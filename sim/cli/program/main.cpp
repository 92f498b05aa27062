// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "results/csv_writer.hpp"
#include "sim/cli/main_entry.hpp"

// SystemC's library asks for it; elaboration happens in soc::Machine.
extern "C" int sc_main(int, char**) { return 0; }

int main(int count, char** values) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write
  ridgepoint::results::discard_unfinished_files_on_signals();
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return ridgepoint::cli::run_program(arguments, std::cout, std::cerr);
}
