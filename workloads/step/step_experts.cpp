// SPDX-License-Identifier: Apache-2.0
// A mixture of experts in a step: the router's logits, its choice, the chosen experts' matrices as
// grouped linear layers over the tokens each was given, their weighted sum, the shared experts.
#include <algorithm>

#include "kernels/activation/activation.hpp"
#include "kernels/experts/experts.hpp"
#include "kernels/linear/linear.hpp"
#include "workloads/step/nonlinearity.hpp"
#include "workloads/step/step_builder.hpp"

namespace ridgepoint::workloads {

// Timing: one draw for the step. Values: filled by each layer's own choice.
std::shared_ptr<kernels::Routing> StepBuilder::routing() {
  const MoeShape& moe = *p_.shape().moe;
  if (!p_.has_values() && !data_->routings.empty()) return data_->routings.front();
  data_->routings.push_back(std::make_shared<kernels::Routing>(
      kernels::draw_routing(rows_, moe.experts, moe.active, options_.expert_loads)));
  return data_->routings.back();
}

void StepBuilder::experts(const LayerPlacement& layer) {
  const MoeShape& moe = *p_.shape().moe;
  const ExpertPlacement& block = *layer.experts;
  const auto route = routing();
  const kernels::Tensor logits = rows_of(p_.router_logits), gates = rows_of(p_.gates);
  add(kernels::linear(shape_, {normed_, block.router, logits, block.router_bias, std::nullopt},
                      "linear.router"));
  add(kernels::top_k(shape_, {logits, gates, route}, "top_k"));

  const auto pairs = [&](kernels::Tensor tensor) {
    tensor.rows = rows_ * moe.active;
    return tensor;
  };
  const kernels::Tensor up = pairs(p_.expert_up), activated = pairs(p_.expert_activated);
  kernels::GroupedArgs args;
  args.x = normed_;
  args.y = up;
  args.w = block.up;
  args.bias = block.up_bias;
  args.gather = route->token_of.data();
  args.groups = [route] { return route->groups(); };
  add(kernels::grouped_linear(shape_, args, "linear.expert_up"));
  add(kernels::activation(shape_, {nonlinearity_of(p_.shape().activation), up, activated},
                          "activation.experts"));
  args.x = activated;
  args.y = pairs(p_.expert_out);
  args.w = block.down;
  args.bias = block.down_bias;
  args.gather = nullptr;
  add(kernels::grouped_linear(shape_, args, "linear.expert_down"));
  add(kernels::combine(shape_, {args.y, gates, x_, route}, "combine"));
  if (block.shared) {
    dense(*block.shared, rows_of(p_.shared_up), rows_of(p_.shared_activated), std::nullopt,
          "linear.shared_up", "activation.shared", "linear.shared_down");
  }
}

}  // namespace ridgepoint::workloads
