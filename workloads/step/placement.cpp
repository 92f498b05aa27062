// SPDX-License-Identifier: Apache-2.0
// Addresses, storage and conversion of values; which tensors there are is in placement_parts.cpp.
#include "workloads/step/placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/narrow_formats.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::uint64_t kAlignment = 4096;

std::string size(std::uint64_t bytes) {
  const bool large = bytes >= std::uint64_t{1} << 30;
  char text[40];
  std::snprintf(text, sizeof text, "%.2f %s",
                std::ceil(static_cast<double>(bytes) / (large ? 1 << 30 : 1 << 20) * 100) / 100,
                large ? "GiB" : "MiB");
  return text;
}

}  // namespace

Placement::Placement(const ModelShape& shape, const PlacementSpec& spec)
    : shape_(shape), spec_(spec) {
  place(nullptr);
}

Placement::Placement(const LoadedModel& model, const PlacementSpec& spec)
    : shape_(model.shape), spec_(spec), has_values_(true) {
  if (spec.assume_fits) {
    throw core::SimulationError("a model with values must fit the memory");
  }
  const Placement sizes(model.shape, spec);  // too large is said before values take host memory
  place(&model);
}

// A block of a format with scales must not be cut between heads or by a layer's width.
void Placement::check_formats() const {
  const core::DType act = spec_.formats.activations;
  const std::int64_t block = core::block_of(act);
  std::int64_t narrowest = shape_.mla ? shape_.mla->qk_rope : shape_.head_dim;
  for (const std::int64_t width : {narrowest, shape_.d_model, shape_.ffn_dim}) {
    if (width % block != 0) {
      core::fail_input({}, "--act-dtype", std::string(core::name_of(act)),
                       "has blocks of " + std::to_string(block) + " numbers, which " +
                           std::to_string(width) + " of the model " + shape_.name +
                           " are not a multiple of",
                       "fp32, fp16, bf16, fp8, fp8_e5m2");
    }
  }
}

std::uint64_t Placement::allocate(std::uint64_t bytes, const char* what) {
  const std::uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  next_ += whole;
  largest_ = std::max(largest_, whole);
  parts_[what] += whole;
  if (spec_.assume_fits && at_ + whole > spec_.memory_bytes) at_ = 0;
  const std::uint64_t address = at_;
  at_ += whole;
  return address;
}

void Placement::check_fits() const {
  const std::uint64_t need = spec_.assume_fits ? largest_ : next_;
  if (need <= spec_.memory_bytes) return;
  std::string parts;
  for (const auto& [what, bytes] : parts_) {
    parts += (parts.empty() ? "" : ", ") + std::string(what) + ' ' + size(bytes);
  }
  core::fail_input({}, "", "",
                   "the model " + shape_.name + " does not fit the memory of " +
                       size(spec_.memory_bytes) + ": it needs " + size(need) + " (" +
                       (spec_.assume_fits ? "its largest tensor" : parts) + ')',
                   "--machine.memory_gib of " + size(need) +
                       " or more; another model, a smaller batch, context or format, or, for time "
                       "alone, --assume-fits");
}

void* Placement::values_for(std::uint64_t bytes) {
  if (!has_values_) return nullptr;
  storage_.push_back(std::make_unique<std::byte[]>(bytes));
  return storage_.back().get();
}

void* Placement::stacked_values(const LoadedModel* model, const Names& names, std::int64_t cols,
                                core::DType dtype, float& scale) {
  if (model == nullptr) return nullptr;
  std::vector<float> all;
  for (const std::string& name : names) {
    const std::vector<float> part = to_floats(model->tensor(name));
    all.insert(all.end(), part.begin(), part.end());
  }
  float largest = 0;
  for (const float value : all) largest = std::max(largest, std::fabs(value));
  scale = core::tensor_scale(dtype, largest);
  const auto rows = static_cast<std::int64_t>(all.size()) / cols;
  const std::int64_t row_bytes = core::bytes_of(dtype, cols);
  auto* values = static_cast<std::byte*>(values_for(static_cast<std::uint64_t>(rows * row_bytes)));
  for (std::int64_t r = 0; r < rows; ++r) {
    core::encode_row(dtype, all.data() + r * cols, cols, scale, values + r * row_bytes);
  }
  return values;
}

kernels::Tensor Placement::table(const LoadedModel* model, const Names& names, std::int64_t rows,
                                 std::int64_t cols, core::DType dtype) {
  kernels::Tensor tensor;
  tensor.traffic = core::Traffic::kWeight;
  tensor.dtype = dtype;
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.address = allocate(tensor.bytes(), "weights");
  tensor.values = stacked_values(model, names, cols, dtype, tensor.scale);
  return tensor;
}

kernels::Tensor Placement::vector(const LoadedModel* model, const std::string& name,
                                  std::int64_t cols) {
  return table(model, {name}, 1, cols, core::DType::kFp32);
}

kernels::Weight Placement::matrix(const LoadedModel* model, const Names& names, std::int64_t n,
                                  std::int64_t k) {
  kernels::Weight weight;
  weight.dtype = spec_.formats.weights;
  weight.n = n;
  weight.k = k;
  weight.panel_rows = spec_.panel_rows;
  weight.address = allocate(weight.footprint_bytes(), "weights");
  weight.values = stacked_values(model, names, k, weight.dtype, weight.scale);
  return weight;
}

kernels::GroupedWeight Placement::grouped(const LoadedModel* model, const Names& names,
                                          std::int64_t groups, std::int64_t rows, std::int64_t cols,
                                          std::int64_t panel_rows) {
  kernels::GroupedWeight weight;
  weight.dtype = spec_.formats.weights;
  weight.groups = groups;
  weight.rows = rows;
  weight.cols = cols;
  weight.panel_rows = panel_rows;
  weight.address = allocate(weight.footprint_bytes(), "weights");
  weight.values = stacked_values(model, names, cols, weight.dtype, weight.scale);
  return weight;
}

kernels::Tensor Placement::activation(std::int64_t rows, std::int64_t cols, core::DType dtype) {
  kernels::Tensor tensor;
  tensor.dtype = dtype;
  tensor.rows = rows;
  tensor.cols = cols;
  tensor.address = allocate(tensor.bytes(), "activations");
  tensor.values = values_for(tensor.bytes());
  return tensor;
}

}  // namespace ridgepoint::workloads
