// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/rope/rope.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kPasses = 4;  // two products, their sum, and the angle's look-up

// The sequence that owns batch row `row`.
const Sequence& owner(const std::vector<Sequence>& sequences, std::int64_t row) {
  const auto after = std::upper_bound(
      sequences.begin(), sequences.end(), row,
      [](std::int64_t value, const Sequence& sequence) { return value < sequence.row0; });
  return *std::prev(after);
}

std::int64_t position_of(const Sequence& sequence, std::int64_t row) {
  return sequence.context - sequence.new_tokens + (row - sequence.row0);
}

void rotate(float* head, std::int64_t rotary_dim, std::int64_t position, double theta) {
  for (std::int64_t i = 0; i < rotary_dim; i += 2) {
    const double frequency =
        std::pow(theta, -static_cast<double>(i) / static_cast<double>(rotary_dim));
    const double angle = static_cast<double>(position) * frequency;
    const auto cosine = static_cast<float>(std::cos(angle));
    const auto sine = static_cast<float>(std::sin(angle));
    const float even = head[i];
    const float odd = head[i + 1];
    head[i] = even * cosine - odd * sine;
    head[i + 1] = even * sine + odd * cosine;
  }
}

void store_block(const RopeAppendArgs& args, const Block& b, std::vector<RowStore>& out) {
  const std::int64_t dim = args.cache.head_dim;
  const std::int64_t q_cols = args.heads * dim;
  if (args.theta != 0) out.push_back({args.qkv.block(b.r0, b.rows, 0, q_cols), 0});
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
  spec.passes = args.theta != 0 ? kPasses : 1;
  spec.inputs.push_back({args.qkv.cols, args.qkv.dtype, [args](const Block& b) {
                           return args.qkv.block(b.r0, b.rows, 0, args.qkv.cols);
                         }});
  spec.stores = [args](const Block& b, std::vector<RowStore>& out) { store_block(args, b, out); };
  spec.compute = [args, dim](const Block& b, const std::vector<isa::Tile>& in,
                             const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      float* row = out.values + r * out.cols;
      std::copy_n(in[0].values + r * in[0].cols, args.qkv.cols, row);
      if (args.theta == 0) continue;
      const std::int64_t position = position_of(owner(args.sequences, b.r0 + r), b.r0 + r);
      for (std::int64_t head = 0; head < args.heads + args.cache.kv_heads; ++head) {
        rotate(row + head * dim, args.rotary_dim, position, args.theta);
      }
    }
  };
  std::string key = "rope rows=" + std::to_string(spec.rows) +
                    " cols=" + std::to_string(spec.cols) +
                    " kv=" + std::to_string(args.cache.kv_heads * dim) +
                    (args.theta != 0 ? " rotary" : "") + " runs=";
  for (const Sequence& sequence : args.sequences) {
    key += std::to_string(sequence.new_tokens) + ',';
  }
  return rowwise(shape, spec, name, "rope", key);
}

}  // namespace ridgepoint::kernels
