// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/grouped/grouped.hpp"
#include "kernels/grouped/plan.hpp"
#include "kernels/linear/slots.hpp"
#include "kernels/operand_stream.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Deps;
using isa::Ring;
using isa::Tile;
using isa::Token;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Job {
  GroupedArgs args;
  GroupedPlan plan;
};

// One core's tiles, K step by K step; methods issue commands and never wait.
class GroupedCore {
 public:
  GroupedCore(CorePort& core, const Job& job, const std::vector<GroupedTile>& tiles)
      : core_(core),
        args_(job.args),
        t_(job.plan.tiling),
        tiles_(tiles),
        k_steps_(ceil_div(args_.k(), t_.kt)),
        weights_(core, kWeightSlots, args_.transposed ? t_.kt : t_.nt,
                 args_.transposed ? t_.nt : t_.kt, args_.w.dtype, args_.x.dtype),
        x_ring_(core, t_.x_in_core ? t_.x_slots : kActivationSlots, t_.mt,
                t_.x_in_core ? args_.k() : t_.kt, args_.x.dtype),
        x_loaded_(static_cast<std::size_t>(x_ring_.slots())),
        acc_free_(kAccumulators) {
    for (std::size_t i = 0; i < kAccumulators; ++i) {
      acc_.push_back(core.accumulator(t_.mt, t_.nt));
    }
    if (args_.bias) bias_ = core.tile(1, t_.nt, args_.bias->dtype);
  }

  std::int64_t steps() const { return static_cast<std::int64_t>(tiles_.size()) * k_steps_; }
  // Widening runs a step ahead of the product, but not into rows of X that have no slot yet.
  std::int64_t lag() const { return widens(args_.w.dtype, args_.x.dtype) ? 1 : 0; }
  bool must_finish_before(std::int64_t step) const {
    return t_.x_in_core && t_.x_slots == 1 && needs_x(step);
  }
  bool needs_x(std::int64_t step) const {
    if (!t_.x_in_core) return true;
    if (step % k_steps_ != 0) return false;
    const std::int64_t tile = step / k_steps_;
    return tile == 0 || at(tile).panel != at(tile - 1).panel;
  }
  Token x_slot() const { return x_ring_.busy(x_uses_); }
  void load_x(std::int64_t step);
  Token weight_slot(std::int64_t step) const { return weights_.slot(step); }
  void load_weight(std::int64_t step);
  void multiply(std::int64_t step);

 private:
  static constexpr std::size_t kAccumulators = 2;

  const GroupedTile& at(std::int64_t tile) const { return tiles_[static_cast<std::size_t>(tile)]; }
  std::int64_t k0_of(std::int64_t step) const { return step % k_steps_ * t_.kt; }
  std::int64_t k_of(std::int64_t step) const { return std::min(t_.kt, args_.k() - k0_of(step)); }
  void finish(const GroupedTile& tile, const Tile& acc, Deps& frees);

  CorePort& core_;
  const GroupedArgs& args_;
  const GroupedTiling& t_;
  const std::vector<GroupedTile>& tiles_;
  std::int64_t k_steps_;
  OperandStream weights_;
  Ring x_ring_;
  std::vector<Token> x_loaded_;
  std::vector<Tile> acc_;
  std::vector<Deps> acc_free_;
  std::optional<Tile> bias_;
  std::int64_t x_uses_ = 0;      // loads of X so far
  std::int64_t x_reading_ = -1;  // load that the products read
  Token last_matrix_, bias_free_;
};

void GroupedCore::load_x(std::int64_t step) {
  const GroupedTile& tile = at(step / k_steps_);
  const std::int64_t k0 = t_.x_in_core ? 0 : k0_of(step);
  const std::int64_t cols = t_.x_in_core ? args_.k() : k_of(step);
  const std::int64_t row = tile.group.x_row + tile.m0, column = tile.group.x_column + k0;
  const isa::View view = args_.gather != nullptr
                             ? args_.x.gather(args_.gather + row, tile.rows, column, cols)
                             : args_.x.block(row, tile.rows, column, cols);
  x_loaded_[static_cast<std::size_t>(x_uses_ % x_ring_.slots())] =
      core_.load(x_ring_.tile(x_uses_), view);
  ++x_uses_;
}

void GroupedCore::load_weight(std::int64_t step) {
  const GroupedTile& tile = at(step / k_steps_);
  const Weight weight = args_.w.at(tile.group.weight);
  const std::int64_t k0 = k0_of(step), k = k_of(step);
  weights_.load(step, args_.transposed ? weight.block(k0, k, tile.n0, tile.cols)
                                       : weight.block(tile.n0, tile.cols, k0, k));
  if (args_.transposed) {
    weights_.widen(step, k, tile.cols);
  } else {
    weights_.widen(step, tile.cols, k);
  }
}

void GroupedCore::multiply(std::int64_t step) {
  const std::int64_t index = step / k_steps_;
  const GroupedTile& tile = at(index);
  const auto which = static_cast<std::size_t>(index) % kAccumulators;
  const std::int64_t k0 = k0_of(step);
  if (needs_x(step)) ++x_reading_;
  isa::MatrixOp op;
  op.acc = acc_[which];
  op.a = x_ring_.tile(x_reading_);
  if (t_.x_in_core && op.a.values != nullptr) op.a.values += k0;
  op.b = weights_.tile(step);
  op.m = tile.rows;
  op.n = tile.cols;
  op.k = k_of(step);
  op.accumulate = k0 > 0;
  op.b_is_kn = args_.transposed;
  op.dtype = multiplied_in(args_.w.dtype, args_.x.dtype);
  Deps deps;
  if (k0 == 0) deps = acc_free_[which];
  deps.add(x_loaded_[static_cast<std::size_t>(x_reading_ % x_ring_.slots())]);
  weights_.add_ready(deps, step);
  last_matrix_ = core_.matrix(op, deps);
  weights_.used(step, last_matrix_);
  x_ring_.used(x_reading_, last_matrix_);
  if ((step + 1) % k_steps_ != 0) return;
  acc_free_[which] = {};
  finish(tile, acc_[which], acc_free_[which]);
}

void GroupedCore::finish(const GroupedTile& tile, const Tile& acc, Deps& frees) {
  Token ready = last_matrix_;
  if (bias_) {
    const Token loaded = core_.load(
        *bias_, args_.bias->block(tile.group.weight, 1, tile.n0, tile.cols), {bias_free_});
    ready = core_.vector({tile.rows * tile.cols, 1}, {last_matrix_, loaded},
                         [acc, bias = *bias_, rows = tile.rows, cols = tile.cols] {
                           for (std::int64_t i = 0; i < rows; ++i) {
                             for (std::int64_t j = 0; j < cols; ++j) {
                               acc.values[i * acc.cols + j] += bias.values[j];
                             }
                           }
                         });
    bias_free_ = ready;
  }
  frees.add(core_.store(args_.y.block(tile.group.y_row + tile.m0, tile.rows,
                                      tile.group.y_column + tile.n0, tile.cols),
                        acc, {ready}));
}

isa::Program program(CorePort& core, std::shared_ptr<const Job> job) {
  const auto& tiles = job->plan.by_core[static_cast<std::size_t>(core.index())];
  if (tiles.empty()) co_return;
  GroupedCore work(core, *job, tiles);
  std::int64_t multiplied = 0;
  for (std::int64_t step = 0; step < work.steps(); ++step) {
    if (work.must_finish_before(step)) {
      while (multiplied < step) work.multiply(multiplied++);
    }
    if (work.needs_x(step)) {
      const Token x_slot = work.x_slot();
      co_await isa::until(core, x_slot);
      work.load_x(step);
    }
    const Token slot = work.weight_slot(step);
    co_await isa::until(core, slot);
    work.load_weight(step);
    while (multiplied + work.lag() <= step) work.multiply(multiplied++);
  }
  while (multiplied < work.steps()) work.multiply(multiplied++);
}

std::string key_of(const GroupedArgs& args, const std::vector<LinearGroup>& groups) {
  std::string key =
      "grouped n=" + std::to_string(args.n()) + " k=" + std::to_string(args.k()) +
      " w=" + std::string(name_of(args.w.dtype)) + " x=" + std::string(name_of(args.x.dtype)) +
      " y=" + std::string(name_of(args.y.dtype)) + " xcols=" + std::to_string(args.x.cols) +
      " ycols=" + std::to_string(args.y.cols) + (args.transposed ? " transposed" : "") +
      (args.bias ? " bias" : "") + (args.gather != nullptr ? " gather" : "") + " rows=";
  std::size_t same = 0;
  for (std::size_t i = 0; i < groups.size(); i += same) {
    for (same = 1; i + same < groups.size() && groups[i + same].rows == groups[i].rows;) ++same;
    key += std::to_string(same) + 'x' + std::to_string(groups[i].rows) + ',';
  }
  return key;
}

}  // namespace

Weight GroupedWeight::at(std::int64_t group) const {
  Weight weight{dtype, rows, cols, panel_rows, address, values, scale};
  weight.address += static_cast<std::uint64_t>(group) * weight.footprint_bytes();
  if (values != nullptr) {
    weight.values = static_cast<char*>(values) + group * rows * weight.row_bytes();
  }
  return weight;
}

Weight GroupedWeight::stacked() const {
  if (rows % panel_rows != 0) {
    throw core::SimulationError("grouped weight: matrices are not whole panels");
  }
  return {dtype, groups * rows, cols, panel_rows, address, values, scale};
}

std::uint64_t GroupedWeight::footprint_bytes() const {
  return static_cast<std::uint64_t>(groups) * at(0).footprint_bytes();
}

isa::Kernel grouped_linear(const isa::CoreShape& shape, const GroupedArgs& args,
                           const std::string& name) {
  const std::vector<LinearGroup> groups = args.groups();
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "linear";
  kernel.key = key_of(args, groups);
  std::int64_t rows = 0;
  for (const LinearGroup& group : groups) rows += group.rows;
  kernel.flops = 2.0 * static_cast<double>(rows) * static_cast<double>(args.n() * args.k());
  kernel.model_bytes = grouped_bytes(shape, args);
  kernel.least = grouped_least(shape, args);
  auto job = std::make_shared<std::shared_ptr<const Job>>();
  kernel.program = [shape, args, job](CorePort& core) {
    if (!*job) *job = std::make_shared<Job>(Job{args, plan_grouped(shape, args)});
    return program(core, *job);
  };
  return kernel;
}

}  // namespace ridgepoint::kernels
