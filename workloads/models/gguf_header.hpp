// SPDX-License-Identifier: Apache-2.0
// The header of a GGUF v3 file: its key/value pairs and the list of tensors. Knows the container
// only, not what a model needs (gguf.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "workloads/models/binary_file.hpp"

namespace ridgepoint::workloads {

// Arrays of strings and of fp32 are kept (tokenizers need them); other arrays are checked and
// skipped.
struct GgufArray {
  std::uint32_t type = 0;
  std::uint64_t count = 0;
  std::vector<std::string> texts;
  std::vector<float> floats;
};
// Integers of up to 32 bits and u64 as u64 where not negative, else as i64.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray>;

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> sizes;  // innermost first; 1 to 4 of them
  std::uint32_t type = 0;
  std::uint64_t offset = 0;  // in the data section
};

class GgufHeader {
 public:
  // Throws InputError on anything the container forbids: magic, version, types, a name twice, a
  // length past the end of the file, an alignment that is no multiple of 8.
  explicit GgufHeader(BinaryFile& file);

  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  std::uint64_t data_offset() const { return data_offset_; }
  std::uint64_t alignment() const { return alignment_; }

  bool has(const std::string& key) const { return values_.contains(key); }
  const GgufArray* array(const std::string& key) const;
  // InputError if the value has another kind, or if it is missing and there is no fallback.
  std::uint64_t count(const std::string& key, std::optional<std::uint64_t> fallback = {}) const;
  double real(const std::string& key, std::optional<double> fallback = {}) const;
  std::string text(const std::string& key, std::optional<std::string> fallback = {}) const;

 private:
  void read_values(Cursor& cursor, std::uint64_t count);
  void read_tensors(Cursor& cursor, std::uint64_t count);
  template <typename Kind>
  const Kind* find(const std::string& key, const char* accepted, bool required) const;

  const BinaryFile& file_;
  std::map<std::string, GgufValue> values_;
  std::vector<GgufTensor> tensors_;
  std::uint64_t alignment_ = 32;
  std::uint64_t data_offset_ = 0;
};

}  // namespace ridgepoint::workloads
