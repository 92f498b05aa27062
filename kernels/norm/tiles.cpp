// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/norm/norm.hpp"
#include "kernels/rowwise.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kPasses = 3;  // sum of squares (and mean), scale, weight

void rms_row(const float* x, const float* weight, float* y, std::int64_t d, float eps) {
  float sum = 0;
  for (std::int64_t i = 0; i < d; ++i) sum += x[i] * x[i];
  const float scale = 1.0f / std::sqrt(sum / static_cast<float>(d) + eps);
  for (std::int64_t i = 0; i < d; ++i) y[i] = weight[i] * (scale * x[i]);
}

void layer_row(const float* x, const float* weight, const float* bias, float* y, std::int64_t d,
               float eps) {
  float mean = 0;
  for (std::int64_t i = 0; i < d; ++i) mean += x[i];
  mean /= static_cast<float>(d);
  float variance = 0;
  for (std::int64_t i = 0; i < d; ++i) variance += (x[i] - mean) * (x[i] - mean);
  const float scale = 1.0f / std::sqrt(variance / static_cast<float>(d) + eps);
  for (std::int64_t i = 0; i < d; ++i) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

}  // namespace

isa::Kernel norm(const isa::CoreShape& shape, const NormArgs& args, const std::string& name) {
  const std::int64_t d = args.x.cols;
  Rowwise spec;
  spec.rows = args.y.rows;
  spec.cols = d;
  spec.out_cols = d;
  spec.out_dtype = args.y.dtype;
  spec.passes = kPasses;
  spec.inputs.push_back({d, args.x.dtype, [args, d](const Block& b) {
                           return args.gather != nullptr
                                      ? args.x.gather(args.gather + b.r0, b.rows, 0, d)
                                      : args.x.block(b.r0, b.rows, 0, d);
                         }});
  if (args.residual) {
    spec.passes += 1;
    spec.inputs.push_back({d, args.residual->dtype, [args, d](const Block& b) {
                             return args.residual->block(b.r0, b.rows, 0, d);
                           }});
  }
  for (const Tensor* constant : {&args.weight, args.bias ? &*args.bias : nullptr}) {
    if (constant == nullptr) continue;
    spec.constants.push_back({d, constant->dtype, [tensor = *constant, d](const Block&) {
                                return tensor.block(0, 1, 0, d);
                              }});
  }
  spec.stores = [args, d](const Block& b, std::vector<RowStore>& out) {
    out.push_back({args.y.block(b.r0, b.rows, 0, d), 0});
  };
  spec.compute = [d, eps = static_cast<float>(args.eps)](
                     const Block& b, const std::vector<isa::Tile>& in,
                     const std::vector<isa::Tile>& constants, const isa::Tile& out) {
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const float* x = in[0].values + r * in[0].cols;
      float* y = out.values + r * out.cols;
      if (constants.size() == 1) {
        rms_row(x, constants[0].values, y, d, eps);
      } else {
        layer_row(x, constants[0].values, constants[1].values, y, d, eps);
      }
      if (in.size() > 1) {
        const float* residual = in[1].values + r * in[1].cols;
        for (std::int64_t i = 0; i < d; ++i) y[i] += residual[i];
      }
    }
  };
  return rowwise(shape, spec, name, "norm",
                 "norm rows=" + std::to_string(spec.rows) + " d=" + std::to_string(d) +
                     (args.bias ? " layer" : " rms") + (args.gather != nullptr ? " gather" : "") +
                     (args.residual ? " residual" : "") +
                     " x=" + std::string(name_of(args.x.dtype)));
}

}  // namespace ridgepoint::kernels
