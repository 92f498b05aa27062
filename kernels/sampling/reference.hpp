// SPDX-License-Identifier: Apache-2.0
// Choosing the next token from one row of logits [vocab]. Stateless: the draw depends on seed and
// step only, so that a run with the cache, one without, and a resumed one draw the same tokens.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

struct SamplingConfig {
  double temperature = 0;  // 0: greedy
  double top_p = 1;        // in (0, 1]: the smallest set of best tokens with this probability
  std::uint64_t seed = 0;
};

// InputError naming the value unless temperature is finite and >= 0 and top_p is in (0, 1].
void check_sampling(const SamplingConfig& config);

// The largest logit; of equal ones the lowest id. CheckError if logits are empty or not numbers.
std::int32_t greedy_reference(std::span<const float> logits);

// softmax(logits / temperature) in double, tokens in order of probability (equal ones by id), cut
// to the nucleus, then one draw of SplitMix64 for (seed, step). `step` counts the sequence's
// generated tokens from 0.
std::int32_t sample_reference(std::span<const float> logits, const SamplingConfig& config,
                              std::uint64_t step);

}  // namespace ridgepoint::kernels
