// SPDX-License-Identifier: Apache-2.0
// Patterns made from the memory's own geometry, channel by channel, whatever the address map:
//   conflict  always the same bank, and every time its next row
//   rowmiss   every time the next bank (pseudo-channels and bank groups first), and the next row
//             once all banks had their turn
#include "sim/cli/dram/pattern.hpp"
#include "sim/dram/address_map.hpp"
#include "sim/dram/interleave.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::cli {
namespace {

class BankPattern : public Pattern {
 public:
  BankPattern(const PatternConfig& config, const dram::Spec& spec)
      : Pattern(config),
        geometry_(spec.geometry),
        map_(spec),
        interleave_(spec),
        channels_(static_cast<std::uint64_t>(spec.channels)) {}

 protected:
  // The n-th place in a channel; rows are taken modulo what the banks have.
  virtual dram::DramAddress place(std::int64_t n) const = 0;
  const dram::Geometry& geometry() const { return geometry_; }

 private:
  std::uint64_t address() override {
    dram::DramAddress at = place(static_cast<std::int64_t>(index_ / channels_));
    at.row %= geometry_.rows;
    return interleave_.global(static_cast<int>(index_ % channels_),
                              static_cast<std::uint64_t>(map_.encode(at) * geometry_.burst_bytes));
  }
  dram::Geometry geometry_;
  dram::AddressMap map_;
  dram::Interleave interleave_;
  std::uint64_t channels_;
};

class Conflict : public BankPattern {
 public:
  using BankPattern::BankPattern;

 private:
  dram::DramAddress place(std::int64_t n) const override { return {0, n, 0}; }
};

class RowMiss : public BankPattern {
 public:
  using BankPattern::BankPattern;

 private:
  dram::DramAddress place(std::int64_t n) const override {
    const auto digit = [&n](int base) {
      const auto value = static_cast<int>(n % base);
      n /= base;
      return value;
    };
    const dram::Geometry& g = geometry();
    const int pc = digit(g.pseudo_channels);
    const int group = digit(g.bank_groups);
    const int bank = digit(g.banks);
    const int sid = digit(g.stack_ids);
    return {((pc * g.stack_ids + sid) * g.bank_groups + group) * g.banks + bank, n, 0};
  }
};

}  // namespace

std::unique_ptr<Source> make_conflict(const PatternConfig& config, const dram::Spec& spec) {
  return std::make_unique<Conflict>(config, spec);
}

std::unique_ptr<Source> make_rowmiss(const PatternConfig& config, const dram::Spec& spec) {
  return std::make_unique<RowMiss>(config, spec);
}

}  // namespace ridgepoint::cli
