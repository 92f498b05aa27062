// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/serve_setting.hpp"

#include <cmath>

#include "sim/cli/model_options.hpp"
#include "sim/cli/plan_input.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::cli {
namespace {

workloads::AdmissionPolicy admission_of(const std::string& text) {
  if (text == "first-chunk") return workloads::AdmissionPolicy::kFirstChunk;
  if (text == "full-length") return workloads::AdmissionPolicy::kFullLength;
  return workloads::AdmissionPolicy::kFullInput;
}

workloads::Nanoseconds level_of(const config::Options& options, std::string_view key) {
  return options.has(key) ? std::llround(options.real(key) * 1e6) : workloads::kForever;
}

}  // namespace

workloads::EngineOptions engine_options_of(const config::Options& options,
                                           const ServeSetting& setting) {
  workloads::EngineOptions engine;
  workloads::SchedulerLimits& limits = engine.limits;
  limits.max_num_batched_tokens = options.integer("serve.max_batch_tokens");
  limits.max_num_seqs = options.integer("serve.max_num_seqs");
  limits.long_prefill_threshold = options.integer("serve.long_prefill_threshold");
  limits.max_model_len = setting.max_model_len;
  limits.chunked_prefill = options.enabled("serve.chunked_prefill");
  limits.admission = admission_of(options.text("serve.admission"));
  limits.watermark_blocks = static_cast<std::int64_t>(options.real("serve.watermark") *
                                                      static_cast<double>(setting.kv_blocks));
  if (options.text("serve.preemption") == "swap") {
    limits.preemption = workloads::Preemption::kSwap;
  }
  engine.warmup_requests = static_cast<std::uint64_t>(options.integer("serve.warmup"));
  engine.closed_loop = options.integer("serve.closed_loop");
  engine.host_link_gb_per_s = options.real("serve.host_link_gb_per_s");
  engine.kv_bytes_per_token = setting.real.kv_bytes_per_token;
  engine.levels.ttft = level_of(options, "serve.slo_ttft_ms");
  engine.levels.tpot = level_of(options, "serve.slo_tpot_ms");
  engine.levels.e2e = level_of(options, "serve.slo_e2e_ms");
  return engine;
}

workloads::KvOptions kv_options_of(const config::Options& options, const ServeSetting& setting,
                                   const std::string& model) {
  workloads::KvOptions kv;
  kv.geometry.blocks = setting.kv_blocks;
  kv.geometry.block_tokens = options.integer("serve.block_tokens");
  kv.geometry.block_bytes = kv.geometry.block_tokens * setting.real.kv_bytes_per_token;
  kv.policy = options.text("serve.kv_policy");
  kv.reserve_tokens = options.integer("serve.reserve_tokens");
  kv.prefix_cache = options.enabled("serve.prefix_cache");
  kv.pin_tokens = options.integer("serve.pin_tokens");
  kv.pin_share = options.real("serve.pin_share");
  kv.salt = model + '/' + options.text("run.kv_dtype");
  return kv;
}

ServeSetting serve_setting_of(const config::Options& options, const workloads::ModelShape& shape) {
  ServeSetting setting;
  workloads::CapacityInput input = capacity_input_of(options, shape);
  setting.naive = workloads::naive_capacity(shape, input);
  setting.real = workloads::realistic_capacity(shape, input);
  setting.kv_blocks =
      options.has("serve.kv_blocks") ? options.integer("serve.kv_blocks") : setting.real.kv_blocks;
  setting.max_model_len = options.has("serve.max_model_len")
                              ? options.integer("serve.max_model_len")
                              : shape.max_context;
  if (setting.max_model_len > shape.max_context) {
    options.fail("serve.max_model_len", "is beyond the model " + shape.name,
                 "at most " + std::to_string(shape.max_context) + " tokens");
  }
  if (setting.kv_blocks < 2) {
    throw core::InputError("weights of " + std::to_string(setting.real.weight_bytes) +
                           " bytes leave no room for cache in the machine's memory; accepted: a "
                           "smaller model or --weight-dtype, more --machine.memory_gib or "
                           "--utilization, or less --overhead-gib");
  }
  setting.trace = trace_name_of(options);
  setting.model = shape.name;
  return setting;
}

workloads::MachineStepSpec step_spec_of(const config::Options& options,
                                        const ServeSetting& setting) {
  workloads::MachineStepSpec spec;
  spec.formats = formats_of(options);
  spec.kv_blocks = setting.kv_blocks;
  spec.block_tokens = options.integer("serve.block_tokens");
  spec.max_batch_tokens = options.integer("serve.max_batch_tokens");
  spec.max_num_seqs = options.integer("serve.max_num_seqs");
  spec.memory_bytes = static_cast<std::uint64_t>(config::memory_bytes(options));
  spec.seed = static_cast<std::uint64_t>(options.integer("general.seed"));
  return spec;
}

}  // namespace ridgepoint::cli
