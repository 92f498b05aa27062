// SPDX-License-Identifier: Apache-2.0
// The installed library as others use it: CMake package, pkg-config, and the example that binds a
// SystemC memory of its own to a core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

class Package : public ProgramTest {
 protected:
  int shell(const std::string& command) const {
    return std::system(("cd '" + folder().string() + "' && (" + command + ") >log 2>&1").c_str());
  }
};

TEST_F(Package, AnotherProjectBindsItsOwnMemory) {
  const std::string cmake = "'" RIDGEPOINT_CMAKE "'";
  ASSERT_EQ(
      shell(cmake + " --install '" RIDGEPOINT_BINARY_DIR "' --component library --prefix first"), 0)
      << slurp(folder() / "log");
  std::filesystem::rename(folder() / "first", folder() / "moved");  // nothing remembers the place
  ASSERT_EQ(shell(cmake +
                  " -S '" RIDGEPOINT_SOURCE_DIR "/tests/package/own_memory' -B build"
                  " -DCMAKE_PREFIX_PATH=\"$PWD/moved\" && " +
                  cmake +
                  " --build build && SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ./build/own_memory >out"),
            0)
      << slurp(folder() / "log");
  // 64 tiles of 8 KiB at 256 B/ns are 2,048 ns; two latencies of the fabric and one of the memory
  // pass for every two tiles, because two slots are all there is.
  const std::string out = slurp(folder() / "out");
  double bytes = 0, ns = 0;
  ASSERT_EQ(std::sscanf(out.c_str(), "bytes=%lf time_ns=%lf", &bytes, &ns), 2) << out;
  EXPECT_EQ(bytes, 64 * 8192);
  EXPECT_GE(ns, 2048 + 120 + 100 + 120);
  EXPECT_LE(ns, 64 * (32 + 120 + 100 + 120 + 20));
}

TEST_F(Package, PkgConfigNamesWhatIsThere) {
  if (std::system("command -v pkg-config >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "pkg-config is not installed";
  }
  ASSERT_EQ(shell("'" RIDGEPOINT_CMAKE "' --install '" RIDGEPOINT_BINARY_DIR
                  "' --component library --prefix there"),
            0)
      << slurp(folder() / "log");
  ASSERT_EQ(
      shell("export PKG_CONFIG_PATH=$(dirname $(find $PWD/there -name ridgepoint.pc)) && "
            "pkg-config --modversion ridgepoint && "
            "test -e $(pkg-config --variable=includedir ridgepoint)/ridgepoint/sim/soc/"
            "machine.hpp && "
            "test -e $(pkg-config --variable=libdir ridgepoint)/libridgepoint_soc.a && "
            "for l in $(pkg-config --libs-only-l ridgepoint | tr ' ' '\\n' | grep ridgepoint);"
            " do test -e $(pkg-config --variable=libdir ridgepoint)/lib${l#-l}.a || exit 1; "
            "done"),
      0)
      << slurp(folder() / "log");
}

}  // namespace
}  // namespace ridgepoint::tests
