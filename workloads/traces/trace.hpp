// SPDX-License-Identifier: Apache-2.0
// One request of a serving trace, and where requests come from: files as published, generators and
// transformations. Lengths only; a trace holds no text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ridgepoint::workloads {

using Nanoseconds = std::int64_t;  // 2^63 ns = 292 years: traces span weeks, femtoseconds do not
inline constexpr Nanoseconds kNsPerSecond = 1'000'000'000;
inline constexpr Nanoseconds kForever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kLargestLength = 1'000'000'000;  // tokens accepted in one cell

struct TraceRequest {
  std::uint64_t line = 0;          // 1-based line of the file, or number of the generated request
  Nanoseconds arrival = 0;         // since the first request of the trace; never decreases
  std::int64_t prompt_tokens = 0;  // >= 1
  std::int64_t output_tokens = 0;  // >= 1
  // Prompt identity for prefix sharing: one id per `block_tokens` tokens, the last may cover a
  // partial block; two requests share a prefix as far as their ids agree. Empty: shares nothing.
  std::vector<std::uint64_t> block_ids;
  std::int64_t block_tokens = 0;
};

// What a source left out, counted and never silent.
struct TraceProblems {
  std::uint64_t failed_requests = 0;  // rows the trace itself marks as failed (zero output tokens)
  std::uint64_t skipped_rows = 0;     // bad rows, only where the caller asked to skip them
  std::string first_skipped;          // the message of the first one
};

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  // The next request in order of arrival; false at the end. Throws InputError for a bad row.
  virtual bool next(TraceRequest& request) = 0;
  virtual const TraceProblems& problems() const = 0;
};

}  // namespace ridgepoint::workloads
