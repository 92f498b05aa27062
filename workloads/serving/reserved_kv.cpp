// SPDX-License-Identifier: Apache-2.0
// KV memory reserved at admission for a final length and never grown, as engines without paging
// do: a maximum for all, the next power of two, or the exact final length known to an oracle.
// Reservations are whole blocks anywhere in the pool: external fragmentation of contiguous
// reservations is not modelled, so these policies look better here than they were.
#include <bit>

#include "workloads/serving/kv_policies.hpp"

namespace ridgepoint::workloads {
namespace {

using Reserve = std::int64_t (*)(const KvOptions& options, std::int64_t final_tokens);

std::int64_t reserve_maximum(const KvOptions& options, std::int64_t) {
  return options.reserve_tokens;
}
std::int64_t reserve_power_of_two(const KvOptions&, std::int64_t final_tokens) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(final_tokens)));
}
std::int64_t reserve_exactly(const KvOptions&, std::int64_t final_tokens) { return final_tokens; }

class ReservedKv final : public KvMemory {
 public:
  ReservedKv(const KvOptions& options, Reserve reserve)
      : KvMemory(options.geometry), options_(options), reserve_(reserve) {}

  bool can_ever_hold(const Request& request, std::int64_t spare_blocks) const override {
    const std::int64_t reserved = reserved_tokens(request);
    return request.prompt_tokens + request.output_tokens <= reserved &&
           blocks_for(reserved) + spare_blocks <= pool_.usable_blocks();
  }

  std::int64_t find_prefix(Request&) override { return 0; }

  bool admit(Request& request, std::int64_t, std::int64_t, const Admission& rule) override {
    const std::int64_t blocks = blocks_for(reserved_tokens(request));
    if (blocks + rule.spare_blocks > pool_.free_blocks()) return false;
    for (std::int64_t i = 0; i < blocks; ++i) request.blocks.push_back(pool_.take());
    return true;
  }

  bool extend(Request& request, std::int64_t new_tokens) override {
    return blocks_for(request.computed + new_tokens) <=
           static_cast<std::int64_t>(request.blocks.size());
  }

  std::int64_t promised_blocks(const Request&) const override { return 0; }

 private:
  std::int64_t reserved_tokens(const Request& request) const {
    return reserve_(options_, request.prompt_tokens + request.output_tokens);
  }

  KvOptions options_;
  Reserve reserve_;
};

template <Reserve kReserve>
KvPolicy policy(std::string_view name, std::string_view meaning) {
  return {name, meaning,
          [](const KvOptions& options) -> std::unique_ptr<KvMemory> {
            return std::make_unique<ReservedKv>(options, kReserve);
          },
          [](const KvOptions& options, std::int64_t final_tokens, std::int64_t) {
            const std::int64_t size = options.geometry.block_tokens;
            return (kReserve(options, final_tokens) + size - 1) / size * size;
          }};
}

}  // namespace

KvPolicy max_length_policy() {
  return policy<reserve_maximum>("max-length", "every request reserves the same maximum");
}
KvPolicy power_of_two_policy() {
  return policy<reserve_power_of_two>("pow2", "the next power of two of the final length");
}
KvPolicy oracle_policy() {
  return policy<reserve_exactly>("oracle", "the exact final length, known in advance");
}

}  // namespace ridgepoint::workloads
