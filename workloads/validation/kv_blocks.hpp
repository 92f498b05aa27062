// SPDX-License-Identifier: Apache-2.0
// Numbers of cache blocks that serving engines logged at their start, and what the arithmetic of
// `plan` makes of the same model, memory and settings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/models/shape.hpp"
#include "workloads/serving/capacity.hpp"

namespace ridgepoint::workloads {

struct LoggedBlocks {
  std::string model, gpu, settings;  // as the log names them
  core::DType kv_dtype = core::DType::kFp16;
  std::int64_t blocks = 0;  // where only tokens were logged: tokens / block_tokens
  std::int64_t block_tokens = 16;
  // What the log says of them; else the caller's.
  std::optional<double> utilization;
  std::optional<std::int64_t> max_batch_tokens, max_num_seqs;

  std::string case_name() const { return model + " on " + gpu; }
};

// Columns model,gpu,dtype_kv,settings,num_gpu_blocks,block_size,kv_tokens,max_model_len; others are
// ignored. Of the settings, "util X", "mbt N" and "seqs N" are read; without an "mbt", an engine
// that takes whole prompts has a step of max_model_len tokens. InputError at a bad cell.
std::vector<LoggedBlocks> read_logged_blocks(const std::string& path);

// The name of `names` that `text` stands for: lower case, without a publisher before a slash, a
// remark in parentheses and, where needed, a tuning or a memory size at its end ("MI300X 192GB" is
// mi300x, "Llama-2-7b-chat-hf" llama-2-7b). Empty: none.
std::string registered_name(const std::string& text, std::span<const std::string> names);

// Blocks in `memory_bytes`; `defaults` gives what the log leaves open.
std::int64_t predicted_blocks(const LoggedBlocks& logged, const ModelShape& shape,
                              CapacityInput defaults);

}  // namespace ridgepoint::workloads
