// SPDX-License-Identifier: Apache-2.0
// One core's part of a tiled linear layer: its tiles and the commands of each step. Methods issue
// commands and never wait. Internal to the linear kernel.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/linear/linear.hpp"
#include "kernels/linear/slots.hpp"
#include "kernels/operand_stream.hpp"

namespace ridgepoint::kernels {

// Content of the shared memory when values are attached; in x's format.
using PanelValues = std::shared_ptr<std::vector<std::byte>>;

class LinearCore {
 public:
  LinearCore(isa::CorePort& core, const LinearArgs& args, const LinearTiling& tiling,
             const PanelValues& panel_values);

  void begin(std::int64_t row_tile);
  // With wave_rows: one output tile, the `turn`th of this core; false: there is none.
  bool begin_wave(std::int64_t turn);
  bool has_weight_ahead() const { return w_next_ < std::min(steps_, kWeightSlots); }
  // Widening runs a step ahead of the product, so its operand must be on its way too.
  bool weight_due() const { return w_next_ < std::min(steps_, step_ + (widens_ ? 2 : 1)); }
  isa::Token weight_slot() const { return weights_.slot(w_base_ + w_next_); }
  void load_weight();

  // Staging the panel: wait for region_readers(), then chunk by chunk.
  std::int64_t region_readers() const;
  isa::Token region_reader(std::int64_t core) const;
  bool has_chunk() const { return t_.x_in_shared && chunk_ < chunks_; }
  isa::Token stage_slot() const { return stage_->busy(staged_); }
  void stage_chunk();

  isa::Token last_matrix() const { return last_matrix_; }
  void load_all_x();

  bool has_step() const { return step_ < steps_; }
  isa::Token x_slot() const { return x_ring_.busy(x_base_ + step_); }
  void load_x();
  void multiply();
  void end();

 private:
  std::int64_t tile_n0() const { return (first_ + step_ / k_steps_ * core_.count()) * t_.nt; }
  std::uint32_t staged_slot(std::int64_t row_tile, std::int64_t chunk) const {
    return static_cast<std::uint32_t>(row_tile * (chunks_ + core_.count()) + chunk);
  }
  std::uint32_t finished_slot(std::int64_t row_tile, std::int64_t core) const {
    return staged_slot(row_tile, chunks_ + core);
  }
  isa::View x_view(std::int64_t k0, std::int64_t cols) const;
  bool has_wave(std::int64_t turn) const {
    return core_.index() + turn * core_.count() < (m_ + t_.mt - 1) / t_.mt * n_tiles_;
  }
  void begin_block(std::int64_t turn);
  void finish_tile(std::int64_t n0, std::int64_t cols, const isa::Tile& acc, isa::Deps& frees);
  void widen_until(std::int64_t use);
  isa::Token add_epilogue(std::int64_t r, std::int64_t rows, std::int64_t n0, std::int64_t cols,
                          const isa::Tile& acc, isa::Token bias_loaded);

  isa::CorePort& core_;
  const LinearArgs& args_;
  const LinearTiling& t_;
  PanelValues panel_values_;
  std::int64_t m_, n_, k_, k_steps_, n_tiles_, chunks_;
  OperandStream weights_;
  isa::Ring x_ring_;
  std::optional<isa::Ring> stage_, residual_;
  std::optional<isa::Tile> bias_;
  std::vector<isa::Tile> acc_;
  std::vector<isa::Deps> acc_free_;
  std::vector<isa::Token> x_loaded_;  // per slot; x in core: per chunk
  bool widens_;
  // Of the current row tile.
  std::int64_t first_ = 0;  // column tile
  std::int64_t row_tile_ = 0, m0_ = 0, rows_ = 0, steps_ = 0, step_ = 0, chunk_ = 0;
  std::int64_t w_next_ = 0, w_base_ = 0, widened_ = 0, x_base_ = 0, staged_ = 0, residual_uses_ = 0;
  std::int64_t tiles_done_ = 0;
  isa::Token last_matrix_, bias_free_, begun_, next_begun_;
};

}  // namespace ridgepoint::kernels
