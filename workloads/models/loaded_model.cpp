// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/loaded_model.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::workloads {
namespace {

void fill(Tensor& tensor, core::SplitMix64 random) {
  const bool is_bias = tensor.name.ends_with("_bias");
  const bool is_norm = tensor.name.ends_with("norm");
  // The variance of a uniform number in [-a, a) is a²/3.
  const auto half_width = static_cast<float>(std::sqrt(3.0 / static_cast<double>(tensor.cols)));
  for (float& value : tensor.mutable_floats()) {
    const float u = random.symmetric();
    if (is_bias) {
      value = u * 0.0625f;
    } else {
      value = is_norm ? 1.0f + u * 0.125f : u * half_width;
    }
  }
}

}  // namespace

const Tensor& LoadedModel::tensor(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [name](const Tensor& tensor) { return tensor.name == name; });
  if (found == tensors.end()) {
    throw core::CheckError("model " + shape.name + " has no tensor " + std::string(name));
  }
  return *found;
}

const Tensor& LoadedModel::head() const {
  return tensor(shape.tied_embeddings ? "embedding" : "lm_head");
}

LoadedModel converted(const LoadedModel& model, core::DType storage) {
  LoadedModel out{model.shape, {}};
  out.tensors.reserve(model.tensors.size());
  for (const Tensor& tensor : model.tensors) out.tensors.push_back(converted(tensor, storage));
  return out;
}

LoadedModel make_seeded_model(const ModelShape& shape, std::uint64_t seed) {
  check_shape(shape, shape.name);
  LoadedModel model{shape, {}};
  core::SplitMix64 streams(seed);
  for (const TensorSpec& spec : tensor_specs(shape)) {
    Tensor tensor = make_tensor(spec.name, spec.rows, spec.cols, core::DType::kFp32);
    fill(tensor, core::SplitMix64(streams.next()));
    model.tensors.push_back(std::move(tensor));
  }
  return model;
}

}  // namespace ridgepoint::workloads
