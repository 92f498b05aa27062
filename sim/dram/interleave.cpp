// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/interleave.hpp"

#include <algorithm>
#include <bit>

#include "sim/core/error.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

Interleave::Interleave(int channels, std::int64_t granule_bytes, bool hash)
    : channels_(channels),
      granule_shift_(std::countr_zero(static_cast<std::uint64_t>(granule_bytes))),
      hash_(hash) {
  if (channels < 1 || granule_bytes < 1 ||
      !std::has_single_bit(static_cast<std::uint64_t>(granule_bytes))) {
    throw core::InputError("interleave needs a channel and a power-of-two granule, got " +
                           std::to_string(channels) + " and " + std::to_string(granule_bytes));
  }
}

Interleave::Interleave(const Spec& spec)
    : Interleave(spec.channels, spec.config.interleave_bytes, spec.config.interleave_hash) {}

std::uint64_t Interleave::rotation(std::uint64_t stripe) const {
  if (!hash_) return 0;
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output
  // bit.
  std::uint64_t value = stripe / 4 + 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return (value ^ (value >> 31)) % static_cast<std::uint64_t>(channels_);
}

Piece Interleave::locate(std::uint64_t address) const {
  const auto count = static_cast<std::uint64_t>(channels_);
  const std::uint64_t granule = address >> granule_shift_;
  const std::uint64_t offset = address & ((std::uint64_t{1} << granule_shift_) - 1);
  const std::uint64_t stripe = granule / count;
  return {static_cast<int>((granule + rotation(stripe)) % count),
          (stripe << granule_shift_) + offset, (std::uint64_t{1} << granule_shift_) - offset};
}

std::uint64_t Interleave::global(int channel, std::uint64_t local) const {
  const auto count = static_cast<std::uint64_t>(channels_);
  const std::uint64_t stripe = local >> granule_shift_;
  const std::uint64_t offset = local & ((std::uint64_t{1} << granule_shift_) - 1);
  // (granule + rotation) mod C = channel and granule / C = stripe, with stripe * C = 0 mod C.
  const std::uint64_t within =
      (static_cast<std::uint64_t>(channel) + count - rotation(stripe)) % count;
  return ((stripe * count + within) << granule_shift_) + offset;
}

void Interleave::split(std::uint64_t address, std::uint64_t bytes, std::vector<Piece>& out) const {
  if (bytes == 0) return;
  const auto count = static_cast<std::uint64_t>(channels_);
  const std::uint64_t end = address + bytes;
  const std::uint64_t first = address >> granule_shift_;
  const std::uint64_t last = (end - 1) >> granule_shift_;
  const std::uint64_t first_stripe = first / count;
  const std::uint64_t last_stripe = last / count;
  const std::uint64_t first_rotation = rotation(first_stripe);
  const std::uint64_t last_rotation = rotation(last_stripe);
  // Position of a channel's granule within a stripe.
  const auto within = [&](std::uint64_t channel, std::uint64_t stripe_rotation) {
    return (channel + count - stripe_rotation) % count;
  };
  // Every channel of the range starts in its first or its second stripe.
  const std::uint64_t stop = std::min(last, (first_stripe + 2) * count - 1);
  std::uint64_t stripe_rotation = first_rotation;
  for (std::uint64_t granule = first; granule <= stop; ++granule) {
    const bool second = granule >= (first_stripe + 1) * count;
    if (granule == (first_stripe + 1) * count) stripe_rotation = rotation(first_stripe + 1);
    const std::uint64_t channel = (granule + stripe_rotation) % count;
    if (second && within(channel, first_rotation) >= first % count) continue;  // seen before
    const std::uint64_t skipped = granule == first ? address - (first << granule_shift_) : 0;
    const std::uint64_t start = ((first_stripe + second) << granule_shift_) + skipped;
    // The channel's last granule lies in the last stripe if its place there is within the range.
    const std::uint64_t place = within(channel, last_rotation);
    std::uint64_t stripes = last_stripe + (place <= last % count);
    std::uint64_t local_end = stripes << granule_shift_;
    if (place == last % count) local_end -= ((last + 1) << granule_shift_) - end;
    out.push_back({static_cast<int>(channel), start, local_end - start});
  }
}

}  // namespace ridgepoint::dram
