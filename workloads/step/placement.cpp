// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/placement.hpp"

#include <cstring>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::uint64_t kAlignment = 4096;

void refuse(const ModelShape& shape, bool uses, const char* what) {
  if (uses) {
    core::fail_input({}, "model", shape.name, std::string("uses ") + what,
                     "models with plain or grouped-query attention and dense feed-forward layers");
  }
}

// What the step kernels do not cover must not silently cost nothing.
void check_covered(const ModelShape& shape) {
  refuse(shape, shape.moe.has_value(), "a mixture of experts, for which there are no kernels");
  refuse(shape, shape.mla.has_value(), "latent attention, for which there are no kernels");
  refuse(shape, shape.qk_norm, "q and k norms, for which there are no kernels");
  refuse(shape, shape.attention_sinks, "attention sinks, for which there are no kernels");
  refuse(shape, shape.sliding_window > 0, "a sliding window, for which there are no kernels");
  refuse(shape, shape.norms_per_layer != 2, "four norms per layer, for which there are no kernels");
}

std::string gib(std::uint64_t bytes) {
  const auto hundredths = static_cast<std::uint64_t>(static_cast<double>(bytes) / (1 << 30) * 100);
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + '.' + (digits.size() < 2 ? "0" : "") + digits + " GiB";
}

}  // namespace

Placement::Placement(const ModelShape& shape, const PlacementSpec& spec)
    : shape_(shape), spec_(spec) {
  place(nullptr);
}

Placement::Placement(const LoadedModel& model, const PlacementSpec& spec)
    : shape_(model.shape), spec_(spec), has_values_(true) {
  place(&model);
}

std::uint64_t Placement::allocate(std::uint64_t bytes, const char* what) {
  const std::uint64_t address = next_;
  next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (next_ > spec_.memory_bytes) {
    core::fail_input({}, "model", shape_.name,
                     std::string("does not fit the memory: ") + what + " end at " + gib(next_),
                     "what fits " + gib(spec_.memory_bytes) +
                         "; a smaller batch, context or format, or a machine with more memory");
  }
  return address;
}

void* Placement::values_for(std::uint64_t bytes) {
  if (!has_values_) return nullptr;
  storage_.push_back(std::make_unique<std::byte[]>(bytes));
  return storage_.back().get();
}

void* Placement::stacked_values(const LoadedModel* model, const std::vector<std::string>& names,
                                core::DType dtype) {
  if (model == nullptr) return nullptr;
  std::vector<Tensor> parts;
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    parts.push_back(converted(model->tensor(name), dtype));
    bytes += parts.back().bytes.size();
  }
  auto* values = static_cast<std::byte*>(values_for(bytes));
  std::byte* out = values;
  for (const Tensor& part : parts) {
    std::memcpy(out, part.bytes.data(), part.bytes.size());
    out += part.bytes.size();
  }
  return values;
}

kernels::Tensor Placement::table(const LoadedModel* model, const std::vector<std::string>& names,
                                 std::int64_t rows, std::int64_t cols, core::DType dtype) {
  kernels::Tensor tensor;
  tensor.traffic = core::Traffic::kWeight;
  tensor.dtype = dtype;
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.address = allocate(tensor.bytes(), "weights");
  tensor.values = stacked_values(model, names, dtype);
  return tensor;
}

kernels::Tensor Placement::norm(const LoadedModel* model, const std::vector<std::string>& names) {
  return table(model, names, 1, shape_.d_model, core::DType::kFp32);
}

kernels::Weight Placement::matrix(const LoadedModel* model, const std::vector<std::string>& names,
                                  std::int64_t n, std::int64_t k) {
  kernels::Weight weight;
  weight.dtype = spec_.formats.weights;
  weight.n = n;
  weight.k = k;
  weight.panel_rows = spec_.panel_rows;
  weight.address = allocate(weight.footprint_bytes(), "weights");
  weight.values = stacked_values(model, names, spec_.formats.weights);
  return weight;
}

kernels::Tensor Placement::activation(std::int64_t rows, std::int64_t cols, core::DType dtype) {
  kernels::Tensor tensor;
  tensor.dtype = dtype;
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.address = allocate(tensor.bytes(), "activations");
  tensor.values = values_for(tensor.bytes());
  return tensor;
}

void Placement::place(const LoadedModel* model) {
  check_covered(shape_);
  const std::int64_t d = shape_.d_model, q = shape_.q_dim(), kv = shape_.kv_dim();
  const std::int64_t f = shape_.ffn_dim, up_rows = shape_.gated() ? 2 * f : f;
  const core::DType weights = spec_.formats.weights;
  const bool layer_norm = shape_.norm == NormKind::kLayerNorm;
  table_ = table(model, {"embedding"}, shape_.vocab, d, weights);
  if (shape_.learned_positions()) {
    positions_ = table(model, {"position_embedding"}, shape_.max_context, d, weights);
  }
  for (std::int64_t l = 0; l < shape_.layers; ++l) {
    const auto name = [l](const char* part) { return layer_tensor(l, part); };
    LayerPlacement layer;
    layer.attn_norm = norm(model, {name("attn_norm")});
    layer.ffn_norm = norm(model, {name("ffn_norm")});
    if (layer_norm) {
      layer.attn_norm_bias = norm(model, {name("attn_norm_bias")});
      layer.ffn_norm_bias = norm(model, {name("ffn_norm_bias")});
    }
    layer.qkv = matrix(model, {name("q"), name("k"), name("v")}, q + 2 * kv, d);
    if (shape_.qkv_bias) {
      layer.qkv_bias =
          table(model, {name("q_bias"), name("k_bias"), name("v_bias")}, 1, q + 2 * kv, weights);
    }
    layer.o = matrix(model, {name("o")}, d, q);
    layer.up = shape_.gated() ? matrix(model, {name("gate"), name("up")}, up_rows, d)
                              : matrix(model, {name("up")}, up_rows, d);
    layer.down = matrix(model, {name("down")}, d, f);
    if (shape_.other_bias) {
      layer.o_bias = table(model, {name("o_bias")}, 1, d, weights);
      layer.up_bias = shape_.gated()
                          ? table(model, {name("gate_bias"), name("up_bias")}, 1, up_rows, weights)
                          : table(model, {name("up_bias")}, 1, up_rows, weights);
      layer.down_bias = table(model, {name("down_bias")}, 1, d, weights);
    }
    layers_.push_back(layer);
  }
  final_norm_ = norm(model, {"final_norm"});
  if (layer_norm) final_norm_bias_ = norm(model, {"final_norm_bias"});
  if (shape_.tied_embeddings) {
    head_ = {spec_.formats.weights, shape_.vocab,   d,
             spec_.panel_rows,      table_.address, table_.values};
    allocate(head_.footprint_bytes() - table_.bytes(), "weights");  // the last panel's padding
  } else {
    head_ = matrix(model, {"lm_head"}, shape_.vocab, d);
  }

  const core::DType act = spec_.formats.activations;
  const std::int64_t t = spec_.max_tokens, r = spec_.max_sampled;
  x = activation(t, d, act);
  normed = activation(t, d, act);
  qkv = activation(t, q + 2 * kv, act);
  attended = activation(t, q, act);
  up = activation(t, up_rows, act);
  activated = activation(t, f, act);
  sampled = activation(r, d, act);
  logits = activation(r, shape_.vocab, core::DType::kFp32);
  chosen = activation(r, 1, core::DType::kFp32);
  workspace_address = allocate(spec_.workspace_bytes, "activations");

  for (LayerPlacement& layer : layers_) {
    kernels::KvCache& cache = layer.cache;
    cache.dtype = spec_.formats.kv;
    cache.kv_heads = shape_.kv_heads;
    cache.head_dim = shape_.head_dim;
    cache.block_tokens = spec_.block_tokens;
    const auto bytes = static_cast<std::uint64_t>(spec_.kv_blocks * cache.block_bytes());
    cache.address = allocate(bytes, "KV cache blocks");
    cache.values = values_for(bytes);
  }
}

}  // namespace ridgepoint::workloads
