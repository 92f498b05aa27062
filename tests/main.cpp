// SPDX-License-Identifier: Apache-2.0
// main() of every test program, and the entry SystemC's library asks for.
#include <gtest/gtest.h>

extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
