// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/binary_file.hpp"

#include <bit>
#include <cstring>
#include <filesystem>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {

static_assert(std::endian::native == std::endian::little, "weight files are little endian");

BinaryFile::BinaryFile(const std::string& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    core::fail_input({path, 0, 0}, "", "", "is not a readable file", "a regular file");
  }
  size_ = std::filesystem::file_size(path, error);
  stream_.open(path, std::ios::binary);
  if (error || !stream_) {
    core::fail_input({path, 0, 0}, "", "", "cannot be opened", "a readable file");
  }
}

void BinaryFile::read(std::uint64_t offset, std::span<std::byte> out, const std::string& what) {
  if (out.empty()) return;
  if (offset > size_ || out.size() > size_ - offset) {
    fail(what, std::to_string(out.size()) + " bytes", "runs past the end of the file", offset,
         "a file of more than its " + std::to_string(size_) + " bytes");
  }
  // Seeking drops the stream's buffer, so a cursor's reads in sequence do not seek.
  if (position_ != offset) stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!stream_) fail(what, "", "cannot be read", offset, "a readable file");
  position_ = offset + out.size();
}

bool BinaryFile::starts_with(std::string_view bytes) {
  if (size_ < bytes.size()) return false;
  std::string head(bytes.size(), '\0');
  read(0, std::as_writable_bytes(std::span(head)), "magic");
  return head == bytes;
}

void BinaryFile::fail(const std::string& what, const std::string& value, const std::string& problem,
                      std::uint64_t offset, const std::string& accepted) const {
  core::fail_input({path_, 0, 0}, what, value, problem + " at byte " + std::to_string(offset),
                   accepted);
}

std::string Cursor::take_text(std::uint64_t length, const std::string& what) {
  if (length > remaining()) {
    file_.fail(what, std::to_string(length) + " bytes", "runs past the end of the file", offset_,
               "at most the remaining " + std::to_string(remaining()) + " bytes");
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  file_.read(offset_, std::as_writable_bytes(std::span(text)), what);
  offset_ += length;
  return text;
}

void Cursor::skip(std::uint64_t length, const std::string& what) {
  if (length > remaining()) {
    file_.fail(what, std::to_string(length) + " bytes", "runs past the end of the file", offset_,
               "at most the remaining " + std::to_string(remaining()) + " bytes");
  }
  offset_ += length;
}

}  // namespace ridgepoint::workloads
