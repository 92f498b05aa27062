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

std::string expert_part(std::int64_t expert, std::string_view part) {
  return "experts." + std::to_string(expert) + "." + std::string(part);
}

void add_plain_attention(SpecList& list, const ModelShape& s, std::int64_t layer) {
  const auto name = [layer](std::string_view part) { return layer_tensor(layer, part); };
  list.matrix(name("q"), s.q_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("k"), s.kv_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("v"), s.kv_dim(), s.d_model, s.qkv_bias);
  list.matrix(name("o"), s.d_model, s.q_dim(), s.other_bias);
  if (s.qk_norm) {
    list.vector(name("q_norm"), s.head_dim);
    list.vector(name("k_norm"), s.head_dim);
  }
  if (s.attention_sinks) list.vector(name("sinks"), s.heads);
}

void add_latent_attention(SpecList& list, const ModelShape& s, std::int64_t layer) {
  const auto name = [layer](std::string_view part) { return layer_tensor(layer, part); };
  const MlaShape& m = *s.mla;
  if (m.q_lora > 0) {
    list.matrix(name("q_down"), m.q_lora, s.d_model, false);
    list.vector(name("q_down_norm"), m.q_lora);
  }
  list.matrix(name("q"), s.heads * (m.qk_nope + m.qk_rope), m.q_lora > 0 ? m.q_lora : s.d_model,
              false);
  list.matrix(name("kv_down"), m.kv_lora + m.qk_rope, s.d_model, false);
  list.vector(name("kv_down_norm"), m.kv_lora);
  list.matrix(name("uk"), s.heads * m.qk_nope, m.kv_lora, false);
  list.matrix(name("uv"), s.heads * m.v_dim, m.kv_lora, false);
  list.matrix(name("o"), s.d_model, s.heads * m.v_dim, false);
}

void add_feed_forward(SpecList& list, const ModelShape& s, std::int64_t layer,
                      const std::string& prefix, std::int64_t width) {
  const auto name = [&](const char* part) { return layer_tensor(layer, prefix + part); };
  if (s.gated()) list.matrix(name("gate"), width, s.d_model, s.other_bias);
  list.matrix(name("up"), width, s.d_model, s.other_bias);
  list.matrix(name("down"), s.d_model, width, s.other_bias);
}

void add_experts(SpecList& list, const ModelShape& s, std::int64_t layer) {
  const MoeShape& moe = *s.moe;
  list.matrix(layer_tensor(layer, "router"), moe.experts, s.d_model, moe.router_bias);
  for (std::int64_t e = 0; e < moe.experts; ++e) {
    add_feed_forward(list, s, layer, expert_part(e, ""), moe.ffn_dim);
  }
  if (moe.shared_experts > 0) {
    add_feed_forward(list, s, layer, "shared.", moe.shared_experts * moe.ffn_dim);
  }
}

void add_layer(SpecList& list, const ModelShape& s, std::int64_t layer) {
  list.norm(layer_tensor(layer, "attn_norm"));
  if (s.mla) {
    add_latent_attention(list, s, layer);
  } else {
    add_plain_attention(list, s, layer);
  }
  list.norm(layer_tensor(layer, "ffn_norm"));
  if (s.norms_per_layer == 4) {
    list.vector(layer_tensor(layer, "attn_post_norm"), s.d_model);
    list.vector(layer_tensor(layer, "ffn_post_norm"), s.d_model);
  }
  if (s.is_moe_layer(layer)) {
    add_experts(list, s, layer);
  } else {
    add_feed_forward(list, s, layer, "", s.ffn_dim);
  }
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
