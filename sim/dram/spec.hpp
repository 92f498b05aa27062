// SPDX-License-Identifier: Apache-2.0
// A checked Config with everything derived from it: geometry, the tick clock, timings and rules in
// ticks. Built once per machine; channels share it and never change it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/dram/config.hpp"
#include "sim/dram/standard.hpp"

namespace ridgepoint::dram {

using Tick = core::Cycle;

class AddressMap;

// Flat banks first, first + stride, ... that a command addresses.
struct BankSet {
  int first;
  int stride;
  int count;
};

// Banks of a channel are numbered flat: ((pc * stack_ids + sid) * bank_groups + bg) * banks + bank.
struct Geometry {
  int pseudo_channels;
  int stack_ids;
  int bank_groups;
  int banks;  // per bank group
  std::int64_t rows;
  int columns;  // bursts per row
  int burst_bytes;

  int banks_per_stack_id() const { return bank_groups * banks; }
  int banks_per_pseudo_channel() const { return stack_ids * banks_per_stack_id(); }
  int total_banks() const { return pseudo_channels * banks_per_pseudo_channel(); }
  std::int64_t channel_bytes() const { return rows * columns * burst_bytes * total_banks(); }
  int nodes(Scope scope) const { return total_banks() / banks_per_node(scope); }
  int node_of(Scope scope, int flat_bank) const { return flat_bank / banks_per_node(scope); }
  // The same as a shift: banks_per_node() is a power of two.
  int node_shift(Scope scope) const {
    return std::countr_zero(static_cast<unsigned>(banks_per_node(scope)));
  }
  int banks_per_node(Scope scope) const;
  // `flat_bank`: any bank that the command addresses.
  BankSet addressed(Command command, int flat_bank) const;
};

// A TimingRule with its latency in ticks.
struct Rule {
  Scope scope;
  CommandSet from;
  CommandSet to;
  Tick ticks;
  int window;
  bool siblings;
  std::string text;  // "bank group: WR,WRA -> RD,RDA: tCWL + tBURST + tWTR_L"
};

struct Spec {
  Config config;
  const Standard* standard;
  Geometry geometry;
  int channels;  // over all stacks
  core::Clock tick_clock;
  double peak_gb_per_s;                                 // over all channels
  std::map<std::string, Tick, std::less<>> timings;     // every named timing, tRFC and tBURST
  std::map<std::string, double, std::less<>> energies;  // see energy.hpp
  std::vector<Rule> rules;                              // the table, then bus occupancy rules
  std::array<int, kCommandKinds> align;                 // ticks, a power of two
  Tick row_timeout;
  Tick act_to_refresh;  // how long an ACT holds back a same-bank refresh of its stack id; else 0
  std::shared_ptr<const AddressMap> map;

  Tick timing(std::string_view name) const;    // throws InputError when unknown
  double energy(std::string_view name) const;  // the same
  Tick align_up(Command command, Tick tick) const {
    const Tick mask = align[static_cast<std::size_t>(command)] - 1;
    return (tick + mask) & ~mask;
  }
  std::int64_t total_bytes() const { return geometry.channel_bytes() * channels; }
};

// Throws InputError naming the key, the value and what is accepted.
Spec resolve(const Config& config);

}  // namespace ridgepoint::dram
