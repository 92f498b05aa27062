// SPDX-License-Identifier: Apache-2.0
// Normalisation of each row. RMSNorm (Zhang & Sennrich 2019): y = x / sqrt(mean(x^2) + eps) * w.
// LayerNorm (Ba et al. 2016): y = (x - mean) / sqrt(variance + eps) * w + b.
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct NormArgs {
  Tensor x;                    // [R, d]
  Tensor y;                    // [rows, d]
  Tensor weight;               // [1, d]
  std::optional<Tensor> bias;  // [1, d]: LayerNorm; absent: RMSNorm
  double eps = 1e-5;
  // Row i of y comes from row gather[i] of x (rows that sample); null: row i. Outlives the kernel.
  const std::uint32_t* gather = nullptr;
  std::optional<Tensor> residual;  // [rows, d], may be y: y = residual + norm(x)
};

isa::Kernel norm(const isa::CoreShape& shape, const NormArgs& args, const std::string& name);

}  // namespace ridgepoint::kernels
