// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/host.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/require.hpp"

// One body, compiled for each vector width; the loader picks. (GCC extension.)
#if defined(__x86_64__)
#define RIDGEPOINT_EACH_WIDTH \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RIDGEPOINT_EACH_WIDTH
#endif

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kTileRows = 8;              // of x, and
constexpr std::int64_t kTileOutputs = 2 * kLanes;  // outputs, whose sums stay in registers
constexpr std::int64_t kPanelK = 512;              // inputs of a packed panel: 64 KiB

using Vector __attribute__((vector_size(kLanes * sizeof(float)))) = float;
// The same anywhere in an array of floats.
using Unaligned __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias)) = float;

Vector load(const float* from) { return *reinterpret_cast<const Unaligned*>(from); }

// Dot products of one row of x with every weight row, four streams at a time.
RIDGEPOINT_EACH_WIDTH
void row_times_weight(const float* x, const float* weight, std::int64_t k, std::int64_t outputs,
                      float* y) {
  const std::int64_t whole = k / kLanes * kLanes;
  constexpr std::int64_t kStreams = 4;
  for (std::int64_t n = 0; n < outputs; n += kStreams) {
    const std::int64_t streams = std::min(kStreams, outputs - n);
    Vector sums[kStreams] = {};
    for (std::int64_t i = 0; i < whole; i += kLanes) {
      const Vector a = load(x + i);
      for (std::int64_t s = 0; s < kStreams; ++s) {
        sums[s] += a * load(weight + (n + (s < streams ? s : 0)) * k + i);
      }
    }
    for (std::int64_t s = 0; s < streams; ++s) {
      float sum = 0;
      for (std::int64_t j = 0; j < kLanes; ++j) sum += sums[s][j];
      for (std::int64_t i = whole; i < k; ++i) sum += x[i] * weight[(n + s) * k + i];
      y[n + s] = sum;
    }
  }
}

// [depth, kTileOutputs] of weight rows n0.., zeros beyond `width` of them.
void pack(const float* weight, std::int64_t k, std::int64_t depth, std::int64_t width,
          float* packed) {
  for (std::int64_t j = 0; j < kTileOutputs; ++j) {
    for (std::int64_t i = 0; i < depth; ++i) {
      packed[i * kTileOutputs + j] = j < width ? weight[j * k + i] : 0;
    }
  }
}

// sums[kTileRows, kTileOutputs] += x[kTileRows, depth] · packed; `rows` points at the rows of x.
RIDGEPOINT_EACH_WIDTH
void tile_times_panel(const float* const* rows, const float* packed, std::int64_t depth,
                      float* sums) {
  Vector c[kTileRows][2];
  for (std::int64_t r = 0; r < kTileRows; ++r) {
    c[r][0] = load(sums + r * kTileOutputs);
    c[r][1] = load(sums + r * kTileOutputs + kLanes);
  }
  for (std::int64_t i = 0; i < depth; ++i) {
    const Vector b0 = load(packed + i * kTileOutputs);
    const Vector b1 = load(packed + i * kTileOutputs + kLanes);
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      c[r][0] += rows[r][i] * b0;
      c[r][1] += rows[r][i] * b1;
    }
  }
  std::memcpy(sums, c, sizeof c);
}

// y[M, width] (+)= x[M, depth] · weight[width, depth]; the inputs before these are in y already.
void panel(const float* x, std::int64_t m, const float* weight, std::int64_t k, std::int64_t depth,
           std::int64_t width, bool first, float* y, std::int64_t outputs) {
  alignas(64) static thread_local float packed[kPanelK * kTileOutputs];
  pack(weight, k, depth, width, packed);
  for (std::int64_t m0 = 0; m0 < m; m0 += kTileRows) {
    const std::int64_t rows = std::min(kTileRows, m - m0);
    const float* in[kTileRows];
    for (std::int64_t r = 0; r < kTileRows; ++r) in[r] = x + (m0 + std::min(r, rows - 1)) * k;
    alignas(64) float sums[kTileRows * kTileOutputs] = {};
    for (std::int64_t r = 0; !first && r < rows; ++r) {
      std::copy_n(y + (m0 + r) * outputs, width, sums + r * kTileOutputs);
    }
    tile_times_panel(in, packed, depth, sums);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(sums + r * kTileOutputs, width, y + (m0 + r) * outputs);
    }
  }
}

}  // namespace

void linear_host(std::span<const float> x, std::span<const float> weight, std::int64_t k,
                 std::span<float> y) {
  const auto columns = static_cast<std::size_t>(k);
  require(k > 0 && x.size() % columns == 0, "linear: x is not [M, K]");
  require(weight.size() % columns == 0, "linear: weight is not [N, K]");
  const auto m = static_cast<std::int64_t>(x.size() / columns);
  const auto outputs = static_cast<std::int64_t>(weight.size() / columns);
  require_size(y.size(), m * outputs, "linear: y");
  if (m < kTileRows / 2) {
    for (std::int64_t r = 0; r < m; ++r) {
      row_times_weight(&x[static_cast<std::size_t>(r * k)], weight.data(), k, outputs,
                       &y[static_cast<std::size_t>(r * outputs)]);
    }
    return;
  }
  // The block of x, [M, kPanelK], stays in the cache for all outputs.
  for (std::int64_t k0 = 0; k0 < k; k0 += kPanelK) {
    for (std::int64_t n0 = 0; n0 < outputs; n0 += kTileOutputs) {
      panel(x.data() + k0, m, weight.data() + n0 * k + k0, k, std::min(kPanelK, k - k0),
            std::min(kTileOutputs, outputs - n0), k0 == 0, y.data() + n0, outputs);
    }
  }
}

}  // namespace ridgepoint::kernels
