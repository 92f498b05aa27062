// SPDX-License-Identifier: Apache-2.0
// Where the tests find published files, which are not part of the project: the folder `shared`
// beside the source tree, or RIDGEPOINT_SHARED.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ridgepoint::testing_files {

inline std::filesystem::path shared_dir() {
  const char* given = std::getenv("RIDGEPOINT_SHARED");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(RIDGEPOINT_SOURCE_DIR "/../shared");
}

inline std::string shared_file(const std::string& relative) {
  return (shared_dir() / "data" / relative).string();
}

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A file of this test process, removed with the object.
class TempFile {
 public:
  TempFile(const std::string& name, const std::string& content)
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::to_string(::getpid()) + "-" + name)) {
    write(content);
  }
  ~TempFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  void put(std::size_t at, char byte) const {
    std::fstream stream(path_, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(at)).put(byte);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ridgepoint::testing_files

// Skips the test, with the reason, where the published file is not there.
#define RIDGEPOINT_NEED_SHARED(relative)                                                \
  do {                                                                                  \
    if (!std::filesystem::exists(ridgepoint::testing_files::shared_file(relative))) {   \
      GTEST_SKIP() << "not there: " << ridgepoint::testing_files::shared_file(relative) \
                   << "; set RIDGEPOINT_SHARED";                                        \
    }                                                                                   \
  } while (false)
