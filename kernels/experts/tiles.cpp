// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/experts/experts.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

// Experts of one token, largest logit first, and their gates.
void choose(const float* logits, std::int64_t experts, std::int64_t active, std::uint32_t* chosen,
            float* gate) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), 0u);
  std::partial_sort(order.begin(), order.begin() + active, order.end(),
                    [logits](std::uint32_t a, std::uint32_t b) {
                      return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
                    });
  float sum = 0;
  for (std::int64_t j = 0; j < active; ++j) {
    chosen[j] = order[static_cast<std::size_t>(j)];
    gate[j] = std::exp(logits[chosen[j]] - logits[chosen[0]]);
    sum += gate[j];
  }
  for (std::int64_t j = 0; j < active; ++j) gate[j] /= sum;
}

}  // namespace

isa::Kernel top_k(const isa::CoreShape& shape, const TopKArgs& args, const std::string& name) {
  const std::int64_t experts = args.logits.cols, active = args.gates.cols;
  Rowwise spec;
  spec.rows = args.gates.rows;
  spec.cols = experts;
  spec.out_cols = active;
  spec.out_dtype = args.gates.dtype;
  // Every choice is a search over the experts; then the softmax of the chosen.
  spec.passes = experts + 3;
  spec.inputs.push_back({experts, args.logits.dtype, [args, experts](const Block& b) {
                           return args.logits.block(b.r0, b.rows, 0, experts);
                         }});
  spec.stores = [args, active](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.gates.block(b.r0, b.rows, 0, active), 0});
  };
  // The last block of the launch sorts what all of them chose.
  auto chosen_rows = std::make_shared<std::int64_t>(0);
  spec.compute = [args, experts, active, chosen_rows](
                     const Block& b, const std::vector<isa::Tile>& in,
                     const std::vector<isa::Tile>&, const isa::Tile& out) {
    Routing& routing = *args.routing;
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const auto at = static_cast<std::size_t>((b.r0 + r) * active);
      choose(in[0].values + r * in[0].cols, experts, active, &routing.expert[at],
             &routing.gate[at]);
      std::copy_n(&routing.gate[at], active, out.values + r * out.cols);
    }
    if ((*chosen_rows += b.rows) == routing.tokens) routing.sort();
  };
  return rowwise(shape, spec, name, "router",
                 "top_k rows=" + std::to_string(spec.rows) + " experts=" + std::to_string(experts) +
                     " active=" + std::to_string(active));
}

isa::Kernel combine(const isa::CoreShape& shape, const CombineArgs& args, const std::string& name) {
  const std::int64_t d = args.x.cols, active = args.gates.cols;
  Rowwise spec;
  spec.rows = args.x.rows;
  spec.cols = d;
  spec.out_cols = d;
  spec.out_dtype = args.x.dtype;
  spec.passes = 2 * active;  // a product and a sum per expert
  spec.inputs.push_back(
      {d, args.x.dtype, [args, d](const Block& b) { return args.x.block(b.r0, b.rows, 0, d); }});
  spec.inputs.push_back({active, args.gates.dtype, [args, active](const Block& b) {
                           return args.gates.block(b.r0, b.rows, 0, active);
                         }});
  spec.inputs.push_back({d, args.y.dtype,
                         [args, d, active](const Block& b) {
                           return args.y.gather(args.routing->entry_of.data() + b.r0 * active,
                                                b.rows * active, 0, d);
                         },
                         active});
  spec.stores = [args, d](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.x.block(b.r0, b.rows, 0, d), 0});
  };
  spec.compute = [d, active](const Block& b, const std::vector<isa::Tile>& in,
                             const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const float* x = in[0].values + r * in[0].cols;
      const float* gate = in[1].values + r * in[1].cols;
      for (std::int64_t i = 0; i < d; ++i) {
        float sum = 0;
        for (std::int64_t j = 0; j < active; ++j) {
          sum += gate[j] * in[2].values[(r * active + j) * in[2].cols + i];
        }
        out.values[r * out.cols + i] = x[i] + sum;
      }
    }
  };
  return rowwise(shape, spec, name, "router",
                 "combine rows=" + std::to_string(spec.rows) + " d=" + std::to_string(d) +
                     " active=" + std::to_string(active) +
                     " x=" + std::string(name_of(args.x.dtype)));
}

}  // namespace ridgepoint::kernels
