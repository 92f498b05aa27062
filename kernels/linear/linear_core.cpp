// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/linear_core.hpp"

namespace ridgepoint::kernels {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

isa::Tile from_row(isa::Tile tile, std::int64_t row) {
  if (tile.values != nullptr) tile.values += row * tile.cols;
  return tile;
}

}  // namespace

using isa::CorePort;
using isa::Deps;
using isa::Tile;
using isa::Token;

LinearCore::LinearCore(CorePort& core, const LinearArgs& args, const LinearTiling& tiling,
                       const PanelValues& panel_values)
    : core_(core),
      args_(args),
      t_(tiling),
      panel_values_(panel_values),
      m_(args.x.rows),
      n_(args.w.n),
      k_(args.w.k),
      k_steps_(ceil_div(k_, t_.kt)),
      n_tiles_(ceil_div(n_, t_.nt)),
      chunks_(ceil_div(k_, t_.stage_cols)),
      weights_(core, kWeightSlots, t_.nt, t_.kt, args.w.dtype, args.x.dtype),
      x_ring_(core, t_.x_in_core ? 1 : kActivationSlots, t_.mt, t_.x_in_core ? k_ : t_.kt,
              args.x.dtype),
      acc_free_(static_cast<std::size_t>(t_.accumulators)),
      x_loaded_(static_cast<std::size_t>(t_.x_in_core ? chunks_ : kActivationSlots)),
      widens_(widens(args.w.dtype, args.x.dtype)) {
  if (t_.x_in_shared) stage_.emplace(core, kStageSlots, t_.mt, t_.stage_cols, args.x.dtype);
  if (args.residual) {
    residual_.emplace(core, kResidualSlots, ceil_div(t_.mt, kEpilogueChunks), t_.nt,
                      args.residual->dtype);
  }
  if (args.bias) bias_ = core.tile(1, t_.nt, args.bias->dtype);
  for (std::int64_t i = 0; i < t_.accumulators; ++i) {
    acc_.push_back(core.accumulator(t_.mt, t_.nt));
  }
}

void LinearCore::begin(std::int64_t row_tile) {
  row_tile_ = row_tile;
  m0_ = row_tile * t_.mt;
  rows_ = std::min(t_.mt, m_ - m0_);
  first_ = core_.index();
  const std::int64_t mine = std::max<std::int64_t>(0, ceil_div(n_tiles_ - first_, core_.count()));
  w_base_ += w_next_;
  x_base_ += step_;
  steps_ = mine * k_steps_;
  step_ = 0;
  w_next_ = 0;
  chunk_ = core_.index();
}

bool LinearCore::begin_wave(std::int64_t turn) {
  if (!has_wave(turn)) return false;
  const std::int64_t tile = core_.index() + turn * core_.count();
  const std::int64_t row_tiles = ceil_div(m_, t_.mt);
  const std::int64_t group = tile / (t_.wave_rows * n_tiles_);
  const std::int64_t high = std::min(t_.wave_rows, row_tiles - group * t_.wave_rows);
  const std::int64_t within = tile - group * t_.wave_rows * n_tiles_;
  begin(group * t_.wave_rows + within % high);
  first_ = within / high;
  steps_ = k_steps_;
  if (t_.begin_elements > 0) begin_block(turn);
  return true;
}

// A tile is a thread block, which begins when one before it has given up its accumulator: with two
// of them, while the tile before is multiplied. A lone block stays and takes one tile after the
// other, loading ahead (persistent kernels).
void LinearCore::begin_block(std::int64_t turn) {
  if (t_.stays && turn > 0) return;
  const auto block = [this] { return core_.vector({t_.begin_elements, 1}, {last_matrix_}, [] {}); };
  begun_ = turn > 0 && t_.accumulators > 1 ? next_begun_ : block();
  if (t_.accumulators > 1 && has_wave(turn + 1)) next_begun_ = block();
}

void LinearCore::load_weight() {
  const std::int64_t n0 = (first_ + w_next_ / k_steps_ * core_.count()) * t_.nt;
  const std::int64_t k0 = w_next_ % k_steps_ * t_.kt;
  weights_.load(w_base_ + w_next_++,
                args_.w.block(n0, std::min(t_.nt, n_ - n0), k0, std::min(t_.kt, k_ - k0)),
                {begun_});
}

void LinearCore::widen_until(std::int64_t use) {
  for (const std::int64_t end = std::min(use + 1, w_base_ + w_next_); widened_ < end; ++widened_) {
    const std::int64_t step = widened_ - w_base_;
    const std::int64_t n0 = (first_ + step / k_steps_ * core_.count()) * t_.nt;
    const std::int64_t k0 = step % k_steps_ * t_.kt;
    weights_.widen(widened_, std::min(t_.nt, n_ - n0), std::min(t_.kt, k_ - k0));
  }
}

// Columns [k0, k0 + cols) of the row tile's X. In the shared memory, chunks stand one after the
// other in region (row tile mod shared_panels), each [rows, stage_cols] contiguous, so that a
// core's tile is one long range.
isa::View LinearCore::x_view(std::int64_t k0, std::int64_t cols) const {
  if (!t_.x_in_shared) return args_.x.block(m0_, rows_, k0, cols);
  const std::int64_t c0 = k0 / t_.stage_cols * t_.stage_cols;
  Tensor chunk = args_.x;
  chunk.space = isa::Space::kShared;
  chunk.rows = rows_;
  chunk.cols = std::min(t_.stage_cols, k_ - c0);
  const std::int64_t region = t_.mt * core::bytes_of(chunk.dtype, k_);
  chunk.address = static_cast<std::uint64_t>((row_tile_ % t_.shared_panels) * region +
                                             t_.mt * core::bytes_of(chunk.dtype, c0));
  chunk.values = panel_values_ ? panel_values_->data() + chunk.address : nullptr;
  return chunk.block(0, rows_, k0 - c0, cols);
}

// How many cores must have left the region before it may be filled again.
std::int64_t LinearCore::region_readers() const {
  return t_.x_in_shared && row_tile_ >= t_.shared_panels ? core_.count() : 0;
}

Token LinearCore::region_reader(std::int64_t core) const {
  return core_.shared_token(finished_slot(row_tile_ - t_.shared_panels, core));
}

void LinearCore::stage_chunk() {
  const std::int64_t c0 = chunk_ * t_.stage_cols;
  const std::int64_t cols = std::min(t_.stage_cols, k_ - c0);
  const Tile& tile = stage_->tile(staged_);
  const Token loaded = core_.load(tile, args_.x.block(m0_, rows_, c0, cols));
  const Token stored = core_.store(x_view(c0, cols), tile, {loaded});
  stage_->used(staged_++, stored);
  core_.publish(staged_slot(row_tile_, chunk_), stored);
  chunk_ += core_.count();
}

void LinearCore::load_all_x() {
  if (steps_ == 0) return;
  for (std::int64_t c = 0; c < chunks_; ++c) {
    const std::int64_t c0 = c * t_.stage_cols;
    Tile part = x_ring_.tile(0);
    if (part.values != nullptr) part.values += c0;
    Deps deps;
    if (t_.x_in_shared) deps.add(core_.shared_token(staged_slot(row_tile_, c)));
    x_loaded_[static_cast<std::size_t>(c)] =
        core_.load(part, x_view(c0, std::min(t_.stage_cols, k_ - c0)), deps);
  }
}

void LinearCore::load_x() {
  const std::int64_t k0 = step_ % k_steps_ * t_.kt;
  const std::int64_t use = x_base_ + step_;
  Deps deps;
  if (t_.x_in_shared) deps.add(core_.shared_token(staged_slot(row_tile_, k0 / t_.stage_cols)));
  x_loaded_[static_cast<std::size_t>(use % kActivationSlots)] =
      core_.load(x_ring_.tile(use), x_view(k0, std::min(t_.kt, k_ - k0)), deps);
}

void LinearCore::multiply() {
  const std::int64_t k0 = step_ % k_steps_ * t_.kt;
  const std::int64_t n0 = tile_n0();
  const std::int64_t cols = std::min(t_.nt, n_ - n0);
  const auto which = static_cast<std::size_t>(tiles_done_ % t_.accumulators);
  const std::int64_t w_use = w_base_ + step_;
  const std::int64_t x_use = x_base_ + step_;

  widen_until(w_use + 1);
  isa::MatrixOp op;
  op.acc = acc_[which];
  op.a = x_ring_.tile(t_.x_in_core ? 0 : x_use);
  if (t_.x_in_core && op.a.values != nullptr) op.a.values += k0;
  op.b = weights_.tile(w_use);
  op.m = rows_;
  op.n = cols;
  op.k = std::min(t_.kt, k_ - k0);
  op.accumulate = k0 > 0;
  op.dtype = multiplied_in(args_.w.dtype, args_.x.dtype);
  Deps deps;
  if (k0 == 0) deps = acc_free_[which];
  weights_.add_ready(deps, w_use);
  deps.add(x_loaded_[static_cast<std::size_t>(t_.x_in_core ? k0 / t_.stage_cols
                                                           : x_use % kActivationSlots)]);
  last_matrix_ = core_.matrix(op, deps);
  weights_.used(w_use, last_matrix_);
  if (!t_.x_in_core) x_ring_.used(x_use, last_matrix_);
  ++step_;
  if (step_ % k_steps_ == 0) {
    acc_free_[which] = {};
    finish_tile(n0, cols, acc_[which], acc_free_[which]);
    ++tiles_done_;
  }
}

// (acc += bias, += residual) in row chunks, then the store; `frees` is what the next user of the
// accumulator waits for.
void LinearCore::finish_tile(std::int64_t n0, std::int64_t cols, const Tile& acc, Deps& frees) {
  if (!args_.residual && !args_.bias) {
    frees.add(core_.store(args_.y.block(m0_, rows_, n0, cols), acc, {last_matrix_}));
    return;
  }
  Token bias_loaded;
  if (args_.bias) {
    bias_loaded = core_.load(*bias_, args_.bias->block(0, 1, n0, cols), {bias_free_});
  }
  const std::int64_t chunk = ceil_div(t_.mt, kEpilogueChunks);
  for (std::int64_t r = 0; r < rows_; r += chunk) {
    const std::int64_t rows = std::min(chunk, rows_ - r);
    const Token added = add_epilogue(r, rows, n0, cols, acc, bias_loaded);
    frees.add(core_.store(args_.y.block(m0_ + r, rows, n0, cols), from_row(acc, r), {added}));
  }
}

Token LinearCore::add_epilogue(std::int64_t r, std::int64_t rows, std::int64_t n0,
                               std::int64_t cols, const Tile& acc, Token bias_loaded) {
  Deps deps{last_matrix_, bias_loaded};
  std::optional<Tile> residual;
  if (args_.residual) {
    residual = residual_->tile(residual_uses_);
    deps.add(core_.load(*residual, args_.residual->block(m0_ + r, rows, n0, cols),
                        {residual_->busy(residual_uses_)}));
  }
  const std::int64_t passes = (args_.residual ? 1 : 0) + (args_.bias ? 1 : 0);
  const Tile part = from_row(acc, r);
  const Token added =
      core_.vector({rows * cols, passes}, deps, [part, residual, bias = bias_, rows, cols] {
        for (std::int64_t i = 0; i < rows; ++i) {
          float* out = part.values + i * part.cols;
          for (std::int64_t j = 0; j < cols; ++j) {
            if (bias) out[j] += bias->values[j];
            if (residual) out[j] += residual->values[i * residual->cols + j];
          }
        }
      });
  if (args_.residual) residual_->used(residual_uses_++, added);
  bias_free_ = added;
  return added;
}

void LinearCore::end() {
  if (t_.x_in_shared && row_tile_ + t_.shared_panels < ceil_div(m_, t_.mt)) {
    // A core without tiles here has read nothing: its signal is whatever it did last.
    core_.publish(finished_slot(row_tile_, core_.index()), last_matrix_);
  }
}

}  // namespace ridgepoint::kernels
