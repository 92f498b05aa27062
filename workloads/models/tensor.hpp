// SPDX-License-Identifier: Apache-2.0
// One stored matrix of a model, and the list of those a model must have. Plain bytes in host
// memory; nothing here knows file formats or simulated addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/dtype.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// rows x cols, row-major, packed. A matrix is [out, in]: y = W·x. A vector is one row.
struct Tensor {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  core::DType dtype = core::DType::kFp32;  // kFp32, kFp16 or kBf16
  std::vector<std::byte> bytes;
  std::string stored_as;  // the file's own word: "F32", "Q8_0", ...; "" if made here

  std::int64_t size() const { return rows * cols; }
  // Views of the bytes; CheckError unless dtype has that width.
  std::span<const float> floats() const;
  std::span<const std::uint16_t> halves() const;
  std::span<float> mutable_floats();
};

// Zeros. dtype: kFp32, kFp16 or kBf16 (CheckError otherwise).
Tensor make_tensor(std::string name, std::int64_t rows, std::int64_t cols, core::DType dtype);

std::vector<float> to_floats(const Tensor& tensor);
// Round to nearest even; overflow goes to infinity. Same restriction on dtype as make_tensor.
Tensor converted(const Tensor& tensor, core::DType dtype);

struct TensorSpec {
  std::string name;
  std::int64_t rows;
  std::int64_t cols;
};

// The names, with d = d_model, in this order:
//   embedding [vocab, d], position_embedding [max_context, d] (learned positions only),
//   layers.N.  attn_norm [1, d], q [q_dim, d], k [kv_dim, d], v [kv_dim, d], o [d, q_dim],
//              q_norm, k_norm [1, head_dim] (qk_norm), sinks [1, heads] (attention_sinks),
//              ffn_norm [1, d], attn_post_norm, ffn_post_norm [1, d] (four norms per layer),
//              gate [ffn, d] (gated), up [ffn, d], down [d, ffn];
//              each with X_bias [1, out] after X where the shape has it,
//   final_norm [1, d], lm_head [vocab, d] (untied only).
// Latent attention, in place of q to k_norm: q_down [q_lora, d] and q_down_norm (q_lora > 0),
//   q [heads (nope + rope), q_lora or d], kv_down [kv_lora + rope, d], kv_down_norm [1, kv_lora],
//   uk [heads nope, kv_lora], uv [heads v_dim, kv_lora], o [d, heads v_dim].
// Expert layers, in place of gate to down: router [experts, d]; experts.E. gate, up, down with the
//   expert's width; shared. gate, up, down with the width of all shared experts together.
// Rows of q and k are in interleaved rotary order: dimensions 2i and 2i+1 form a pair.
std::vector<TensorSpec> tensor_specs(const ModelShape& shape);

// "layers.3.q"
std::string layer_tensor(std::int64_t layer, std::string_view part);

}  // namespace ridgepoint::workloads
