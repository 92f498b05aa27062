// SPDX-License-Identifier: Apache-2.0
// x[i] = table[token[i]] (+ positions[position[i]]): the rows of the batch's new tokens.
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct EmbeddingArgs {
  Tensor table;                                    // [vocab, d]
  std::optional<Tensor> positions;                 // [max_context, d], learned positions
  Tensor x;                                        // [T, d]
  const std::uint32_t* tokens = nullptr;           // [T]; outlive the kernel
  const std::uint32_t* token_positions = nullptr;  // [T], with `positions`
};

isa::Kernel embedding(const isa::CoreShape& shape, const EmbeddingArgs& args,
                      const std::string& name);

}  // namespace ridgepoint::kernels
