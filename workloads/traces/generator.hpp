// SPDX-License-Identifier: Apache-2.0
// Synthetic traces: arrivals, lengths and shared prefixes from a recorded seed. The same spec gives
// the same bytes on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

// Text forms: "fixed:512", "lognormal:MEAN:CV" (mean and coefficient of variation of the length).
struct LengthSpec {
  enum class Kind { kFixed, kLognormal } kind = Kind::kFixed;
  double mean = 1;
  double cv = 0;
};
LengthSpec parse_length_spec(std::string_view key, std::string_view text);

struct GeneratorSpec {
  std::uint64_t seed = 1;
  std::uint64_t requests = 0;
  double rate_per_s = 1;       // mean arrival rate
  double arrival_cv = 1;       // of the gaps: 0 constant, 1 Poisson, others Gamma
  Nanoseconds resolution = 1;  // arrivals are rounded down to a multiple, for formats that need it
  LengthSpec prompt;
  LengthSpec output;
  std::int64_t longest = 131'072;  // a drawn length outside [1, longest] is drawn again
  // Empirical lengths: (prompt, output) pairs are drawn together from this list when it is filled.
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths;
  // Shared prefixes: a share of the requests starts with one of `prefix_groups` common prefixes of
  // `prefix_tokens` tokens, in front of the drawn prompt. 0 tokens: the trace has no block ids.
  std::int64_t prefix_tokens = 0;
  std::uint64_t prefix_groups = 1;
  double prefix_share = 1;
  std::int64_t block_tokens = 16;  // of the ids
};

// Throws InputError naming the field if the spec cannot be drawn from.
std::unique_ptr<TraceSource> make_generator(const GeneratorSpec& spec);

struct BuiltinTrace {
  std::string_view name;
  std::string_view meaning;
  GeneratorSpec spec;
};
const std::vector<BuiltinTrace>& builtin_traces();

// Writes `source` in a published format ("azure", "vidur", "mooncake", "bailian"). Throws
// InputError if the format cannot hold it: an arrival finer than its clock, or block ids of another
// size. Returns the number of requests.
std::uint64_t write_trace(TraceSource& source, std::string_view format, std::ostream& out);
// The clock of a format that write_trace knows, in ns.
Nanoseconds format_resolution(std::string_view format);

}  // namespace ridgepoint::workloads
