// SPDX-License-Identifier: Apache-2.0
// Which experts the tokens of a step go to: chosen by the router's kernel when values are computed,
// drawn from a distribution when only time is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/grouped/grouped.hpp"

namespace ridgepoint::kernels {

// Likelihood of each expert; how uneven the load is.
struct ExpertLoads {
  std::vector<double> weights;  // one per expert, relative; empty: by `skew`
  double skew = 0;              // weight of the r-th most popular expert is 1/r^skew; 0: even
  std::uint64_t seed = 1;       // which expert is how popular, and the draw
};

// Token t's j-th choice is expert[t * active + j] with weight gate[t * active + j].
struct Routing {
  std::int64_t tokens = 0, experts = 0, active = 0;
  std::vector<std::uint32_t> expert;
  std::vector<float> gate;
  // Made by sort(): pairs ordered by expert, then token. Entry s of the order is a row of the
  // experts' inputs and outputs.
  std::vector<std::uint32_t> token_of;  // [tokens * active]: token of entry s
  std::vector<std::uint32_t> entry_of;  // [tokens * active]: entry of token t's j-th choice
  std::vector<std::int64_t> loads;      // tokens per expert

  Routing(std::int64_t tokens_count, std::int64_t experts_count, std::int64_t active_count);
  void sort();
  std::vector<LinearGroup> groups() const;  // experts with work; X rows are entries of token_of
};

// `active` different experts per token, drawn one after the other by the weights of those left.
// Throws InputError where weights are not one per expert, or fewer than `active` are above zero.
Routing draw_routing(std::int64_t tokens, std::int64_t experts, std::int64_t active,
                     const ExpertLoads& loads);

}  // namespace ridgepoint::kernels
