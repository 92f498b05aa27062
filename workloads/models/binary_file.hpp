// SPDX-License-Identifier: Apache-2.0
// A binary input file read by offset, and a cursor over its header. Every read is checked against
// the real size of the file before anything is allocated; errors name file and offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace ridgepoint::workloads {

class BinaryFile {
 public:
  // Throws InputError unless `path` is a readable regular file.
  explicit BinaryFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  // Fills `out` from byte `offset` on; `what` names it in errors. InputError past the end.
  void read(std::uint64_t offset, std::span<std::byte> out, const std::string& what);
  // True if the file starts with these bytes.
  bool starts_with(std::string_view bytes);

  // InputError: "PATH: 'WHAT': value 'VALUE' PROBLEM at byte OFFSET; accepted: ACCEPTED".
  [[noreturn]] void fail(const std::string& what, const std::string& value,
                         const std::string& problem, std::uint64_t offset,
                         const std::string& accepted) const;

 private:
  std::string path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

// Little-endian values one after the other.
class Cursor {
 public:
  explicit Cursor(BinaryFile& file, std::uint64_t offset = 0) : file_(file), offset_(offset) {}

  BinaryFile& file() { return file_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t remaining() const { return file_.size() - offset_; }

  template <typename Number>
  Number take(const std::string& what) {
    Number value{};
    file_.read(offset_, std::as_writable_bytes(std::span(&value, 1)), what);
    offset_ += sizeof(Number);
    return value;
  }
  std::string take_text(std::uint64_t length, const std::string& what);
  void skip(std::uint64_t length, const std::string& what);

 private:
  BinaryFile& file_;
  std::uint64_t offset_;
};

}  // namespace ridgepoint::workloads
