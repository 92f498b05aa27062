// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/sampling/sample.hpp"

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Deps;
using isa::Ring;
using isa::Tile;
using isa::Token;

constexpr std::int64_t kSlots = 2;
constexpr std::int64_t kChunk = 8192;  // logits per load
constexpr std::int64_t kPasses = 2;    // compare, select

isa::Program program(CorePort& core, std::shared_ptr<const SampleArgs> args) {
  const std::int64_t vocab = args->logits.cols;
  if (core.index() >= args->logits.rows) co_return;
  Ring ring(core, kSlots, 1, std::min(kChunk, vocab), args->logits.dtype);
  const Tile result = core.tile(1, 1, core::DType::kFp32);
  std::vector<float> row_values(core.values() ? static_cast<std::size_t>(vocab) : 0);
  float* const row = row_values.data();
  std::int64_t use = 0;
  Token stored;
  for (std::int64_t r = core.index(); r < args->logits.rows; r += core.count()) {
    co_await isa::until(core, stored);  // row_values and result are free again
    Token compared;
    for (std::int64_t c0 = 0; c0 < vocab; c0 += kChunk, ++use) {
      const std::int64_t cols = std::min(kChunk, vocab - c0);
      const Token busy = ring.busy(use);
      co_await isa::until(core, busy);
      const Tile tile = ring.tile(use);
      const Token loaded = core.load(tile, args->logits.block(r, 1, c0, cols));
      compared = core.vector({cols, kPasses}, {loaded},
                             [tile, row, c0, cols] { std::copy_n(tile.values, cols, row + c0); });
      ring.used(use, compared);
    }
    const Token chosen = core.vector({1, 1}, {compared}, [args, row, r, result] {
      args->choose(r, row);
      result.values[0] = 0;
    });
    stored = core.store(args->chosen.block(r, 1, 0, 1), result, {chosen});
  }
  co_await isa::until(core, stored);  // row_values must outlive the last command
}

}  // namespace

isa::Kernel sample(const isa::CoreShape& shape, const SampleArgs& args, const std::string& name) {
  (void)shape;
  auto shared = std::make_shared<const SampleArgs>(args);
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "sampling";
  kernel.key = "sample rows=" + std::to_string(args.logits.rows) +
               " vocab=" + std::to_string(args.logits.cols);
  kernel.model_bytes = static_cast<double>(
      args.logits.bytes() + args.chosen.row_bytes() * static_cast<std::uint64_t>(args.logits.rows));
  kernel.program = [shared](CorePort& core) { return program(core, shared); };
  return kernel;
}

}  // namespace ridgepoint::kernels
