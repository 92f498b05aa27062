// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/embedding.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {

isa::Kernel embedding(const isa::CoreShape& shape, const EmbeddingArgs& args,
                      const std::string& name) {
  const std::int64_t d = args.x.cols;
  Rowwise spec;
  spec.rows = args.x.rows;
  spec.cols = d;
  spec.out_cols = d;
  spec.out_dtype = args.x.dtype;
  spec.inputs.push_back({d, args.table.dtype, [args, d](const Block& b) {
                           return args.table.gather(args.tokens + b.r0, b.rows, 0, d);
                         }});
  if (args.positions) {
    spec.inputs.push_back({d, args.positions->dtype, [args, d](const Block& b) {
                             return args.positions->gather(args.token_positions + b.r0, b.rows, 0,
                                                           d);
                           }});
  }
  spec.stores = [args, d](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.x.block(b.r0, b.rows, 0, d), 0});
  };
  spec.compute = [d](const Block& b, const std::vector<isa::Tile>& in,
                     const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      for (std::int64_t i = 0; i < d; ++i) {
        float value = in[0].values[r * in[0].cols + i];
        if (in.size() > 1) value += in[1].values[r * in[1].cols + i];
        out.values[r * out.cols + i] = value;
      }
    }
  };
  return rowwise(shape, spec, name, "embedding",
                 "embedding rows=" + std::to_string(spec.rows) + " d=" + std::to_string(d) +
                     " w=" + std::string(name_of(args.table.dtype)) + " x=" +
                     std::string(name_of(args.x.dtype)) + (args.positions ? " positions" : ""));
}

}  // namespace ridgepoint::kernels
