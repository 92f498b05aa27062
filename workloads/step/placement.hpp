// SPDX-License-Identifier: Apache-2.0
// Where a model stands in HBM: weights, paged KV cache, activations; and its values, when it has
// them. Addresses exist always, so the same kernels run with and without values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"
#include "sim/core/dtype.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

struct Formats {
  core::DType weights = core::DType::kFp16;
  core::DType kv = core::DType::kFp16;
  core::DType activations = core::DType::kFp16;
};

struct PlacementSpec {
  Formats formats;
  std::int64_t max_tokens = 1;   // new tokens of one step
  std::int64_t max_sampled = 1;  // rows that reach the LM head in one step
  std::int64_t kv_blocks = 1;
  std::int64_t block_tokens = 16;
  std::uint64_t memory_bytes = 0;     // what may be used of the HBM
  std::uint64_t workspace_bytes = 0;  // partial results of split attention
  std::int64_t panel_rows = 128;      // layout of weights: the array's columns
};

struct LayerPlacement {
  kernels::Tensor attn_norm, ffn_norm;  // [1, d]
  std::optional<kernels::Tensor> attn_norm_bias, ffn_norm_bias;
  kernels::Weight qkv, o, up, down;  // up: gate rows, then up rows, where the model has a gate
  std::optional<kernels::Tensor> qkv_bias, o_bias, up_bias, down_bias;
  kernels::KvCache cache;
};

class Placement {
 public:
  // Timing only. Throws InputError naming what does not fit, with the sizes, or the part of the
  // shape that the step kernels do not cover.
  Placement(const ModelShape& shape, const PlacementSpec& spec);
  // With values: `model` in any format; stored here in formats.weights (fp32, fp16 or bf16).
  Placement(const LoadedModel& model, const PlacementSpec& spec);

  const ModelShape& shape() const { return shape_; }
  const PlacementSpec& spec() const { return spec_; }
  bool has_values() const { return has_values_; }
  std::uint64_t used_bytes() const { return next_; }

  const std::vector<LayerPlacement>& layers() const { return layers_; }
  const kernels::Tensor& table() const { return table_; }  // [vocab, d]
  const std::optional<kernels::Tensor>& positions() const { return positions_; }
  const kernels::Tensor& final_norm() const { return final_norm_; }
  const std::optional<kernels::Tensor>& final_norm_bias() const { return final_norm_bias_; }
  const kernels::Weight& head() const { return head_; }

  // Activations, as tall as the spec's max; kernels use the first rows.
  kernels::Tensor x, normed, qkv, attended, up, activated;  // [T, ...]
  kernels::Tensor sampled, logits, chosen;                  // [R, ...]; logits fp32
  std::uint64_t workspace_address = 0;

 private:
  void place(const LoadedModel* model);
  std::uint64_t allocate(std::uint64_t bytes, const char* what);
  void* values_for(std::uint64_t bytes);
  kernels::Tensor activation(std::int64_t rows, std::int64_t cols, core::DType dtype);
  // Tensors stacked by rows (or, of one row, side by side): a table or bias, a norm (always fp32:
  // rounding its few numbers would only cost accuracy), a matrix.
  kernels::Tensor table(const LoadedModel* model, const std::vector<std::string>& names,
                        std::int64_t rows, std::int64_t cols, core::DType dtype);
  kernels::Tensor norm(const LoadedModel* model, const std::vector<std::string>& names);
  kernels::Weight matrix(const LoadedModel* model, const std::vector<std::string>& names,
                         std::int64_t n, std::int64_t k);
  void* stacked_values(const LoadedModel* model, const std::vector<std::string>& names,
                       core::DType dtype);

  ModelShape shape_;
  PlacementSpec spec_;
  bool has_values_ = false;
  std::uint64_t next_ = 0;
  std::vector<LayerPlacement> layers_;
  kernels::Tensor table_, final_norm_;
  std::optional<kernels::Tensor> positions_, final_norm_bias_;
  kernels::Weight head_;
  std::vector<std::unique_ptr<std::byte[]>> storage_;
};

}  // namespace ridgepoint::workloads
