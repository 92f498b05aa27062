// SPDX-License-Identifier: Apache-2.0
// Requests for the memory alone: named patterns, or a plain text trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/time.hpp"

namespace ridgepoint::dram {
struct Spec;
}

namespace ridgepoint::cli {

struct Access {
  std::uint64_t address = 0;  // bytes, of all channels
  std::uint32_t bytes = 0;
  bool is_write = false;
  core::Femtoseconds time = 0;  // not before this
};

// A sequence of accesses.
class Source {
 public:
  virtual ~Source() = default;
  virtual bool next(Access& access) = 0;
};

struct PatternConfig {
  std::string name;  // one of option dram.pattern
  std::uint64_t bytes = 0;
  std::uint32_t request_bytes = 64;
  std::uint64_t span_bytes = 0;  // addresses are below it; at least request_bytes
  std::uint64_t stride = 4096;
  double read_share = 1;  // writes are spread evenly
  std::uint64_t streams = 16;
  std::uint64_t page_bytes = 32768;  // at least request_bytes and at most span_bytes
  std::uint64_t seed = 1;
};
// Patterns conflict and rowmiss take their addresses from the memory's geometry, not from
// span_bytes; request_bytes is then at most the interleave's granule.
std::unique_ptr<Source> make_pattern(const PatternConfig& config, const dram::Spec& spec);

// Lines `address R|W [time_ns]`: address in decimal or 0x hexadecimal, time in nanoseconds (with a
// fraction) that never decreases, nor grows by more than 1e9 in one line, 0 where it is missing;
// `#` starts a comment. Throws InputError with file:line:column; a request must end at or before
// `capacity`.
std::unique_ptr<Source> read_access_trace(const std::string& path, std::uint32_t request_bytes,
                                          std::uint64_t capacity);

}  // namespace ridgepoint::cli
