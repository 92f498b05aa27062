// SPDX-License-Identifier: Apache-2.0
// Channel-local address -> pseudo-channel, stack id, bank group, bank, row, column.
//
// A map is a list of fields from the most to the least significant, each with a number of bits;
// a field without a number takes all of its bits that no other entry names. "row" comes first, so
// that the number of rows need not be a power of two:
//     row bank bg:1 sid col:3 bg:1 pc col
// With bank_hash, bank-group, bank and stack-id bits are XORed with the row's low bits and the
// pseudo-channel with the row's parity, which spreads strides over them. The map stays one to one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgepoint::dram {

struct Spec;

struct DramAddress {
  int bank = 0;  // flat in the channel, see Geometry
  std::int64_t row = 0;
  int column = 0;  // in bursts
  friend bool operator==(const DramAddress&, const DramAddress&) = default;
};

class AddressMap {
 public:
  // Throws InputError for a map that does not name every bit exactly once.
  explicit AddressMap(const Spec& spec);

  // `burst` = local address / burst bytes, below Geometry::channel_bytes / burst bytes.
  DramAddress decode(std::int64_t burst) const {
    const Low low = low_[static_cast<std::size_t>(burst & low_mask_)];
    const std::int64_t row = burst >> low_bits_;
    return {static_cast<int>(low.bank ^ hash(row)), row, low.column};
  }
  int column(std::int64_t burst) const {
    return low_[static_cast<std::size_t>(burst & low_mask_)].column;
  }
  std::int64_t encode(const DramAddress& address) const;

  // Neighbouring bursts that share a row: aligned groups of this many, a power of two.
  int run_bursts() const { return run_bursts_; }
  // Runs of an aligned group of cycle_runs() are in rows of different banks, and those of the next
  // groups in the same rows again, until cycle_bursts() bursts end. Both are powers of two.
  int cycle_runs() const { return cycle_runs_; }
  int cycle_bursts() const { return cycle_bursts_; }
  // By how many bursts of the channel two columns of a row are apart: the difference of these.
  const std::uint32_t* places() const { return places_.data(); }

 private:
  unsigned hash(std::int64_t row) const {
    const auto bits = static_cast<unsigned>(row);
    return (bits & hash_mask_) ^ (__builtin_parity(bits) != 0 ? parity_mask_ : 0U);
  }

  struct Low {
    std::uint16_t bank;
    std::uint16_t column;
  };
  int low_bits_ = 0;
  std::int64_t low_mask_ = 0;
  unsigned hash_mask_ = 0;
  unsigned parity_mask_ = 0;
  std::vector<Low> low_;                // all bits below the row
  std::vector<std::uint32_t> inverse_;  // bank * columns + column -> low bits
  std::vector<std::uint32_t> places_;   // by column
  int columns_ = 0;
  int run_bursts_ = 1;
  int cycle_runs_ = 1;
  int cycle_bursts_ = 1;
};

}  // namespace ridgepoint::dram
