// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/transitions.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "sim/dram/address_map.hpp"

namespace ridgepoint::dram {
namespace {

constexpr std::int64_t kMaxLength = 128;
constexpr std::uint32_t kUnshaped = 0xffffffffU;

std::uint64_t mix(std::uint64_t seed, std::uint64_t word) {
  seed = (seed ^ word) * 0x9e3779b97f4a7c15U;
  return seed ^ seed >> 29;
}

}  // namespace

TransitionCache::TransitionCache(std::shared_ptr<const Spec> spec) : spec_(std::move(spec)) {
  shapes_.emplace_back();  // kNoShape
  const AddressMap map(*spec_);
  shape_of_place_.resize(static_cast<std::size_t>((kMaxLength + 1) << map.row_shift()));
}

std::size_t TransitionCache::NameHash::operator()(const StateName& name) const {
  std::uint64_t hash = name.size();
  for (const std::uint64_t word : name) hash = mix(hash, word);
  return hash;
}

std::int32_t TransitionCache::state(const StateName& name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (counts_.bytes > kMaxBytes) return -1;
  const auto number = static_cast<std::int32_t>(states_.size());
  const auto added = numbers_.emplace(name, number).first;
  states_.push_back({&added->first, {}});
  ++counts_.states;
  counts_.bytes += static_cast<std::int64_t>(name.size() * sizeof(std::uint64_t)) + 128;
  return number;
}

const Transition* TransitionCache::find(std::int32_t state, const ChunkKey& key) {
  auto& transitions = states_[index(state)].transitions;
  for (std::size_t place = 0; place < transitions.size(); ++place) {
    if (!(transitions[place]->key == key)) continue;
    ++counts_.followed;
    if (place > 0) std::swap(transitions[place], transitions[place / 2]);
    return transitions[place == 0 ? 0 : place / 2].get();
  }
  return nullptr;
}

void TransitionCache::add(std::int32_t state, Transition transition) {
  ++counts_.transitions;
  counts_.bytes += static_cast<std::int64_t>(
      sizeof(Transition) + transition.issued.size() * sizeof(Transition::Issued) +
      transition.served.size() * sizeof(Transition::Served) +
      transition.banks.size() * sizeof(Transition::BankCount) + 128);
  states_[index(state)].transitions.push_back(std::make_unique<Transition>(std::move(transition)));
}

std::uint32_t TransitionCache::shape(std::int64_t burst, std::int64_t bursts) {
  const std::size_t places = shape_of_place_.size() / (kMaxLength + 1);
  const std::size_t low = static_cast<std::size_t>(burst) & (places - 1);
  std::uint32_t& known = shape_of_place_[low * (kMaxLength + 1) + static_cast<std::size_t>(bursts)];
  if (known == 0) known = make_shape(static_cast<std::int64_t>(low), bursts);
  return known == kUnshaped ? kNoShape : known;
}

std::uint32_t TransitionCache::make_shape(std::int64_t burst, std::int64_t bursts) {
  const AddressMap map(*spec_);
  const int first = map.decode(burst).bank;
  std::vector<std::uint16_t> banks;
  std::uint64_t pattern = static_cast<std::uint64_t>(bursts);
  for (std::int64_t at = burst; at < burst + bursts; ++at) {
    const auto bank = static_cast<std::uint16_t>(map.decode(at).bank ^ first);
    pattern = mix(pattern, bank);
    if (std::find(banks.begin(), banks.end(), bank) == banks.end()) banks.push_back(bank);
  }
  if (banks.size() > kMaxBanks) return kUnshaped;
  const auto [known, fresh] =
      shape_of_pattern_.emplace(pattern, static_cast<std::uint32_t>(shapes_.size()));
  if (fresh) shapes_.push_back({banks});
  return known->second;
}

std::shared_ptr<TransitionCache> transitions_of(const std::shared_ptr<const Spec>& spec) {
  static std::mutex mutex;
  static std::map<const Spec*, std::weak_ptr<TransitionCache>> caches;
  const std::lock_guard lock(mutex);
  std::erase_if(caches, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<TransitionCache>& slot = caches[spec.get()];
  std::shared_ptr<TransitionCache> cache = slot.lock();
  if (cache == nullptr) {
    cache =
        std::make_shared<TransitionCache>(spec);  // keeps the Spec, so its address is not reused
    slot = cache;
  }
  return cache;
}

}  // namespace ridgepoint::dram
