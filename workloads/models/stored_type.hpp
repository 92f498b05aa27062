// SPDX-License-Identifier: Apache-2.0
// How numbers lie in a weight file, and reading one tensor of them. Internal to the loaders.
#pragma once

#include <cstdint>
#include <string_view>

#include "workloads/models/binary_file.hpp"
#include "workloads/models/tensor.hpp"

namespace ridgepoint::workloads {

enum class StoredType : std::uint8_t { kF32, kF16, kBf16, kQ8_0, kQ4_0 };

std::string_view name_of(StoredType type);
// Elements that share a scale; 1 for plain numbers.
std::int64_t block_size(StoredType type);
// `count` must be a multiple of the block size.
std::int64_t stored_bytes(StoredType type, std::int64_t count);

// Reads spec.rows x spec.cols numbers at `offset`. Q8_0 (34 bytes: fp16 scale, 32 int8) and Q4_0
// (18 bytes: fp16 scale, 16 bytes whose low nibbles are elements 0..15, high ones 16..31; minus 8)
// are expanded to fp32. InputError past the end of the file or where a number is not finite.
Tensor read_tensor(BinaryFile& file, std::uint64_t offset, const TensorSpec& spec, StoredType type);

// InputError naming file, tensor and element unless every number is finite.
void require_finite(const BinaryFile& file, const Tensor& tensor);

// In every head, moves rows (or, of a vector, elements) from half-split rotary order, where i and
// i + rotary_dim/2 form a pair, to interleaved order, where 2i and 2i + 1 do. Elements from
// rotary_dim on stay.
void interleave_heads(Tensor& tensor, std::int64_t head_dim, std::int64_t rotary_dim);

}  // namespace ridgepoint::workloads
