// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/loaded_model.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [-1, 1), a multiple of 2^-23: exact in a float.
  float symmetric() {
    const auto bits = static_cast<std::int32_t>(next() >> 40);
    return static_cast<float>(bits - (1 << 23)) * 0x1p-23f;
  }

 private:
  std::uint64_t state_;
};

bool ends_with(const std::string& text, std::string_view tail) {
  return text.size() >= tail.size() &&
         std::string_view(text).substr(text.size() - tail.size()) == tail;
}

void fill(Tensor& tensor, Random random) {
  const bool is_bias = ends_with(tensor.name, "_bias");
  const bool is_norm = ends_with(tensor.name, "norm");
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
  Random streams(seed);
  for (const TensorSpec& spec : tensor_specs(shape)) {
    Tensor tensor = make_tensor(spec.name, spec.rows, spec.cols, core::DType::kFp32);
    fill(tensor, Random(streams.next()));
    model.tensors.push_back(std::move(tensor));
  }
  return model;
}

}  // namespace ridgepoint::workloads
