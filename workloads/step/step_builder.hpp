// SPDX-License-Identifier: Apache-2.0
// From a batch's index tables to the list of kernels of one step. Internal to step.cpp; the parts
// of a layer are in the files step_*.cpp.
#pragma once

#include <memory>
#include <vector>

#include "kernels/attention/attention.hpp"
#include "kernels/experts/routing.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {

// Index tables of one step; kernels keep them alive.
struct StepData {
  std::vector<std::uint32_t> tokens, positions, sampled_rows;
  std::vector<std::vector<std::uint32_t>> blocks;
  std::vector<kernels::Sequence> sequences;
  std::vector<std::shared_ptr<kernels::Routing>> routings;  // with values: one per layer
};

class StepBuilder {
 public:
  StepBuilder(const isa::CoreShape& shape, const Placement& placement, const StepOptions& options,
              std::shared_ptr<StepData> data);
  std::vector<isa::Kernel> build();

 private:
  void add(isa::Kernel kernel);  // keeps the step's tables alive with it
  void embed();
  void layer(const LayerPlacement& layer);
  void head();

  // Both end in x += (norm of) the block's result.
  void attention_block(const LayerPlacement& layer);
  void feed_forward_block(const LayerPlacement& layer);
  void norm(const kernels::Tensor& x, const kernels::Tensor& y, const kernels::Tensor& weight,
            const std::optional<kernels::Tensor>& bias, const char* name);
  // The last product of a block: added to x at once, or normalised first (four norms per layer).
  void project(const kernels::Tensor& from, const kernels::Weight& weight,
               const std::optional<kernels::Tensor>& bias,
               const std::optional<kernels::Tensor>& post_norm, const char* name,
               const char* norm_name);

  void plain_attention(const LayerPlacement& layer);
  void latent_attention(const LayerPlacement& layer);
  void latent_decode(const LayerPlacement& layer, std::vector<kernels::Sequence> sequences);
  void latent_prefill(const LayerPlacement& layer, const kernels::Sequence& sequence);
  kernels::AttentionArgs attention_args(const LayerPlacement& layer) const;

  void dense(const FeedForwardPlacement& block, const kernels::Tensor& up,
             const kernels::Tensor& activated, const std::optional<kernels::Tensor>& post_norm,
             const char* up_name, const char* activation_name, const char* down_name);
  void experts(const LayerPlacement& layer);
  std::shared_ptr<kernels::Routing> routing();

  kernels::Tensor rows_of(kernels::Tensor tensor) const {
    tensor.rows = rows_;
    return tensor;
  }

  const isa::CoreShape& shape_;
  const Placement& p_;
  const StepOptions& options_;
  std::shared_ptr<StepData> data_;
  std::int64_t rows_;
  kernels::Tensor x_, normed_, attended_;
  std::vector<isa::Kernel> kernels_;
};

}  // namespace ridgepoint::workloads
