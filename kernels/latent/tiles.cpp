// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/latent/latent.hpp"
#include "kernels/positions.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kNormPasses = 3;    // sum of squares, scale, weight
constexpr std::int64_t kRotatePasses = 4;  // two products, their sum, and the angle's look-up

// [rows * heads, rope]: the rotary part of every head, `dim` numbers apart.
isa::View rope_view(const Tensor& tensor, std::int64_t row0, std::int64_t r0, std::int64_t rows,
                    std::int64_t heads, std::int64_t dim, std::int64_t column, std::int64_t rope) {
  const std::int64_t first = row0 * heads + r0;  // of all heads of all rows
  isa::View view = tensor.block(first / heads, 1, first % heads * dim + column, rope);
  view.rows = rows;
  view.value_row_bytes = core::bytes_of(tensor.dtype, dim);
  view.row_bytes = static_cast<std::uint64_t>(view.value_row_bytes);
  return view;
}

}  // namespace

isa::Kernel latent_append(const isa::CoreShape& shape, const LatentAppendArgs& args,
                          const std::string& name) {
  const std::int64_t dim = args.cache.head_dim;
  Rowwise spec;
  spec.rows = args.kv.rows;
  spec.cols = dim;
  spec.out_cols = dim;
  spec.out_dtype = args.kv.dtype;
  spec.passes = kNormPasses + 1;
  spec.inputs.push_back({dim, args.kv.dtype, [args, dim](const Block& b) {
                           return args.kv.block(b.r0, b.rows, 0, dim);
                         }});
  spec.constants.push_back({args.latent, args.weight.dtype, [args](const Block&) {
                              return args.weight.block(0, 1, 0, args.latent);
                            }});
  spec.stored_row_bytes = args.cache.row_bytes();
  spec.stores = [args](const Block& b, std::vector<RowStore>& out) {
    for (std::int64_t r = b.r0; r < b.r0 + b.rows;) {
      const Sequence& sequence = owner(args.sequences, r);
      const std::int64_t run = std::min(b.r0 + b.rows, sequence.row0 + sequence.new_tokens) - r;
      out.push_back({args.cache.view(sequence.blocks, 0, false, position_of(sequence, r), run),
                     (r - b.r0) * args.cache.head_dim});
      r += run;
    }
  };
  spec.compute = [args, dim](const Block& b, const std::vector<isa::Tile>& in,
                             const std::vector<isa::Tile>& constants, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const float* x = in[0].values + r * in[0].cols;
      float* y = out.values + r * out.cols;
      float sum = 0;
      for (std::int64_t i = 0; i < args.latent; ++i) sum += x[i] * x[i];
      const float scale =
          1.0f / std::sqrt(sum / static_cast<float>(args.latent) + static_cast<float>(args.eps));
      for (std::int64_t i = 0; i < args.latent; ++i) {
        y[i] = constants[0].values[i] * (scale * x[i]);
      }
      std::copy(x + args.latent, x + dim, y + args.latent);
      const std::int64_t position = position_of(owner(args.sequences, b.r0 + r), b.r0 + r);
      rotate(y + args.latent, dim - args.latent, position, args.theta);
    }
  };
  return rowwise(shape, spec, name, "rope",
                 "latent_append rows=" + std::to_string(spec.rows) + " dim=" + std::to_string(dim) +
                     " kv=" + std::string(name_of(args.cache.dtype)) + " x=" +
                     std::string(name_of(args.kv.dtype)) + " runs=" + runs_of(args.sequences));
}

isa::Kernel latent_query(const isa::CoreShape& shape, const LatentQueryArgs& args,
                         const std::string& name) {
  Rowwise spec;
  spec.rows = args.rows * args.heads;
  spec.cols = args.rope;
  spec.out_cols = args.rope;
  spec.out_dtype = args.out.dtype;
  spec.passes = kRotatePasses;
  spec.inputs.push_back({args.rope, args.q.dtype, [args](const Block& b) {
                           return rope_view(args.q, args.row0, b.r0, b.rows, args.heads,
                                            args.nope + args.rope, args.nope, args.rope);
                         }});
  spec.stores = [args](const Block& b, std::vector<RowStore>& out) {
    out.push_back({rope_view(args.out, args.row0, b.r0, b.rows, args.heads, args.out_dim,
                             args.out_column, args.rope),
                   0});
  };
  spec.compute = [args](const Block& b, const std::vector<isa::Tile>& in,
                        const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      float* y = out.values + r * out.cols;
      std::copy_n(in[0].values + r * in[0].cols, args.rope, y);
      const std::int64_t row = args.row0 + (b.r0 + r) / args.heads;
      rotate(y, args.rope, position_of(owner(args.sequences, row), row), args.theta);
    }
  };
  return rowwise(shape, spec, name, "rope",
                 "latent_query rows=" + std::to_string(args.rows) +
                     " heads=" + std::to_string(args.heads) + " rope=" + std::to_string(args.rope) +
                     '/' + std::to_string(args.nope) + " out=" + std::to_string(args.out_dim) +
                     " x=" + std::string(name_of(args.q.dtype)));
}

isa::Kernel latent_gather(const isa::CoreShape& shape, const LatentGatherArgs& args,
                          const std::string& name) {
  const std::int64_t dim = args.cache.head_dim;
  Rowwise spec;
  spec.rows = args.sequence.context;
  spec.cols = dim;
  spec.out_cols = dim;
  spec.out_dtype = args.to.dtype;
  spec.inputs.push_back({dim, args.cache.dtype, [args](const Block& b) {
                           return args.cache.view(args.sequence.blocks, 0, false, b.r0, b.rows);
                         }});
  spec.stores = [args, dim](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.to.block(b.r0, b.rows, 0, dim), 0});
  };
  spec.compute = [dim](const Block& b, const std::vector<isa::Tile>& in,
                       const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      std::copy_n(in[0].values + r * in[0].cols, dim, out.values + r * out.cols);
    }
  };
  return rowwise(shape, spec, name, "rope",
                 "latent_gather rows=" + std::to_string(spec.rows) + " dim=" + std::to_string(dim) +
                     " kv=" + std::string(name_of(args.cache.dtype)) +
                     " block=" + std::to_string(args.cache.block_tokens));
}

}  // namespace ridgepoint::kernels
