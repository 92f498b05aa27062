// SPDX-License-Identifier: Apache-2.0
// plan: how many requests fit beside the weights; arithmetic only, nothing is simulated.
#include <cmath>
#include <sstream>

#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/plan_input.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/bind_machine.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::Capacity;

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / std::exp2(30); }

void fill(results::Row& row, const Capacity& naive, const Capacity& real, std::int64_t blocks) {
  row.set("weight_bytes", naive.weight_bytes)
      .set("kv_bytes_per_token", naive.kv_bytes_per_token)
      .set("kv_bytes_per_request", naive.kv_bytes_per_request)
      .set("kv_pool_bytes", naive.kv_pool_bytes)
      .set("max_requests_count", naive.max_requests)
      .set("limit", workloads::name_of(naive.limit))
      .set("activation_bytes", real.activation_bytes)
      .set("real_kv_pool_bytes", real.kv_pool_bytes)
      .set("kv_blocks_count", blocks)
      .set("real_max_requests_count", real.max_requests)
      .set("real_limit", workloads::name_of(real.limit));
}

std::string text_of(const Capacity& naive, const Capacity& real, std::int64_t context) {
  std::ostringstream text;
  text.precision(3);
  text << "weights " << gib(naive.weight_bytes) << " GiB, cache "
       << naive.kv_bytes_per_token / 1024.0 << " KiB per token, " << gib(naive.kv_bytes_per_request)
       << " GiB per request of " << context << " tokens\n"
       << "memory alone: " << naive.max_requests
       << " requests (limit: " << workloads::name_of(naive.limit) << ")\n"
       << "with overheads: " << real.max_requests << " requests in " << real.kv_blocks
       << " blocks (limit: " << workloads::name_of(real.limit) << "); activations "
       << gib(real.activation_bytes) << " GiB";
  return text.str();
}

// What the trace's lengths make of each policy; the chosen one goes into the row.
std::string add_trace(const Context& context, results::Row& row, std::int64_t blocks) {
  const config::Options& options = context.options;
  workloads::KvOptions kv;
  kv.geometry.block_tokens = options.integer("serve.block_tokens");
  kv.reserve_tokens = options.integer("serve.reserve_tokens");
  const std::string name = trace_name_of(options);
  std::ostringstream text;
  text.precision(3);
  text << "\nwith the lengths of " << name << ":";
  for (const workloads::KvPolicy& policy : workloads::kv_policies()) {
    const auto trace = trace_of(options, name);
    const workloads::Footprint footprint = workloads::trace_footprint(*trace, policy, kv);
    const double running = footprint.running(blocks, kv.geometry.block_tokens);
    text << "\n  " << policy.name << ": " << running << " requests at once, "
         << 100 * footprint.used_ratio() << " % of their memory in use";
    if (footprint.too_long > 0) text << ", " << footprint.too_long << " requests too long for it";
    if (policy.name != options.text("serve.kv_policy")) continue;
    row.set("trace", name)
        .set("trace_running_count", running)
        .set("trace_kv_used_ratio", footprint.used_ratio())
        .set("trace_too_long_count", static_cast<std::int64_t>(footprint.too_long));
  }
  return text.str();
}

}  // namespace

int plan_command(const Context& context) {
  const config::Options& options = context.options;
  config::machine_config(options);  // one that cannot be holds no requests either
  const workloads::ModelShape& shape = model_of(options);
  const workloads::CapacityInput input = capacity_input_of(options, shape);
  results::TableWriter table = context.table("plan");
  const Capacity naive = workloads::naive_capacity(shape, input);
  const Capacity real = workloads::realistic_capacity(shape, input);
  const std::int64_t blocks =
      options.has("serve.kv_blocks") ? options.integer("serve.kv_blocks") : real.kv_blocks;
  results::Row row(results::table("plan"), options);
  row.set("machine", options.text("machine.name"))
      .set("context_tokens_count", input.context_tokens);
  fill(row, naive, real, blocks);
  const std::string lengths = options.has("serve.trace") ? add_trace(context, row, blocks) : "";
  context.say(text_of(naive, real, input.context_tokens) + lengths);
  table.add(row);
  table.finish();
  return 0;
}

}  // namespace ridgepoint::cli
