// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/plan_input.hpp"

#include <cmath>

#include "sim/config/bind_machine.hpp"
#include "sim/core/dtype.hpp"

namespace ridgepoint::cli {
namespace {

core::DType dtype_of(const config::Options& options, std::string_view key) {
  const auto dtype = core::dtype_from_name(options.text(key));
  if (!dtype) options.fail(key, "is not a number format", core::dtype_names());
  return *dtype;
}

}  // namespace

workloads::CapacityInput capacity_input_of(const config::Options& options,
                                           const workloads::ModelShape& shape) {
  workloads::CapacityInput input;
  input.memory_bytes = config::memory_bytes(options);
  input.context_tokens = options.integer("run.context");
  if (input.context_tokens == 0) input.context_tokens = shape.max_context;
  input.weight_dtype = dtype_of(options, "run.weight_dtype");
  input.kv_dtype = dtype_of(options, "run.kv_dtype");
  input.activation_dtype = dtype_of(options, "run.act_dtype");
  input.block_tokens = options.integer("serve.block_tokens");
  input.utilization = options.real("serve.utilization");
  input.overhead_bytes = std::llround(options.real("serve.overhead_gib") * std::exp2(30));
  input.max_batch_tokens = options.integer("serve.max_batch_tokens");
  input.max_num_seqs = options.integer("serve.max_num_seqs");
  return input;
}

}  // namespace ridgepoint::cli
