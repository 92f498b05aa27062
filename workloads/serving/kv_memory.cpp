// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/kv_memory.hpp"

#include "sim/core/error.hpp"
#include "workloads/serving/kv_policies.hpp"

namespace ridgepoint::workloads {

void KvMemory::commit(const Request& request, std::int64_t new_tokens) {
  const std::int64_t size = pool_.geometry().block_tokens;
  const std::int64_t end = request.computed + new_tokens;
  for (std::int64_t block = request.computed / size; block * size < end; ++block) {
    pool_.set_filled(request.blocks[static_cast<std::size_t>(block)],
                     static_cast<std::int32_t>(std::min(size, end - block * size)));
  }
}

void KvMemory::release(Request& request) {
  for (auto block = request.blocks.rbegin(); block != request.blocks.rend(); ++block) {
    pool_.drop(*block);
  }
  request.blocks.clear();
  request.published = 0;
}

const std::vector<KvPolicy>& kv_policies() {
  static const std::vector<KvPolicy> policies{paged_policy(), max_length_policy(),
                                              power_of_two_policy(), oracle_policy()};
  return policies;
}

const KvPolicy& find_kv_policy(std::string_view name) {
  std::string names;
  for (const KvPolicy& policy : kv_policies()) {
    if (policy.name == name) return policy;
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  }
  core::fail_input({}, "--kv-policy", std::string(name), "unknown policy", names);
}

std::unique_ptr<KvMemory> make_kv_memory(const KvOptions& options) {
  return find_kv_policy(options.policy).make(options);
}

}  // namespace ridgepoint::workloads
