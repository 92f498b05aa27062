// SPDX-License-Identifier: Apache-2.0
// Everything about the memory that can be configured, as plain values. Bandwidth that is achieved
// is an outcome and never stands here: target_gb_per_s only chooses the pin data rate.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ridgepoint::dram {

enum class SchedulerKind : std::uint8_t {
  kFcfs,    // per pseudo-channel and direction: the oldest request only
  kFrFcfs,  // open-row requests first, then the oldest
};
enum class RowPolicy : std::uint8_t {
  kOpen,     // a row stays open until another row of its bank, or a refresh, needs it closed
  kClosed,   // the last queued request to a row closes it (RDA/WRA)
  kTimeout,  // as open, and an unused row is closed after row_timeout_ns
};
enum class RefreshMode : std::uint8_t {
  kNone,
  kAllBank,   // REFab: a stack id at a time
  kPerBank,   // REFpb: a bank at a time
  kSameBank,  // REFsb: the same bank of every bank group at a time
};
enum class ControllerKind : std::uint8_t {
  kFast,         // event-driven, with stretches of reads on a short way
  kEventDriven,  // only the ticks at which something can happen
  kOracle,       // the plain controller, every tick
};

struct Config {
  std::string standard = "HBM3";
  int stacks = 1;
  int channels_per_stack = 0;             // 0: the standard's
  double pin_rate_gbps = 0;               // per data pin; 0: the standard's
  double target_gb_per_s = 0;             // peak over all stacks; sets the pin rate; 0: not used
  std::int64_t stack_capacity_bytes = 0;  // 0: the standard's
  int stack_ids = 0;                      // or ranks, per channel; 0: the standard's

  // Global address -> channel and channel-local address.
  std::int64_t interleave_bytes = 2048;
  bool interleave_hash = true;
  // Channel-local address -> pseudo-channel, bank, row, column; empty: the standard's.
  std::string address_map;
  bool bank_hash = true;  // bank and bank-group bits are XORed with low row bits

  // Controller, per pseudo-channel. All entries are single bursts.
  int read_queue = 96;
  int write_queue = 64;
  int write_high = 48;  // start draining writes at this many
  int write_low = 16;   // and stop at this many, when reads wait
  SchedulerKind scheduler = SchedulerKind::kFrFcfs;
  int hit_cap = 0;  // bursts a row may serve while an older request waits for its bank; 0: no cap
  RowPolicy row_policy = RowPolicy::kOpen;
  double row_timeout_ns = 100;
  RefreshMode refresh = RefreshMode::kAllBank;
  int refresh_postpone = 0;  // refreshes that may be owed before they become urgent, 0..8

  std::map<std::string, double> timing_ns;  // replaces named timings of the standard
  std::map<std::string, double> energy;     // replaces named energies, in units of energy.hpp
  ControllerKind controller = ControllerKind::kFast;
};

}  // namespace ridgepoint::dram
