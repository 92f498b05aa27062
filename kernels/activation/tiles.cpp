// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/activation/activation.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kPasses = 4;  // exp, add, divide, multiply

float silu(float x) { return x / (1.0f + std::exp(-x)); }

float gelu(float x) {
  constexpr float kSqrtTwoOverPi = 0.7978845608028654f;
  return 0.5f * x * (1.0f + std::tanh(kSqrtTwoOverPi * (x + 0.044715f * x * x * x)));
}

float clamped_swiglu(float gate, float up) {
  constexpr float kLimit = 7.0f, kSlope = 1.702f;
  const float g = std::min(gate, kLimit);
  return g / (1.0f + std::exp(-kSlope * g)) * (std::clamp(up, -kLimit, kLimit) + 1.0f);
}

float activated(Nonlinearity kind, float gate, float up) {
  switch (kind) {
    case Nonlinearity::kSwiGlu:
      return silu(gate) * up;
    case Nonlinearity::kGeGlu:
      return gelu(gate) * up;
    case Nonlinearity::kSwiGluClamped:
      return clamped_swiglu(gate, up);
    case Nonlinearity::kGelu:
      break;
  }
  return gelu(gate);
}

}  // namespace

isa::Kernel activation(const isa::CoreShape& shape, const ActivationArgs& args,
                       const std::string& name) {
  const std::int64_t f = args.y.cols;
  const bool gated = args.kind != Nonlinearity::kGelu;
  Rowwise spec;
  spec.rows = args.y.rows;
  spec.cols = f;
  spec.split_cols = true;
  spec.out_cols = f;
  spec.out_dtype = args.y.dtype;
  spec.passes = kPasses;
  for (std::int64_t part = 0; part < (gated ? 2 : 1); ++part) {
    spec.inputs.push_back({f, args.x.dtype, [args, f, part](const Block& b) {
                             return args.x.block(b.r0, b.rows, part * f + b.c0, b.cols);
                           }});
  }
  spec.stores = [args](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.y.block(b.r0, b.rows, b.c0, b.cols), 0});
  };
  spec.compute = [kind = args.kind](const Block& b, const std::vector<isa::Tile>& in,
                                    const std::vector<isa::Tile>&, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      for (std::int64_t c = 0; c < b.cols; ++c) {
        const float gate = in[0].values[r * in[0].cols + c];
        const float up = in.size() > 1 ? in[1].values[r * in[1].cols + c] : 0;
        out.values[r * out.cols + c] = activated(kind, gate, up);
      }
    }
  };
  return rowwise(shape, spec, name, "activation",
                 "activation rows=" + std::to_string(spec.rows) + " f=" + std::to_string(f) +
                     " kind=" + std::to_string(static_cast<int>(args.kind)) +
                     " x=" + std::string(name_of(args.x.dtype)));
}

}  // namespace ridgepoint::kernels
