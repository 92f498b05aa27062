// SPDX-License-Identifier: Apache-2.0
// The end of every benchmark program: runs what is registered, shows it, and writes the table
// `bench` (results/README.md) for --csv FILE.
#pragma once

namespace ridgepoint::bench {

// Exit code. Understands Google Benchmark's own flags too.
int run_benchmarks(int argc, char** argv);

}  // namespace ridgepoint::bench
