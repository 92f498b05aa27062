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
constexpr std::int64_t kChunk = 8192;  // most logits per load
constexpr std::int64_t kLeastChunk = 256;
constexpr std::int64_t kPasses = 2;  // compare, select

std::int64_t chunk_bytes(const SampleArgs& args, std::int64_t chunk) {
  return kSlots * core::bytes_of(args.logits.dtype, chunk) + core::bytes_of(core::DType::kFp32, 1);
}

std::int64_t chunk_of(const isa::CoreShape& shape, const SampleArgs& args) {
  std::int64_t chunk = kChunk;
  while (chunk > kLeastChunk && chunk_bytes(args, chunk) > shape.scratchpad_bytes) chunk /= 2;
  return std::min(chunk, args.logits.cols);
}

isa::Program program(CorePort& core, std::shared_ptr<const SampleArgs> args, std::int64_t chunk) {
  const std::int64_t vocab = args->logits.cols;
  if (core.index() >= args->logits.rows) co_return;
  Ring ring(core, kSlots, 1, chunk, args->logits.dtype);
  const Tile result = core.tile(1, 1, core::DType::kFp32);
  std::vector<float> row_values(core.values() ? static_cast<std::size_t>(vocab) : 0);
  float* const row = row_values.data();
  std::int64_t use = 0;
  Token stored;
  for (std::int64_t r = core.index(); r < args->logits.rows; r += core.count()) {
    co_await isa::until(core, stored);  // row_values and result are free again
    Token compared;
    for (std::int64_t c0 = 0; c0 < vocab; c0 += chunk, ++use) {
      const std::int64_t cols = std::min(chunk, vocab - c0);
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
  auto shared = std::make_shared<const SampleArgs>(args);
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "sampling";
  kernel.key = "sample rows=" + std::to_string(args.logits.rows) +
               " vocab=" + std::to_string(args.logits.cols);
  kernel.model_bytes = static_cast<double>(
      args.logits.bytes() + args.chosen.row_bytes() * static_cast<std::uint64_t>(args.logits.rows));
  kernel.least.scratchpad = chunk_bytes(args, chunk_of(shape.without_memories(), args));
  kernel.program = [shared, chunk = chunk_of(shape, args)](CorePort& core) {
    return program(core, shared, chunk);
  };
  return kernel;
}

}  // namespace ridgepoint::kernels
