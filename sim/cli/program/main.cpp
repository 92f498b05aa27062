// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

int main(int, char**) {
  std::fputs("ridgepoint: no subcommands yet\n", stderr);
  return 2;
}
