// SPDX-License-Identifier: Apache-2.0
// A model with values: its shape and every tensor the shape asks for. Where it came from does not
// show: all files of one model give the same tensors in the same order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/models/shape.hpp"
#include "workloads/models/tensor.hpp"

namespace ridgepoint::workloads {

struct LoadedModel {
  ModelShape shape;
  std::vector<Tensor> tensors;  // names, sizes and order of tensor_specs(shape)

  // CheckError if there is none of that name.
  const Tensor& tensor(std::string_view name) const;
  const Tensor& layer(std::int64_t index, std::string_view part) const {
    return tensor(layer_tensor(index, part));
  }
  // lm_head, or the embedding table of a tied model. [vocab, d_model]
  const Tensor& head() const;
};

// Every tensor stored as fp32, fp16 or bf16.
LoadedModel converted(const LoadedModel& model, core::DType storage);

// A model made from nothing but its shape and a seed, for use where no weight file is at hand. The
// numbers come from an integer generator and exact arithmetic, so every machine makes the same
// bits. Matrices are uniform with variance 1/cols, norm weights near 1, biases small; fp32.
// Throws InputError where tensor_specs does.
LoadedModel make_seeded_model(const ModelShape& shape, std::uint64_t seed);

}  // namespace ridgepoint::workloads
