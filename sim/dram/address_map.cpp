// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/address_map.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <sstream>

#include "sim/core/error.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {
namespace {

enum Field : std::size_t { kPc, kSid, kBg, kBank, kCol, kFields };
constexpr std::array<std::string_view, kFields> kFieldNames{"pc", "sid", "bg", "bank", "col"};

struct Entry {
  std::size_t field;
  int bits;  // -1: the rest
};

[[noreturn]] void fail(const std::string& map, const std::string& what) {
  core::fail_input({}, "hbm.address_map", map, what,
                   "'row' and then pc, sid, bg, bank, col with optional ':bits', for example "
                   "'row bank bg:1 sid col:3 bg:1 pc col'");
}

Entry parse_entry(const std::string& map, const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  for (std::size_t field = 0; field < kFields; ++field) {
    if (name != kFieldNames[field]) continue;
    int bits = -1;
    if (colon != std::string::npos) {
      const char* end = word.data() + word.size();
      const auto parsed = std::from_chars(word.data() + colon + 1, end, bits);
      if (parsed.ptr != end || parsed.ec != std::errc{} || bits < 0 || bits > 16) {
        fail(map, "has a bad number of bits in '" + word + "'");
      }
    }
    return {field, bits};
  }
  fail(map, "has an unknown field '" + word + "'");
}

std::vector<Entry> parse(const std::string& map, const std::array<int, kFields>& widths) {
  std::istringstream words(map);
  std::string word;
  if (!(words >> word) || word != "row") fail(map, "does not start with 'row'");
  std::vector<Entry> entries;
  std::array<int, kFields> left = widths;
  std::array<int, kFields> open{};
  while (words >> word) {
    const Entry entry = parse_entry(map, word);
    if (entry.bits < 0) ++open[entry.field];
    if (entry.bits > 0) left[entry.field] -= entry.bits;
    entries.push_back(entry);
  }
  for (std::size_t field = 0; field < kFields; ++field) {
    const std::string name(kFieldNames[field]);
    if (open[field] > 1) fail(map, "leaves the width of '" + name + "' open twice");
    if (left[field] < 0 || (left[field] > 0 && open[field] == 0)) {
      fail(map, "does not name the " + std::to_string(widths[field]) + " bits of '" + name +
                    "' exactly once");
    }
  }
  for (Entry& entry : entries) {
    if (entry.bits < 0) entry.bits = left[entry.field];
  }
  return entries;
}

int log2_of(int value) { return std::countr_zero(static_cast<unsigned>(value)); }

}  // namespace

AddressMap::AddressMap(const Spec& spec) : columns_(spec.geometry.columns) {
  const Geometry& geometry = spec.geometry;
  const std::array<int, kFields> widths{log2_of(geometry.pseudo_channels),
                                        log2_of(geometry.stack_ids), log2_of(geometry.bank_groups),
                                        log2_of(geometry.banks), log2_of(geometry.columns)};
  const std::string text = spec.config.address_map.empty() ? std::string(spec.standard->default_map)
                                                           : spec.config.address_map;
  const std::vector<Entry> entries = parse(text, widths);
  for (const int width : widths) low_bits_ += width;
  low_mask_ = (std::int64_t{1} << low_bits_) - 1;
  auto at = entries.rbegin();
  for (; at != entries.rend() && at->field == kCol; ++at) run_bursts_ <<= at->bits;
  for (; at != entries.rend() && at->field != kCol; ++at) cycle_runs_ <<= at->bits;
  cycle_bursts_ = run_bursts_ * cycle_runs_;
  for (; at != entries.rend() && at->field == kCol; ++at) cycle_bursts_ <<= at->bits;
  if (spec.config.bank_hash) {
    hash_mask_ = static_cast<unsigned>(geometry.banks_per_pseudo_channel()) - 1;
    parity_mask_ = static_cast<unsigned>(geometry.total_banks()) - 1 - hash_mask_;
  }
  low_.resize(std::size_t{1} << low_bits_);
  places_.resize(static_cast<std::size_t>(columns_));
  inverse_.resize(low_.size());
  for (std::size_t low = 0; low < low_.size(); ++low) {
    std::array<int, kFields> value{};
    std::array<int, kFields> filled{};
    int shift = 0;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      const int bits = static_cast<int>(low >> shift) & ((1 << entry->bits) - 1);
      value[entry->field] |= bits << filled[entry->field];
      filled[entry->field] += entry->bits;
      shift += entry->bits;
    }
    const int bank =
        ((value[kPc] * geometry.stack_ids + value[kSid]) * geometry.bank_groups + value[kBg]) *
            geometry.banks +
        value[kBank];
    low_[low] = {static_cast<std::uint16_t>(bank), static_cast<std::uint16_t>(value[kCol])};
    inverse_[static_cast<std::size_t>(bank * columns_ + value[kCol])] =
        static_cast<std::uint32_t>(low);
    if (bank == 0) places_[static_cast<std::size_t>(value[kCol])] = static_cast<std::uint32_t>(low);
  }
}

std::int64_t AddressMap::encode(const DramAddress& address) const {
  const int bank = address.bank ^ static_cast<int>(hash(address.row));
  const std::uint32_t low = inverse_[static_cast<std::size_t>(bank * columns_ + address.column)];
  return address.row << low_bits_ | low;
}

}  // namespace ridgepoint::dram
