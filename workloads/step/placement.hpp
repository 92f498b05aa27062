// SPDX-License-Identifier: Apache-2.0
// Where a model stands in HBM: weights, paged KV cache, activations; and its values, when it has
// them. Addresses exist always, so the same kernels run with and without values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/tensor.hpp"
#include "sim/core/dtype.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/models/shape.hpp"
#include "workloads/step/layer_placement.hpp"

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
  // Latent attention: positions whose keys and values a prefill may expand; longer sequences are
  // attended in the latent space.
  std::int64_t expand_rows = 0;
  // Timing only: addresses beyond memory_bytes start again at 0, as if the memory were larger.
  bool assume_fits = false;
};

class Placement {
 public:
  // Timing only. Throws InputError naming what does not fit, with the sizes.
  Placement(const ModelShape& shape, const PlacementSpec& spec);
  // With values: `model` in any format; stored here in formats.weights.
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
  kernels::Tensor branch;                                   // [T, d], four norms per layer
  kernels::Tensor sampled, logits, chosen;                  // [R, ...]; logits fp32
  // Experts: [T, experts] fp32, [T, active] fp32, [T * active, ...]; shared experts: [T, ...].
  kernels::Tensor router_logits, gates, expert_up, expert_activated, expert_out;
  kernels::Tensor shared_up, shared_activated;
  // Latent attention: [T, ...]; expanded: [expand_rows, ...].
  kernels::Tensor q_low, kv_low, q_latent, out_latent;
  kernels::Tensor expanded_k, expanded_v, expanded_latent;
  std::uint64_t workspace_address = 0;

 private:
  using Names = std::vector<std::string>;

  void check_formats() const;
  void check_fits() const;
  void place(const LoadedModel* model);
  LayerPlacement layer(const LoadedModel* model, std::int64_t index);
  void plain_attention(const LoadedModel* model, std::int64_t index, LayerPlacement& to);
  LatentPlacement latent(const LoadedModel* model, std::int64_t index);
  FeedForwardPlacement feed_forward(const LoadedModel* model, std::int64_t index,
                                    const std::string& prefix, std::int64_t width);
  ExpertPlacement experts(const LoadedModel* model, std::int64_t index);
  void place_activations();
  void place_cache();

  std::uint64_t allocate(std::uint64_t bytes, const char* what);
  void* values_for(std::uint64_t bytes);
  kernels::Tensor activation(std::int64_t rows, std::int64_t cols, core::DType dtype);
  // Tensors stacked by rows (or, of one row, side by side): a table or bias, a norm (always fp32:
  // rounding its few numbers would only cost accuracy), a matrix.
  kernels::Tensor table(const LoadedModel* model, const Names& names, std::int64_t rows,
                        std::int64_t cols, core::DType dtype);
  kernels::Tensor vector(const LoadedModel* model, const std::string& name, std::int64_t cols);
  kernels::Weight matrix(const LoadedModel* model, const Names& names, std::int64_t n,
                         std::int64_t k);
  kernels::GroupedWeight grouped(const LoadedModel* model, const Names& names, std::int64_t groups,
                                 std::int64_t rows, std::int64_t cols, std::int64_t panel_rows);
  // Rows of `cols` numbers in `dtype`; sets the scale that the format needs.
  void* stacked_values(const LoadedModel* model, const Names& names, std::int64_t cols,
                       core::DType dtype, float& scale);

  ModelShape shape_;
  PlacementSpec spec_;
  bool has_values_ = false;
  std::uint64_t next_ = 0, at_ = 0;  // all bytes so far; the next address, less with assume_fits
  std::uint64_t largest_ = 0;        // piece
  std::map<std::string_view, std::uint64_t> parts_;  // bytes of each kind
  std::vector<LayerPlacement> layers_;
  kernels::Tensor table_, final_norm_;
  std::optional<kernels::Tensor> positions_, final_norm_bias_;
  kernels::Weight head_;
  std::vector<std::unique_ptr<std::byte[]>> storage_;
};

}  // namespace ridgepoint::workloads
