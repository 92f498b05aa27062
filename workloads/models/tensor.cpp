// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/tensor.hpp"

#include <cstring>
#include <utility>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;

void require_width(const Tensor& tensor, std::int64_t bits) {
  if (core::bits_of(tensor.dtype) == bits) return;
  throw core::CheckError("tensor " + tensor.name + " is stored as " +
                         std::string(core::name_of(tensor.dtype)) + ", not in " +
                         std::to_string(bits) + " bits");
}

void require_storage(const std::string& name, DType dtype) {
  if (dtype == DType::kFp32 || dtype == DType::kFp16 || dtype == DType::kBf16) return;
  throw core::CheckError("tensor " + name + " cannot be stored as " +
                         std::string(core::name_of(dtype)) + "; accepted: fp32, fp16, bf16");
}

void require_computable(const ModelShape& shape) {
  const auto refuse = [&](bool bad, const char* key, const char* accepted) {
    if (bad) core::fail_input({}, key, shape.name, "has no values, only timing", accepted);
  };
  refuse(shape.moe.has_value(), "mixture of experts", "models without experts");
  refuse(shape.mla.has_value(), "latent attention", "plain attention");
  refuse(shape.attention_sinks, "attention sinks", "attention without sinks");
  refuse(shape.norms_per_layer != 2, "norms_per_layer", "2");
  refuse(shape.activation == Activation::kSwiGluClamped, "activation", "swiglu, gelu, geglu");
}

class SpecList {
 public:
  explicit SpecList(const ModelShape& shape) : shape_(shape) {}

  void norm(const std::string& name) {
    specs_.push_back({name, 1, shape_.d_model});
    if (shape_.norm == NormKind::kLayerNorm) specs_.push_back({name + "_bias", 1, shape_.d_model});
  }
  void matrix(const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
    specs_.push_back({name, out, in});
    if (bias) specs_.push_back({name + "_bias", 1, out});
  }
  void vector(const std::string& name, std::int64_t width) { specs_.push_back({name, 1, width}); }
  std::vector<TensorSpec> take() { return std::move(specs_); }

 private:
  const ModelShape& shape_;
  std::vector<TensorSpec> specs_;
};

void add_layer(SpecList& list, const ModelShape& s, std::int64_t layer) {
  const auto name = [layer](std::string_view part) { return layer_tensor(layer, part); };
  list.norm(name("attn_norm"));
  list.matrix(name("q"), s.q_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("k"), s.kv_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("v"), s.kv_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("o"), s.d_model, s.q_dim(), s.other_bias);
  if (s.qk_norm) {
    list.vector(name("q_norm"), s.head_dim);
    list.vector(name("k_norm"), s.head_dim);
  }
  list.norm(name("ffn_norm"));
  if (s.gated()) list.matrix(name("gate"), s.ffn_dim, s.d_model, s.other_bias);
  list.matrix(name("up"), s.ffn_dim, s.d_model, s.other_bias);
  list.matrix(name("down"), s.d_model, s.ffn_dim, s.other_bias);
}

}  // namespace

std::span<const float> Tensor::floats() const {
  require_width(*this, 32);
  return {reinterpret_cast<const float*>(bytes.data()), static_cast<std::size_t>(size())};
}

std::span<float> Tensor::mutable_floats() {
  require_width(*this, 32);
  return {reinterpret_cast<float*>(bytes.data()), static_cast<std::size_t>(size())};
}

std::span<const std::uint16_t> Tensor::halves() const {
  require_width(*this, 16);
  return {reinterpret_cast<const std::uint16_t*>(bytes.data()), static_cast<std::size_t>(size())};
}

Tensor make_tensor(std::string name, std::int64_t rows, std::int64_t cols, DType dtype) {
  require_storage(name, dtype);
  Tensor tensor{std::move(name), rows, cols, dtype, {}, {}};
  tensor.bytes.resize(static_cast<std::size_t>(core::bytes_of(dtype, tensor.size())));
  return tensor;
}

std::vector<float> to_floats(const Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  if (tensor.dtype == DType::kFp32) {
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  const bool half = tensor.dtype == DType::kFp16;
  const auto bits = tensor.halves();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = half ? core::float_from_fp16(bits[i]) : core::float_from_bf16(bits[i]);
  }
  return values;
}

Tensor converted(const Tensor& tensor, DType dtype) {
  require_storage(tensor.name, dtype);
  if (tensor.dtype == dtype) return tensor;
  Tensor out = make_tensor(tensor.name, tensor.rows, tensor.cols, dtype);
  out.stored_as = tensor.stored_as;
  const std::vector<float> values = to_floats(tensor);
  if (dtype == DType::kFp32) {
    std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
    return out;
  }
  auto* bits = reinterpret_cast<std::uint16_t*>(out.bytes.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    bits[i] =
        dtype == DType::kFp16 ? core::fp16_from_float(values[i]) : core::bf16_from_float(values[i]);
  }
  return out;
}

std::string layer_tensor(std::int64_t layer, std::string_view part) {
  return "layers." + std::to_string(layer) + "." + std::string(part);
}

std::vector<TensorSpec> tensor_specs(const ModelShape& shape) {
  require_computable(shape);
  SpecList list(shape);
  list.matrix("embedding", shape.vocab, shape.d_model, false);
  if (shape.learned_positions()) {
    list.matrix("position_embedding", shape.max_context, shape.d_model, false);
  }
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) add_layer(list, shape, layer);
  list.norm("final_norm");
  if (!shape.tied_embeddings) list.matrix("lm_head", shape.vocab, shape.d_model, false);
  return list.take();
}

}  // namespace ridgepoint::workloads
