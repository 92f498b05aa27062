// SPDX-License-Identifier: Apache-2.0
// Many small linear layers in one launch: Y_g = X_g * W_g^T (+ bias_g) for groups g that share N
// and K but have their own weights and their own rows: the experts of a mixture, or the heads of
// latent attention's absorbed projections. Every core walks a contiguous run of output tiles, so
// that the rows of a group are loaded by few cores and the weights' stream never breaks between
// groups.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct LinearGroup {
  std::int64_t weight = 0;  // which of the weights
  std::int64_t x_row = 0;   // first row of X, or first entry of the gather table
  std::int64_t x_column = 0;
  std::int64_t rows = 0;  // M; 0: the group has no work
  std::int64_t y_row = 0, y_column = 0;
};

// G matrices of one shape, each starting on a panel of its own. Plain: G x [N, K]. Transposed: the
// stored matrices are G x [K, N], as when a projection is applied from its other side.
struct GroupedWeight {
  core::DType dtype = core::DType::kFp16;
  std::int64_t groups = 0, rows = 0, cols = 0;  // of each stored matrix
  std::int64_t panel_rows = 128;
  std::uint64_t address = 0;
  void* values = nullptr;  // [groups, rows, cols], rows packed
  float scale = 1;

  Weight at(std::int64_t group) const;
  // All of them as one matrix [groups * rows, cols]; only where rows are whole panels.
  Weight stacked() const;
  std::uint64_t footprint_bytes() const;
};

struct GroupedArgs {
  Tensor x, y;
  GroupedWeight w;
  bool transposed = false;
  std::optional<Tensor> bias;             // [groups, N]
  const std::uint32_t* gather = nullptr;  // row i of a group is row gather[x_row + i] of X
  // Asked at launch: groups may depend on values that an earlier kernel of the step computed.
  std::function<std::vector<LinearGroup>()> groups;

  std::int64_t n() const { return transposed ? w.cols : w.rows; }
  std::int64_t k() const { return transposed ? w.rows : w.cols; }
};

// Output tiles of mt x nt, K in steps of kt (transposed: the whole K).
struct GroupedTiling {
  std::int64_t mt = 0, nt = 0, kt = 0;
  bool x_in_core = false;    // a core holds [mt, K] of X while it walks the tiles of those rows
  std::int64_t x_slots = 1;  // with x_in_core: the next rows are loaded meanwhile
};
// For groups of at most `most_rows` rows.
GroupedTiling grouped_tiling(const isa::CoreShape& shape, const GroupedArgs& args,
                             std::int64_t most_rows);

// HBM bytes: per group its weights once per row tile, its outputs once, its X once per core that
// walks tiles of it (x_in_core) or once per tile.
double grouped_bytes(const isa::CoreShape& shape, const GroupedArgs& args);

isa::Kernel grouped_linear(const isa::CoreShape& shape, const GroupedArgs& args,
                           const std::string& name);

}  // namespace ridgepoint::kernels
