// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/job.hpp"

#include <algorithm>
#include <cmath>

namespace ridgepoint::kernels {

AttentionJob::AttentionJob(const isa::CoreShape& shape, const AttentionArgs& arguments)
    : args(arguments),
      tiles(attention_tiles(shape, arguments)),
      plan(plan_attention(shape, arguments)),
      dim(arguments.qk_dim()),
      v_dim(arguments.value_dim()),
      scale(arguments.scale != 0 ? arguments.scale : 1.0f / std::sqrt(static_cast<float>(dim))) {
  // A core's blocks share its vector engine.
  begin_elements =
      shape.block_cycles * std::max<std::int64_t>(1, shape.blocks) * shape.vector_lanes;
  decode_begin_elements = begin_elements / std::max({std::int64_t{1}, shape.blocks, tiles.lanes});
  if (args.q.values != nullptr) {
    workspace.resize(static_cast<std::size_t>(plan.partials * tiles.query_tiles * tiles.tile_rows *
                                              (v_dim + 2)));
  }
}

isa::View AttentionJob::head_view(const Tensor& tensor, const AttentionItem& item, std::int64_t g,
                                  std::int64_t width) const {
  const std::int64_t row = sequence(item).row0 + item.q0 + first_row(item, g);
  const std::int64_t column = head_of(item, g) * width;
  if (!heads_as_rows(item)) return tensor.block(row, rows_of(item, g), column, width);
  isa::View view = tensor.block(row, 1, column, width);
  view.rows = tiles.group;
  view.value_row_bytes = core::bytes_of(tensor.dtype, width);
  view.row_bytes = static_cast<std::uint64_t>(view.value_row_bytes);
  return view;
}

isa::View AttentionJob::partial_view(std::int64_t split, std::int64_t g, std::int64_t rows) {
  Tensor partial;
  partial.dtype = core::DType::kFp32;
  partial.rows = plan.partials * tiles.query_tiles * tiles.tile_rows;
  partial.cols = v_dim + 2;
  partial.address = args.workspace_address;
  partial.values = workspace.empty() ? nullptr : workspace.data();
  return partial.block((split * tiles.query_tiles + g) * tiles.tile_rows, rows, 0, v_dim + 2);
}

}  // namespace ridgepoint::kernels
