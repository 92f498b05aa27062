// SPDX-License-Identifier: Apache-2.0
// Published kernel measurements as files: one CSV per family, columns by header name. Reading and
// checking only; what a row means on a machine is in cases.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/dtype.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text_lines.hpp"

namespace ridgepoint::workloads {

enum class MeasuredFamily : std::uint8_t {
  kGemm,              // Y[m, n] = X[m, k] W[n, k]^T
  kLinearLayer,       // the four GEMMs of one transformer layer, summed
  kDecodeAttention,   // one new token per sequence after kv_tokens cached ones
  kPrefillAttention,  // causal attention over a whole prompt
};
inline constexpr std::size_t kMeasuredFamilies = 4;

// "gemm", "linear_layer", ...: also the file's name without ".csv".
std::string_view name_of(MeasuredFamily family);
std::span<const MeasuredFamily> measured_families();

struct MeasuredRow {
  MeasuredFamily family = MeasuredFamily::kGemm;
  std::string machine;  // as the file names it
  std::string source;   // engine, or the model of a linear layer
  core::DType dtype = core::DType::kBf16;
  std::int64_t m = 0, n = 0, k = 0;  // GEMM; m also the tokens of a linear layer
  std::int64_t batch = 0, tokens = 0, q_heads = 0, kv_heads = 0, head_dim = 0;
  double measured_us = 0;
  core::Location where;

  // Number of the row's shape (its sizes, whatever machine, engine and format) among those of its
  // family, in file order.
  std::int64_t shape = 0;

  // "vllm m=1 n=4096 k=4096": unique within machine and family.
  std::string case_name() const;
  // The sizes alone: " m=1 n=4096 k=4096"; of a linear layer also the model.
  std::string shape_name() const;
};

// Columns (others are ignored):
//   gemm               machine,engine,dtype,m,n,k,latency_us
//   linear_layer       machine,model,tokens,four_gemms_us
//   decode_attention   machine,engine,batch,kv_tokens,q_heads,kv_heads,head_dim,kv_dtype,latency_us
//   prefill_attention  machine,engine,batch,prompt_tokens,q_heads,...
// Throws InputError naming file:line:column, column and cell: a missing column, a bad number, an
// unknown format, q_heads that are no multiple of kv_heads, a case that stands there twice.
std::vector<MeasuredRow> read_measured(MeasuredFamily family, core::TextLines lines);

// The path of every family's file in `folder`, in the order above, and of kv_blocks.csv behind
// them (kv_blocks.hpp reads it), whether it is there or not.
std::vector<std::string> measured_files(const std::string& folder);

// Every family's file that is in `folder`, in the order above; InputError if there is none of
// measured_files().
std::vector<MeasuredRow> read_measured_folder(const std::string& folder);

}  // namespace ridgepoint::workloads
