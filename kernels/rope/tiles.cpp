// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/positions.hpp"
#include "kernels/rope/rope.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kPasses = 4;      // two products, their sum, and the angle's look-up
constexpr std::int64_t kNormPasses = 3;  // sum of squares, scale, weight

// RMSNorm of one head, in place.
void norm_head(float* head, std::int64_t dim, const float* weight, float eps) {
  float sum = 0;
  for (std::int64_t i = 0; i < dim; ++i) sum += head[i] * head[i];
  const float scale = 1.0f / std::sqrt(sum / static_cast<float>(dim) + eps);
  for (std::int64_t i = 0; i < dim; ++i) head[i] = weight[i] * (scale * head[i]);
}

// q heads, then k heads, of one row.
void norm_heads(const RopeAppendArgs& args, float* row, const std::vector<isa::Tile>& norms) {
  const std::int64_t dim = args.cache.head_dim;
  for (std::int64_t head = 0; head < args.heads + args.cache.kv_heads; ++head) {
    const float* weight = norms[head < args.heads ? 0 : 1].values;
    norm_head(row + head * dim, dim, weight, static_cast<float>(args.eps));
  }
}

bool changes_q(const RopeAppendArgs& args) { return args.theta != 0 || args.q_norm; }

void store_block(const RopeAppendArgs& args, const Block& b, std::vector<RowStore>& out) {
  const std::int64_t dim = args.cache.head_dim;
  const std::int64_t q_cols = args.heads * dim;
  if (changes_q(args)) out.push_back({args.qkv.block(b.r0, b.rows, 0, q_cols), 0});
  // Runs of rows of one sequence, head by head: a run's tokens of one head are contiguous per page.
  for (std::int64_t r = b.r0; r < b.r0 + b.rows;) {
    const Sequence& sequence = owner(args.sequences, r);
    const std::int64_t run = std::min(b.r0 + b.rows, sequence.row0 + sequence.new_tokens) - r;
    for (std::int64_t head = 0; head < args.cache.kv_heads; ++head) {
      for (const bool is_v : {false, true}) {
        const std::int64_t column = q_cols + ((is_v ? args.cache.kv_heads : 0) + head) * dim;
        out.push_back({args.cache.view(sequence.blocks, head, is_v, position_of(sequence, r), run),
                       column + (r - b.r0) * args.qkv.cols});
      }
    }
    r += run;
  }
}

}  // namespace

isa::Kernel rope_append(const isa::CoreShape& shape, const RopeAppendArgs& args,
                        const std::string& name) {
  const std::int64_t dim = args.cache.head_dim;
  Rowwise spec;
  spec.rows = args.qkv.rows;
  spec.cols = args.qkv.cols;
  spec.out_cols = args.qkv.cols;
  spec.out_dtype = args.qkv.dtype;
  spec.passes = (args.theta != 0 ? kPasses : 1) + (args.q_norm ? kNormPasses : 0);
  spec.inputs.push_back({args.qkv.cols, args.qkv.dtype, [args](const Block& b) {
                           return args.qkv.block(b.r0, b.rows, 0, args.qkv.cols);
                         }});
  if (args.q_norm) {
    for (const Tensor& weight : {*args.q_norm, *args.k_norm}) {
      spec.constants.push_back(
          {dim, weight.dtype, [weight, dim](const Block&) { return weight.block(0, 1, 0, dim); }});
    }
  }
  spec.stores = [args](const Block& b, std::vector<RowStore>& out) { store_block(args, b, out); };
  spec.stored_row_bytes = 2 * args.cache.kv_heads * args.cache.row_bytes() +
                          (changes_q(args) ? core::bytes_of(args.qkv.dtype, args.heads * dim) : 0);
  spec.compute = [args, dim](const Block& b, const std::vector<isa::Tile>& in,
                             const std::vector<isa::Tile>& norms, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      float* row = out.values + r * out.cols;
      std::copy_n(in[0].values + r * in[0].cols, args.qkv.cols, row);
      if (args.q_norm) norm_heads(args, row, norms);
      if (args.theta == 0) continue;
      const std::int64_t position = position_of(owner(args.sequences, b.r0 + r), b.r0 + r);
      for (std::int64_t head = 0; head < args.heads + args.cache.kv_heads; ++head) {
        rotate(row + head * dim, args.rotary_dim, position, args.theta);
      }
    }
  };
  const std::string key =
      "rope rows=" + std::to_string(spec.rows) + " cols=" + std::to_string(spec.cols) +
      " kv=" + std::to_string(args.cache.kv_heads * dim) + ' ' +
      std::string(name_of(args.cache.dtype)) + " x=" + std::string(name_of(args.qkv.dtype)) +
      (args.theta != 0 ? " rotary" : "") + (args.q_norm ? " norms" : "") +
      " runs=" + runs_of(args.sequences);
  return rowwise(shape, spec, name, "rope", key);
}

}  // namespace ridgepoint::kernels
