// SPDX-License-Identifier: Apache-2.0
// Global address -> channel and channel-local address, for any number of channels.
//
// The address space is cut into granules; each run of C consecutive granules (a stripe) uses every
// channel once. Every four stripes are rotated by a hash of their number, so that no stride camps
// on few channels, while a stride of whole stripes still finds four neighbours in one DRAM row:
//     channel = (granule + mix(granule / C / 4)) mod C,   local granule = granule / C.
// A contiguous global range is therefore one contiguous local range per channel, except that the
// range's first and last stripes may leave a channel without its first or last granule.
#pragma once

#include <cstdint>
#include <vector>

namespace ridgepoint::dram {

struct Spec;

struct Piece {
  int channel = 0;
  std::uint64_t address = 0;  // bytes, local to the channel
  std::uint64_t bytes = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

class Interleave {
 public:
  Interleave(int channels, std::int64_t granule_bytes, bool hash);
  explicit Interleave(const Spec& spec);

  int channels() const { return channels_; }
  // `bytes` of the result: what is left of the granule at `address`.
  Piece locate(std::uint64_t address) const;
  std::uint64_t global(int channel, std::uint64_t local) const;

  // Appends the pieces of [address, address + bytes), at most one per channel, in order of each
  // channel's first byte. O(pieces), whatever the length.
  void split(std::uint64_t address, std::uint64_t bytes, std::vector<Piece>& out) const;

 private:
  std::uint64_t rotation(std::uint64_t stripe) const;

  int channels_;
  int granule_shift_;
  bool hash_;
};

}  // namespace ridgepoint::dram
